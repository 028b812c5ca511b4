"""`date.ctime` and `datetime.ctime`: of the year 0 the weekday is below 0, and a place in a table.

The year of a state as `pickle` has it (`date(b"...")`) is looked at by nobody. All else that takes
such a date computes with numbers only.
"""

import datetime
from typing import Any

from sandbox.language.natives.patching import Method, replace


def harden() -> None:
    """Replace `ctime`."""
    replace(datetime.date, _ctime, "ctime")
    replace(datetime.datetime, _ctime, "ctime")


def _ctime(own: Method) -> Method:
    year: Any = datetime.date.__dict__["year"].__get__

    def ctime(self: Any, /) -> Any:
        if not isinstance(self, datetime.date):
            return own(self)
        if not datetime.MINYEAR <= year(self) <= datetime.MAXYEAR:
            raise ValueError(f"year {year(self)} is out of range")
        return own(self)

    return ctime
