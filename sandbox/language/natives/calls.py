"""Calls of methods of C's that have lost their object, on CPython 3.11.

A call without arguments that was specialized for an instance and then meets the method alone, as of
a class, takes what an earlier frame left on the stack for the instance, and gives up a reference to
it that it does not have (gh-131998). Later releases hand it to the method with a number of
arguments that every method refuses.

The instruction asks for the flags of a method. One more, which has a meaning only while a class is
made, makes them others than it asks for, and leaves the call to the method itself.
"""

import sys
import types

from sandbox.language.guards.kinship import all_classes, dict_of
from sandbox.language.natives import type_slots


def harden() -> None:
    """Let no instruction call a method of C's that takes its arguments as an array."""
    if sys.version_info >= (3, 12):
        return
    for cls in all_classes():
        for method in dict_of(cls).values():
            if type(method) is types.MethodDescriptorType:
                type_slots.never_call_by_flags(method)
