"""The variables of a frame, as `f_locals` gives them, where CPython 3.13.0 and 3.13.1 would crash.

There a comprehension that is inlined keeps its variable where the function around it has a cell of
the same name, and `f_locals` takes what stands there for the cell (gh-128396). On those two, a
variable that is in a cell and is also a comprehension's in the same function is not told.
"""

import opcode
import sys
from collections.abc import Callable
from typing import Any

_AFFECTED = (3, 13) <= sys.version_info < (3, 13, 2)


def open_variables() -> Callable[[Any], Any]:
    """Make the reader of a frame's variables, which asks no namespace, as the vault's functions."""
    affected = _AFFECTED
    clear, extended = opcode.opmap.get("LOAD_FAST_AND_CLEAR", 256), opcode.opmap["EXTENDED_ARG"]
    missing = KeyError

    def variables_of(frame: Any) -> Any:
        code = frame.f_code
        cells = (*code.co_cellvars, *code.co_freevars)
        if not affected or not cells:
            return frame.f_locals
        names = [*code.co_varnames]
        names += [name for name in code.co_cellvars if name not in names]
        names += code.co_freevars
        lent = {*()}
        high, even = 0, None
        for byte in code.co_code:
            if even is None:
                even = byte
                continue
            argument = high | byte
            high = argument << 8 if even == extended else 0
            if even == clear and names[argument] in cells:
                lent.add(names[argument])
            even = None
        found = frame.f_locals
        if not lent:
            return found
        told = {}
        for name in names:
            if name not in lent:
                try:
                    told[name] = found[name]
                except missing:
                    continue
        return told

    return variables_of
