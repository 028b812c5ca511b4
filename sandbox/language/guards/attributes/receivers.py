"""A method of the host takes for its `self` what its own class made, and nothing else.

A method that a guest calls through the class gets whatever it likes for `self`, and no guard looks
at what host code reads: `ChainMap.copy(C)` would call `C.__class__`, which is the real `type`, a
metaclass that looks at no namespace; `UserDict.__copy__(o)` would read the namespace of `o`. So a
method first looks at its receiver, and one of a metaclass takes a class of that metaclass.

Without a look goes a method that does nothing which a guest could not do by itself: what it names,
and what the functions name that it calls, is safe on any object, and no state of the host's is
among it. `UNCHECKED` has the others, with the reason.
"""

import functools
import re
import struct
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from sandbox.language.compile.names import PLAIN, is_dunder, read_kind
from sandbox.language.compile.words import words
from sandbox.language.guards.attributes.reach import is_ours_in_reach
from sandbox.language.guards.attributes.shown_types import KIND, STAND_IN
from sandbox.language.guards.classes.class_origin import (
    Identities,
    all_classes,
    dict_of,
    is_class,
    mro_of,
)
from sandbox.language.guest.ends.denials import denied_class

_fits = type.__dict__["__subclasscheck__"].__get__  # by the MRO alone, whatever a class says
# What reads or writes under a name that is made at run time.
_DYNAMIC = words("getattr setattr delattr vars eval exec locals globals compile __import__")
# Names of what is called with a class, for the most part to make an instance of it.
_MAKING = words("__new__ _new_member_ __new_member__ _class_getitem_inner")
# Looked up by CPython with a class in hand: nothing else can be passed by way of the name.
_OF_CLASSES = words("__init_subclass__ __class_getitem__ __subclasshook__ _generate_next_value_")
# Ours: the guards look at what they are given, as do the methods that stand before C code.
_LOOKING = ("sandbox.language.guards.", "sandbox.language.natives.", "sandbox.interpreter.")
_TAKING = (  # but not these
    "sandbox.language.guards.classes.class_hooks",
    "sandbox.language.guards.classes.host_dicts",
)
# What stores under any name, past what a class says of stores.
_STORING = Identities((object.__setattr__, object.__delattr__, type.__setattr__, type.__delattr__))
_FRAMES = "it asks for the module of its caller, which a look would be"
_COPIES = "called for every object of a copy, which a look would make deeper; no program holds one"
_COPY = "sandbox.language.stdlib.copying"
# By module, class and name, methods that would look, and do not.
UNCHECKED = {
    ("enum", "Enum", "__new__"): "called at every lookup; what it reads of a class a program may",
    ("enum", "Enum", "_new_member_"): "the same",
    ("enum", "EnumType", "__call__"): f"no program calls it unbound; {_FRAMES}",
    ("enum", "EnumType", "_create_"): f"no program calls it unbound; {_FRAMES}",
    ("typing", "_ProtocolMeta", "__instancecheck__"): f"no program calls it unbound; {_FRAMES}",
    ("typing", "_ProtocolMeta", "__subclasscheck__"): f"no program calls it unbound; {_FRAMES}",
    ("typing", "NewType", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("typing", "ParamSpec", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("typing", "TypeVar", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("typing", "TypeVarTuple", "__init__"): f"it stores names that a program may; {_FRAMES}",
    ("contextlib", "_GeneratorContextManagerBase", "__init__"): (
        "called at every `with`; it asks for the docstring of a function"
    ),
    ("functools", "cached_property", "__get__"): (
        "called at every read; it asks for the type of an instance, and nothing of its receiver"
    ),
    **{
        (f"{_COPY}.copy", "_Copier", name): _COPIES
        for name in ("copy", "deepcopy", "_copied", "_deep", "_rebuilt")
    },
    **{(f"{_COPY}.table", "Rows", name): _COPIES for name in ("row", "_inherited")},
    ("abc", "ABCMeta", "__instancecheck__"): "`natives/types/abstract` looks, which it calls",
    ("abc", "ABCMeta", "__subclasscheck__"): "it looks itself, see `natives/types/abstract`",
}
_STATELESS = (
    *(int, float, str, bytes, bool, tuple, frozenset, object, type(None), type(NotImplemented)),
    *(types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinFunctionType),
    *(types.MethodDescriptorType, types.WrapperDescriptorType, re.Pattern, struct.Struct),
)


def check_receivers(granted: Iterable[object]) -> None:
    """Put the look into every class of the host that `granted` objects lead to.

    That is their classes, what these inherit from, and all others of the same modules: a granted
    function may return an instance of one that has no granted name. Of this package it is every
    class that a program may come to hold, by a guard's answer too.
    """
    classes = reached_classes(granted)
    private = _private_names(classes)
    looking: dict[tuple[int, bool], Any] = {}
    for (key, function), owners in _methods(classes).items():
        of_class = key in _MAKING
        if any(needs_look(function, owner, private) for owner in owners):
            looking[id(function), of_class] = _checked(function, owners, of_class)
    for cls in classes:
        for name, member in list(dict_of(cls).items()):
            replacement = _replaced(member, name in _MAKING, looking)
            if replacement is not member:
                type.__setattr__(cls, name, replacement)


def reached_classes(granted: Iterable[object]) -> list[type]:
    """List the classes of the host whose methods a guest may call, by whatever way."""
    reached = Identities(base for o in granted for cls in _classes_of(o) for base in mro_of(cls))
    modules = {_module(cls) for cls in reached}
    everything = (
        cls
        for cls in all_classes()
        if _module(cls) in modules or cls in reached or is_ours_in_reach(cls)
    )
    return [cls for cls in everything if not _is_of_the_guards(_module(cls))]


def _classes_of(o: object) -> list[type]:
    kinds = [o, type(o)] if isinstance(o, type) else [type(o)]
    return [*kinds, type(type(o))]


def _module(cls: type) -> Any:
    return dict_of(cls).get("__module__", "builtins")


def _methods(classes: Iterable[type]) -> dict[tuple[str, types.FunctionType], list[type]]:
    """Find all functions called with an instance, or to make one, and the classes they are in."""
    found: dict[tuple[str, types.FunctionType], list[type]] = {}
    unchecked: set[types.FunctionType] = set()  # in whatever class
    for cls in classes:
        for name, member in dict_of(cls).items():
            functions = [] if name in _OF_CLASSES else [*parts_of(member, name)]
            if (_module(cls), cls.__name__, name) in UNCHECKED:
                unchecked.update(functions)
            for function in functions:
                key = "__new__" if name in _MAKING else ""
                found.setdefault((key, function), []).append(cls)
    return {key: owners for key, owners in found.items() if key[1] not in unchecked}


def parts_of(member: Any, name: str) -> Iterator[types.FunctionType]:
    """Yield a class member's functions that are called with a receiver of a guest's choice."""
    parts = [member.fget, member.fset, member.fdel] if type(member) is property else [member]
    if type(member) is staticmethod and name in _MAKING:
        parts = [member.__func__]
    for part in parts:
        if type(part) is types.FunctionType and not _looks(part):
            code = part.__code__
            if code.co_argcount or code.co_flags & _VARIABLE:
                yield part


_VARIABLE = 4  # CO_VARARGS


def _private_names(classes: Iterable[type]) -> dict[str, list[type]]:
    """Map each private name to the classes that have it."""
    found: dict[str, list[type]] = {}
    for cls in classes:
        for name in dict_of(cls):
            if name[:1] == "_" and not is_dunder(name):
                found.setdefault(name, []).append(cls)
    return found


def needs_look(function: types.FunctionType, owner: type, private: dict[str, list[type]]) -> bool:
    """Return False if `function` only does to another class's receiver what a guest could do."""
    if function.__globals__ is globals():  # it looks: another world was built in this process
        return False
    if issubclass(owner, type):
        return True
    return any(_asks(each, owner, private) for each in _called(function))


def _called(function: types.FunctionType) -> list[types.FunctionType]:
    """List `function` itself and all in Python that it names, by variables of whatever kind."""
    found = {function: None}
    todo = [function]
    while todo:
        for value in _named(todo.pop()).values():
            value = value.__func__ if type(value) is types.MethodType else value
            if type(value) is types.FunctionType and value not in found and not _looks(value):
                found[value] = None
                todo.append(value)
    return [*found]


def _looks(function: types.FunctionType) -> bool:
    return _is_of_the_guards(function.__module__)


def _is_of_the_guards(module: object) -> bool:
    return str(module).startswith(_LOOKING) and module not in _TAKING


def _named(function: types.FunctionType) -> dict[str, Any]:
    """Find what the names in the code of `function` stand for, where that can be known."""
    names = _names(function.__code__)
    around = [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
    around += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    found = dict(zip(map(str, range(len(around))), around, strict=True))
    found |= {name: function.__globals__[name] for name in names if name in function.__globals__}
    modules = [value for value in found.values() if type(value) is types.ModuleType]
    for module in modules:
        found |= {name: vars(module)[name] for name in names if name in vars(module)}
    return found


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


@functools.cache
def _names(code: types.CodeType) -> frozenset[str]:
    inner = (const for const in code.co_consts if type(const) is types.CodeType)
    return frozenset(code.co_names).union(*map(_names, inner))


def _asks(function: types.FunctionType, owner: type, private: dict[str, list[type]]) -> bool:
    """Return True if `function` names what a guest may not read of an object that is no `owner`."""
    names = _names(function.__code__)
    if any(name in _DYNAMIC or _is_foreign(name, owner, private) for name in names):
        return True
    if "type" in names and str(function.__module__).startswith("sandbox."):
        return True  # in ours it is the real one, see `shown_types`
    return any(value in _STORING or _is_state(value) for value in _named(function).values())


def _is_state(value: object) -> bool:
    """Return True for what a function could note its receiver in, or show to it."""
    return type(value) not in _STATELESS and not is_class(value)


def _is_foreign(name: str, owner: type, private: dict[str, list[type]]) -> bool:
    if read_kind(name) == PLAIN or name in (KIND, STAND_IN):
        return False
    if name not in private:
        return True
    return not all(owner in mro_of(cls) or cls in mro_of(owner) for cls in private[name])


def _replaced(member: Any, of_class: bool, looking: dict[tuple[int, bool], Any]) -> Any:
    """Return `member` itself, unless it or a part of it looks at its receiver from now on."""
    if type(member) is property:
        old = (member.fget, member.fset, member.fdel)
        new = [looking.get((id(function), False), function) for function in old]
        return property(new[0], new[1], new[2], member.__doc__) if new != [*old] else member
    if type(member) is staticmethod and of_class:
        made = looking.get((id(member.__func__), True))
        return member if made is None else staticmethod(made)
    return looking.get((id(member), of_class), member)


def _checked(method: Any, owners: list[type], of_class: bool) -> Any:
    highest = [o for o in owners if not any(o is not base and base in mro_of(o) for base in owners)]
    first, *others = [_fits(owner) for owner in highest]

    @functools.wraps(method)
    def checked_method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        kind = type(self)
        if first(kind) or any(fits(kind) for fits in others):
            return method(self, *args, **kwargs)
        raise _refusal(method, self)

    @functools.wraps(method)
    def checked_maker(cls: Any, /, *args: Any, **kwargs: Any) -> Any:
        if issubclass(type(cls), type) and (first(cls) or any(fits(cls) for fits in others)):
            return method(cls, *args, **kwargs)
        raise _refusal(method, cls)

    made = checked_maker if of_class else checked_method
    del made.__dict__["__wrapped__"]  # a guest could read it
    return made


def _refusal(method: Callable[..., Any], o: object) -> BaseException:
    what = "a class for its instance" if is_class(o) else "an object of another class"
    return denied_class(f"calling {method.__name__!r} with {what}")
