"""Whose class is it: the host's or the guest's?

A class is the host's if it was there when the world was built. Everything later, by whatever way,
was made for the guest. Classes are told apart by identity alone: a guest's metaclass may say what
its classes are equal to, and what they hash to.
"""

import functools
import gc
import types
from collections.abc import Iterable, Iterator
from typing import Any

from sandbox.interpreter.disarming.hiding import classes_below
from sandbox.language.compile.rewriting import GETATTR
from sandbox.language.guards.attributes.owners import Owners

IMMUTABLE, HEAP = 1 << 8, 1 << 9  # Py_TPFLAGS_IMMUTABLETYPE, Py_TPFLAGS_HEAPTYPE
_class_dict = type.__dict__["__dict__"].__get__
_class_mro = type.__dict__["__mro__"].__get__
_class_bases = type.__dict__["__bases__"].__get__
_class_name = type.__dict__["__name__"].__get__
_class_flags = type.__dict__["__flags__"].__get__
_builtins_of = types.FunctionType.__dict__["__builtins__"].__get__


def mro_of(cls: type) -> tuple[type, ...]:
    """Return the real MRO of `cls`, whatever its metaclass says."""
    mro: tuple[type, ...] = _class_mro(cls)
    return mro


def dict_of(cls: type) -> types.MappingProxyType[str, Any]:
    """Return the real namespace of `cls`, whatever its metaclass says."""
    namespace: types.MappingProxyType[str, Any] = _class_dict(cls)
    return namespace


def bases_of(cls: type) -> tuple[type, ...]:
    """Return the real bases of `cls`, whatever its metaclass says."""
    bases: tuple[type, ...] = _class_bases(cls)
    return bases


def name_of(cls: type) -> str:
    """Return the real name of `cls`, whatever its metaclass says."""
    return str(_class_name(cls))


def flags_of(cls: type) -> int:
    """Return the real flags of `cls` (Py_TPFLAGS_ in CPython's object.h)."""
    return int(_class_flags(cls))


def has_method(cls: type, name: str) -> bool:
    """Return True if an operator finds `name` in `cls`, whatever its metaclass says.

    A metaclass answers for attributes of a class; C code looks into the namespaces of its MRO.
    """
    return any(name in _class_dict(base) for base in _class_mro(cls))


def instance_dict(o: object) -> dict[str, Any] | None:
    """Return the real `__dict__` of an object that is no class, whatever its attributes say."""
    for cls in mro_of(type(o)):
        slot: Any = dict_of(cls).get("__dict__")
        if type(slot) in (types.GetSetDescriptorType, types.MemberDescriptorType):
            own: dict[str, Any] = slot.__get__(o)
            return own
    return None


def exact_text(o: Any) -> Any:
    """Return the text that `o` is, whatever its class says; what is no text as it is."""
    kind = type(o)
    return str.__str__(o) if kind is not str and issubclass(kind, str) else o


def exact_names(named: dict[str, Any]) -> dict[str, Any]:
    """Return what was given by keywords under plain texts. Raises TypeError where two are the same.

    A keyword of the program's own kind of text may be equal to a name when it is looked for, and
    not when it is looked at.
    """
    exact = {exact_text(name): value for name, value in named.items()}
    if len(exact) < len(named):
        raise TypeError("got multiple values for a keyword argument")
    return exact


def is_class(o: object) -> bool:
    """Return True if `o` is a class; `isinstance` would believe `o.__class__`."""
    return issubclass(type(o), type)


def is_guest_function(o: object) -> bool:
    """Return True for a function that was made by the guest's code, and finds its guards.

    A function keeps the builtins of the code that made it; no program can change them.
    """
    return type(o) is types.FunctionType and GETATTR in _builtins_of(o)


def is_guest_method(o: object) -> bool:
    """Return True for a guest's function, bound or not."""
    return is_guest_function(o.__func__ if type(o) is types.MethodType else o)


class Identities:
    """A set of classes, by identity. It keeps them, so that no other has the identity of one."""

    __slots__ = ("by_id",)

    def __init__(self, classes: Iterable[object] = ()) -> None:
        self.by_id: dict[int, Any] = {id(cls): cls for cls in classes}

    def __contains__(self, o: object) -> bool:
        return id(o) in self.by_id

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self.by_id.values()))

    def add(self, o: object) -> None:
        """Put in `o`."""
        self.by_id[id(o)] = o

    def clear(self) -> None:
        """Take all out."""
        self.by_id.clear()


class Kinship:
    """The two groups of classes that guards ask for.

    `host`: every class that existed when the world was built. `free`: guests' classes under
    a plain metaclass, whose instances have no host's attribute of a name in `FREE_NAMES` apart from
    `object`'s own.
    """

    __slots__ = ("_hosts_holders", "free", "holders", "host", "owners", "unseen")

    def __init__(self) -> None:
        self.host = Identities()
        self.free = Identities()
        self.owners = Owners()
        # Kinds of objects that carry the guest's own attributes, if it made them.
        self.holders = Identities(
            (
                types.FunctionType,
                types.SimpleNamespace,
                functools.partial,
                type(functools.lru_cache(int)),
            )
        )
        self._hosts_holders: dict[int, object] = {}
        self.unseen: frozenset[int] = frozenset()  # ids of holders that no object may lead to

    def settle(self) -> None:
        """Count every class that is new from now on as the guest's."""
        self.host = Identities(all_classes())
        self.owners.settle(self.host)
        kinds = self.holders.by_id  # itself: it is asked for each object of the process
        holders = [o for o in gc.get_objects() if id(type(o)) in kinds]
        self._hosts_holders = {
            id(o): o
            for o in holders
            if type(o) is not types.FunctionType and id(o) not in self.unseen
        }

    def is_guest_class(self, o: object) -> bool:
        """Return True if `o` is a class that the guest made."""
        return is_class(o) and o not in self.host

    def is_holder(self, o: object) -> bool:
        """Return True if `o` takes attributes and the host has not made it for itself."""
        return type(o) in self.holders and id(o) not in self._hosts_holders

    def holds_own(self, o: object) -> bool:
        """Return True if the attributes of `o` are what the guest put there."""
        kind = type(o)
        if kind is types.FunctionType:
            return is_guest_function(o)
        return (
            kind not in self.host
            or self.is_holder(o)
            or (issubclass(kind, BaseException) and not issubclass(kind, AttributeError))
        ) and not is_class(o)


def all_classes() -> tuple[type, ...]:
    """List every class of this process that its base classes list as a subclass."""
    return tuple(classes_below((object, type)))
