"""The texts that `dataclasses` writes and executes: each is looked at, and its operands."""

import ast
import re
from typing import Any

from sandbox.interpreter.vault.asking import compile_text, evaluate
from sandbox.language.compile import names
from sandbox.language.compile.words import words
from sandbox.language.guards.classes.class_origin import IMMUTABLE, is_class
from sandbox.language.guest import state as entered
from sandbox.language.guest.ends.denials import denied_attribute, denied_class, denied_store
from sandbox.language.guest.state import on_behalf_of_guest

_flags = type.__dict__["__flags__"].__get__


def checked_exec(text: str, globals: dict[str, Any], locals: dict[str, Any] | None = None) -> None:
    """The `exec` of `dataclasses`, a second barrier.

    Whatever the text says, it is made of what `dataclasses` writes, and compiled as it is spelled.
    """
    if not on_behalf_of_guest():
        evaluate(compile_text(text, "<string>", "exec"), globals, locals)
        return
    if not names.is_compiled_as_it_is(text):
        raise denied_class("a dataclass that uses names which are compiled to others")
    tree = ast.parse(text)
    reads = {_check_node(node) for node in ast.walk(tree)}
    if True not in reads and not _needs_look(text):
        evaluate(compile_text(text, "<string>", "exec"), globals, locals)
        return
    made: dict[str, Any] = {} if locals is None else locals
    made |= {_LOOK: _look, _PLAIN: _are_plain, _ONLY: _check_plain}
    looked_at = compile_text(_with_look(tree, True in reads), "<string>", "exec")
    evaluate(looked_at, globals, made)
    for name in (_LOOK, _PLAIN, _ONLY):
        del made[name]


def _are_plain(*objects: Any) -> bool:
    free = entered.classes().kin.free
    return all(type(o) in free for o in objects)


def _check_plain(o: Any) -> None:
    if not _are_plain(o):
        raise denied_class(f"fields of these names in {type(o).__name__!r}")


def _check_node(node: ast.AST) -> bool:
    """Refuse what `dataclasses` does not write; True if a guarded name is read or stored."""
    kind = type(node)
    if kind not in _NODES and not issubclass(kind, (ast.expr_context, ast.cmpop, ast.operator)):
        raise denied_class(f"a dataclass that uses {kind.__name__!r}")
    if isinstance(node, ast.Attribute):
        _check_word(node.attr, node.attr in _ATTRIBUTES or names.may_be_field(node.attr))
        return node.attr not in _ATTRIBUTES and not names.may_match(node.attr)
    if isinstance(node, ast.Name):
        _check_word(node.id, node.id in _VARIABLES or _is_plain_variable(node.id))
    elif isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        _check_word(called, called in _CALLED or _DEFAULT.fullmatch(called) is not None)
    return False


# The `__init__` of a frozen class stores with `object.__setattr__`, past what the class of its
# receiver says about stores, and its `__setattr__` stores under any name; a program can call both
# with any receiver.
_STORES, _LOOK = "__dataclass_builtins_object__", "__dataclass_look__"
_HOOKS = ("super(cls, self)", "super(__class__, self)")  # the latter from 3.14 on
_PLAIN, _ONLY = "__dataclass_plain__", "__dataclass_only__"


def _needs_look(text: str) -> bool:
    return _STORES in text or _is_hook(text)


def _is_hook(text: str) -> bool:
    return any(hook in text for hook in _HOOKS)


def _with_look(tree: ast.Module, guarded: bool) -> ast.Module:
    """The text of functions that store so, each with a look at its receiver first.

    Functions that read or store a guarded name take only objects of plain classes as operands.
    """
    maker: Any = tree.body[0]
    for name in (_LOOK, _PLAIN, _ONLY):
        maker.args.kwonlyargs.append(ast.arg(name))
        maker.args.kw_defaults.append(ast.Name(name, ast.Load()))
    for function in maker.body:
        if guarded and isinstance(function, ast.FunctionDef):
            function.body.insert(0, _only_plain(function))
        text = ast.unparse(function)
        if isinstance(function, ast.FunctionDef) and _needs_look(text):
            given = [arg.arg for arg in function.args.posonlyargs + function.args.args]
            looked_at = given[:2] if _is_hook(text) else given[:1]
            arguments: list[ast.expr] = [ast.Name(name, ast.Load()) for name in looked_at]
            look = ast.Call(ast.Name(_LOOK, ast.Load()), arguments, [])
            function.body.insert(0, ast.Expr(look))
    return ast.fix_missing_locations(tree)


def _only_plain(function: ast.FunctionDef) -> ast.stmt:
    given = [arg.arg for arg in function.args.posonlyargs + function.args.args][:2]
    receiver, other = ast.Name(given[0], ast.Load()), ast.Name(given[-1], ast.Load())
    if function.name not in names.OPERATORS:  # a field may be called as the other operand is
        return ast.Expr(ast.Call(ast.Name(_ONLY, ast.Load()), [receiver], []))
    are_plain = ast.Call(ast.Name(_PLAIN, ast.Load()), [receiver, other], [])
    end = ast.Return(ast.Name("NotImplemented", ast.Load()))
    return ast.If(ast.UnaryOp(ast.Not(), are_plain), [end], [])


def _look(o: object, name: Any = "") -> None:
    """A class that can be written is the program's: the host's are sealed when it begins.

    A class itself would not notice such a store, see `natives/types/class_stores`.
    """
    if is_class(o) or _flags(type(o)) & IMMUTABLE:
        raise denied_store(type(o))
    if type(name) is not str or names.store_kind(name) != names.PLAIN:
        raise denied_attribute(str(name))


def _check_word(word: str, known: bool) -> None:
    if not known:
        raise denied_class(f"a dataclass that uses {word!r}")


def _is_plain_variable(name: str) -> bool:
    return names.means_nothing(name.replace("__dataclass_", "dataclass_", 1))


# What the generated functions themselves use (CPython's dataclasses.py, 3.11 to 3.14).
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
    __create_fn__ __setattr__ __delattr__ __class__
    """
)
_CALLED = frozenset(
    (
        *("hash", "type", "super", "FrozenInstanceError", "__dataclasses_recursive_repr"),
        *("self.__post_init__", "__dataclass_builtins_object__.__setattr__"),
        *(f"{hook}.{name}" for hook in _HOOKS for name in ("__setattr__", "__delattr__")),
    )
)
_DEFAULT = re.compile(r"_dflt_\w+|__dataclass_dflt_\w+__")
