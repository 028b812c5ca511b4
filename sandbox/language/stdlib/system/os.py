"""Stand-ins for `os`, `os.path` and `atexit`."""

import operator
from collections.abc import Callable
from typing import Any, NoReturn

from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_file

_STREAMS = (0, 1, 2, "/dev/stdin", "/dev/stdout", "/dev/stderr")


def os(context: Context) -> dict[str, Any]:
    """The standard streams by number, as fast readers use them, and an empty environment."""
    state = context.state

    class stat_result:
        def __init__(self, size: int) -> None:
            self.st_size = size
            self.st_mode = 0o10600

    def read(fd: int, n: int, /) -> bytes:
        if fd != 0:
            raise denied_file(fd)
        data: bytes = state.stdin.buffer.read1(n)
        return data

    def write(fd: int, data: bytes, /) -> int:
        if fd not in (1, 2):
            raise denied_file(fd)
        target = state.stdout if fd == 1 else state.sys["__stderr__"]
        count: int = target.buffer.write(data)
        return count

    def fstat(fd: int) -> stat_result:
        if fd not in (0, 1, 2):
            raise denied_file(fd)
        return stat_result(len(state.stdin.buffer.peek()) if fd == 0 else 0)

    def _exit(status: int) -> NoReturn:
        state.exit_calls.clear()
        raise SystemExit(operator.index(status))

    return {
        "read": read,
        "write": write,
        "fstat": fstat,
        "_exit": _exit,
        "environ": {},
        "getenv": lambda key, default=None: default,
        "cpu_count": lambda: 1,
        "getpid": lambda: 1,
        "O_RDONLY": 0,
        "linesep": "\n",
        "name": "posix",
        "sep": "/",
    }


def path(context: Context) -> dict[str, Any]:
    """Make `os.path`: it works on texts, and knows no files but the standard streams."""

    def exists(path: Any) -> bool:
        return (path if type(path) is int else _text(path)) in _STREAMS

    def is_kind(path: Any) -> bool:
        if type(path) is not int:
            _text(path)
        return False  # a stream is neither a file nor a directory nor a link

    def getsize(filename: Any) -> NoReturn:
        raise denied_file(filename, made=False)

    return {
        **{function.__name__: function for function in _OF_TEXTS},
        "exists": exists,
        "lexists": exists,
        "getsize": getsize,
        **dict.fromkeys(("isfile", "isdir", "islink"), is_kind),
        "sep": "/",
        "curdir": ".",
        "pardir": "..",
    }


def _text(path: Any) -> str:
    """The text of `path`, whatever class of text it is of."""
    if not isinstance(path, str):
        kind = type(path).__name__
        raise TypeError(f"expected str, bytes or os.PathLike object, not {kind}")
    return str.__str__(path)


def join(a: Any, /, *p: Any) -> str:
    """The parts with a slash between them; an absolute one drops what is before it."""
    whole = _text(a)
    for part in map(_text, p):
        between = "" if not whole or whole.endswith("/") else "/"
        whole = part if part.startswith("/") else whole + between + part
    return whole


def split(p: Any) -> tuple[str, str]:
    """Return what is before the last slash, and what is behind it."""
    text = _text(p)
    cut = text.rfind("/") + 1
    head, tail = text[:cut], text[cut:]
    return head.rstrip("/") or head, tail


def basename(p: Any) -> str:
    """Return what is behind the last slash."""
    return split(p)[1]


def dirname(p: Any) -> str:
    """Return what is before the last slash."""
    return split(p)[0]


def splitext(p: Any) -> tuple[str, str]:
    """The path without its extension, and that; dots that a name begins with begin none."""
    text = _text(p)
    name = text[text.rfind("/") + 1 :]
    dot = name.rfind(".")
    if not name[: max(dot, 0)].strip("."):
        return text, ""
    cut = len(text) - len(name) + dot
    return text[:cut], text[cut:]


def isabs(s: Any) -> bool:
    """True if it begins with a slash."""
    return _text(s).startswith("/")


def normpath(path: Any) -> str:
    """The path without what leads nowhere."""
    text = _text(path)
    root = text[: len(text) - len(text.lstrip("/"))]
    root = root if len(root) == 2 else root[:1]  # two slashes have a meaning of their own
    parts: list[str] = []
    for part in text.split("/"):
        if part == ".." and (parts or root) and parts[-1:] != [".."]:
            parts[-1:] = []
        elif part not in ("", "."):
            parts.append(part)
    return root + "/".join(parts) or "."


def abspath(path: Any) -> str:
    """The path from the root, where every program is."""
    return normpath(join("/", path))


_OF_TEXTS: tuple[Callable[..., Any], ...] = (
    *(abspath, basename, dirname, isabs, join, normpath, split, splitext),
)


def atexit(context: Context) -> dict[str, Any]:
    """Make the module: what is registered is called at the end of the program, the last first."""
    calls = context.state.exit_calls

    def register(func: Any, /, *args: Any, **kwargs: Any) -> Any:
        if not callable(func):
            raise TypeError("the first argument must be callable")
        calls.append((func, args, kwargs))
        return func

    def unregister(func: Any, /) -> None:
        for call in [*calls]:
            if call[0] == func and call in calls:
                calls.remove(call)

    return {"register": register, "unregister": unregister}


def run_exit_calls(calls: list[Any]) -> None:
    """Call what was registered; what one raises stops none of the others, as in CPython."""
    for call in [*reversed(calls)]:
        if not any(call is each for each in calls):  # unregistered meanwhile
            continue
        try:
            call[0](*call[1], **call[2])
        except BaseException:
            continue
    calls.clear()
