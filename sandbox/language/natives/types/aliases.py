"""`list[int]` and `int | str`: C code asks what stands in them for its parameters, and believes.

What answers for an attribute could make it take any memory for a tuple of objects, and a failure in
the middle is not noticed (gh-138479, gh-150146, gh-155752). What may stand there can be anything,
and many objects of the host's carry attributes of a program's. So no C code replaces parameters:
it is done here, as CPython does it, but for a look at each answer.

An alias calls its origin by the way that this had when the alias was made; a `functools.partial`
loses that when it gets keywords (gh-148222). So it is called by the way that all objects have.
"""

import types
from functools import reduce
from operator import or_
from typing import Any

from sandbox.errors import SandboxError
from sandbox.language.guards.classes.class_origin import (
    all_classes,
    dict_of,
    has_method,
    is_class,
    name_of,
)
from sandbox.language.natives.patching import Method, replace
from sandbox.language.natives.types import type_slots

_ALIAS: Any = types.GenericAlias
_UNION: Any = types.UnionType
_TAKES_ITEMS = hasattr(_UNION, "__class_getitem__")  # it is `typing.Union`, from 3.14 on


def harden() -> None:
    """Replace what reads and replaces parameters."""
    replace(_ALIAS, _alias_getitem, "__getitem__")
    replace(_UNION, _union_getitem, "__getitem__")
    replace(_ALIAS, _repr, "__repr__")
    for cls in all_classes():
        if issubclass(cls, _ALIAS):
            type_slots.never_call_directly(cls)
            if cls is not _ALIAS and not {"__getitem__", "__repr__"} <= dict_of(cls).keys():
                raise SandboxError(f"{name_of(cls)} goes on to CPython's own methods of an alias")


def _getters(kind: type, *names: str) -> tuple[Any, ...]:
    """Return functions that read fields of an alias itself.

    An alias's attributes are those of its origin.
    """
    return tuple([kind.__dict__[name].__get__ for name in names])


_origin, _arguments, _parameters, _starred = _getters(
    _ALIAS, "__origin__", "__args__", "__parameters__", "__unpacked__"
)
_union_arguments, _union_parameters = _getters(_UNION, "__args__", "__parameters__")


def _alias_getitem(own: Method) -> Method:
    def __getitem__(self: Any, item: Any, /) -> Any:
        parameters = _parameters(self)  # first: it refuses what is no alias
        return _remade(self, _replaced(self, _arguments(self), parameters, item))

    return __getitem__


def _union_getitem(own: Method) -> Method:
    def __getitem__(self: Any, item: Any, /) -> Any:
        parameters = _union_parameters(self)
        made = _replaced(self, _union_arguments(self), parameters, item)
        return _UNION[made] if _TAKES_ITEMS else reduce(or_, made)

    return __getitem__


def _remade(alias: Any, arguments: tuple[Any, ...]) -> Any:
    """Make an alias of the same origin, starred if `alias` is."""
    made = _ALIAS(_origin(alias), arguments)
    return next(iter(made)) if _starred(alias) else made


def _replaced(alias: Any, arguments: Any, parameters: Any, item: Any) -> tuple[Any, ...]:
    """Return `arguments` of `alias` with what `item` gives for its `parameters`.

    Raises TypeError.
    """
    if not parameters:
        raise TypeError(f"{alias!r} is not a generic class")
    item = _prepared(alias, parameters, _unpacked(item))
    items = _items(item) if _is_tuple(item) else [item]
    if len(items) != len(parameters):
        many = "many" if len(items) > len(parameters) else "few"
        counts = f"actual {len(items)}, expected {len(parameters)}"
        raise TypeError(f"Too {many} arguments for {alias!r}; {counts}")
    made: list[Any] = []
    for argument in _items(arguments):
        if is_class(argument):
            made.append(argument)
        elif issubclass(type(argument), _SEARCHED):
            within = _items(argument) if _is_tuple(argument) else list(argument)
            parts = _replaced(alias, tuple(within), parameters, item)
            made.append(parts if _is_tuple(argument) else list(parts))
        else:
            made += _replacement(argument, parameters, items)
    return tuple(made)


