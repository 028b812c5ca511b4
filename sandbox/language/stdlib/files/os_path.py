"""A stand-in for `os.path`: texts, and questions about the tree of the program."""

import sys
from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.guest.files.content import status_of
from sandbox.language.guest.files.opening import STANDARD
from sandbox.language.guest.files.paths import checked, encoded
from sandbox.language.guest.files.tree import Node
from sandbox.language.stdlib.files.path_texts import (
    OF_TEXTS,
    join,
    normcase,
    normpath,
    relative,
    text_of,
)

_NEW = sys.version_info >= (3, 13)


def path(context: Context) -> dict[str, Any]:
    """By name. A path that the kernel would not take names nothing, as in CPython."""
    tree, descriptors = context.state.files.tree, context.state.files.descriptors

    def node_of(path: Any) -> Node | None:
        if isinstance(path, int):
            try:
                return descriptors.get(int(path)).node
            except OSError:
                return None
        try:
            return tree.get(checked(path, "stat", also=" or integer"))
        except (OSError, ValueError):
            return None

    def is_standard(path: Any) -> bool:
        if isinstance(path, int):
            return 0 <= path <= 2
        try:
            return text_of(path)[0] in STANDARD
        except ValueError:
            return False

    def exists(path: Any) -> bool:
        return node_of(path) is not None or is_standard(path)

    def isfile(path: Any) -> bool:
        node = node_of(path)
        return node is not None and node.data is not None

    def isdir(s: Any) -> bool:
        node = node_of(s)
        return node is not None and node.children is not None

    def islink(path: Any) -> bool:
        node_of(path)
        return False

    def ismount(path: Any) -> bool:
        return node_of(path) is tree.root

    def stat(path: Any) -> Any:
        if isinstance(path, int):
            return status_of(descriptors.get(int(path)).node)
        return status_of(tree.find(checked(path, "stat", also=" or integer")))

    def getsize(filename: Any) -> int:
        return int(stat(filename).st_size)

    def getmtime(filename: Any) -> float:
        return float(stat(filename).st_mtime)

    def abspath(path: Any) -> Any:
        text, like = text_of(path)
        if not text.startswith("/"):
            text = join(tree.path_of(tree.current), text)
        return encoded(normpath(text), like)

    def realpath(filename: Any, *, strict: Any = False) -> Any:
        if strict:
            tree.find(abspath(filename) if _NEW else checked(filename))
        return abspath(filename)

    def relpath(path: Any, start: Any = None) -> Any:
        text, like = text_of(path)
        if not text:
            raise ValueError("no path specified")
        begin = "." if start is None else text_of(start)[0]
        return encoded(relative(abspath(text), abspath(begin)), like)

    def expanduser(path: Any) -> Any:
        return normcase(path)  # there is no home: as in CPython without one

    def samefile(f1: Any, f2: Any) -> bool:
        return bool(stat(f1).st_ino == stat(f2).st_ino)

    def samestat(s1: Any, s2: Any) -> bool:
        return bool(s1.st_ino == s2.st_ino and s1.st_dev == s2.st_dev)

    def isjunction(path: Any) -> bool:
        text_of(path)
        return False

    functions = (
        *(exists, isfile, isdir, islink, ismount, getsize, getmtime, abspath, realpath),
        *(relpath, expanduser, samefile, samestat, isjunction, *OF_TEXTS),
    )
    made: dict[str, Any] = {function.__name__: function for function in functions}
    if sys.version_info < (3, 12):
        del made["isjunction"], made["splitroot"]
    return {
        **made,
        "lexists": exists,
        "getatime": getmtime,
        "getctime": getmtime,
        "altsep": None,
        "curdir": ".",
        "defpath": "/bin:/usr/bin",
        "devnull": "/dev/null",
        "extsep": ".",
        "pardir": "..",
        "pathsep": ":",
        "sep": "/",
        "supports_unicode_filenames": False,
    }
