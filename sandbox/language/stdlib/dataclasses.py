"""`dataclasses` writes source text from field names and executes it: both are looked at first."""

import ast
import re
from abc import ABCMeta
from typing import Any, Protocol

from sandbox.interpreter.asking import compile_text, evaluate
from sandbox.language.compile import names
from sandbox.language.compile.words import words
from sandbox.language.guards.kinship import dict_of, is_class, mro_of
from sandbox.language.guest.context import Context
from sandbox.language.guest.denied import denied_attribute, denied_class
from sandbox.language.guest.session import on_behalf_of_guest

_FIELDS = "__dataclass_fields__"


def dataclasses(context: Context) -> dict[str, Any]:
    """Patches the module itself, so that no way into it leads around the checks."""
    import dataclasses as real

    module: Any = real
    process = module._process_class
    if not getattr(process, "guarded", False):

        def _process_class(cls: Any, *options: Any) -> Any:
            if on_behalf_of_guest():
                _check(cls)
            return process(cls, *options)

        _process_class.guarded = True  # type: ignore[attr-defined]
        module._process_class = _process_class
        module._add_slots = _guard_slots(module._add_slots)
        module.exec = _checked_exec
        module.isinstance = _is_instance
        module.getattr = _getattr
    _refuse_signatures(context)
    return {}


def _guard_slots(add: Any) -> Any:
    def _add_slots(cls: Any, *options: Any) -> Any:
        """The class is made a second time: a metaclass of a guest's would be handed its fields."""
        if on_behalf_of_guest() and type(cls) not in (type, ABCMeta, type(Protocol)):
            raise denied_class("a dataclass with slots and a metaclass")
        return add(cls, *options)

    return _add_slots


def _is_instance(o: object, kinds: Any) -> bool:
    """By the type alone: what says that it is a Field would choose its name after the check."""
    return issubclass(type(o), kinds)


def _getattr(o: Any, name: str, *default: Any) -> Any:
    """The fields are those of the class: an instance would choose which attributes are read."""
    if name == _FIELDS and on_behalf_of_guest():
        for cls in mro_of(o if is_class(o) else type(o)):
            if name in dict_of(cls):
                return dict_of(cls)[name]
        if not default:
            raise AttributeError(f"{type(o).__name__!r} object has no attribute {name!r}")
        return default[0]
    return getattr(o, name, *default)


def _refuse_signatures(context: Context) -> None:
    """A class without a docstring gets its signature for one, and `inspect` finds that by
    evaluating the names in the text that a guest's class was made with as its docstring."""
    import inspect

    module: Any = inspect
    parse = module._signature_fromstr
    if not getattr(parse, "guarded", False):

        def _signature_fromstr(cls: Any, obj: Any, *rest: Any, **options: Any) -> Any:
            if on_behalf_of_guest() and context.classes.kin.is_guest_class(obj):
                raise ValueError(f"no signature found for builtin {obj!r}")
            return parse(cls, obj, *rest, **options)

        _signature_fromstr.guarded = True  # type: ignore[attr-defined]
        module._signature_fromstr = _signature_fromstr


def _check(cls: type) -> None:
    """Fields are what the class body annotates; generated functions live in the class's module.

    The annotations that were looked at are the ones that are used: the class gets a dict that
    nobody else holds, as a default's `__get__` runs between the look and the use.
    """
    namespace = dict_of(cls)
    if namespace.get("__module__") != "__main__":
        raise denied_class("a dataclass of another module")
    if issubclass(cls, type):
        raise denied_class("a dataclass that is a metaclass")
    annotations = namespace.get("__annotations__", {})
    if type(annotations) is not dict:
        raise denied_class("a dataclass with these annotations")
    annotations = dict(annotations)
    for name in annotations:
        if type(name) is not str or not name.isidentifier() or not names.may_match(name):
            raise denied_attribute(str(name))
    if annotations:
        type.__setattr__(cls, "__annotations__", annotations)


def _checked_exec(text: str, globals: dict[str, Any], locals: dict[str, Any] | None = None) -> None:
    """The second barrier: whatever the text says, it is made of what `dataclasses` writes."""
    for node in ast.walk(ast.parse(text)) if on_behalf_of_guest() else ():
        kind = type(node)
        if kind not in _NODES and not issubclass(kind, (ast.expr_context, ast.cmpop, ast.operator)):
            raise denied_class(f"a dataclass that uses {kind.__name__!r}")
        if isinstance(node, ast.Attribute):
            _check_word(node.attr, node.attr in _ATTRIBUTES or names.may_match(node.attr))
        elif isinstance(node, ast.Name):
            _check_word(node.id, node.id in _VARIABLES or _is_plain_variable(node.id))
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            _check_word(called, called in _CALLED or _DEFAULT.fullmatch(called) is not None)
    evaluate(compile_text(text, "<string>", "exec"), globals, locals)


def _check_word(word: str, known: bool) -> None:
    if not known:
        raise denied_class(f"a dataclass that uses {word!r}")


def _is_plain_variable(name: str) -> bool:
    return names.may_match(name.replace("__dataclass_", "dataclass_", 1))


# What the generated functions themselves use (CPython's dataclasses.py, 3.11 to 3.13).
_NODE_NAMES = words(
    """
    Module FunctionDef arguments arg Return Assign Expr If IfExp Raise Pass Name Attribute Call
    Compare BinOp BoolOp And Or Tuple Set Constant JoinedStr FormattedValue
    """
)
_NODES = frozenset(getattr(ast, name) for name in _NODE_NAMES)
_ATTRIBUTES = words(
    """
    __class__ __qualname__ __setattr__ __delattr__ __post_init__ __name__ __dict__ __init__
    """
)
_VARIABLES = names.METHODS | words(
    """
    __create_fn__ __setattr__ __delattr__
    """
)
_CALLED = frozenset(
    (
        *("hash", "type", "super", "FrozenInstanceError", "__dataclasses_recursive_repr"),
        *("self.__post_init__", "__dataclass_builtins_object__.__setattr__"),
        *("super(cls, self).__setattr__", "super(cls, self).__delattr__"),
    )
)
_DEFAULT = re.compile(r"_dflt_\w+|__dataclass_dflt_\w+__")