class _Parameter:
    """An object that CPython takes for a parameter of an alias."""

    __typing_subst__ = None


def _is_searched(kind: Any) -> bool:
    """Return True if this CPython finds the parameters in a `kind`."""
    return bool(_parameters(_ALIAS(int, (kind([_Parameter()]),))))


_SEARCHED = tuple([kind for kind in (tuple, list) if _is_searched(kind)])


def _is_tuple(value: Any) -> bool:
    return issubclass(type(value), tuple)


def _items(value: Any) -> list[Any]:
    """List the items of the tuple `value`, whatever its class says."""
    return [*tuple.__iter__(value)]


def _unpacked(item: Any) -> tuple[Any, ...]:
    """Give the arguments between the brackets, those of starred tuples one by one."""
    given: list[Any] = []
    for value in _items(item) if _is_tuple(item) else [item]:
        parts = None if is_class(value) else getattr(value, "__typing_unpacked_tuple_args__", None)
        if not _is_tuple(parts) or _items(parts)[-1:] == [...]:
            given.append(value)
        else:
            given += _items(parts)
    return tuple(given)


def _prepared(alias: Any, parameters: Any, item: Any) -> Any:
    """Return `item` as the parameters want it: parameters for several arguments group them."""
    for parameter in _items(parameters):
        prepare = getattr(parameter, "__typing_prepare_subst__", None)
        if prepare is not None:
            item = prepare(alias, item if _is_tuple(item) else (item,))
    return item


def _replacement(argument: Any, parameters: Any, items: list[Any]) -> list[Any]:
    """Return the arguments that stand in the place of `argument`."""
    several = getattr(argument, "__typing_is_unpacked_typevartuple__", False)
    several = True if several else False  # noqa: SIM210  asked once, as C does
    substitute = getattr(argument, "__typing_subst__", _NONE)
    if substitute is _NONE:
        value = _filled(argument, parameters, items)
    else:
        place = _place(parameters, argument)
        if place is None:
            raise TypeError(f"{argument!r} is not a parameter of the alias")
        value = substitute(items[place])
    if not several:
        return [value]
    if not _is_tuple(value):
        kind, other = name_of(type(argument)), name_of(type(value))
        raise TypeError(f"{kind!r} object stands for several arguments: no tuple but {other!r}")
    return _items(value)


_NONE: Any = object()


def _filled(argument: Any, parameters: Any, items: list[Any]) -> Any:
    """Return `argument` with what is given for those of `parameters` that are its own."""
    wanted = getattr(argument, "__parameters__", None)
    if not _is_tuple(wanted) or not _items(wanted):
        return argument
    given: list[Any] = []
    for parameter in _items(wanted):
        place = _place(parameters, parameter)
        value = parameter if place is None else items[place]
        if place is not None and has_method(type(parameter), "__iter__") and _is_tuple(value):
            given += _items(value)
        else:
            given.append(value)
    return argument[tuple(given)]


def _place(parameters: Any, wanted: Any) -> int | None:
    places = (place for place, found in enumerate(_items(parameters)) if found is wanted)
    return next(places, None)


def _repr(own: Method) -> Method:
    """Make a `__repr__` that copies an alias's lists before it walks over them.

    CPython's walks over a list while the program's `__repr__` may change it.
    """

    def __repr__(self: Any, /) -> str:
        if issubclass(type(self), _ALIAS):
            arguments = _items(_arguments(self))
            if any(type(argument) is list for argument in arguments):
                copies = [list(a) if type(a) is list else a for a in arguments]
                self = _remade(self, tuple(copies))
        return own(self)  # type: ignore[no-any-return]

    return __repr__
