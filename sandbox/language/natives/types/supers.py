"""`super`: one that stands in a class as a special method is lent while it is bound.

Binding asks the instance for its `__class__`, and a program that answers may take it out of the
class (before CPython 3.13). One that was never initialised is bound as if it had a class (3.13).
"""

from typing import Any

from sandbox.language.natives.patching import Method, replace


def harden() -> None:
    """Replace `__get__` by a function, whose frame holds its `self`."""
    replace(super, _get, "__get__")


def _get(own: Method) -> Method:
    this_class: Any = super.__dict__["__thisclass__"].__get__

    def __get__(self: Any, instance: Any, owner: Any = None, /) -> Any:
        if issubclass(type(self), super) and this_class(self) is None:
            raise TypeError("super object was never initialised")
        return own(self, instance, owner)

    return __get__
