"""`bytearray` and `memoryview`: their memory stays where it is while a guest is asked anything.

A second view of the same memory is held meanwhile: as long as there is one, a `bytearray` cannot be
resized, and the owner of the memory cannot be freed.
"""

from typing import Any

from sandbox.language.guards.classes.class_origin import exact_names, has_method
from sandbox.language.natives.arguments import EXACT, as_integer
from sandbox.language.natives.demand import written_on_demand
from sandbox.language.natives.patching import Method, replace, replace_on_demand

_SEARCHES = ("count", "find", "index", "rfind", "rindex", "startswith", "endswith", "__contains__")
_OTHERS = ("hex", "__mod__", "__rmod__", "split", "rsplit", "join", "translate", "replace")
_PARTS = ("partition", "rpartition", "strip", "lstrip", "rstrip", "decode", "removeprefix")


def harden() -> None:
    """Replace what asks an argument for its value after it has looked where the memory is."""
    replace(bytearray, _pinned, *_SEARCHES, *_OTHERS, *_PARTS, "removesuffix")
    replace(memoryview, _pinned, "hex", "__hash__", "tobytes", "tolist", "cast")
    replace(bytearray, _extend, "extend")
    replace(bytearray, _init, "__init__")
    for kind in (bytearray, memoryview):
        written_on_demand("__index__", replace_on_demand(kind, _setitem, "__setitem__"))
    written_on_demand("__index__", replace_on_demand(bytearray, _delitem, "__delitem__"))


def _pinned(own: Method) -> Method:
    def method(self: Any, /, *args: Any, **named: Any) -> Any:
        if not named:
            for value in args:
                if type(value) not in _INERT:
                    break
            else:
                if args:
                    return own(self, *args)
        with memoryview(self):
            return own(self, *args, **named)

    return method


_INERT = EXACT - {list, tuple, dict}


def _setitem(own: Method) -> Method:
    def __setitem__(self: Any, key: Any, value: Any, /) -> None:
        if type(key) is slice:
            own(self, slice(*map(as_integer, (key.start, key.stop, key.step))), value)
        elif type(key) is int and type(value) in _INERT:
            own(self, key, value)
        else:
            with memoryview(self):
                own(self, key, value)

    return __setitem__


def _delitem(own: Method) -> Method:
    """Make a `__delitem__` that asks for the numbers before its memory is to move."""

    def __delitem__(self: Any, key: Any, /) -> None:
        if type(key) is slice:
            key = slice(*map(as_integer, (key.start, key.stop, key.step)))
        own(self, key if type(key) is slice else as_integer(key))

    return __delitem__


def _init(own: Method) -> Method:
    """Make an `__init__` that first lists the items of an iterable that may change the array.

    CPython's appends to memory of which it has forgotten that some of it was cut off. The iterable
    may have a name, too.
    """

    def __init__(self: Any, /, *args: Any, **named: Any) -> None:
        if named:
            named = exact_names(named)
            if not args and "source" in named:
                args = (named.pop("source"),)
        if len(args) == 1 and not named:
            kind = type(args[0])
            if kind is list or kind is tuple:
                if not _NUMBERS.issuperset(map(type, args[0])):
                    args = ([*map(as_integer, args[0])],)
            elif kind not in _SIZED and not issubclass(kind, _SHARING) and _is_iterated(kind):
                args = ([*map(as_integer, args[0])],)
        own(self, *args, **named)

    return __init__


_NUMBERS = frozenset((int, bool))


def _is_iterated(kind: type) -> bool:
    """Return True for what is neither a size nor a text, nor shares its memory."""
    if issubclass(kind, (int, str)) or has_method(kind, "__index__"):
        return False
    return has_method(kind, "__iter__") or has_method(kind, "__getitem__")


def _extend(own: Method) -> Method:
    """Make an `extend` that first lists the items of an iterable whose size is not known.

    CPython's writes to memory that is not its own if it was told that nothing comes (gh-143003).
    """

    def extend(self: Any, items: Any, /) -> None:
        if type(items) not in _SIZED and has_method(type(items), "__iter__"):
            items = items if issubclass(type(items), _SHARING) else [*items]
        own(self, items)

    return extend


_SIZED = EXACT | {range}
_SHARING = (bytes, bytearray, memoryview)
