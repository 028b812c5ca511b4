"""The variables of a frame, as `f_locals` gives them, where CPython 3.13.0 and 3.13.1 would crash.

There a comprehension that is inlined keeps its variable where the function around it has a cell of
the same name, and `f_locals` takes what stands there for the cell (gh-128396). On those two, a
variable that is in a cell and is also a comprehension's in the same function is not told.
"""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

import opcode
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

_read_code = FrameType.__dict__["f_code"].__get__
OPTIMIZED = 1  # CO_OPTIMIZED of a function's code
_AFFECTED = (3, 13) <= sys.version_info < (3, 13, 2)


def _type_of_views() -> type | None:
    """Return the type of `f_locals` of functions, from 3.13 on (PEP 667), which has the frame."""
    kind: type = type(sys._getframe().f_locals)
    return None if kind is dict else kind


def open_variables(code_of: Callable[[Any], Any] = _read_code) -> Callable[[Any], Any]:
    """Make the reader of a frame's variables, which asks no namespace, as the vault's functions."""
    read_locals = FrameType.__dict__["f_locals"].__get__
    read = {
        name: CodeType.__dict__[name].__get__
        for name in ("co_cellvars", "co_freevars", "co_varnames", "co_code")
    }
    cell_names, free_names = read["co_cellvars"], read["co_freevars"]
    variable_names, instructions = read["co_varnames"], read["co_code"]
    affected = _AFFECTED
    clear, extended = opcode.opmap.get("LOAD_FAST_AND_CLEAR", 256), opcode.opmap["EXTENDED_ARG"]
    missing, kind_of, view = KeyError, type, _type_of_views()

    def told_by(found: Any) -> Any:
        """Return `found`, or a copy: not what could write to the frame."""
        return {name: found[name] for name in found} if kind_of(found) is view else found

    def variables_of(frame: Any) -> Any:
        if not affected:
            return told_by(read_locals(frame))
        code = code_of(frame)
        cells = (*cell_names(code), *free_names(code))
        if not cells:
            return told_by(read_locals(frame))
        names = (*variable_names(code),)
        names = (*names, *[name for name in cell_names(code) if name not in names])
        names = (*names, *free_names(code))
        lent: tuple[str, ...] = ()
        high, even = 0, None
        for byte in instructions(code):
            if even is None:
                even = byte
                continue
            argument = high | byte
            high = argument << 8 if even == extended else 0
            if even == clear and names[argument] in cells:
                lent = (*lent, names[argument])
            even = None
        found = read_locals(frame)
        if not lent:
            return told_by(found)
        told: dict[str, Any] = {}
        for name in names:
            if name not in lent:
                try:
                    told = {**told, name: found[name]}
                except missing:
                    continue
        return told

    return variables_of
