"""The functions of `os` that act on files: on the tree of the program, and nothing else.

Each makes plain texts and numbers of its arguments first, so that no code of a program's runs while
the tree is changed. What has no meaning in a tree without users and links is refused as a file of
the host is.
"""

import contextlib
import errno
import os as real
from abc import ABC, abstractmethod
from collections.abc import Iterator
from operator import index
from typing import Any, NoReturn

from sandbox.language.guards.classes.class_origin import dict_of, mro_of
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_file
from sandbox.language.guest.files.content import cut, status_of
from sandbox.language.guest.files.paths import checked, decoded, encoded, fail, plain
from sandbox.language.guest.files.tree import Node
from sandbox.language.stdlib.files.entries import entry, iterator
from sandbox.language.stdlib.files.path_texts import join, split

_strerror = real.strerror  # the process that is disarmed has no such name
_REFUSED = "symlink link readlink chown lchown chroot mkfifo mknod"
_FLAGS = (
    "O_RDONLY O_WRONLY O_RDWR O_CREAT O_EXCL O_TRUNC O_APPEND O_CLOEXEC SEEK_SET SEEK_CUR SEEK_END"
)


def named(context: Context) -> dict[str, Any]:
    """Make the functions of `os` that act on paths, by name."""
    files = context.state.files
    tree = files.tree

    def found(path: Any, call: str, also: str = "") -> Node:
        if isinstance(path, int) and also:
            return files.descriptors.get(index(path)).node
        return tree.find(checked(path, call, also=also))

    def getcwd() -> str:
        return tree.path_of(tree.current)

    def getcwdb() -> bytes:
        return getcwd().encode("utf-8", "surrogateescape")

    def chdir(path: Any) -> None:
        given = checked(path, "chdir", also=" or integer")
        node = tree.find(given)
        if node.children is None:
            fail(errno.ENOTDIR, given)
        tree.current = node

    def inside(path: Any, call: str) -> tuple[Any, Node]:
        given = "." if path is None else checked(path, call, also=", integer or None")
        node = tree.find(given)
        if node.children is None:
            fail(errno.ENOTDIR, given)
        return given, node

    def listdir(path: Any = None) -> list[Any]:
        given, node = inside(path, "listdir")
        return [encoded(name, given) for name in node.children or ()]

    def scandir(path: Any = None) -> Any:
        given, node = inside(path, "scandir")
        begin = given if path is not None else "."
        listed = [*(node.children or {}).items()]

        def entries() -> Iterator[Any]:
            for name, child in listed:
                called = encoded(name, given)
                yield entry(tree, child, called, join(begin, called))

        return iterator(entries())

    def mkdir(path: Any, mode: Any = 0o777, *, dir_fd: Any = None) -> None:
        tree.make_directory(checked(path, "mkdir")).permissions = index(mode) & 0o755

    def makedirs(name: Any, mode: Any = 0o777, exist_ok: Any = False) -> None:
        given = plain(name)
        head, tail = split(given)
        if not tail:
            head, tail = split(head)
        if head and tail and tree.get(head) is None:
            with contextlib.suppress(FileExistsError):
                makedirs(head, exist_ok=exist_ok)
            if tail in (".", b"."):
                return
        try:
            mkdir(given, mode)
        except OSError:
            node = tree.get(given)
            if not exist_ok or node is None or node.children is None:
                raise

    def remove(path: Any, *, dir_fd: Any = None) -> None:
        tree.remove_file(checked(path, "remove"))

    def unlink(path: Any, *, dir_fd: Any = None) -> None:
        tree.remove_file(checked(path, "unlink"))

    def rmdir(path: Any, *, dir_fd: Any = None) -> None:
        tree.remove_directory(checked(path, "rmdir"))

    def removedirs(name: Any) -> None:
        rmdir(name)
        head, tail = split(name)
        if not tail:
            head, tail = split(head)
        while head and tail:
            try:
                rmdir(head)
            except OSError:
                break
            head, tail = split(head)

    def rename(src: Any, dst: Any, *, src_dir_fd: Any = None, dst_dir_fd: Any = None) -> None:
        tree.rename(checked(src, "rename", "src"), checked(dst, "rename", "dst"))

    def replace(src: Any, dst: Any, *, src_dir_fd: Any = None, dst_dir_fd: Any = None) -> None:
        tree.rename(checked(src, "replace", "src"), checked(dst, "replace", "dst"))

    def renames(old: Any, new: Any) -> None:
        head, tail = split(new)
        if head and tail and tree.get(plain(head)) is None:
            makedirs(head)
        rename(old, new)
        head, tail = split(old)
        if head and tail:
            with contextlib.suppress(OSError):
                removedirs(head)

    def stat(path: Any, *, dir_fd: Any = None, follow_symlinks: Any = True) -> Any:
        return status_of(found(path, "stat", " or integer"))

    def lstat(path: Any, *, dir_fd: Any = None) -> Any:
        return status_of(found(path, "lstat"))

    def access(
        path: Any,
        mode: Any,
        *,
        dir_fd: Any = None,
        effective_ids: Any = False,
        follow_symlinks: Any = True,
    ) -> bool:
        given, wanted = checked(path, "access"), index(mode)
        node = tree.get(given)
        if node is None:
            return False
        return not wanted & 1 or bool(node.permissions & 0o111)

    def chmod(path: Any, mode: Any, *, dir_fd: Any = None, follow_symlinks: Any = True) -> None:
        mode = index(mode)
        found(path, "chmod", " or integer").permissions = mode & 0o7777

    def utime(
        path: Any,
        times: Any = None,
        *,
        ns: Any = None,
        dir_fd: Any = None,
        follow_symlinks: Any = True,
    ) -> None:
        if times is not None and ns is not None:
            raise ValueError("utime: you may specify either 'times' or 'ns' but not both")
        when = tree.tick()
        if ns is not None:
            when = index(tuple(ns)[1])
        elif times is not None:
            when = int(float(tuple(times)[1]) * 1e9)
        found(path, "utime", " or integer").changed_ns = when

    def truncate(path: Any, length: Any) -> None:
        length = index(length)
        node = found(path, "truncate", " or integer")
        if node.children is not None:
            fail(errno.EISDIR, path)
        if length < 0:
            fail(errno.EINVAL, path)
        cut(tree, node, length)

    def walk(
        top: Any, topdown: Any = True, onerror: Any = None, followlinks: Any = False
    ) -> Iterator[tuple[Any, list[Any], list[Any]]]:
        return _walk(checked(top), bool(topdown), onerror)

    def _walk(top: Any, topdown: bool, onerror: Any) -> Iterator[tuple[Any, list[Any], list[Any]]]:
        todo: list[tuple[Any, Any]] = [(top, None)]
        while todo:
            top, ready = todo.pop()
            if ready is not None:
                yield ready
                continue
            try:
                _, node = inside(top, "scandir")
            except OSError as error:
                if onerror is not None:
                    onerror(error)
                continue
            listed = [*(node.children or {}).items()]
            names = [encoded(name, top) for name, child in listed if child.children is not None]
            others = [encoded(name, top) for name, child in listed if child.children is None]
            if topdown:
                yield top, names, others
            else:
                todo.append((top, (top, names, others)))
            # As they are now: the program may have taken some out.
            todo += [(join(top, name), None) for name in reversed([*names])]

    functions = (
        *(getcwd, getcwdb, chdir, listdir, scandir, mkdir, makedirs, remove, unlink, rmdir),
        *(removedirs, rename, replace, renames, stat, lstat, access, chmod, utime, truncate, walk),
    )
    refused = {name: _refusal(name) for name in _REFUSED.split()}
    return {**{each.__name__: each for each in functions}, **refused, **_CONSTANTS}


