"""Objects that outlive a row: modules, functions, and what these made before.

A row may read them and must not change them. Where an object can be changed at all, each use of its
name has to be one that reads it, as by another name anything could be done to it.
"""

import ast
from collections.abc import Iterable

from sandbox.rewards.carried import stored

# Their functions give what their arguments say, and nothing else. `random` gives what was left.
_MODULES = frozenset(
    (
        *("__future__", "abc", "ast", "asyncio", "base64", "bisect", "cmath", "collections"),
        *("copy", "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions"),
        *("functools", "hashlib", "heapq", "html", "itertools", "json", "keyword", "logging"),
        *("math", "numbers", "operator", "re", "sandbox", "statistics", "string", "textwrap"),
        *("time", "typing", "unicodedata", "urllib", "concurrent", "contextlib"),
        "traceback",
    )
)
_STEALTHY = frozenset(
    ("setattr", "delattr", "vars", "globals", "locals", "getcontext", "setcontext")
)
_READING_CALLS = frozenset(
    (
        *("all", "any", "bool", "dict", "enumerate", "float", "frozenset", "isinstance", "len"),
        *("list", "max", "min", "range", "set", "sorted", "str", "sum", "tuple", "zip"),
    )
)
_READING = frozenset(("copy", "count", "get", "index", "items", "keys", "values"))


def check_outliving(tree: ast.Module, kept: Iterable[ast.stmt]) -> str:
    """Say why a row may change what outlives it; empty if it may not.

    `kept` are the statements that bind what outlives a row.
    """
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    changeable, reading = set[str](), _READING_CALLS - set(stored(tree))
    for statement in kept:
        value = getattr(statement, "value", None)
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or value is None:
            continue
        if not _is_fixed(value):
            changeable |= set(stored(statement))
            if not _is_flat(value):
                return f"line {statement.lineno} makes what may keep state"
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        match node:
            case ast.Import(names=names):
                given = [alias.name for alias in names]
            case ast.ImportFrom(module=module):
                given = [module or "."]
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return f"line {line} stores to an object that may outlive the row"
            case ast.Name(id=name) | ast.Attribute(attr=name) if _is_stealthy(name):
                return f"line {line} uses {name}, by which state can be kept"
            case ast.FunctionDef(decorator_list=[_, *_]) | ast.ClassDef(decorator_list=[_, *_]):
                return f"line {line} is decorated, and may keep state"
            case ast.Name(id=name, ctx=ast.Load()) if name in changeable:
                if not _reads(node, parents, reading):
                    return f"line {line} may change '{name}', or give it another name"
                continue
            case _:
                continue
        for name in given:
            if name.partition(".")[0] not in _MODULES:
                return f"line {line} imports {name}, which may keep state"
    return ""


def _is_stealthy(name: str) -> bool:
    return name in _STEALTHY or (name.startswith("__") and name != "__name__")


def _is_fixed(value: ast.expr) -> bool:
    """Return True if a value cannot be changed; what a call gives is looked at elsewhere."""
    match value:
        case ast.Constant() | ast.JoinedStr() | ast.Lambda() | ast.Call() | ast.Compare():
            return True
        case ast.Tuple(elts=parts):
            return all(map(_is_fixed, parts))
        case ast.BinOp(left=left, right=right):
            return _is_fixed(left) and _is_fixed(right)
        case ast.UnaryOp() | ast.Attribute():
            return True
        case ast.Name() | ast.Subscript():
            return True  # of a name that is looked at where it stands
        case _:
            return False


def _is_flat(value: ast.expr) -> bool:
    """Return True for a list, dict or set of what cannot be changed."""
    match value:
        case ast.List(elts=parts) | ast.Set(elts=parts):
            return all(map(_is_fixed, parts))
        case ast.Dict(keys=keys, values=values):
            return None not in keys and all(map(_is_fixed, values))
        case ast.ListComp(elt=part) | ast.SetComp(elt=part) | ast.DictComp(value=part):
            return _is_fixed(part)
        case _:
            return False


def _reads(node: ast.Name, parents: dict[int, ast.AST], reading: frozenset[str]) -> bool:
    """Return True if a name's object is read here, and goes nowhere."""
    match parent := parents.get(id(node)):
        case ast.Compare() | ast.FormattedValue() | ast.Starred():
            return True
        case ast.Subscript(value=value, ctx=ast.Load()):
            return value is node
        case ast.For(iter=over) | ast.comprehension(iter=over):
            return over is node
        case ast.If(test=test) | ast.UnaryOp(op=ast.Not(), operand=test):
            return test is node
        case ast.Call(func=ast.Name(id=name)):
            return name in reading and parent.func is not node
        case ast.Attribute(attr=attr):
            call = parents.get(id(parent))
            return attr in _READING and isinstance(call, ast.Call) and call.func is parent
        case _:
            return False
