"""Stand-ins for names of `enum`, and looks at what its metaclass is given."""

from typing import Any

from sandbox.language.compile.names import PLAIN, is_dunder, read_kind
from sandbox.language.guards.classes.class_namespaces import checked, empty_cell
from sandbox.language.guards.classes.class_origin import (
    dict_of,
    exact_names,
    exact_text,
    instance_dict,
    is_class,
)
from sandbox.language.guards.classes.heirs import kept
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_attribute, denied_class
from sandbox.language.guest.state import check_open, on_behalf_of_guest
from sandbox.language.natives.calls.generators import each
from sandbox.language.natives.demand import notice
from sandbox.language.stdlib.data.dataclasses import FIELDS, guarded_getattr


def enum(context: Context) -> dict[str, Any]:
    """Names come from call arguments too: `Enum("E", {...})`."""
    import enum as real

    metaclass: Any = real.EnumType
    make, unpicklable = metaclass.__new__, vars(real).get("_break_on_call_reduce")
    if not getattr(make, "guarded", False):

        def __new__(metacls: Any, cls: Any, bases: Any, classdict: Any, /, **options: Any) -> Any:
            if on_behalf_of_guest():
                bases = tuple(bases)  # a tuple of the program's kind may show others than it has
                _check_enum_bases(bases)
                options = exact_names(options)
                if _SIMPLE in options:
                    raise denied_class("an enum without members of its own")
                empty_cell(classdict)
                looked_at = checked(dict(_given(classdict, unpicklable)))
                notice(bases, looked_at)
                for name in filter(is_dunder, looked_at):  # what was looked at is what is used
                    dict.__setitem__(classdict, name, looked_at[name])
                name = exact_text(cls)
                return kept(lambda: make(metacls, name, bases, classdict, **options), bases)
            return make(metacls, cls, bases, classdict, **options)

        __new__.guarded = True  # type: ignore[attr-defined]
        metaclass.__new__ = __new__
        for name in ("__prepare__", "_get_mixins_"):
            setattr(metaclass, name, _looking_at_bases(dict_of(metaclass)[name]))
        _drop_descriptors(real)
    flag: Any = real.Flag
    missing = flag.__dict__["_missing_"].__func__
    if not getattr(missing, "guarded", False):

        def _missing_(cls: Any, value: Any) -> Any:
            """Keep combinations of a flag in its class, by value: it asks nothing of a program."""
            if not issubclass(type(value), int):  # `isinstance` would believe what it says it is
                raise ValueError(f"{value!r} is not a valid {cls.__qualname__}")
            return missing(cls, int.__int__(value))

        def __iter__(self: Any) -> Any:
            """Delegate to nothing: a class of the program's may say how to iterate."""
            return each(self._iter_member_(self._value_))

        _missing_.guarded = True  # type: ignore[attr-defined]
        flag._missing_ = classmethod(_missing_)
        flag.__iter__ = __iter__
    descriptor: Any = real.property
    get = descriptor.__get__
    if not getattr(get, "guarded", False):

        def __get__(self: Any, instance: Any, ownerclass: Any = None) -> Any:
            """From 3.12 on it reads the attribute `self.name` of the member's value."""
            name = getattr(self, "name", "")
            if on_behalf_of_guest() and (
                type(self) is not descriptor or type(name) is not str or read_kind(name) != PLAIN
            ):
                raise denied_attribute("name")
            return get(self, instance, ownerclass)

        __get__.guarded = True  # type: ignore[attr-defined]
        descriptor.__get__ = __get__
    _guard_fields(real)
    stand_in = context.classes.stand_in(metaclass)
    return {"EnumMeta": stand_in, "EnumType": stand_in}


# Makes a class without tables of its own: it would write to those of its base, which is the host's.
_SIMPLE = "_simple"


def _guard_fields(module: Any) -> None:
    """An enum of a dataclass shows, from 3.12 on, the function that is the text of its values.

    It goes by what its argument says that its fields are called.
    """
    own = getattr(module, "_dataclass_repr", None)
    if own is None or getattr(own, "guarded", False):
        return

    def _dataclass_repr(self: Any) -> str:
        if not on_behalf_of_guest():
            return str(own(self))
        fields = guarded_getattr(self, FIELDS).values()
        shown = [field.name for field in fields if field.repr]
        return ", ".join([f"{name}={guarded_getattr(self, name)!r}" for name in shown])

    _dataclass_repr.guarded = True  # type: ignore[attr-defined]
    module._dataclass_repr = _dataclass_repr


def _check_enum_bases(bases: tuple[Any, ...]) -> None:
    """`Enum("E", names, type=T)` inherits from T: what the class statement looks at, looked at."""
    if not all(map(is_class, bases)):
        raise TypeError("bases must be types")
    check_open(bases)
    if any(issubclass(base, type) for base in bases):
        raise denied_class("an enum that is a metaclass")


def _looking_at_bases(own: Any) -> Any:
    """`own`, which puts what its bases are made of into sets, and so compares it: they are classes.

    That is before a namespace is there, and so before `__new__` looks at them.
    """
    function = own.__func__

    def method(metacls: Any, cls: Any, bases: Any, /, **options: Any) -> Any:
        if on_behalf_of_guest():
            cls, bases = exact_text(cls), tuple(bases)
            _check_enum_bases(bases)
        return function(metacls, cls, bases, **options)

    method.__name__ = method.__qualname__ = function.__name__
    return classmethod(method)


def _given(classdict: Any, unpicklable: Any) -> Any:
    """The items of a namespace but the one that `enum` itself puts there, before it is asked."""
    for name, value in dict.items(classdict):
        if not (type(name) is str and name == "__reduce_ex__" and value is unpicklable):
            yield name, value


def _drop_descriptors(module: Any) -> None:
    """Drop the methods of a host's descriptor that a member of its name keeps: no code reads them.

    They read and write past what the class of an object says of its attributes.
    """
    metaclass: Any = module.EnumType
    member: Any = getattr(module, "_proto_member", None)
    add: Any = dict_of(metaclass).get("_add_member_")
    bind: Any = None if member is None else dict_of(member)["__set_name__"]

    def _add_member_(cls: Any, name: Any, value: Any) -> None:
        add(cls, name, value)
        drop(cls, name)

    def __set_name__(self: Any, enum_class: Any, member_name: Any) -> None:
        bind(self, enum_class, member_name)
        drop(enum_class, member_name)

    def drop(cls: Any, name: Any) -> None:
        found = dict_of(cls).get(name)
        own = (instance_dict(found) if type(found) is module.property else None) or {}
        for name_kept in _KEPT:
            own.pop(name_kept, None)

    if add is not None:
        metaclass._add_member_ = _add_member_
    if bind is not None:
        member.__set_name__ = __set_name__


_KEPT = ("_get", "_set", "_del")
