"""`super` of CPython 3.13: one that was never initialised is bound as if it had a class."""

from typing import Any

from sandbox.language.natives.patching import Method, before, replace


def harden() -> None:
    """Replace `__get__`."""
    if not before(3, 13):
        replace(super, _get, "__get__")


def _get(own: Method) -> Method:
    this_class: Any = super.__dict__["__thisclass__"].__get__

    def __get__(self: Any, instance: Any, owner: Any = None, /) -> Any:
        if issubclass(type(self), super) and this_class(self) is None:
            raise TypeError("super object was never initialised")
        return own(self, instance, owner)

    return __get__
