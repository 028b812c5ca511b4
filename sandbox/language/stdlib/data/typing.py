"""Decorators of `typing`, `abc` and `functools` that mark what they decorate.

They set an attribute on whatever they are given: the guard of every other store looks first whether
that is the guest's to write to.
"""

from collections.abc import Callable
from typing import Any

from sandbox.interpreter.vault.asking import compile_text, evaluate
from sandbox.language.guards.attributes.shown_types import rename
from sandbox.language.guards.classes.class_origin import exact_text
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.guest.state import on_behalf_of_guest

_MARKS = ("dataclass_transform", "final", "override", "runtime_checkable")


def typing(context: Context) -> dict[str, Any]:
    """The decorators that this Python has."""
    import typing as real

    alias: Any = vars(real)["Type"]
    # Its comparisons would show the real one to an object that says it is an alias.
    alias.__dict__["__origin__"] = context.classes.type
    found = {name: getattr(real, name) for name in _MARKS if hasattr(real, name)}
    transform = found.pop("dataclass_transform")
    marks = {name: own_only(context, decorate) for name, decorate in found.items()}
    _guard_references(real)
    _name_plainly(vars(real)["_TypedDictMeta"])

    def dataclass_transform(**options: Any) -> Any:
        return own_only(context, transform(**options))

    return {**marks, "dataclass_transform": dataclass_transform}


def _name_plainly(metaclass: Any) -> None:
    """A class has a plain text for its name: `TypedDict(name, {})` names one without a look."""
    make = metaclass.__new__
    if getattr(make, "guarded", False):
        return

    def __new__(cls: Any, name: Any, bases: Any, ns: Any, /, *rest: Any, **options: Any) -> Any:
        return make(cls, exact_text(name), bases, ns, *rest, **options)

    __new__.guarded = True  # type: ignore[attr-defined]
    metaclass.__new__ = __new__


def _guard_references(real: Any) -> None:
    """Under names of ours: the layer below puts what compiles for it under the usual ones.

    From 3.14 on none is evaluated for a program, see `guards/classes/annotations`.
    """
    kind = real.ForwardRef
    if hasattr(kind, "evaluate"):
        methods = [kind.__dict__["__forward_code__"].fget]
    else:
        methods = [kind.__init__, kind._evaluate]
    for method in methods:
        method.__globals__.update({_COMPILE: _checked_compile, _EVALUATE: _checked_eval})
        rename(method, {"compile": _COMPILE, "eval": _EVALUATE})


_COMPILE, _EVALUATE = "checked:compile", "checked:eval"


def _checked_compile(text: Any, filename: str, mode: str) -> Any:
    """A forward reference keeps what its text was compiled to: that the text is valid is enough.

    The vault takes no text of a class of the program's, as a member of an enum may be.
    """
    code = compile_text(str.__str__(text), filename, mode)
    return compile_text("None", filename, mode) if on_behalf_of_guest() else code


def _checked_eval(code: Any, globals: dict[str, Any], locals: dict[str, Any]) -> Any:
    """A text of a program's runs under the policy or not at all."""
    if on_behalf_of_guest():
        raise denied_class("evaluating a forward reference")
    return evaluate(code, globals, locals)


def own_only(context: Context, decorate: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`decorate`, for what the guest may write to; what takes no attribute says so itself."""
    write = context.guards.own

    def marking(target: Any, /) -> Any:
        write(target)
        return decorate(target)

    marking.__name__ = marking.__qualname__ = getattr(decorate, "__name__", "decorator")
    marking.__doc__ = decorate.__doc__
    return marking


def guard_marking_classes(context: Context, *classes: Any) -> None:
    """The same for decorators that are classes: `abc.abstractclassmethod(function)`."""
    for cls in classes:
        _guard_init(cls, context.guards.own)


# By class, its own: what a program would find in a function's namespace, it would call.
_inits: dict[Any, Any] = {}


def _guard_init(cls: Any, write: Callable[[Any], Any]) -> None:
    init = _inits.setdefault(cls, cls.__init__)

    def __init__(self: Any, function: Any, /) -> None:
        if on_behalf_of_guest():
            write(function)
        init(self, function)

    cls.__init__ = __init__
