"""Objects of C classes that were made and never initialised: a field that is NULL is believed.

`T.__new__(T)`, and an heir whose `__init__` does nothing, leave them so. `T(...)` itself goes by
the slot, straight on to CPython's own, and costs no more; what asks for `__new__` by name, as an
heir made at run time does, finds ours, which initialises first.
"""

from typing import Any

from sandbox.language.natives.patching import Method, original, put_beside_slot
from sandbox.language.natives.types import type_slots

_BEGINNINGS: dict[type, tuple[Any, ...]] = {classmethod: (None,), staticmethod: (None,)}
_read_value: Any = StopIteration.__dict__["value"].__get__
_store_value: Any = StopIteration.__dict__["value"].__set__


def harden() -> None:
    """Put `__new__` of each beside its slot; a StopIteration has a value all of its life."""
    for kind, arguments in _BEGINNINGS.items():
        _begin(kind, original(kind, "__new__"), original(kind, "__init__"), arguments)
    original(StopIteration, "__init__")
    if "__new__" not in vars(StopIteration):
        make = type_slots.give_new(StopIteration, MemoryError)
        _begin(StopIteration, make, _store_value, (None,))
        put_beside_slot(StopIteration, "__init__", _holding(original(StopIteration, "__init__")))
        put_beside_slot(StopIteration, "value", _VALUE)
        put_beside_slot(MemoryError, "__new__", staticmethod(_make_other))


def _begin(kind: type, make: Any, initialise: Any, arguments: tuple[Any, ...]) -> None:
    def __new__(cls: type, /, *args: Any, **named: Any) -> Any:
        made = make(cls, *args, **named)
        initialise(made, *arguments)
        return made

    put_beside_slot(kind, "__new__", staticmethod(__new__))


_make_memory_error = original(MemoryError, "__new__")


def _make_other(cls: Any, /, *args: Any, **named: Any) -> Any:
    """It could make an heir of both, by the slot that they share, without a value."""
    make: Any = StopIteration.__new__ if issubclass(cls, StopIteration) else _make_memory_error
    return make(cls, *args, **named)


def _get_value(error: Any) -> Any:
    return _read_value(error)


def _set_value(error: Any, value: Any) -> None:
    _store_value(error, value)


def _forget_value(error: Any) -> None:
    """Store None, as a deleted field reads: so no code ever finds the field empty."""
    _store_value(error, None)


_VALUE = property(_get_value, _set_value, _forget_value)


def _holding(own: Method) -> Method:
    """Make an `__init__` that holds the old value until it returns.

    CPython's lets go of it, and runs its finalizer, before there is a new one.
    """

    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        held = _read_value(self)
        own(self, *args, **named)
        del held

    return __init__
