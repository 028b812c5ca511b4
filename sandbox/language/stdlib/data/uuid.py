"""A stand-in for `uuid`, after CPython's `Lib/uuid.py`: values, and no look at the machine.

The real module runs `ip` and `ifconfig`, calls libuuid and holds `os`. It is never imported.
"""

import sys
from enum import Enum
from importlib import import_module
from operator import index
from typing import Any

from sandbox.language.guest.clock import FixedClock
from sandbox.language.guest.context import Context

_RESERVED = {
    "RESERVED_NCS": "reserved for NCS compatibility",
    "RFC_4122": "specified in RFC 4122",
    "RESERVED_MICROSOFT": "reserved for Microsoft compatibility",
    "RESERVED_FUTURE": "reserved for future definition",
}
_NAMESPACES = {"DNS": 0x10, "URL": 0x11, "OID": 0x12, "X500": 0x14}  # RFC 4122, appendix C
_FIRST_NAMESPACE = 0x6BA7B800_9DAD_11D1_80B4_00C04FD430C8
# Of the six fields: bits, and how the range is called in an error.
_WIDTHS = (*((32, "a 32"), (16, "a 16"), (16, "a 16")), *((8, "an 8"), (8, "an 8"), (48, "a 48")))
# From 1582-10-15, where the timestamps of UUIDs begin, to where a deterministic clock does.
_START = FixedClock.START_NS // 100 + 0x01B21DD213814000
_LAST_VERSION = 8 if sys.version_info >= (3, 14) else 5  # RFC 9562, RFC 4122
_MULTICAST = 1 << 40  # no network card has such an address (RFC 4122, 4.5)
_int, _bytes = int, bytes  # inside the class, these are properties


class SafeUUID(Enum):
    """Says if a UUID was made in a way that is safe for several processes."""

    __module__ = "uuid"

    safe = 0
    unsafe = -1
    unknown = None


class UUID:
    """A value of 128 bits. Only `_begin` can write to its fields, and only once.

    A program that runs before a test in the same child cannot change what a namespace is.
    """

    __module__ = "uuid"
    __slots__ = ("__weakref__", "_number", "_safety")

    def __init__(
        self,
        hex: Any = None,
        bytes: Any = None,
        bytes_le: Any = None,
        fields: Any = None,
        int: Any = None,
        version: Any = None,
        *,
        is_safe: Any = SafeUUID.unknown,
    ) -> None:
        if sum(each is not None for each in (hex, bytes, bytes_le, fields, int)) != 1:
            raise TypeError(
                "one of the hex, bytes, bytes_le, fields, or int arguments must be given"
            )
        if hex is not None:
            hex = hex.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "")
            if len(hex) != 32:
                raise ValueError("badly formed hexadecimal UUID string")
            int = _int(hex, 16)
        if bytes_le is not None:
            if len(bytes_le) != 16:
                raise ValueError("bytes_le is not a 16-char string")
            bytes = _swapped(bytes_le)
        if bytes is not None:
            if len(bytes) != 16:
                raise ValueError("bytes is not a 16-char string")
            if not isinstance(bytes, _bytes):
                raise AssertionError(repr(bytes))
            int = _int.from_bytes(bytes, "big")
        if fields is not None:
            int = _joined(fields)
        int = _int(index(int))  # plain from here on: no method of a program's answers for it
        if not 0 <= int < 1 << 128:
            raise ValueError("int is out of range (need a 128-bit value)")
        if version is not None:
            if not 1 <= version <= _LAST_VERSION:
                raise ValueError("illegal version number")
            int = int & ~(0xC000 << 48 | 0xF000 << 64) | 0x8000 << 48 | version << 76
        _begin(self, int, is_safe)

    def __eq__(self, other: Any) -> Any:
        return self.int == other.int if isinstance(other, UUID) else NotImplemented

    def __lt__(self, other: Any) -> Any:
        return self.int < other.int if isinstance(other, UUID) else NotImplemented

    def __gt__(self, other: Any) -> Any:
        return self.int > other.int if isinstance(other, UUID) else NotImplemented

    def __le__(self, other: Any) -> Any:
        return self.int <= other.int if isinstance(other, UUID) else NotImplemented

    def __ge__(self, other: Any) -> Any:
        return self.int >= other.int if isinstance(other, UUID) else NotImplemented

    def __hash__(self) -> Any:
        return hash(self.int)

    def __int__(self) -> Any:
        return self.int

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({str(self)!r})"

    def __setattr__(self, name: str, value: Any) -> None:
        raise TypeError("UUID objects are immutable")

    def __str__(self) -> str:
        text = format(self.int, "032x")
        return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"

    int = property(lambda self: _read_number(self))
    is_safe = property(lambda self: _read_safety(self))
    bytes = property(lambda self: self.int.to_bytes(16, "big"))
    bytes_le = property(lambda self: _swapped(self.bytes))
    time_low = property(lambda self: self.int >> 96)
    time_mid = property(lambda self: self.int >> 80 & 0xFFFF)
    time_hi_version = property(lambda self: self.int >> 64 & 0xFFFF)
    clock_seq_hi_variant = property(lambda self: self.int >> 56 & 0xFF)
    clock_seq_low = property(lambda self: self.int >> 48 & 0xFF)
    node = property(lambda self: self.int & 0xFFFFFFFFFFFF)
    hex = property(lambda self: format(self.int, "032x"))
    urn = property(lambda self: "urn:uuid:" + str(self))

    @property
    def fields(self) -> tuple[Any, ...]:
        """The six parts of which the constructor makes one too."""
        first = (self.time_low, self.time_mid, self.time_hi_version)
        return (*first, self.clock_seq_hi_variant, self.clock_seq_low, self.node)

    @property
    def time(self) -> Any:
        """The timestamp of version 1, in units of 100 ns."""
        return (self.time_hi_version & 0x0FFF) << 48 | self.time_mid << 32 | self.time_low

    @property
    def clock_seq(self) -> Any:
        """The sequence number of version 1."""
        return (self.clock_seq_hi_variant & 0x3F) << 8 | self.clock_seq_low

    @property
    def variant(self) -> str:
        """One of four constants of the module."""
        for bit, name in ((0x8000, "RESERVED_NCS"), (0x4000, "RFC_4122")):
            if not self.int & bit << 48:
                return _RESERVED[name]
        return _RESERVED["RESERVED_FUTURE" if self.int & 0x2000 << 48 else "RESERVED_MICROSOFT"]

    @property
    def version(self) -> Any:
        """A number from 1 to 5; None of another variant."""
        return _int(self.int >> 76 & 0xF) if self.variant == _RESERVED["RFC_4122"] else None


