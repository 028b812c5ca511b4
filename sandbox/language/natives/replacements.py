"""`SimpleNamespace.__replace__` of CPython 3.13: it takes what a class makes for a namespace."""

from types import SimpleNamespace
from typing import Any

from sandbox.language.guards.kinship import instance_dict
from sandbox.language.natives.patching import Method, replace


def harden() -> None:
    """Replace it, where this Python has it."""
    replace(SimpleNamespace, _replace, "__replace__")


def _replace(own: Method) -> Method:
    def __replace__(self: Any, /, **changes: Any) -> Any:
        if not issubclass(type(self), SimpleNamespace):
            return own(self, **changes)
        made = type(self)()
        if not issubclass(type(made), SimpleNamespace):
            raise TypeError(
                f"expect {SimpleNamespace.__name__} type, but {type(self).__name__}()"
                f" returned {type(made).__name__!r} object"
            )
        new, old = instance_dict(made), instance_dict(self)
        if new is not None and old is not None:
            new.update(old)
            new.update(changes)
        return made

    return __replace__
