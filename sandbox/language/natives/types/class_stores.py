"""Stores to a class before CPython 3.13: what stood there is freed while the class still lends it.

What CPython remembers of a class (its cache of attributes, specialized instructions) is borrowed. A
store makes it forget, but frees the old value first, with all that was in it. The finalizer of one
of those parts, or the callback of a weak reference to one, reads the attribute meanwhile, and is
given an object that is half gone. So the old value lives until the class has forgotten it.

The look for it calls nothing of the program's, which could put something else there: the keys of a
class are exact texts (`guards/classes/class_namespaces`), and the collector is off.

As a method of ours stands in that slot, `object.__setattr__` no longer refuses a class by itself:
what hands it out looks: `guards/attributes/attribute_guards`, `stdlib/data/dataclass_texts`.
"""

import gc
from typing import Any

from sandbox.language.guards.classes.class_origin import dict_of, exact_text
from sandbox.language.natives.borrowing import writer_of
from sandbox.language.natives.patching import Method, before, replace

_STORES = ("__setattr__", "__delattr__")
_writers: dict[str, Method] = {}


def harden() -> None:
    """Replace what stores to a class, and what deletes from it."""
    if before(3, 13):
        for name in _STORES:
            if name not in _writers:
                _writers[name] = writer_of(type, name)
        replace(type, _holding, *_STORES)


def _holding(own: Method) -> Method:
    write = _writers[own.__name__]
    collecting, stop, go_on = gc.isenabled, gc.disable, gc.enable

    def change(self: Any, name: Any, /, *value: Any) -> None:
        collects = collecting()
        stop()
        try:
            key = name if type(name) is str else exact_text(name)
            held = dict_of(self).get(key)
            write(self, key, *value)
        finally:
            if collects:
                go_on()
        del held

    return change
