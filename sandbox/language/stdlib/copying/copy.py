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

from sandbox.language.guards.classes.class_origin import is_class, is_guest_method, name_of
from sandbox.language.guest.context import Context
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.stdlib.copying.attributes import give_namespace, give_slots
from sandbox.language.stdlib.copying.table import ATOMIC, PLAIN, Rows

_NONE: Any = object()
_MethodOf: Any = types.MethodType
_known = dict.get
# Of what is copied, `id` is this times 16; `id` itself is an event that audit hooks are told of.
_hash: Callable[[Any], int] = object.__hash__
Copier = Callable[..., Any]
# One deep copy: the memo, which the program may see, and the originals that are kept. A tuple: a
# store to an object of a class of ours would ask which code stores.
_Run = tuple[dict[Any, Any], list[Any]]


def copy(context: Context) -> dict[str, Any]:
    """`copy`, `deepcopy` and `replace`; host code that copies for a program is led here too."""
    global _hash
    if context.state.numbers is not None:  # a program's `__deepcopy__` looks into the memo
        _hash = context.state.numbers.place
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
    """Copies for the programs of one world.

    A class under `type` itself is looked up by its hash and any other by identity: a metaclass may
    say what its classes are equal to.
    """

    def __init__(self, context: Context) -> None:
        self.kin = context.classes.kin
        self.setattr = context.guards.setattr
        self.numbers = context.state.numbers
        self.rows = Rows(self.kin)

    def copy(self, x: Any) -> Any:
        """Copy `x`; what it holds is shared with the copy."""
        kind = type(x)
        if type(kind) is type:
            shallow = _SHALLOW.get(kind)
            if shallow is not None:
                return shallow(x)
            if kind in ATOMIC:
                return x
        if is_class(x):
            return x
        copier = getattr(kind, "__copy__", None)  # a program may call it, the host's too
        if copier is not None:
            return copier(x)
        return self._rebuilt(x, kind, kind in self.kin.host, _shared)

    def deepcopy(self, x: Any, memo: Any = None) -> Any:
        """Copy `x` and, once each, all that it holds; `memo` has the copies that there are."""
        if memo is None:
            if self.numbers is not None:
                return self.numbers.lend(self._copied, x, {})
            memo = {}
        elif not issubclass(type(memo), dict):
            raise TypeError(f"the memo of a copy must be a dict, not {name_of(type(memo))!r}")
        return self._copied(x, memo)

    def _copied(self, x: Any, memo: dict[Any, Any]) -> Any:
        kept = _known(memo, _hash(memo) << 4)
        return self._deep(x, (memo, kept if type(kept) is list else []))

    def _deep(self, x: Any, run: _Run) -> Any:
        kind = type(x)
        container, atomic = None, False
        if type(kind) is type:
            if kind in PLAIN:
                return x
            container, atomic = _CONTAINERS.get(kind), kind in ATOMIC
        key = _hash(x) << 4
        made = _known(run[0], key, _NONE)
        if made is not _NONE:
            return made
        if container is not None:
            made = container(x, key, run, self._deep)
        elif atomic or is_class(x):
            return x
        else:
            # Of a program's own object, as in CPython, the object itself is asked.
            is_host = kind in self.kin.host
            copier = getattr(kind if is_host else x, "__deepcopy__", None)
            if copier is None:
                made = self._rebuilt(x, kind, is_host, self._deep, run, key)
            else:
                made = copier(x, run[0]) if is_host else copier(run[0])
        if made is not x:
            run[0][key] = made
            _keep(x, run)
        return made

    def _rebuilt(
        self, x: Any, kind: type, is_host: bool, deep: Copier, run: _Run | None = None, key: int = 0
    ) -> Any:
        row = self.rows.row(x, kind, is_host)
        made = row.make(x, kind, deep, run)
        if made is x:
            return x
        if run is not None:
            run[0][key] = made
        if row.attributes:
            if not is_host or row.open or self.kin.holds_own(x):
                give_namespace(x, made, deep, run)
            if not is_host:
                give_slots(x, made, deep, run, kin=self.kin, store=self.setattr)
        if row.fill is not None:
            row.fill(x, made, deep, run)
        return made


def _keep(x: Any, run: _Run) -> None:
    """As long as the memo is there no other object may have the identity of `x`."""
    memo, kept = run
    if not kept:
        key = _hash(memo) << 4
        others = dict.setdefault(memo, key, kept)
        if others is not kept and type(others) is list:
            others.append(kept)  # of a copy that began meanwhile
    kept.append(x)


def _same(o: Any) -> Any:
    return o


def _shared(o: Any, _run: None) -> Any:
    return o


def _list(x: list[Any], key: int, run: _Run, deep: Copier) -> list[Any]:
    made: list[Any] = []
    run[0][key] = made
    append = made.append
    for item in x:
        kind = type(item)
        append(item if kind is int or kind is str or kind is float else deep(item, run))
    return made


def _dict(x: dict[Any, Any], key: int, run: _Run, deep: Copier) -> dict[Any, Any]:
    made: dict[Any, Any] = {}
    run[0][key] = made
    for name, value in x.items():
        kind = type(name)
        name = name if kind is str or kind is int else deep(name, run)
        kind = type(value)
        made[name] = value if kind is int or kind is str or kind is float else deep(value, run)
    return made


def _tuple(x: tuple[Any, ...], key: int, run: _Run, deep: Copier) -> Any:
    """The tuple itself if nothing in it was copied; one that is its own item is in the memo."""
    made: list[Any] = []
    same = True
    for item in x:
        kind = type(item)
        if not (kind is int or kind is str or kind is float):
            before, item = item, deep(item, run)
            same = same and item is before
        made.append(item)
    if same:
        return x
    known = _known(run[0], key, _NONE)
    return tuple(made) if known is _NONE else known


def _method(x: Any, key: int, run: _Run, deep: Copier) -> Any:
    """Of a host's method nothing is copied: the object that it is bound to may be the host's."""
    return _MethodOf(x.__func__, deep(x.__self__, run)) if is_guest_method(x) else x


_CONTAINERS: dict[Any, Copier] = {
    list: _list,
    dict: _dict,
    tuple: _tuple,
    types.MethodType: _method,
}
_SHALLOW: dict[Any, Copier] = {
    list: list.copy,
    dict: dict.copy,
    set: set.copy,
    bytearray: bytearray.copy,
    **dict.fromkeys((tuple, frozenset, slice, types.MethodType), _same),
}
