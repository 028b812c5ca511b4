"""`throw` of generators and coroutines: the frame of an exception tells which code raised it.

What is thrown into one that has ended is raised in no frame but the caller's own, as an exception
of the interpreter's is. The frame of a method of ours says that it was thrown.
"""

from functools import partial
from types import CodeType, MethodDescriptorType
from typing import Any

from sandbox.language.guards.classes.class_origin import all_classes, dict_of
from sandbox.language.natives.calls.delegation import Check, checks
from sandbox.language.natives.patching import Method, replace


def harden() -> None:
    """Replace `throw` wherever a class written in C has one; pass over one of Python code."""
    asked = checks()
    for cls in all_classes():
        if type(dict_of(cls).get("throw")) is MethodDescriptorType:
            replace(cls, partial(_throwing, asked.get(cls)), "throw")


def _throwing(check: Check | None, own: Method) -> Method:
    def throw(self: Any, /, *exception: Any) -> Any:
        if check is not None:
            check(self)
        return own(self, *exception)

    return throw


def has_thrown(code: CodeType) -> bool:
    """Return True if `code` is the code of our `throw`."""
    return code is _CODE


_CODE = next(
    const
    for const in _throwing.__code__.co_consts
    if type(const) is CodeType and const.co_name == "throw"  # its annotations are code, too (3.14)
)
