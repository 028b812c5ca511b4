"""A stand-in for `shutil`: copies, moves and removals within the tree of the program."""

import errno
from collections.abc import Callable
from typing import Any, NamedTuple

from sandbox.language.guest.context import Context
from sandbox.language.guest.files.paths import checked, fail
from sandbox.language.guest.files.tree import Node, Tree
from sandbox.language.stdlib.files.path_texts import basename, join
from sandbox.language.stdlib.files.wildcards import matches, tokens

_DISK_BYTES = 1 << 30


class Error(OSError):
    """`copytree` and `move` raise it."""

    __module__ = "shutil"


class SameFileError(Error):
    """A file cannot be copied onto itself."""

    __module__ = "shutil"


class usage(NamedTuple):
    """`disk_usage` returns it."""

    total: int
    used: int
    free: int


class terminal_size(NamedTuple):
    """`get_terminal_size` returns it."""

    columns: int
    lines: int


def shutil(context: Context) -> dict[str, Any]:
    """By name."""
    tree = context.state.files.tree

    def copyfile(src: Any, dst: Any, *, follow_symlinks: Any = True) -> Any:
        _copy_content(tree, checked(src), checked(dst))
        return dst

    def into(src: Any, dst: Any) -> Any:
        node = tree.get(checked(dst))
        return join(dst, basename(src)) if node is not None and node.children is not None else dst

    def copy(src: Any, dst: Any, *, follow_symlinks: Any = True) -> Any:
        dst = into(src, dst)
        _copy_content(tree, checked(src), checked(dst))
        copymode(src, dst)
        return dst

    def copy2(src: Any, dst: Any, *, follow_symlinks: Any = True) -> Any:
        dst = into(src, dst)
        _copy_content(tree, checked(src), checked(dst))
        copystat(src, dst)
        return dst

    def copymode(src: Any, dst: Any, *, follow_symlinks: Any = True) -> None:
        tree.find(checked(dst)).permissions = tree.find(checked(src)).permissions

    def copystat(src: Any, dst: Any, *, follow_symlinks: Any = True) -> None:
        copymode(src, dst)
        tree.find(checked(dst)).changed_ns = tree.find(checked(src)).changed_ns

    def copytree(
        src: Any,
        dst: Any,
        symlinks: Any = False,
        ignore: Any = None,
        copy_function: Any = copy2,
        ignore_dangling_symlinks: Any = False,
        dirs_exist_ok: Any = False,
    ) -> Any:
        top = _directory(tree, checked(src))
        names = [*(top.children or {})]
        ignored = {*ignore(src, names)} if ignore is not None else set()
        there = tree.get(checked(dst))
        if there is None:
            _make_all(tree, checked(dst))
        elif not dirs_exist_ok or there.children is None:
            fail(errno.EEXIST, checked(dst))
        for name in names:
            if name not in ignored:
                below, target = join(src, name), join(dst, name)
                if _is_directory(tree.find(checked(below))):
                    copytree(below, target, symlinks, ignore, copy_function, False, dirs_exist_ok)
                else:
                    copy_function(below, target)
        return dst

    def rmtree(
        path: Any,
        ignore_errors: Any = False,
        onerror: Any = None,
        *,
        onexc: Any = None,
        dir_fd: Any = None,
    ) -> None:
        try:
            tree.remove_tree(checked(path))
        except OSError:
            if not ignore_errors:
                raise

    def move(src: Any, dst: Any, copy_function: Any = copy2) -> Any:
        target = dst
        there = tree.get(checked(dst))
        if there is not None and _is_directory(there):
            if tree.get(checked(src)) is there:
                tree.rename(checked(src), checked(dst))
                return target
            target = join(dst, basename(checked(src).rstrip("/")))
            if tree.get(checked(target)) is not None:
                raise Error(f"Destination path '{target}' already exists")
        source = tree.find(checked(src))
        if _is_directory(source) and _is_below(tree.get(checked(dst)), source):
            raise Error(f"Cannot move a directory '{src}' into itself '{dst}'.")
        tree.rename(checked(src), checked(target))
        return target

    def copyfileobj(fsrc: Any, fdst: Any, length: Any = 0) -> None:
        while chunk := fsrc.read(length or 64 << 10):
            fdst.write(chunk)

    def ignore_patterns(*patterns: Any) -> Any:
        wanted = [tokens(checked(pattern)) for pattern in patterns]

        def _ignore_patterns(path: Any, names: Any) -> set[Any]:
            return {name for name in names if any(matches(checked(name), one) for one in wanted)}

        return _ignore_patterns

    def which(cmd: Any, mode: Any = 1, path: Any = None) -> None:
        checked(cmd)  # nothing can be executed

    def disk_usage(path: Any) -> usage:
        tree.find(checked(path))
        return usage(_DISK_BYTES, 0, _DISK_BYTES)

    def get_terminal_size(fallback: Any = (80, 24)) -> terminal_size:
        return terminal_size(*fallback)

    functions: tuple[Callable[..., Any], ...] = (
        *(copyfile, copy, copy2, copymode, copystat, copytree, rmtree, move, copyfileobj),
        *(ignore_patterns, which, disk_usage, get_terminal_size),
    )
    made: dict[str, Any] = {function.__name__: function for function in functions}
    return {**made, "Error": Error, "SameFileError": SameFileError}


def _is_directory(node: Node) -> bool:
    return node.children is not None


def _is_below(node: Node | None, above: Node) -> bool:
    while node is not None and node.parent is not node:
        if node is above:
            return True
        node = node.parent
    return False


def _directory(tree: Tree, path: Any) -> Node:
    node = tree.find(path)
    if node.children is None:
        fail(errno.ENOTDIR, path)
    return node


def _make_all(tree: Tree, path: Any) -> None:
    text = path.decode("utf-8", "surrogateescape") if isinstance(path, bytes) else path
    parts = text.split("/")
    for count in range(1, len(parts) + 1):
        above = "/".join(parts[:count])
        if above and tree.get(above) is None:
            tree.make_directory(above)


def _copy_content(tree: Tree, source: Any, target: Any) -> None:
    node = tree.find(source)
    if node.children is not None:
        fail(errno.EISDIR, source)
    if tree.get(target) is node:
        raise SameFileError(f"{source!r} and {target!r} are the same file")
    made = tree.open_node(target, create=True, exclusive=False, truncate=True)
    if made.data is not None:
        made.data = bytes(node.data or b"")
