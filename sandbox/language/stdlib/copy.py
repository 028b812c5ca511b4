"""`copy` rebuilds an object from what the object itself may answer: each part is taken once.

An object may say how it is reduced: what makes the copy, and the state that is put into it. The
state is copied into dicts of ours before it is looked at, and only those go on.
"""

import copy as real
import types
from collections.abc import Callable
from typing import Any

from sandbox.language.compile.names import PLAIN, is_dunder, store_kind
from sandbox.language.guards.kinship import instance_dict, is_guest_method, name_of
from sandbox.language.guest.context import Context
from sandbox.language.guest.denied import denied_attribute, denied_class
from sandbox.language.guest.session import on_behalf_of_guest

_REDUCTIONS = ("__reduce_ex__", "__reduce__")


def copy(context: Context) -> dict[str, Any]:
    """Patches the module itself: its functions call each other."""
    module: Any = real
    patched = module._reconstruct
    rebuild = getattr(patched, "original", patched)
    dispatch = module._deepcopy_dispatch
    deep_method = getattr(dispatch[types.MethodType], "original", dispatch[types.MethodType])
    kin = context.classes.kin

    def reconstruct(x: Any, memo: Any, func: Any, args: Any, *rest: Any, **options: Any) -> Any:
        if not on_behalf_of_guest():
            return rebuild(x, memo, func, args, *rest, **options)
        if type(x) in kin.host:
            _refuse_own_reduction(x)
        return _rebuild(x, memo, func, args, *rest, **options)

    def method(x: Any, memo: Any) -> Any:
        """Of a host's method the object would be copied, and left in the memo with the original."""
        if on_behalf_of_guest() and not is_guest_method(x):
            return x
        return deep_method(x, memo)

    reconstruct.original = rebuild  # type: ignore[attr-defined]
    method.original = deep_method  # type: ignore[attr-defined]
    module._reconstruct = reconstruct
    dispatch[types.MethodType] = method
    return {}


def _refuse_own_reduction(x: Any) -> None:
    """An object of the host's class is reduced by its class, not by an attribute put into it."""
    own = instance_dict(x) or {}
    for name in own:
        if type(name) is not str or name in _REDUCTIONS:
            raise denied_class(f"copying this {name_of(type(x))!r} object")


def _rebuild(
    x: Any,
    memo: Any,
    func: Callable[..., Any],
    args: Any,
    state: Any = None,
    listiter: Any = None,
    dictiter: Any = None,
    *,
    deepcopy: Any = None,
) -> Any:
    """As `copy._reconstruct` in CPython; `deepcopy` is given where the copy is deep."""
    again = deepcopy or real.deepcopy
    deep: Callable[[Any], Any] = _same if memo is None else lambda o: again(o, memo)
    made = func(*[deep(arg) for arg in tuple(args)])
    if type(made) is not type(x):
        raise denied_class(f"copying this {name_of(type(x))!r} object")
    if memo is not None:
        memo[id(x)] = made
    if state is not None:
        _set_state(made, deep(state))
    if listiter is not None:
        for item in listiter:
            made.append(deep(item))
    if dictiter is not None:
        for key, value in dictiter:
            made[deep(key)] = deep(value)
    return made


def _same(o: Any) -> Any:
    return o


def _set_state(made: Any, state: Any) -> None:
    """Put `state` into `made`: what it sets must be the object's own to set."""
    if hasattr(type(made), "__setstate__"):
        made.__setstate__(_checked_names(state) if isinstance(made, BaseException) else state)
        return
    slots: Any = {}
    if type(state) is tuple and len(state) == 2:
        state, slots = state
    if type(state) not in (dict, type(None)) or type(slots) not in (dict, type(None)):
        raise denied_class(f"copying this {name_of(type(made))!r} object")
    own = instance_dict(made)
    if state and own is None:
        raise AttributeError(f"{name_of(type(made))!r} object has no attribute '__dict__'")
    if state and own is not None:
        own.update(state)
    for name, value in _checked_slots(slots).items():
        setattr(made, name, value)


def _checked_slots(slots: Any) -> dict[str, Any]:
    taken = dict(slots or {})
    for name in taken:
        if type(name) is not str or is_dunder(name) or store_kind(name) != PLAIN:
            raise denied_attribute(str(name))
    return taken


def _checked_names(state: Any) -> Any:
    """An exception sets each item of its state as an attribute."""
    taken = dict(state)
    for name in taken:
        if type(name) is not str or store_kind(name) != PLAIN:
            raise denied_attribute(str(name))
    return taken
