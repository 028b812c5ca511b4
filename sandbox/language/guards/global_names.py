"""`globals()` of a program: a dict that shows the variables of its module, and writes to them.

The namespace itself has names of ours beside the program's, and code finds its guards and builtins
by it. So what a program gets is a dict of its own that passes on what is bound, under the names
that a statement may bind, and is filled anew when it is asked.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sandbox.language.compile.names import may_bind
from sandbox.language.guards.namespaces import is_visible, visible
from sandbox.language.guest.ends.denials import denied_attribute

_MISSING: Any = object()


class GlobalNames(dict[str, Any]):
    """The variables of a module, by name. What it shows is in a slot without a name."""

    __slots__ = ("space",)

    def __getitem__(self, name: Any, /) -> Any:
        found = _found(self, name)
        if found is _MISSING:
            raise KeyError(name)
        return found

    def get(self, name: Any, default: Any = None, /) -> Any:
        """Return a variable, or the default."""
        found = _found(self, name)
        return default if found is _MISSING else found

    def __contains__(self, name: Any, /) -> bool:
        return _found(self, name) is not _MISSING

    def __setitem__(self, name: Any, value: Any, /) -> None:
        space = _read(self)
        _check(name)
        space[name] = value
        dict.__setitem__(self, name, value)

    def __delitem__(self, name: Any, /) -> None:
        self.pop(name)

    def setdefault(self, name: Any, default: Any = None, /) -> Any:
        """Return a variable; bind it first if there is none."""
        found = _found(self, name)
        if found is _MISSING:
            GlobalNames.__setitem__(self, name, default)
            return default
        return found

    def pop(self, name: Any, /, *default: Any) -> Any:
        """Delete a variable and return what it was."""
        if len(default) > 1:
            raise TypeError(f"pop expected at most 2 arguments, got {1 + len(default)}")
        found = _found(self, name)
        if found is _MISSING:
            if default:
                return default[0]
            raise KeyError(name)
        _check(name)
        del _space(self)[name]
        dict.pop(self, name, None)
        return found

    def popitem(self) -> tuple[str, Any]:
        """Delete the variable that was bound last and return its name and what it was."""
        name = next(reversed([*GlobalNames.keys(self)]))
        return name, GlobalNames.pop(self, name)

    def update(self, given: Any = (), /, **names: Any) -> None:
        """Bind variables."""
        _read(self)  # which of one that a program has made there is none
        for name, value in dict(given, **names).items():
            GlobalNames.__setitem__(self, name, value)

    def __ior__(self, given: Any, /) -> Any:
        GlobalNames.update(self, given)
        return self

    def clear(self) -> None:
        """Delete all variables that a statement may delete."""
        for name in filter(may_bind, [*GlobalNames.keys(self)]):
            GlobalNames.pop(self, name)

    def copy(self) -> dict[str, Any]:
        """Return a dict that is the program's alone."""
        return visible(_space(self))

    def __copy__(self) -> dict[str, Any]:
        return visible(_space(self))

    def __iter__(self) -> Any:
        return dict.__iter__(_filled(self))

    def __reversed__(self) -> Any:
        return dict.__reversed__(_filled(self))

    def __len__(self) -> int:
        return dict.__len__(_filled(self))

    def __eq__(self, other: object, /) -> Any:
        return dict.__eq__(_filled(self), other)

    def __ne__(self, other: object, /) -> Any:
        return dict.__ne__(_filled(self), other)

    __hash__ = None

    def __repr__(self) -> str:
        return dict.__repr__(_filled(self))

    def __or__(self, other: Any, /) -> Any:
        return dict.__or__(GlobalNames.copy(self), other)

    def __ror__(self, other: Any, /) -> Any:
        return dict.__ror__(GlobalNames.copy(self), other)

    def keys(self) -> Any:
        """Return the names."""
        return dict.keys(_filled(self))

    def values(self) -> Any:
        """Return what the names are bound to."""
        return dict.values(_filled(self))

    def items(self) -> Any:
        """Return the names, each with what it is bound to."""
        return dict.items(_filled(self))


_slot = GlobalNames.__dict__["space"]
_read: Callable[[Any], dict[str, Any]] = _slot.__get__
_give = _slot.__set__
type.__delattr__(GlobalNames, "space")
GlobalNames.__name__ = GlobalNames.__qualname__ = "dict"
GlobalNames.__module__ = "builtins"


def global_names(space: dict[str, Any]) -> GlobalNames:
    """Return what shows `space`. No method makes one: what a program makes itself shows nothing."""
    made = GlobalNames()
    _give(made, space)
    return _filled(made)


def _space(names: GlobalNames) -> dict[str, Any]:
    """Return what `names` shows: of one that a program has made itself, a dict that is empty."""
    try:
        return _read(names)
    except AttributeError:
        return {}


def space_of(given: object) -> dict[str, Any] | None:
    """Return the namespace that `given` shows, or None if it shows none.

    That of one that a program has made would be a dict without builtins, into which the interpreter
    puts those of the host when code is to run in it.
    """
    if type(given) is not GlobalNames:
        return None
    try:
        return _read(given)
    except AttributeError:
        return None


def _found(names: GlobalNames, name: Any) -> Any:
    space = _space(names)
    return space.get(name, _MISSING) if is_visible(name) else _MISSING


def _check(name: Any) -> None:
    if type(name) is not str or ":" in name or not may_bind(name):
        raise denied_attribute(str(name) if type(name) is str else "of a namespace")


def _filled(names: GlobalNames) -> GlobalNames:
    seen: Iterable[tuple[str, Any]] = visible(_space(names)).items()
    dict.clear(names)
    dict.update(names, seen)
    return names
