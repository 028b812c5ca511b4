"""What stands for an object of the host's that the program may store to: it asks at each store."""

from collections.abc import Callable
from typing import Any

Write = Callable[[Any], Any]  # gives what may be written to in place of an object, or refuses


class Writer:
    """Stands for one object. No program gets to hold it: it is only stored to, or added to."""

    __slots__ = ("o", "write")

    def __init__(self, write: Write, o: Any) -> None:
        object.__setattr__(self, "write", write)
        object.__setattr__(self, "o", o)

    def __getattribute__(self, name: str) -> Any:  # for `o.x += 1`
        return getattr(_held(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_write(self)(_held(self)), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_write(self)(_held(self)), name)


_held: Callable[[Writer], Any] = Writer.__dict__["o"].__get__
_write: Callable[[Writer], Write] = Writer.__dict__["write"].__get__


class Late:
    """Stands for whatever a variable of the module holds at the time of the store."""

    __slots__ = ("name", "namespace", "write")

    def __init__(self, write: Write, namespace: dict[str, Any], name: str) -> None:
        object.__setattr__(self, "write", write)
        object.__setattr__(self, "namespace", namespace)
        object.__setattr__(self, "name", name)

    def __getattribute__(self, name: str) -> Any:
        return getattr(_now(self), name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(_late_write(self)(_now(self)), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_late_write(self)(_now(self)), name)


_late_write: Callable[[Late], Write] = Late.__dict__["write"].__get__
_namespace: Callable[[Late], dict[str, Any]] = Late.__dict__["namespace"].__get__
_name: Callable[[Late], str] = Late.__dict__["name"].__get__


def _now(late: Late) -> Any:
    name, namespace = _name(late), _namespace(late)
    if name not in namespace:
        raise NameError(f"name {name!r} is not defined", name=name)
    return namespace[name]
