"""The entries that `os.scandir` yields: names, and what they were as the directory was read."""

from collections.abc import Iterator
from typing import Any

from sandbox.language.guest.files.content import status_of
from sandbox.language.guest.files.tree import Node, Tree


class DirEntry:
    """One name in a directory. What it was is in a slot that no name leads to."""

    __slots__ = ("_kept", "name", "path")
    name: Any
    path: Any

    def __new__(cls, /, *_: Any, **__: Any) -> "DirEntry":
        raise TypeError("cannot create 'posix.DirEntry' instances")

    def __repr__(self) -> str:
        return f"<DirEntry {_name(self)!r}>"

    def __fspath__(self) -> Any:
        return _path(self)

    def is_dir(self, *, follow_symlinks: Any = True) -> bool:
        """Say whether it is a directory."""
        return _read(self)[1].children is not None

    def is_file(self, *, follow_symlinks: Any = True) -> bool:
        """Say whether it is a file."""
        return _read(self)[1].data is not None

    def is_symlink(self) -> bool:
        """Return False: there are none."""
        return _read(self) is None

    def is_junction(self) -> bool:
        """Return False: there are none."""
        return _read(self) is None

    def inode(self) -> int:
        """Return its number."""
        return _read(self)[1].number

    def stat(self, *, follow_symlinks: Any = True) -> Any:
        """Return what `os.stat` says of it."""
        tree, _ = _read(self)
        return status_of(tree.find(_path(self)))


_slots = [DirEntry.__dict__[name] for name in ("_kept", "name", "path")]
_kept: Any
_name: Any
_path: Any
_kept, _name, _path = (slot.__get__ for slot in _slots)
del DirEntry._kept  # type: ignore[attr-defined]


def _read(entry: Any) -> tuple[Tree, Node]:
    kept: tuple[Tree, Node] = _kept(entry)
    return kept


def entry(tree: Tree, node: Node, name: Any, path: Any) -> DirEntry:
    """Make the entry of `node`."""
    made = object.__new__(DirEntry)
    for slot, value in zip(_slots, ((tree, node), name, path), strict=True):
        slot.__set__(made, value)
    return made


class Entries:
    """Entries, one after the other; a context manager, too."""

    __slots__ = ("_kept",)

    def __new__(cls, /, *_: Any, **__: Any) -> "Entries":
        raise TypeError("cannot create 'posix.ScandirIterator' instances")

    def __iter__(self) -> "Entries":
        return self

    def __next__(self) -> DirEntry:
        following: DirEntry = next(_rest(self))
        return following

    def __enter__(self) -> "Entries":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Give no more."""
        for _ in _rest(self):
            pass


_slot: Any = Entries.__dict__["_kept"]
_rest: Any = _slot.__get__
del Entries._kept  # type: ignore[attr-defined]


def iterator(entries: Iterator[DirEntry]) -> Entries:
    """Make the iterator over `entries`."""
    made = object.__new__(Entries)
    _slot.__set__(made, entries)
    return made
