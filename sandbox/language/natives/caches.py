"""Typed caches of `functools`: C code puts the real type of each argument into a key.

Keys of different calls are compared item by item, so an argument's `__eq__` may be asked about the
type of another. A cache of ours stands for each: its keys begin with one object for each
combination of types, which is told apart by identity. That object calls the function, so that the
cache itself is CPython's, and a recursion goes as deep as one through a decorator.
"""

import functools
import gc
import operator
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

from sandbox.language.guest.denied import denied_class
from sandbox.language.guest.session import on_behalf_of_guest
from sandbox.language.natives.patching import original, put, put_beside_slot

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
    # The call of the class goes by the slot, and on to `__init__`.
    put_beside_slot(_WRAPPER, "__new__", staticmethod(__new__))


def _init(self: Any, user_function: Any, maxsize: Any, typed: Any, cache_info_type: Any) -> None:
    _refuse(type(typed) is not bool or typed)


def _refuse(typed: bool) -> None:
    if typed and on_behalf_of_guest():
        raise denied_class("a typed cache that 'lru_cache' does not make")


def lru_cache(maxsize: Any = 128, typed: Any = False) -> Any:
    """See `functools.lru_cache`; what is not typed is CPython's own."""
    if type(typed) is bool and not typed:
        return functools.lru_cache(maxsize)
    if isinstance(maxsize, int) or maxsize is None or type(typed) is not bool:
        decorate = _with_size(maxsize)
        return (lambda function: _typed(function, decorate)) if typed else decorate
    if not callable(maxsize):
        return _with_size(maxsize)
    return _typed(maxsize, _with_size(128))


def _with_size(maxsize: Any) -> Callable[[Any], Any]:
    if not isinstance(maxsize, int) and maxsize is not None:
        raise TypeError("Expected first argument to be an integer, a callable, or None")
    return functools.lru_cache(maxsize)


def _typed(function: Any, decorate: Callable[[Any], Any]) -> Any:
    if not callable(function):
        raise TypeError("the first argument must be callable")
    cached = decorate(operator.call)
    size = cached.cache_parameters()["maxsize"]
    targets: dict[tuple[type, ...], Any] = {}  # types are equal to nothing but themselves

    def wrapper(*args: Any, **keywords: Any) -> Any:
        kinds = tuple(map(type, args))
        if keywords:
            kinds += tuple(map(type, keywords.values()))
        target = targets.get(kinds)
        if target is None:
            target = targets.setdefault(kinds, functools.partial(function))
        return cached(target, *args, **keywords)

    def cache_clear() -> None:
        cached.cache_clear()
        targets.clear()

    functools.update_wrapper(wrapper, function)
    wrapper.__dict__.update(
        cache_info=cached.cache_info,
        cache_clear=cache_clear,
        cache_parameters=lambda: {"maxsize": size, "typed": True},
    )
    return wrapper


def _replace_typed() -> None:
    """Wherever one of the standard library's is held: a module, a facade, a cell, a table."""
    found = [o for o in gc.get_objects() if type(o) is _WRAPPER and _is_typed(o)]
    if not found:
        return
    ours = {id(o): _typed(o.__wrapped__, functools.lru_cache(_size(o))) for o in found}
    for holder in gc.get_referrers(*found):
        if type(holder) is dict:
            replaced = {key: ours[id(o)] for key, o in holder.items() if id(o) in ours}
            holder.update(replaced)
        elif type(holder) is types.CellType:
            holder.cell_contents = ours[id(holder.cell_contents)]
    cleanups: list[Any] = getattr(typing, "_cleanups", [])
    for at, clear in enumerate(cleanups):
        if (cache := ours.get(id(getattr(clear, "__self__", None)))) is not None:
            cleanups[at] = cache.cache_clear


def _is_typed(o: Any) -> bool:
    root = str(o.__wrapped__.__module__).partition(".")[0]
    return root in sys.stdlib_module_names and bool(o.cache_parameters()["typed"])


def _size(o: Any) -> Any:
    return o.cache_parameters()["maxsize"]