def _refusal(name: str) -> Any:
    def refuse(*paths: Any, **_: Any) -> NoReturn:
        raise denied_file(plain(paths[0]) if paths else name)

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


class PathLike(ABC):
    """Anything with `__fspath__` counts as one."""

    @abstractmethod
    def __fspath__(self) -> Any:
        raise NotImplementedError

    @classmethod
    def __subclasshook__(cls, subclass: Any) -> Any:
        return _has_path(subclass) if cls is PathLike else NotImplemented


def _has_path(cls: Any) -> Any:
    found = any("__fspath__" in dict_of(base) for base in mro_of(cls))
    return found or NotImplemented


_CONSTANTS: dict[str, Any] = {
    **{name: getattr(real, name) for name in _FLAGS.split()},
    "F_OK": 0,
    "R_OK": 4,
    "W_OK": 2,
    "X_OK": 1,
    "curdir": ".",
    "pardir": "..",
    "extsep": ".",
    "altsep": None,
    "pathsep": ":",
    "defpath": "/bin:/usr/bin",
    "devnull": "/dev/null",
    "error": OSError,
    "PathLike": PathLike,
    "fspath": plain,
    "umask": lambda mask, /: 0o22,
    "strerror": lambda code, /: _strerror(index(code)),
}


def fsencode(filename: Any) -> bytes:
    """Return a path as bytes."""
    return decoded(filename).encode("utf-8", "surrogateescape")


def fsdecode(filename: Any) -> str:
    """Return a path as text."""
    return decoded(filename)
