"""Stand-ins for the paths of `pathlib` that act: on the tree of the program that was entered."""

import errno
import io
import sys
from collections.abc import Iterator
from operator import index
from typing import Any, NoReturn

from sandbox.language.guest import state as entered
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_file
from sandbox.language.guest.files.content import status_of
from sandbox.language.guest.files.paths import checked, fail
from sandbox.language.stdlib.files.path_nodes import found_from, node_at, text_of, tree_entered
from sandbox.language.stdlib.files.path_texts import join, normpath
from sandbox.language.stdlib.files.pure_paths import (
    PurePath,
    PurePosixPath,
    joined,
    of,
    parsed,
    read,
)

_NEW = sys.version_info >= (3, 13)


class Path(PurePath):
    """A path that can be opened, made, removed and looked at."""

    __module__ = "pathlib"
    __slots__ = ()

    def __new__(cls, /, *args: Any, **_: Any) -> Any:
        return of(PosixPath if cls is Path else cls, *parsed(args))

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return

    @classmethod
    def cwd(cls) -> Any:
        """Return the working directory."""
        tree = tree_entered()
        return cls(tree.path_of(tree.current))

    @classmethod
    def home(cls) -> NoReturn:
        """Raise: there is no home."""
        raise RuntimeError("Could not determine home directory.")

    def expanduser(self) -> Any:
        """Return it as it is, unless it begins with the home that there is not."""
        root, parts = read(self)
        if not root and parts and parts[0].startswith("~"):
            raise RuntimeError("Could not determine home directory.")
        return self

    def stat(self, *, follow_symlinks: Any = True) -> Any:
        """Return what `os.stat` says."""
        return status_of(tree_entered().find(text_of(self)))

    def lstat(self) -> Any:
        """Return what `os.stat` says: there are no links."""
        return status_of(tree_entered().find(text_of(self)))

    def exists(self, *, follow_symlinks: Any = True) -> bool:
        """Say whether there is something of that name."""
        return node_at(self) is not None

    def is_file(self, *, follow_symlinks: Any = True) -> bool:
        """Say whether it is a file."""
        node = node_at(self)
        return node is not None and node.data is not None

    def is_dir(self, *, follow_symlinks: Any = True) -> bool:
        """Say whether it is a directory."""
        node = node_at(self)
        return node is not None and node.children is not None

    def is_char_device(self) -> bool:
        """Say whether it is the null device."""
        node = node_at(self)
        return node is not None and node.data is None and node.children is None

    def is_mount(self) -> bool:
        """Say whether it is the root."""
        return node_at(self) is tree_entered().root

    def is_symlink(self) -> bool:
        """Return False, as of sockets and their like: there are none."""
        return read(self) is None

    is_junction = is_fifo = is_socket = is_block_device = is_symlink

    def samefile(self, other_path: Any) -> bool:
        """Say whether both are the same file."""
        tree = tree_entered()
        return tree.find(text_of(self)) is tree.find(checked(other_path, "stat"))

    def open(
        self,
        mode: Any = "r",
        buffering: Any = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
    ) -> Any:
        """Open it, as the builtin does."""
        options = (mode, buffering, encoding, errors, newline)
        return entered.files().open(_refuse, text_of(self), *options)

    def read_text(self, encoding: Any = None, errors: Any = None, newline: Any = None) -> Any:
        """Return all of it as text."""
        with self.open("r", -1, encoding, errors, newline) as file:
            return file.read()

    def read_bytes(self) -> Any:
        """Return all of it."""
        with self.open("rb") as file:
            return file.read()

    def write_text(
        self, data: Any, encoding: Any = None, errors: Any = None, newline: Any = None
    ) -> Any:
        """Make it a file with that text."""
        if not isinstance(data, str):
            raise TypeError(f"data must be str, not {type(data).__name__}")
        with self.open("w", -1, encoding, errors, newline) as file:
            return file.write(data)

    def write_bytes(self, data: Any) -> int:
        """Make it a file with those bytes."""
        copy = bytes(memoryview(data))
        with self.open("wb") as file:
            file.write(copy)
        return len(copy)

    def touch(self, mode: Any = 0o666, exist_ok: Any = True) -> None:
        """Make it a file, or change its time."""
        tree = tree_entered()
        if exist_ok and (node := node_at(self)) is not None:
            node.changed_ns = tree.tick()
            return
        tree.open_node(text_of(self), create=True, exclusive=not exist_ok, truncate=False)

    def mkdir(self, mode: Any = 0o777, parents: Any = False, exist_ok: Any = False) -> None:
        """Make it a directory."""
        tree, text = tree_entered(), text_of(self)
        try:
            tree.make_directory(text).permissions = index(mode) & 0o755
        except FileNotFoundError:
            if not parents or self.parent == self:
                raise
            Path.mkdir(self.parent, parents=True, exist_ok=True)
            Path.mkdir(self, mode, parents=False, exist_ok=exist_ok)
        except OSError:
            node = tree.get(text)
            if not exist_ok or node is None or node.children is None:
                raise

    def rmdir(self) -> None:
        """Remove it, an empty directory."""
        tree_entered().remove_directory(text_of(self))

    def unlink(self, missing_ok: Any = False) -> None:
        """Remove it, a file."""
        try:
            tree_entered().remove_file(text_of(self))
        except FileNotFoundError:
            if not missing_ok:
                raise

    def rename(self, target: Any) -> Any:
        """Give it another name."""
        tree_entered().rename(text_of(self), checked(target, "rename", "dst"))
        return type(self)(target)

    def replace(self, target: Any) -> Any:
        """Give it another name."""
        tree_entered().rename(text_of(self), checked(target, "replace", "dst"))
        return type(self)(target)

    def chmod(self, mode: Any, *, follow_symlinks: Any = True) -> None:
        """Set its permissions."""
        mode = index(mode)
        tree_entered().find(text_of(self)).permissions = mode & 0o7777

    def iterdir(self) -> Iterator[Any]:
        """Yield what is in it."""
        node, text = node_at(self), text_of(self)
        if node is None or node.children is None:
            fail(errno.ENOENT if node is None else errno.ENOTDIR, text)
        return iter([joined(self, (name,)) for name in node.children])

    def glob(
        self, pattern: Any, *, case_sensitive: Any = None, recurse_symlinks: Any = False
    ) -> Iterator[Any]:
        """Yield what is below it and matches."""
        return found_from(self, pattern, "")

    def rglob(
        self, pattern: Any, *, case_sensitive: Any = None, recurse_symlinks: Any = False
    ) -> Iterator[Any]:
        """Yield what is below it, however deep, and matches."""
        return found_from(self, pattern, "**")

    def walk(
        self, top_down: Any = True, on_error: Any = None, follow_symlinks: Any = False
    ) -> Iterator[tuple[Any, list[str], list[str]]]:
        """Yield each directory with the names of what is in it."""
        todo: list[tuple[Any, Any]] = [(self, None)]
        while todo:
            top, ready = todo.pop()
            if ready is not None:
                yield ready
                continue
            node = node_at(top)
            if node is None or node.children is None:
                if on_error is not None:
                    on_error(OSError(errno.ENOENT, "No such file or directory", text_of(top)))
                continue
            listed = [*node.children.items()]
            names = [name for name, child in listed if child.children is not None]
            others = [name for name, child in listed if child.children is None]
            if top_down:
                yield top, names, others
            else:
                todo.append((top, (top, names, others)))
            todo += [(joined(top, (name,)), None) for name in reversed([*names])]

    def absolute(self) -> Any:
        """Return it from the root."""
        return self if read(self)[0] else joined(Path.cwd(), (self,))

    def resolve(self, strict: Any = False) -> Any:
        """Return it from the root, without what leads nowhere."""
        tree, text = tree_entered(), text_of(self)
        whole = normpath(join(tree.path_of(tree.current), text))
        if strict:
            tree.find(whole if _NEW else text)
        return type(self)(whole)

    def owner(self, *, follow_symlinks: Any = True) -> NoReturn:
        """Raise: there are no users."""
        raise denied_file(text_of(self))

    group = owner

    def symlink_to(self, target: Any = None, target_is_directory: Any = False) -> NoReturn:
        """Raise: there are no links."""
        raise denied_file(text_of(self))

    hardlink_to = readlink = symlink_to


class PosixPath(Path, PurePosixPath):
    """A path with slashes that acts."""

    __module__ = "pathlib"
    __slots__ = ()


def _refuse(number: int, *_: Any) -> NoReturn:
    raise denied_file(number)


def pathlib(context: Context) -> dict[str, Any]:
    """By name."""
    kinds = (Path, PosixPath, PurePath, PurePosixPath)
    made: dict[str, Any] = {kind.__name__: kind for kind in kinds}
    return {**made, "UnsupportedOperation": io.UnsupportedOperation}
