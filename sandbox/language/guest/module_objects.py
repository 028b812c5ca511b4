"""The module objects of a program's own files, as it holds them."""

import sys
import types
from typing import Any, NoReturn

from sandbox.language.guest.files.tree import WORKING_DIRECTORY

_MEANT = "library" if sys.version_info >= (3, 14) else "third-party module"
_MAY_SHADOW = sys.version_info >= (3, 13)  # what that version says of a script's own directory
_namespace: Any = vars(types.ModuleType)["__dict__"].__get__


def name_of(module: Any) -> str:
    """Return the name that a module was imported by."""
    name: str = _read(module)[0]
    return name


def vars_of(module: Any) -> dict[str, Any]:
    """Return its real namespace."""
    own: dict[str, Any] = _namespace(module)
    return own


def _store_name(module: Any, value: Any) -> None:
    _read(module)  # of this kind, or none
    vars_of(module)["__name__"] = value


class GuestModule(types.ModuleType):
    """A module whose code is the program's.

    C code asks a module for its `__name__` and looks that up in the real `sys.modules`. So it is
    answered here, from a slot without a name, whatever the program binds; and a `__getattr__` in
    its namespace is not called, as CPython's module would.
    """

    __slots__ = ("_kept",)
    __getattribute__ = object.__getattribute__
    __name__ = property(name_of, _store_name)

    def __new__(cls, /, *_: Any, **__: Any) -> "GuestModule":
        raise TypeError("an import makes modules of this kind, and nothing else")

    def __init__(self, /, *_: Any, **__: Any) -> None:
        raise TypeError("a module is initialised once")

    def __getattr__(self, name: str) -> NoReturn:
        whole, begun = _read(self)
        text = f"module {whole!r} has no attribute {name!r}"
        where = vars_of(self).get("__file__")
        if begun and _MAY_SHADOW and where == f"{WORKING_DIRECTORY}/{whole}.py":
            text += f" (consider renaming {where!r} if it has the same name as a {_MEANT} you"
            text += " intended to import)"
        elif begun:
            text = f"partially initialized {text} (most likely due to a circular import)"
        raise AttributeError(text, name=name, obj=self)

    def __repr__(self) -> str:
        where = vars_of(self).get("__file__")
        return f"<module {name_of(self)!r}" + (f" from {where!r}>" if where else " (namespace)>")


_slot: Any = vars(GuestModule)["_kept"]
_read: Any
_fill: Any
_read, _fill = _slot.__get__, _slot.__set__
del GuestModule._kept  # type: ignore[attr-defined]


def made(name: str) -> types.ModuleType:
    """Make an empty one, whose code has not run to its end."""
    module = types.ModuleType.__new__(GuestModule)
    _fill(module, (name, True))
    namespace = vars_of(module)
    for key in ("__doc__", "__package__", "__loader__", "__spec__"):
        namespace[key] = None
    namespace["__name__"] = name
    return module


def has_ended(module: Any) -> None:
    """Note that the code of a module has run to its end."""
    _fill(module, (name_of(module), False))
