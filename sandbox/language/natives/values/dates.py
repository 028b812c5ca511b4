"""`datetime`: a class of the program's may make what is no date, and a date may be forged.

C code takes what `cls(...)` gave for a `datetime`, and what a pickle holds for a date that exists.
"""

import datetime
from typing import Any

from sandbox.language.guards.classes.class_origin import exact_names
from sandbox.language.natives.calls.held import held
from sandbox.language.natives.patching import Method, replace

_datetime = datetime.datetime
_tzinfo = datetime.tzinfo
_read_zone: Any = _datetime.__dict__["tzinfo"].__get__


def harden() -> None:
    """Replace what reads fields of what a program's class has made."""
    replace(_datetime, _astimezone, "astimezone")
    replace(_tzinfo, _fromutc, "fromutc")
    for kind in (datetime.date, _datetime):
        replace(kind, _ctime, "ctime")
    replace(datetime.timezone, held, "__repr__")


def _astimezone(own: Method) -> Method:
    def astimezone(self: Any, /, *args: Any, **named: Any) -> Any:
        named = exact_names(named)
        wrong = len(args) + len(named) > 1 or named.keys() - {"tz"}
        if wrong or type(self) is _datetime or not issubclass(type(self), _datetime):
            return own(self, *args, **named)
        return _moved(own, self, *args, **named)

    return astimezone


def _moved(own: Method, moment: Any, tz: Any = None) -> Any:
    """Return `moment` in the zone `tz`, computed as CPython does in Python."""
    if tz is not None and not issubclass(type(tz), _tzinfo):
        kind = type(tz).__name__
        raise TypeError(f"tzinfo argument must be None or of a tzinfo subclass, not type '{kind}'")
    zone = _read_zone(moment)
    if zone is not None and zone is tz:
        return moment
    offset = None if zone is None else _datetime.utcoffset(moment)
    if offset is None:
        zone = own(_copy(moment, None)).tzinfo
        offset = zone.utcoffset(None)
    utc = _plus(moment, -offset)
    if tz is None:
        tz = own(_copy(utc, datetime.UTC)).tzinfo
    return tz.fromutc(_checked(_datetime.replace(utc, tzinfo=tz)))


_FIELDS: list[Any] = [
    _datetime.__dict__.get(name, datetime.date.__dict__.get(name)).__get__
    for name in ("year", "month", "day", "hour", "minute", "second", "microsecond")
]
_read_fold: Any = _datetime.__dict__["fold"].__get__


def _copy(moment: Any, zone: Any) -> Any:
    fields: list[Any] = [*[read(moment) for read in _FIELDS], zone]
    return _datetime(*fields, fold=_read_fold(moment))


def _plus(moment: Any, delta: Any) -> Any:
    return _checked(_datetime.__add__(moment, delta))


def _checked(made: Any) -> Any:
    if not issubclass(type(made), _datetime):
        kind = type(made).__name__
        raise TypeError(f"the constructor of a datetime returned {kind!r}")
    return made


def _fromutc(own: Method) -> Method:
    def fromutc(self: Any, moment: Any, /) -> Any:
        kind = type(moment)
        if (
            kind is _datetime
            or not issubclass(kind, _datetime)
            or not issubclass(type(self), _tzinfo)
        ):
            return own(self, moment)
        return _from_utc(self, moment)

    return fromutc


def _from_utc(zone: Any, moment: Any) -> Any:
    """Return `moment` of UTC in `zone`, computed as CPython does in Python."""
    if _read_zone(moment) is not zone:
        raise ValueError("fromutc: dt.tzinfo is not self")
    offset = _datetime.utcoffset(moment)
    if offset is None:
        raise ValueError("fromutc: non-None utcoffset() result required")
    saving = _datetime.dst(moment)
    if saving is None:
        raise ValueError("fromutc: non-None dst() result required")
    standard = offset - saving
    if standard:
        moment = _plus(moment, standard)
        saving = _datetime.dst(moment)
        if saving is None:
            raise ValueError("fromutc: tz.dst() gave inconsistent results; cannot convert")
    return _plus(moment, saving) if saving else moment


def _ctime(own: Method) -> Method:
    """Make a `ctime` that refuses the year 0.

    CPython's takes the name of the day from a table, at a place before it in the year 0.
    """

    def ctime(self: Any, /) -> Any:
        if issubclass(type(self), datetime.date) and datetime.date.toordinal(self) < 1:
            raise ValueError("year 0 is out of range")
        return own(self)

    return ctime
