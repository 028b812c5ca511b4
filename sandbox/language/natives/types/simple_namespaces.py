"""`SimpleNamespace`: what makes another of its kind believes that it has got one (gh-143636)."""

import types
from typing import Any

from sandbox.language.guards.classes.class_origin import instance_dict, name_of
from sandbox.language.natives.patching import Method, replace


def harden() -> None:
    """Replace what goes on with the answer of a guest's `__new__`."""
    replace(types.SimpleNamespace, _replace, "__replace__")


def _replace(own: Method) -> Method:
    def __replace__(self: Any, /, **changes: Any) -> Any:
        fields = _fields(self)
        made = type(self)()
        _fields(made).update({**fields, **changes})
        return made

    return __replace__


def _fields(o: Any) -> dict[str, Any]:
    if not issubclass(type(o), types.SimpleNamespace):
        raise TypeError(f"expect types.SimpleNamespace type, but {name_of(type(o))!r} object")
    own = instance_dict(o)
    return {} if own is None else own
