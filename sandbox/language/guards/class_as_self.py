"""No method of the host takes a class for its instance.

`ChainMap.copy(C)` would call `C.__class__`, which is the real `type`: a metaclass that looks at no
namespace. So what asks for the class of its `self`, in the text of a method or of a property, first
looks whether that is a class itself.
"""

import dis
import functools
import types
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

from sandbox.language.guards.kinship import dict_of, is_class, mro_of
from sandbox.language.guest.denied import denied_class


def refuse_classes_as_self(granted: Iterable[object]) -> None:
    """Put the look into every class of the host that `granted` objects lead to.

    That is their classes, what these inherit from, and all others of the same modules: a granted
    function may return an instance of one that has no granted name.
    """
    reached = {base for o in granted for cls in _classes_of(o) for base in mro_of(cls)}
    modules = {_module(cls) for cls in reached if not str(_module(cls)).startswith("sandbox.")}
    guarded = functools.cache(_for_instances)  # what has two names stays one function
    for cls in _all_below(object):
        if _module(cls) in modules and not issubclass(cls, type):
            for name, member in list(dict_of(cls).items()):
                replacement = _guard(member, guarded)
                if replacement is not member:
                    type.__setattr__(cls, name, replacement)


def _classes_of(o: object) -> list[type]:
    return [o, type(o)] if isinstance(o, type) else [type(o)]


def _module(cls: type) -> Any:
    return dict_of(cls).get("__module__", "builtins")


def _all_below(cls: type) -> Iterator[type]:
    seen, todo = {cls}, [cls]
    while todo:
        cls = todo.pop()
        yield cls
        new: set[type] = set(type.__subclasses__(cls)) - seen
        seen |= new
        todo += new


def _guard(member: Any, guarded: Callable[[Any], Any]) -> Any:
    """`member` itself, unless it asks for the class of its instance."""
    if type(member) is types.FunctionType and not str(member.__module__).startswith("sandbox."):
        return guarded(member) if _asks(member.__code__, _first(member.__code__)) else member
    if type(member) is property:
        old = [member.fget, member.fset, member.fdel]
        getter, setter, deleter = [_guard(function, guarded) for function in old]
        if getter is not old[0] or setter is not old[1] or deleter is not old[2]:
            return property(getter, setter, deleter, member.__doc__)
    return member


def _first(code: types.CodeType) -> str | None:
    return code.co_varnames[0] if code.co_argcount else None


def _asks(code: types.CodeType, first: str | None) -> bool:
    """True for `x.__class__` of any x, and for `type(self)`, there or in a function inside."""
    if "__class__" in code.co_names:
        return True
    if "type" in code.co_names:
        steps = list(dis.get_instructions(code))
        for step, after in pairwise(steps):
            if step.argval == "type" and first is not None and after.argval == first:
                return True
    inner = (const for const in code.co_consts if type(const) is types.CodeType)
    return any(_asks(const, first) for const in inner)


def _for_instances(method: Any) -> Any:
    @functools.wraps(method)
    def checked_method(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        if is_class(self):
            raise denied_class("calling a method with a class for its instance")
        return method(self, *args, **kwargs)

    del checked_method.__dict__["__wrapped__"]  # a guest could read it
    return checked_method
