"""`dict` of CPython 3.13 before 3.13.3: the namespace of an object is part of the object.

`clear` frees what stands in it, and with the last of its values the object, under its own feet
(gh-130555).
"""

import sys
from typing import Any

from sandbox.language.natives.patching import Method, before, replace


def harden() -> None:
    """Replace `clear` where it is needed."""
    if sys.version_info >= (3, 13) and before(3, 13, 3):
        replace(dict, _clear, "clear")


def _clear(own: Method) -> Method:
    values = dict.values

    def clear(self: Any, /) -> None:
        held = [*values(self)]
        own(self)
        del held

    return clear
