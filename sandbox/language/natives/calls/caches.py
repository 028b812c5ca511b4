"""Typed caches of `functools`: C code puts the real type of each argument into a key.

Keys of different calls are compared item by item, so an argument's `__eq__` may be asked about the
type of another. A cache of ours stands for each: in its keys types are compared with types alone.

And a cache of C code can be cleared while it asks its keys whether they are equal, which makes its
dict another kind of dict under its hands: `containers/dicts` says how, and what is done about it.
"""

import functools
import gc
import operator
import sys
import types
import typing
from typing import Any

from sandbox.interpreter.disarming.identity import identity
from sandbox.interpreter.vault import asking
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.natives.patching import Method, original, put, put_beside_slot, replace

_WRAPPER: Any = type(functools.lru_cache(int))


def harden() -> None:
    """Replace the typed caches of the standard library; the class makes none for a program."""
    _replace_typed()
    make = original(_WRAPPER, "__new__")

    def __new__(cls: Any, user_function: Any, maxsize: Any, typed: Any, info: Any, /) -> Any:
        typed = bool(typed)
        _refuse(typed)
        return make(cls, user_function, maxsize, typed, info)

    put(_WRAPPER, "__init__", _init)
    replace(_WRAPPER, _clearing, "cache_clear")
    # The call of the class goes by the slot, and on to `__init__`.
    put_beside_slot(_WRAPPER, "__new__", staticmethod(__new__))


def _clearing(own: Method) -> Method:
    def cache_clear(self: Any, /) -> None:
        kind = type(self)
        if kind is _WRAPPER:
            asking.clear_cache(self)
        elif issubclass(kind, _WRAPPER):
            raise denied_class("'cache_clear' of a kind of cache that is the program's own")
        else:
            own(self)  # says what is wrong

    return cache_clear


def _init(self: Any, /, *args: Any, **named: Any) -> None:
    """Look at what C code was given before: a name that is no plain text is another one to it."""
    if on_behalf_of_guest() and not all(type(name) is str for name in named):
        raise denied_class("a cache that is made by names of the program's own kind")
    _look(*args, **named)


def _look(user_function: Any, maxsize: Any, typed: Any, cache_info_type: Any) -> None:
    _refuse(type(typed) is not bool or typed)


def _refuse(typed: bool) -> None:
    if typed and on_behalf_of_guest():
        raise denied_class("a typed cache that 'lru_cache' does not make")


def lru_cache(maxsize: Any = 128, typed: Any = False) -> Any:
    """See `functools.lru_cache`; what is not typed is CPython's own."""
    if not typed:
        return functools.lru_cache(maxsize)
    if issubclass(type(maxsize), int) or maxsize is None:
        return lambda function: _typed(function, maxsize)
    if not callable(maxsize) or type(typed) is not bool:
        raise TypeError("Expected first argument to be an integer, a callable, or None")
    return _typed(maxsize, 128)


def _typed(function: Any, maxsize: int | None) -> Any:
    if not callable(function):
        raise TypeError("the first argument must be callable")
    size = None if maxsize is None else max(operator.index(maxsize), 0)
    cache: dict[Any, list[Any]] = {}
    root: list[Any] = []  # of links by age: [previous, next, key, value]
    root += [root, root, None, None]
    counts = [0, 0]

    def wrapper(*args: Any, **keywords: Any) -> Any:
        if size == 0:
            counts[_MISSES] += 1
            return function(*args, **keywords)
        key = _key(args, keywords)
        hash(key)  # here it says what it lacks, and in a dict that it is a key of one (3.14)
        link = cache.get(key)
        if link is not None:
            counts[_HITS] += 1
            _unlink(link)
            _link(root, link)
            return link[_VALUE]
        counts[_MISSES] += 1
        value = function(*args, **keywords)
        link = [None, None, key, value]
        if cache.setdefault(key, link) is link:
            _link(root, link)
            if size is not None and len(cache) > size:
                oldest = root[_NEXT]
                _unlink(oldest)
                cache.pop(oldest[_KEY], None)
        return value

    def cache_clear() -> None:
        counts[:] = 0, 0
        cache.clear()
        root[:] = root, root, None, None

    functools.update_wrapper(wrapper, function)
    wrapper.__dict__.update(
        cache_info=lambda: _info(*counts, size, len(cache)),
        cache_clear=cache_clear,
        cache_parameters=lambda: {"maxsize": size, "typed": True},
    )
    return wrapper


_PREVIOUS, _NEXT, _KEY, _VALUE = range(4)
_HITS, _MISSES = range(2)
_MARK = object()  # between positions and names
_info: Any = getattr(functools, "_CacheInfo")  # noqa: B009


def _key(args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, ...]:
    """Make the key of a call, with the arguments' types where other keys have types.

    The types are equal to nothing but themselves.
    """
    if not keywords:
        return tuple(map(type, args)), *args
    kinds = (*map(type, args), *map(type, keywords.values()))
    return kinds, *args, _MARK, *keywords, _MARK, *keywords.values()


def _unlink(link: list[Any]) -> None:
    before, after = link[_PREVIOUS], link[_NEXT]
    before[_NEXT], after[_PREVIOUS] = after, before


def _link(root: list[Any], link: list[Any]) -> None:
    """Put `link` into the list as the youngest."""
    last = root[_PREVIOUS]
    link[_PREVIOUS], link[_NEXT] = last, root
    last[_NEXT] = root[_PREVIOUS] = link


def _replace_typed() -> None:
    """Replace each typed cache of the standard library wherever one is held.

    Its holder may be a module, a facade, a cell or a list.
    """
    found = [o for o in gc.get_objects() if type(o) is _WRAPPER and _is_typed(o)]
    if not found:
        return
    ours = {identity(o): _typed(o.__wrapped__, o.cache_parameters()["maxsize"]) for o in found}
    for holder in gc.get_referrers(*found):
        if type(holder) is dict:
            replaced = {key: ours[identity(o)] for key, o in holder.items() if identity(o) in ours}
            holder.update(replaced)
        elif type(holder) is list and holder is not found:
            holder[:] = [ours.get(identity(o), o) for o in holder]
        elif type(holder) is types.CellType:
            holder.cell_contents = ours[identity(holder.cell_contents)]
    cleanups: list[Any] = getattr(typing, "_cleanups", [])
    for at, clear in enumerate(cleanups):
        if (cache := ours.get(identity(getattr(clear, "__self__", None)))) is not None:
            cleanups[at] = cache.cache_clear


def _is_typed(o: Any) -> bool:
    root = str(o.__wrapped__.__module__).partition(".")[0]
    return root in sys.stdlib_module_names and bool(o.cache_parameters()["typed"])
