"""Exceptions whose text is made from attributes that a program may have set to anything."""

from typing import Any

from sandbox.language.natives.arguments import as_integer
from sandbox.language.natives.patching import Method, replace


def harden() -> None:
    """Replace the texts of errors that read memory at a position of the program's choice."""
    replace(UnicodeDecodeError, _of_bytes, "__str__")
    replace(UnicodeEncodeError, _of_text("encode"), "__str__")
    replace(UnicodeTranslateError, _of_text("translate"), "__str__")
    replace(OSError, _of_os_error, "__str__")
    replace(UnicodeDecodeError, _init(2, 3), "__init__")
    replace(UnicodeEncodeError, _init(2, 3), "__init__")
    replace(UnicodeTranslateError, _init(1, 2), "__init__")


def _init(*positions: int) -> Any:
    """Make an `__init__` that asks for the positions before CPython's runs.

    CPython's has stored what it does not hold yet when it asks for the positions.
    """

    def make(own: Method) -> Method:
        def __init__(self: Any, /, *args: Any, **named: Any) -> None:
            values = [as_integer(v) if at in positions else v for at, v in enumerate(args)]
            own(self, *values, **named)

        return __init__

    return make


def _fields(error: Any, kind: type) -> tuple[Any, int, int, str, str] | None:
    """Read the object, the positions, the reason and the encoding, each once.

    Returns None if the object or a position is of a wrong type.
    """
    thing, start, end = error.object, error.start, error.end
    if not issubclass(type(thing), kind) or type(start) is not int or type(end) is not int:
        return None
    return thing, start, end, str(error.reason), str(getattr(error, "encoding", ""))


def _of_bytes(own: Method) -> Method:
    def __str__(self: Any) -> str:
        if type(self) is not UnicodeDecodeError and not issubclass(type(self), UnicodeDecodeError):
            return own(self)  # type: ignore[no-any-return]
        fields = _fields(self, bytes) if _is_set(self) else None
        if fields is None:
            return ""
        thing, start, end, reason, encoding = fields
        if end == start + 1 and 0 <= start < bytes.__len__(thing):
            byte = bytes.__getitem__(thing, start)
            what = f"byte 0x{byte:02x} in position {start}"
        else:
            what = f"bytes in position {start}-{end - 1}"
        return f"'{encoding}' codec can't decode {what}: {reason}"

    return __str__


def _is_set(error: Any) -> bool:
    """Return True unless the error was never initialised: its attributes cannot be read then."""
    try:
        error.object  # noqa: B018
    except TypeError:
        return False
    return True


def _of_text(verb: str) -> Any:
    def make(own: Method) -> Method:
        def __str__(self: Any) -> str:
            if not issubclass(type(self), (UnicodeEncodeError, UnicodeTranslateError)):
                return own(self)  # type: ignore[no-any-return]
            fields = _fields(self, str) if _is_set(self) else None
            if fields is None:
                return ""
            thing, start, end, reason, encoding = fields
            if end == start + 1 and 0 <= start < str.__len__(thing):
                what = f"character {_escaped(str.__getitem__(thing, start))} in position {start}"
            else:
                what = f"characters in position {start}-{end - 1}"
            codec = f"'{encoding}' codec " if verb == "encode" else ""
            return f"{codec}can't {verb} {what}: {reason}"

        return __str__

    return make


def _escaped(character: str) -> str:
    code = ord(character)
    if code <= 0xFF:
        return f"'\\x{code:02x}'"
    return f"'\\u{code:04x}'" if code <= 0xFFFF else f"'\\U{code:08x}'"


def _of_os_error(own: Method) -> Method:
    """Make a `__str__` that holds the attributes of an OSError until it returns.

    CPython's makes texts of attributes one after the other, and holds none of them.
    """
    read = [OSError.__dict__[name].__get__ for name in _OS_ERROR]

    def __str__(self: Any) -> str:
        held = [get(self) for get in read]
        text: str = own(self)
        del held
        return text

    return __str__


_OS_ERROR = ("errno", "strerror", "filename", "filename2")
