"""`C.__getitem__` of CPython 3.13: a specialized subscript lends the function that stands there.

The class keeps a borrowed pointer to it, which a store forgets unless the class has had a thousand
versions, the most that one gets (MAX_VERSIONS_PER_CLASS in CPython's typeobject.c): then it stays,
and a subscript that was specialized goes on to call it. So what is replaced lives as long as the
process.
"""

import types
from typing import Any

from sandbox.language.guards.classes.class_origin import dict_of
from sandbox.language.natives.patching import before

_LENT = not before(3, 13)
_held: list[Any] = []


def keep_subscript(cls: type) -> None:
    """Keep the `__getitem__` of `cls`, a class of the program's, which is about to be replaced."""
    old: Any = dict_of(cls).get("__getitem__")
    if _LENT and type(old) is types.FunctionType:
        _held.append(old)
