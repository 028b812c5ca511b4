"""`property`, `classmethod` and `staticmethod`: what they were made of they keep."""

from typing import Any

from sandbox.language.guest.denied import denied_class
from sandbox.language.guest.session import on_behalf_of_guest
from sandbox.language.natives.patching import Method, replace

_ACCESSORS = [property.__dict__[name].__get__ for name in ("fget", "fset", "fdel")]


def harden() -> None:
    """Replace `__init__`: called again, it frees what is being called."""
    replace(property, _once(_ACCESSORS), "__init__")
    for kind in (classmethod, staticmethod):
        replace(kind, _once([kind.__dict__["__func__"].__get__]), "__init__")


def _once(parts: list[Any]) -> Any:
    def make(own: Method) -> Method:
        def __init__(self: Any, /, *args: Any, **named: Any) -> None:
            if any(read(self) is not None for read in parts) and on_behalf_of_guest():
                raise denied_class(f"initialising this {type(self).__name__!r} object again")
            own(self, *args, **named)

        return __init__

    return make
