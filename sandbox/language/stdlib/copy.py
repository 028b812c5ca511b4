"""`copy` for a program: by a table of classes, and never by what an object says of its pickling.

An object of the program's own answers for its copy with `__copy__` and `__deepcopy__`; the rest of
it is copied here. An object of the host's is copied as `copy_table` says of its class, or not at
all. The memo is a plain dict that the program may read and write: it is asked about nothing but
objects that the program holds anyway, as a whole, and no copy of a host's object is put together
from its answers without the checks of the class's own constructor.
"""

import copy as real
import types
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.kinship import is_class, is_guest_method, name_of
from sandbox.language.guest.context import Context
from sandbox.language.guest.session import on_behalf_of_guest
from sandbox.language.stdlib.copy_attributes import transfer
from sandbox.language.stdlib.copy_table import ATOMIC, PLAIN, Rows

_NONE: Any = object()
_MethodOf: Any = types.MethodType
_known = dict.get
Copier = Callable[..., Any]


def copy(context: Context) -> dict[str, Any]:
    """`copy`, `deepcopy` and `replace`; host code that copies for a program is led here too."""
    copier = _Copier(context)
    module: Any = real
    ours: dict[str, Copier] = {"copy": copier.copy, "deepcopy": copier.deepcopy}
    if hasattr(module, "replace"):
        ours["replace"] = replace
    for name, function in ours.items():
        before = vars(module)[name]
        vars(module)[name] = _for_either(getattr(before, "original", before), function)
    return {name: _plain(name, function) for name, function in ours.items()}


def replace(obj: Any, /, **changes: Any) -> Any:
    """Return a copy of `obj` in which the named fields have other values."""
    made_by = getattr(type(obj), "__replace__", None)
    if made_by is None:
        raise TypeError(f"replace() does not support {name_of(type(obj))} objects")
    return made_by(obj, **changes)


def _for_either(original: Copier, function: Copier) -> Copier:
    def either(*args: Any, **options: Any) -> Any:
        return (function if on_behalf_of_guest() else original)(*args, **options)

    either.original = original  # type: ignore[attr-defined]
    return either


def _plain(name: str, function: Copier) -> Copier:
    """As a function: a bound method would lead to the object that it is bound to."""
    if name == "replace":
        return function
    if name == "copy":

        def copy(x: Any) -> Any:
            """Copy `x`; what it holds is shared with the copy."""
            return function(x)

        return copy

    def deepcopy(x: Any, memo: Any = None) -> Any:
        """Copy `x` and, once each, all that it holds."""
        return function(x, memo)

    return deepcopy


class _Copier:
    """Copies for the programs of one world."""

    def __init__(self, context: Context) -> None:
        self.kin = context.classes.kin
        self.setattr = context.guards.setattr
        self.rows = Rows(self.kin)

    def copy(self, x: Any) -> Any:
        """Copy `x`; what it holds is shared with the copy."""
        kind = type(x)
        shallow = _SHALLOW.get(id(kind))
        if shallow is not None:
            return shallow(x)
        if id(kind) in ATOMIC or is_class(x):
            return x
        copier = getattr(kind, "__copy__", None)  # which a program may call, whoever's it is
        return self._rebuilt(x, kind, _shared, None) if copier is None else copier(x)

    def deepcopy(self, x: Any, memo: Any = None) -> Any:
        """Copy `x` and, once each, all that it holds; `memo` has the copies that there are."""
        if memo is None:
            memo = {}
        elif not issubclass(type(memo), dict):
            raise TypeError(f"the memo of a copy must be a dict, not {name_of(type(memo))!r}")
        return self._deep(x, memo)

    def _deep(self, x: Any, memo: Any) -> Any:
        kind = type(x)
        key = id(kind)
        if key in PLAIN:
            return x
        made = _known(memo, id(x), _NONE)
        if made is not _NONE:
            return made
        container = _CONTAINERS.get(key)
        if container is not None:
            made = container(x, memo, self._deep)
        elif key in ATOMIC or is_class(x):
            return x
        else:
            # Of a program's own object, as in CPython, the object itself is asked.
            is_host = key in self.kin.host.by_id
            copier = getattr(kind if is_host else x, "__deepcopy__", None)
            if copier is None:
                made = self._rebuilt(x, kind, self._deep, memo)
            else:
                made = copier(x, memo) if is_host else copier(memo)
        if made is not x:
            memo[id(x)] = made
            _keep(x, memo)
        return made

    def _rebuilt(self, x: Any, kind: type, deep: Copier, memo: Any) -> Any:
        row = self.rows.row(x)
        made = row.make(x, kind, deep, memo)
        if made is x:
            return x
        if memo is not None:
            memo[id(x)] = made
        if row.attributes:
            transfer(x, made, deep, memo, kin=self.kin, store=self.setattr, is_open=row.open)
        if row.fill is not None:
            row.fill(x, made, deep, memo)
        return made


def _keep(x: Any, memo: Any) -> None:
    """As long as the memo is there no other object may have the identity of `x`."""
    kept = _known(memo, id(memo))
    if type(kept) is not list:
        memo[id(memo)] = kept = []
    kept.append(x)


def _same(o: Any) -> Any:
    return o


def _shared(o: Any, _memo: None) -> Any:
    return o


def _list(x: list[Any], memo: Any, deep: Copier) -> list[Any]:
    made: list[Any] = []
    memo[id(x)] = made
    append = made.append
    for item in x:
        append(item if id(type(item)) in PLAIN else deep(item, memo))
    return made


def _dict(x: dict[Any, Any], memo: Any, deep: Copier) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    memo[id(x)] = made
    for key, value in x.items():
        made[key if id(type(key)) in PLAIN else deep(key, memo)] = (
            value if id(type(value)) in PLAIN else deep(value, memo)
        )
    return made


def _tuple(x: tuple[Any, ...], memo: Any, deep: Copier) -> Any:
    """The tuple itself if nothing in it was copied; one that is its own item is in the memo."""
    made = [item if id(type(item)) in PLAIN else deep(item, memo) for item in x]
    known = _known(memo, id(x), _NONE)
    if known is not _NONE:
        return known
    return x if all(map(_is, made, x)) else tuple(made)


def _method(x: Any, memo: Any, deep: Copier) -> Any:
    """Of a host's method nothing is copied: the object that it is bound to may be the host's."""
    return _MethodOf(x.__func__, deep(x.__self__, memo)) if is_guest_method(x) else x


def _is(a: object, b: object) -> bool:
    return a is b


# By the identity of the class: a metaclass may say what its classes are equal to.
_CONTAINERS: dict[int, Copier] = {
    id(list): _list,
    id(dict): _dict,
    id(tuple): _tuple,
    id(types.MethodType): _method,
}
_SHALLOW: dict[int, Copier] = {
    id(list): list.copy,
    id(dict): dict.copy,
    id(set): set.copy,
    id(bytearray): bytearray.copy,
    **dict.fromkeys((id(tuple), id(frozenset), id(slice), id(types.MethodType)), _same),
}
