"""Packages that a policy grants: imported before any power is given up, and looked at afterwards.

Imported only by a supervisor whose policy grants packages.
"""

from __future__ import annotations  # a class that is named in one would be found there

import atexit
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import Any

from sandbox.policy.plan import PACKAGES, Package, Plan
from sandbox.runtime.supervisor.jail import LayerMissing

# Read when a package is imported: a thread would not survive the fork, and its lock would.
_ONE_THREAD = dict.fromkeys(
    (
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
        *("NUMEXPR_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS"),
        "LOKY_MAX_CPU_COUNT",
    ),
    "1",
)
# No window, and no processes: joblib asks once, when it is imported, whether it can make any. And
# no thread of pyarrow's heap, which pandas loads where it is installed.
_ALONE = {
    "MPLBACKEND": "Agg",
    "JOBLIB_MULTIPROCESSING": "0",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
}
# Where packages keep what they make. A folder of this import's own, removed when it is done.
_FOLDERS = ("HOME", "TMPDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")


_OF_THE_HEAP = ("PYTHONMALLOC", "GLIBC_TUNABLES")  # read by now, and no program's concern


def load(
    plan: Plan,
    found: Iterable[tuple[str, str, list[str], list[str]]],
    acts: Mapping[str, Callable[[], object]] = MappingProxyType({}),
) -> None:
    """Import the modules that `plan` says, of the packages that are `found`, and run its warm-ups.

    `acts` has, by name of a package, what imports it in another way.

    What one leaves behind is looked for. Functions to be called at exit, and files below its own
    temporary folder, are undone: the first are the supervisor's, whose end is no program's, the
    second no child could see. A thread, a descriptor or a process is refused with the name of the
    module: children would inherit it. Raises LayerMissing.
    """
    import shutil  # here: under the language layer they go again with the package
    import tempfile

    folders = {name: folder for name, folder, _, _ in found}
    sys.path += [folder for folder in folders.values() if folder not in sys.path]
    installed = {_normal(name) for name in folders}
    scratch = tempfile.mkdtemp()
    os.environ |= {**_ONE_THREAD, **_ALONE, **dict.fromkeys(_FOLDERS, scratch)}
    tempfile.tempdir = None
    for name in _OF_THE_HEAP:
        os.environ.pop(name, None)
    try:
        for package in plan.packages:
            if _normal(package.name) in installed:
                if package.name in acts:
                    _begin(package, f"import {package.name}", acts[package.name])
                for module in package.preload:
                    _begin(package, f"import {module}", partial(import_module, module))
                code = compile(package.warm_up, f"<warm-up of {package.name}>", "exec")
                _begin(package, "warm_up", partial(exec, code, {"__name__": "__warm_up__"}))
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
        for name in _FOLDERS:
            del os.environ[name]
        tempfile.tempdir = None
    atexit._clear()


def shown(show: dict[str, Any], plan: Plan) -> tuple[str, ...]:
    """List the paths that children see: of the library, of granted packages, and of those imported.

    `show` is what `policy.packages.to_show` returns.
    """
    granted = {_normal(package.name) for package in plan.packages}
    paths = list(show["library"])
    for name, _, modules, files in show["packages"]:
        if _normal(name) in granted or any(module in sys.modules for module in modules):
            paths += files
    return tuple(sorted(set(paths)))


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _begin(package: Package, name: str, act: Callable[[], object]) -> None:
    """Do `act`, and look at what there is afterwards. Raises LayerMissing with its `name`."""
    before = _state()
    try:
        act()
    except BaseException as error:
        what = f"{type(error).__name__}: {error}"
        raise LayerMissing(PACKAGES, f"{name} (of {package.name}) failed: {what}") from error
    for what, items in _state().items():
        if left := items - before[what]:
            some = ", ".join(sorted(left)[:5])
            raise LayerMissing(PACKAGES, f"{name} (of {package.name}) left {what}: {some}")


def _state() -> dict[str, set[str]]:
    """Return what there is of what a child must not inherit: threads, processes, descriptors."""
    own = f"/proc/self/task/{os.getpid()}/children"
    with open(own) if os.path.exists(own) else open(os.devnull) as file:
        children = set(file.read().split())
    return {
        "threads": set(os.listdir("/proc/self/task")),
        "child processes": children,
        "open descriptors": _descriptors(),
    }


def _descriptors() -> set[str]:
    found = set()
    for number in os.listdir("/proc/self/fd"):
        try:
            found.add(f"{number} ({os.readlink(f'/proc/self/fd/{number}')})")
        except FileNotFoundError:  # of this listing itself
            continue
    return found
