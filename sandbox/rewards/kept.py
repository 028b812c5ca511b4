"""State that the module of a reward function keeps from row to row, as far as its text shows."""

import ast

_PURE = frozenset(
    (
        *("re.compile", "frozenset", "tuple", "float", "int", "str", "bool", "Fraction", "Decimal"),
        *("Sandbox", "sandbox.Sandbox", "Policy.load", "logging.getLogger", "getLogger"),
    )
)
CHANGING = frozenset(
    (
        *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "update"),
        *("setdefault", "popitem", "add", "discard", "appendleft", "popleft", "extendleft"),
        *("rotate", "subtract", "intersection_update", "difference_update", "write", "send"),
        *("symmetric_difference_update", "put", "cache_clear", "__setitem__", "__delitem__"),
    )
)


class Depends(Exception):
    """A row may see another one; the message says by what."""


def check_module(tree: ast.Module) -> None:
    """Raise Depends if what a module holds may remember rows."""
    kept = set[str]()
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                check_kept(value)
                kept.add(name)
            case ast.AnnAssign(target=ast.Name(id=name), value=value):
                if value is not None:
                    check_kept(value)
                kept.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                kept.add(name)
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()) | ast.Pass():
                continue
            case _:
                raise Depends(f"line {statement.lineno} of its module may keep state")
    for node in ast.walk(tree):
        match node:
            case ast.Global() | ast.Nonlocal():
                raise Depends(f"line {node.lineno} keeps state in a variable")
            case ast.arguments(defaults=defaults, kw_defaults=more):
                for default in (*defaults, *(each for each in more if each is not None)):
                    _check_default(default)
            case ast.Attribute(value=ast.Name(id=name), ctx=ast.Store()) if name in kept:
                raise Depends(f"it stores to '{name}'")
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                if name in kept:
                    raise Depends(f"it stores to '{name}'")
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in kept:
                if attr in CHANGING:
                    raise Depends(f"it changes '{name}'")
            case _:
                continue


def _check_default(value: ast.expr) -> None:
    check_kept(value)
    if any(isinstance(node, (ast.List, ast.Dict, ast.Set)) for node in ast.walk(value)):
        raise Depends(f"line {value.lineno} keeps state in a default")


def check_kept(value: ast.expr) -> None:
    """Raise Depends if a value is made by a call that may give something changeable."""
    for node in ast.walk(value):
        if isinstance(node, ast.Call) and ast.unparse(node.func) not in _PURE:
            raise Depends(f"line {node.lineno} of its module may keep state")
