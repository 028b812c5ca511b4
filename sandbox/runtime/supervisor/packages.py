"""Packages that a policy grants: imported before any power is given up, and looked at afterwards.

Imported only by a supervisor whose policy grants packages.
"""

from __future__ import annotations  # a class that is named in one would be found there

import atexit
import ctypes
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from types import MappingProxyType
from typing import Any

from sandbox.policy.plan import PACKAGES, Plan
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
    found: list[tuple[str, str, list[str], list[str]]],
    acts: Mapping[str, Callable[[], object]] = MappingProxyType({}),
) -> None:
    """Import the modules that `plan` says, of the packages that are `found`, and run its warm-ups.

    `acts` has, by name of a package, what imports it in another way. Shared objects of packages
    that a child can import are mapped, if they are not by then, as none can be in a child: a
    function that imports one when it is called finds it. No code of a module runs for it.

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
                    _begin(package.name, f"import {package.name}", acts[package.name])
                for module in package.preload:
                    _begin(package.name, f"import {module}", partial(import_module, module))
                code = compile(package.warm_up, f"<warm-up of {package.name}>", "exec")
                _begin(package.name, "warm_up", partial(exec, code, {"__name__": "__warm_up__"}))
        for name, _, modules, paths in found if plan.opens else ():
            if _is_shown(plan, name, modules):
                for path in _shared_objects(paths):
                    _begin(name, f"mapping {os.path.basename(path)}", partial(_map, path))
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
    paths = list(show["library"])
    for name, _, modules, files in show["packages"]:
        if _is_shown(plan, name, modules):
            paths += files
    return tuple(sorted(set(paths)))


def _is_shown(plan: Plan, name: str, modules: list[str]) -> bool:
    granted = any(_normal(package.name) == _normal(name) for package in plan.packages)
    return granted or any(module in sys.modules for module in modules)


def _shared_objects(paths: Iterable[str]) -> Iterator[str]:
    """Yield the files that are modules in native code, not imported yet: named for this Python.

    One that ends in `.so` alone is a library of another's: a module that needs it loads it.
    """
    imported = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
    endings = tuple(ending for ending in EXTENSION_SUFFIXES if ending != ".so")
    for path in paths:
        for folder, _, names in os.walk(path) if os.path.isdir(path) else [("", [], [path])]:
            own = {os.path.join(folder, name) for name in names if name.endswith(endings)}
            yield from sorted(own - imported)


def _map(path: str) -> None:
    try:
        ctypes.CDLL(path, mode=sys.getdlopenflags())
    except OSError:  # it needs what is not installed, as it would in any process
        return


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _begin(package: str, name: str, act: Callable[[], object]) -> None:
    """Do `act`, and look at what there is afterwards. Raises LayerMissing with its `name`."""
    before = _state()
    try:
        act()
    except BaseException as error:
        what = f"{type(error).__name__}: {error}"
        raise LayerMissing(PACKAGES, f"{name} (of {package}) failed: {what}") from error
    for what, items in _state().items():
        if left := items - before[what]:
            some = ", ".join(sorted(left)[:5])
            raise LayerMissing(PACKAGES, f"{name} (of {package}) left {what}: {some}")


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
