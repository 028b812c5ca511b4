"""A stand-in for `tempfile`: files and directories in the tree, with names that are drawn.

They are drawn from a generator that is in the same state in every child.
"""

from collections.abc import Callable
from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.guest.files.handles import Handle
from sandbox.language.guest.files.paths import checked
from sandbox.language.guest.files.tree import TEMPORARY_DIRECTORY, Node
from sandbox.language.stdlib.files.path_texts import join

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789_"  # of tempfile._RandomNameSequence
_PREFIX = "tmp"


def tempfile(context: Context) -> dict[str, Any]:
    """By name."""
    from random import Random

    files, draw = context.state.files, Random(0).choice
    tree = files.tree

    def new_path(suffix: Any, prefix: Any, dir: Any) -> str:
        above = TEMPORARY_DIRECTORY if dir is None else checked(dir)
        begin = _PREFIX if prefix is None else checked(prefix)
        end = "" if suffix is None else checked(suffix)
        while True:
            drawn = "".join([draw(_LETTERS) for _ in range(8)])
            path: str = join(above, f"{begin}{drawn}{end}")
            if tree.get(path) is None:
                return path if path.startswith("/") else join(tree.path_of(tree.current), path)

    def mkdtemp(suffix: Any = None, prefix: Any = None, dir: Any = None) -> str:
        path = new_path(suffix, prefix, dir)
        tree.make_directory(path).permissions = 0o700
        return path

    def mkstemp(
        suffix: Any = None, prefix: Any = None, dir: Any = None, text: Any = False
    ) -> tuple[int, str]:
        path = new_path(suffix, prefix, dir)
        return files.descriptors.add(Handle(tree, new_file(path), "w+")), path

    def new_file(path: str) -> Node:
        node = tree.open_node(path, create=True, exclusive=True, truncate=False)
        node.permissions = 0o600
        return node

    def mktemp(suffix: Any = "", prefix: Any = _PREFIX, dir: Any = None) -> str:
        return new_path(suffix, prefix, dir)

    def gettempdir() -> str:
        return TEMPORARY_DIRECTORY

    def open_new(path: str, mode: Any, buffering: Any, *options: Any) -> Any:
        new_file(path)
        return files.open(context.state.standard_stream, path, mode, buffering, *options)

    def NamedTemporaryFile(
        mode: Any = "w+b",
        buffering: Any = -1,
        encoding: Any = None,
        newline: Any = None,
        suffix: Any = None,
        prefix: Any = None,
        dir: Any = None,
        delete: Any = True,
        *,
        errors: Any = None,
        delete_on_close: Any = True,
    ) -> Any:
        path = new_path(suffix, prefix, dir)
        stream = open_new(path, mode, buffering, encoding, errors, newline)
        if delete:
            files.on_close(stream, lambda: remove(path))
        return stream

    def remove(path: str) -> None:
        if tree.get(path) is not None:
            tree.remove_file(path)

    def TemporaryFile(
        mode: Any = "w+b",
        buffering: Any = -1,
        encoding: Any = None,
        newline: Any = None,
        suffix: Any = None,
        prefix: Any = None,
        dir: Any = None,
        *,
        errors: Any = None,
    ) -> Any:
        path = new_path(suffix, prefix, dir)
        stream = open_new(path, mode, buffering, encoding, errors, newline)
        tree.remove_file(path)
        return stream

    def SpooledTemporaryFile(
        max_size: Any = 0,
        mode: Any = "w+b",
        buffering: Any = -1,
        encoding: Any = None,
        newline: Any = None,
        suffix: Any = None,
        prefix: Any = None,
        dir: Any = None,
        *,
        errors: Any = None,
    ) -> Any:
        options = (mode, buffering, encoding, newline, suffix, prefix, dir)
        return TemporaryFile(*options, errors=errors)

    class TemporaryDirectory:
        """A directory that is removed with all that is in it."""

        __module__ = "tempfile"
        __slots__ = ("delete", "name")

        def __init__(
            self,
            suffix: Any = None,
            prefix: Any = None,
            dir: Any = None,
            ignore_cleanup_errors: Any = False,
            *,
            delete: Any = True,
        ) -> None:
            self.name = mkdtemp(suffix, prefix, dir)
            self.delete = bool(delete)

        def __repr__(self) -> str:
            return f"<TemporaryDirectory {self.name!r}>"

        def __enter__(self) -> str:
            return self.name

        def __exit__(self, *_: object) -> None:
            if self.delete:
                self.cleanup()

        def cleanup(self) -> None:
            """Remove it."""
            path = checked(self.name)
            if tree.get(path) is not None:
                tree.remove_tree(path)

    functions: tuple[Callable[..., Any], ...] = (
        *(mkdtemp, mkstemp, mktemp, gettempdir, NamedTemporaryFile, TemporaryFile),
        SpooledTemporaryFile,
    )
    made: dict[str, Any] = {function.__name__: function for function in functions}
    return {
        **made,
        "TemporaryDirectory": TemporaryDirectory,
        "gettempprefix": lambda: _PREFIX,
        "tempdir": None,
    }
