"""Attribute names so long that CPython gives a class no version when it looks one up.

An instruction that was specialized for an attribute knows its class by the class's version. A class
has none, 0, after a store to it, until a name of at most 100 characters is looked up in it
(`MCACHE_MAX_ATTR_SIZE` in Objects/typeobject.c). Before 3.11.8 and 3.12.2 an instruction may be
specialized for version 0, and then takes an instance of any such class for one of its own
(gh-89811). The names are looked at in what is run, where private ones are mangled already.
"""

import opcode
import types
from collections.abc import Iterator
from typing import Any

from sandbox.language.compile.names import LONGEST_ATTRIBUTE
from sandbox.language.compile.walk import Refusal

_SHIFTED = opcode.opmap.get("LOAD_METHOD", 256) > 255  # since 3.12 flags are below the name
# By instruction that reads, stores or deletes an attribute: where the name begins in its argument.
_ATTRIBUTES = {
    opcode.opmap[name]: shift
    for name, shift in {
        "LOAD_ATTR": 1 if _SHIFTED else 0,
        "LOAD_METHOD": 0,
        "LOAD_SUPER_ATTR": 2,
        "STORE_ATTR": 0,
        "DELETE_ATTR": 0,
    }.items()
    if name in opcode.opmap
}


def has_long_name(code: types.CodeType) -> bool:
    """Return True if `code` itself, not what it contains, names anything that is too long."""
    return len(max(code.co_names, key=len, default="")) > LONGEST_ATTRIBUTE


def long_attributes(code: types.CodeType) -> Iterator[Refusal]:
    """Yield each access to an attribute with too long a name, in `code` and all it contains."""
    stack = [code]
    while stack:
        code = stack.pop()
        if has_long_name(code):
            for name, (_, line, _, end) in _accesses(code):
                if len(name) > LONGEST_ATTRIBUTE:
                    short = name[:_SHOWN]
                    what = f"attribute '{short}...', longer than {LONGEST_ATTRIBUTE} characters,"
                    yield Refusal(
                        f"{what} is denied", line or 1, max(1, (end or 0) - len(name) + 1)
                    )
        stack += [value for value in code.co_consts if type(value) is types.CodeType]


_SHOWN = 20


def _accesses(code: types.CodeType) -> Iterator[tuple[str, Any]]:
    argument, text = 0, code.co_code
    for at, place in zip(range(0, len(text), 2), code.co_positions(), strict=True):
        argument = argument << 8 | text[at + 1]
        shift = _ATTRIBUTES.get(text[at])
        if shift is not None:
            yield code.co_names[argument >> shift], place
        if text[at] != opcode.EXTENDED_ARG:
            argument = 0
