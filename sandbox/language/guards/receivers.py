"""A method of the host takes for its `self` what its own class made, and nothing else.

A method that a guest calls through the class gets whatever it likes for `self`, and no guard looks
at what host code reads: `ChainMap.copy(C)` would call `C.__class__`, which is the real `type`, a
metaclass that looks at no namespace; `UserDict.__copy__(o)` would read the namespace of `o`. So a
method that reads what a guest may not, by the names in its code, first looks at its receiver.

Names that are safe on any object need no look. A private name needs none either where no other
class of the host's has the same: on anything else it is the guest's own, or not there.
"""

import dis
import functools
import types
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

from sandbox.language.compile.names import PLAIN, is_dunder, read_kind
from sandbox.language.compile.words import words
from sandbox.language.guards.kinship import Identities, all_classes, dict_of, is_class, mro_of
from sandbox.language.guest.denied import denied_class

_fits = type.__dict__["__subclasscheck__"].__get__  # by the MRO alone, whatever a class says
# What reads or writes under a name that is made at run time.
_DYNAMIC = words("getattr setattr delattr vars eval exec locals globals")
# Names of what is called with a class, though nothing in the namespace says so.
_OF_CLASSES = words(
    """
    __new__ __init_subclass__ __class_getitem__ __subclasshook__ __subclasscheck__ __instancecheck__
    _new_member_ _generate_next_value_
    """
)
# Called at every `with`, and all that it asks for is the docstring of a function.
_UNCHECKED = {("contextlib", "_GeneratorContextManagerBase", "__init__")}
_CLASS_FIRST = words("cls metacls mcls mcs other enum_class owner")


def check_receivers(granted: Iterable[object]) -> None:
    """Put the look into every class of the host that `granted` objects lead to.

    That is their classes, what these inherit from, and all others of the same modules: a granted
    function may return an instance of one that has no granted name.
    """
    reached = Identities(base for o in granted for cls in _classes_of(o) for base in mro_of(cls))
    modules = {_module(cls) for cls in reached if not str(_module(cls)).startswith("sandbox.")}
    everything = (cls for cls in all_classes() if _module(cls) in modules or cls in reached)
    classes = [cls for cls in everything if not issubclass(cls, type)]
    functions = _methods(classes)
    private = _private_names(classes)
    checked = {
        id(function): _checked(function, owners)
        for function, owners in functions.values()
        if any(_asks(function.__code__, owner, private) for owner in owners)
    }
    for cls in classes:
        for name, member in list(dict_of(cls).items()):
            replacement = _replaced(member, checked)
            if replacement is not member:
                type.__setattr__(cls, name, replacement)


def _classes_of(o: object) -> list[type]:
    return [o, type(o)] if isinstance(o, type) else [type(o)]


def _module(cls: type) -> Any:
    return dict_of(cls).get("__module__", "builtins")


def _methods(classes: Iterable[type]) -> dict[int, tuple[types.FunctionType, list[type]]]:
    """By id, every function that is called with an instance, and the classes that it is in."""
    found: dict[int, tuple[types.FunctionType, list[type]]] = {}
    for cls in classes:
        for name, member in dict_of(cls).items():
            for function in _functions(member):
                known = name in _OF_CLASSES or (_module(cls), cls.__name__, name) in _UNCHECKED
                if not known and _takes_instance(function):
                    found.setdefault(id(function), (function, []))[1].append(cls)
    return found


def _functions(member: Any) -> list[types.FunctionType]:
    parts = (member.fget, member.fset, member.fdel) if type(member) is property else (member,)
    return [part for part in parts if type(part) is types.FunctionType and not _is_ours(part)]


def _is_ours(function: types.FunctionType) -> bool:
    """What we put into a class looks at its receiver, or C code that it calls does."""
    return str(function.__module__).startswith("sandbox.")


def _takes_instance(function: types.FunctionType) -> bool:
    code = function.__code__
    return bool(code.co_argcount) and code.co_varnames[0] not in _CLASS_FIRST


def _private_names(classes: Iterable[type]) -> dict[str, list[type]]:
    """By name, who has it."""
    found: dict[str, list[type]] = {}
    for cls in classes:
        for name in dict_of(cls):
            if name[:1] == "_" and not is_dunder(name):
                found.setdefault(name, []).append(cls)
    return found


def _asks(code: types.CodeType, owner: type, private: dict[str, list[type]]) -> bool:
    """True if `code` names what a guest may not read of an object that is no `owner`."""
    if any(name in _DYNAMIC or _is_foreign(name, owner, private) for name in code.co_names):
        return True
    if "type" in code.co_names and _asks_for_type(code):
        return True
    inner = (const for const in code.co_consts if type(const) is types.CodeType)
    return any(_asks(const, owner, private) for const in inner)


def _asks_for_type(code: types.CodeType) -> bool:
    """True for `type(self)`, there or, by the name of an outer variable, in a function inside."""
    steps = [step for step in dis.get_instructions(code) if step.opname != "CACHE"]
    variables = (code.co_varnames[:1], code.co_freevars)
    receivers = {name for names in variables for name in names}
    pairs = pairwise(steps)
    return any(a.argval == "type" and b.argval in receivers for a, b in pairs)


def _is_foreign(name: str, owner: type, private: dict[str, list[type]]) -> bool:
    if read_kind(name) == PLAIN:
        return False
    if name not in private:
        return True
    return not all(owner in mro_of(cls) or cls in mro_of(owner) for cls in private[name])


def _replaced(member: Any, checked: dict[int, Any]) -> Any:
    """`member` itself, unless it or a part of it looks at its receiver from now on."""
    if type(member) is property:
        old = (member.fget, member.fset, member.fdel)
        new = [checked.get(id(function), function) for function in old]
        return property(new[0], new[1], new[2], member.__doc__) if new != [*old] else member
    return checked.get(id(member), member)


def _checked(method: Any, owners: list[type]) -> Any:
    first, *others = [_fits(owner) for owner in owners]

    @functools.wraps(method)
    def checked_method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        kind = type(self)
        if first(kind) or any(fits(kind) for fits in others):
            return method(self, *args, **kwargs)
        raise _refusal(method, self)

    del checked_method.__dict__["__wrapped__"]  # a guest could read it
    return checked_method


def _refusal(method: Callable[..., Any], o: object) -> BaseException:
    what = "a class for its instance" if is_class(o) else "an object of another class"
    return denied_class(f"calling {method.__name__!r} with {what}")