_number, _safety = (UUID.__dict__[name] for name in ("_number", "_safety"))
_read_number: Any = _number.__get__
_read_safety: Any = _safety.__get__
_write_number: Any = _number.__set__
_write_safety: Any = _safety.__set__
# A descriptor that a program held would write to what is there already.
del UUID._number, UUID._safety  # type: ignore[attr-defined]


def _begin(made: Any, number: Any, safety: Any) -> None:
    try:
        _read_number(made)
    except AttributeError:
        _write_number(made, number)
        _write_safety(made, safety)
    else:
        raise TypeError("UUID objects are immutable")


def copied(x: Any, cls: Any, deep: Any, run: Any) -> Any:
    """Make another of `cls` with the fields of `x`, for `stdlib/copying`."""
    made = cls.__new__(cls)
    _begin(made, _read_number(x), _read_safety(x))
    return made


def _swapped(data: Any) -> Any:
    """The first three fields with their bytes turned round."""
    return data[3::-1] + data[5:3:-1] + data[7:5:-1] + data[8:]


def _joined(fields: Any) -> Any:
    if len(fields) != 6:
        raise ValueError("fields is not a 6-tuple")
    parts = (low, mid, high, variant, sequence, node) = tuple(fields)
    for place, (part, (bits, words)) in enumerate(zip(parts, _WIDTHS, strict=True), 1):
        if not 0 <= part < 1 << bits:
            raise ValueError(f"field {place} out of range (need {words}-bit value)")
    return low << 96 | mid << 80 | high << 64 | variant << 56 | sequence << 48 | node


def _octets(name: Any) -> Any:
    """Before 3.12 a name is text."""
    return bytes(name, "utf-8") if sys.version_info < (3, 12) or isinstance(name, str) else name


def uuid(context: Context) -> dict[str, Any]:
    """Make the module: it draws from a generator of its own, in the same state in every child."""
    from random import Random

    md5, sha1 = import_module("_md5").md5, import_module("_sha1").sha1
    draw = Random(0).getrandbits
    clock = {"now": _START}  # a dict, as our objects refuse stores while programs run

    def uuid1(node: Any = None, clock_seq: Any = None) -> UUID:
        clock["now"] += 1
        now = clock["now"]
        clock_seq = draw(14) if clock_seq is None else clock_seq
        node = draw(48) | _MULTICAST if node is None else node
        first = (now & 0xFFFFFFFF, now >> 32 & 0xFFFF, now >> 48 & 0x0FFF)
        return UUID(fields=(*first, clock_seq >> 8 & 0x3F, clock_seq & 0xFF, node), version=1)

    def uuid3(namespace: Any, name: Any) -> UUID:
        return UUID(bytes=md5(namespace.bytes + _octets(name)).digest(), version=3)

    def uuid4() -> UUID:
        return UUID(int=draw(128), version=4)

    def uuid5(namespace: Any, name: Any) -> UUID:
        return UUID(bytes=sha1(namespace.bytes + _octets(name)).digest()[:16], version=5)

    made: dict[str, Any] = {each.__name__: each for each in (uuid1, uuid3, uuid4, uuid5)}
    for function in made.values():
        function.__module__, function.__qualname__ = "uuid", function.__name__
    made |= {
        f"NAMESPACE_{name}": UUID(int=_FIRST_NAMESPACE + (low << 96))
        for name, low in _NAMESPACES.items()
    }
    return {**made, **_RESERVED, "UUID": UUID, "SafeUUID": SafeUUID}
