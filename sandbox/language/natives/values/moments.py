"""`datetime.now` and its like, which ask the system's clock in C, led to the clock of a program."""

import datetime
from typing import Any

from sandbox.language.guest.clock import FixedClock
from sandbox.language.natives.patching import put

_from_timestamp: Any = datetime.datetime.__dict__["fromtimestamp"].__get__
_date_from_timestamp: Any = datetime.date.__dict__["fromtimestamp"].__get__


def lead_to(clock: FixedClock) -> None:
    """Have the classes of `datetime` take the time from `clock`; nothing undoes it."""

    def now(cls: Any, /, tz: Any = None) -> Any:
        """Return the current date and time of the program's clock."""
        return _from_timestamp(None, cls)(clock.time_ns() / 1e9, tz)

    def utcnow(cls: Any, /) -> Any:
        """Return the current date and time of the program's clock in UTC, without a zone."""
        moment = _from_timestamp(None, cls)(clock.time_ns() / 1e9, datetime.UTC)
        return datetime.datetime.replace(moment, tzinfo=None)

    def today(cls: Any, /) -> Any:
        """Return the current date of the program's clock."""
        _date_from_timestamp(None, cls)  # refuses what is no class of dates
        return cls.fromtimestamp(clock.time_ns() / 1e9)

    for kind, functions in ((datetime.datetime, (now, utcnow)), (datetime.date, (today,))):
        for function in functions:
            function.__qualname__ = f"{kind.__name__}.{function.__name__}"
            put(kind, function.__name__, classmethod(function))
