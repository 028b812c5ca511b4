"""The installed packages that a policy grants, and the files of each by its own records.

Nothing is shown by folder alone: a folder is, if all that is in it stands in the records of one
distribution (or is compiled from what does). Paths for the import system (`.pth`), scripts, and
records of where a distribution came from (`direct_url.json`) are never shown.
"""

import os
import re
import sysconfig
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

from sandbox.errors import SandboxUnavailable
from sandbox.policy.plan import PACKAGES, Package, Plan

_NOT_LIBRARY = {"site-packages", "dist-packages", "test"}
_CACHE = "__pycache__"
_OF_METADATA = {"METADATA", "entry_points.txt"}
_EXTRA = re.compile(r"\bextra\s*==")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

Found = list[tuple[str, str, list[str], list[str]]]  # name, folder, its modules, its paths


def to_show(plan: Plan) -> dict[str, Any]:
    """Return what a supervisor under `plan` can show its children: `library` and `packages`.

    The library is a list of paths. A package is (name, folder to import from, modules, paths); the
    granted ones come first, then what they depend on. Under the language layer a package is only
    found, for the supervisor to import: no child is shown a file of it.

    Raises SandboxUnavailable if a package is not installed, with the command that installs it.
    """
    if not plan.opens:
        return {"library": [], "packages": _found(plan.packages, plan.name)}
    return {"library": library(), "packages": _found(plan.packages, plan.name)}


def summary(paths: Iterable[str]) -> str:
    """Say in a few words what `paths` are: the names in each folder, or how many of the library."""
    folders: dict[str, list[str]] = {}
    own = set(library())
    for path in paths:
        name = "" if path in own else os.path.basename(path)
        folders.setdefault(os.path.dirname(path), []).append(name)
    told = []
    for folder, names in sorted(folders.items()):
        if folder.endswith(".dist-info"):
            continue
        some = [name for name in names if name]
        told.append(f"{folder}: {', '.join(some) or f'{len(names)} entries'}")
    return "; ".join(told) or "nothing"


@lru_cache(maxsize=1)
def library() -> list[str]:
    """List the entries of the standard library's folders, without packages and its own tests."""
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    return sorted(
        {
            entry.path
            for folder in folders
            for entry in os.scandir(folder)
            # A link leads to what is no part of the library, or nowhere.
            if entry.name not in _NOT_LIBRARY
            and not entry.name.endswith(".pth")
            and not entry.is_symlink()
        }
    )


@lru_cache(maxsize=16)
def _found(packages: tuple[Package, ...], policy: str) -> Found:
    granted = [_distribution(package, policy) for package in packages]
    named = [distribution for distribution in granted if distribution is not None]
    return [_described(distribution) for distribution in _with_dependencies(named)]


def _distribution(package: Package, policy: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(package.name)
    except metadata.PackageNotFoundError:
        if package.optional:
            return None
        raise SandboxUnavailable(
            PACKAGES,
            f"the policy '{policy}' grants {package.name}, which is not installed here",
            f"Run `pip install {package.name}`, or let the policy say optional = true.",
        ) from None


def _with_dependencies(granted: list[metadata.Distribution]) -> list[metadata.Distribution]:
    found = {_normal(each.metadata["Name"]): each for each in granted}
    waiting = list(granted)
    while waiting:
        for line in waiting.pop().requires or ():
            name = _NAME.match(line)
            if name is None or _EXTRA.search(line) or _normal(name[0]) in found:
                continue
            try:
                needed = metadata.distribution(name[0])
            except metadata.PackageNotFoundError:  # for another system, or another Python
                continue
            found[_normal(name[0])] = needed
            waiting.append(needed)
    return list(found.values())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _described(distribution: metadata.Distribution) -> tuple[str, str, list[str], list[str]]:
    folder = os.path.abspath(str(distribution.locate_file("")))  # a path may be relative
    recorded = {str(path) for path in distribution.files or () if _is_shown(path)}
    modules = sorted({_module(path) for path in recorded if ".dist-info/" not in path})
    shown = sorted(_smallest_cover(folder, recorded))
    return distribution.metadata["Name"], folder, modules, shown


def _is_shown(path: "metadata.PackagePath") -> bool:
    first = path.parts[0]
    if path.is_absolute() or ".." in path.parts or path.suffix == ".pth" or first == _CACHE:
        return False
    return path.name in _OF_METADATA if first.endswith(".dist-info") else True


def _module(path: str) -> str:
    return path.split("/")[0].split(".")[0]


def _smallest_cover(folder: str, recorded: Iterable[str]) -> Iterator[str]:
    """Yield the paths below `folder` that cover `recorded` and nothing else of what is there."""
    below: dict[str, set[str]] = {}
    for path in recorded:
        parent = path
        while parent:
            parent, child = os.path.dirname(parent), parent
            below.setdefault(parent, set()).add(child)
    yield from _cover(folder, "", below)


def _cover(folder: str, at: str, below: dict[str, set[str]]) -> Iterator[str]:
    for path in sorted(below[at]):
        whole = os.path.join(folder, path)
        if path not in below:
            if os.path.isfile(whole) and not os.path.islink(whole):
                yield whole
        elif os.path.isdir(whole) and not os.path.islink(whole):
            if _is_all_recorded(folder, path, below):
                yield whole
            else:
                yield from _cover(folder, path, below)


def _is_all_compiled(cache: str, at: str, recorded: set[str]) -> bool:
    """Return True if all that is in the folder `cache` is compiled from what is `recorded`."""
    for entry in os.scandir(cache):
        stem, _, rest = entry.name.partition(".")
        is_code = entry.is_file(follow_symlinks=False) and rest.endswith("pyc")
        if not is_code or f"{at}/{stem}.py" not in recorded:
            return False
    return True


def _is_all_recorded(folder: str, at: str, below: dict[str, set[str]]) -> bool:
    for entry in os.scandir(Path(folder, at)):
        path = f"{at}/{entry.name}"
        if entry.is_symlink():
            return False
        if entry.name == _CACHE and entry.is_dir():
            if not _is_all_compiled(entry.path, at, below[at]):
                return False
            continue
        if path not in below[at]:
            return False
        if entry.is_dir() and not (path in below and _is_all_recorded(folder, path, below)):
            return False
    return True
