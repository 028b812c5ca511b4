"""Events of PEP 578 that may happen in an interpreter while a program runs; all else ends it.

An event that is not here is of no use to a program that the policies allow: the unknown is denied.
"""

from collections.abc import Iterable
from typing import Final

# By event, the module that a policy must grant to have a use for it, if there is one, and why it is
# no harm.
FREE: Final = {
    "array.__new__": ("array", "an array is data; its initializer is announced since 3.8"),
    "builtins.id": ("", "a number that says nothing beyond what the address layout does"),
    "sys.unraisablehook": ("", "what a finalizer raises is announced before our hook drops it"),
}
# Attributes whose use is announced. A code object can do nothing by itself: making or changing one,
# and making a function of it, are events of their own. Frames are not here, by any way to them.
READ: Final = {
    "__code__": "guards ask whether a function is the program's by its code's file name",
    "__defaults__": "functools and inspect look at signatures",
    "__kwdefaults__": "functools and inspect look at signatures",
}
WRITTEN: Final = {
    "__class__": "a program may change the class of its own objects; C checks that the layouts fit",
    "__name__": "decorators name what they return",
    "__qualname__": "decorators name what they return",
    "__module__": "decorators, dataclasses and enum say where a class was made",
    "__doc__": "decorators document what they return",
    "__abstractmethods__": "abc writes what a class has still to define",
    "__bases__": "C checks that the layouts fit",
    "__type_params__": "decorators of generic classes copy them",
}
REMOVED: Final = {
    "__abstractmethods__": "abc.update_abstractmethods",
    "__doc__": "dataclasses with slots",
}
ATTRIBUTES: Final = {
    "object.__getattr__": READ,
    "object.__setattr__": WRITTEN,
    "object.__delattr__": REMOVED,
}


# At the interpreter's end, when hooks are cleared.
CLEARING: Final = frozenset(("cpython.PyInterpreterState_Clear", "cpython._PySys_ClearAuditHooks"))


def free(modules: Iterable[str]) -> frozenset[str]:
    """Return the events of `FREE` that a policy that grants `modules` has a use for."""
    granted = {"", *modules}
    return frozenset(event for event, (module, _) in FREE.items() if module in granted)
