"""Decide from the text of tests what values they make, before there is a program to test."""

import ast
import builtins
from collections.abc import Iterable

_STATEMENTS = (
    *(ast.Module, ast.Expr, ast.Assert, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For),
    *(ast.While, ast.If, ast.Break, ast.Continue, ast.Pass, ast.Return, ast.FunctionDef, ast.Try),
    *(ast.Import, ast.ImportFrom, ast.Global, ast.Delete, ast.arguments, ast.arg, ast.alias),
)
_EXPRESSIONS = (
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.Name, ast.Constant),
    *(ast.Tuple, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp, ast.IfExp),
    *(ast.comprehension, ast.Subscript, ast.Slice, ast.Starred, ast.JoinedStr, ast.NamedExpr),
    *(ast.FormattedValue, ast.keyword, ast.expr_context, ast.operator, ast.unaryop, ast.cmpop),
    ast.boolop,
)
_KNOWN = (*_STATEMENTS, *_EXPRESSIONS, ast.ExceptHandler)
_PLAIN = (bool, int, float, complex, str, bytes, type(None))
# Which give plain data if they are given plain data.
_BUILTINS = frozenset(
    (
        *("abs", "all", "any", "ascii", "bin", "bool", "bytes", "chr", "complex", "dict", "divmod"),
        *("float", "format", "frozenset", "hash", "hex", "int", "len", "list", "max", "min", "oct"),
        *("ord", "pow", "print", "range", "repr", "round", "set", "sorted", "str", "sum", "tuple"),
    )
)
_CHECK = "check"  # of HumanEval: what it is called with is the tested function itself
_ITEM = "grade_item"
_STEPS = (ast.Assert, ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Raise)


def makes_plain_data(trees: Iterable[ast.AST], names: Iterable[str]) -> bool:
    """Return True if the trees of tests show that all values they make are plain data.

    `names` are what the tests use of a program: nothing is said of what its functions return.
    False says nothing. Each node that could make something else is reason enough for it, as is
    one that this does not know.
    """
    program = set(names) | {"candidate"}
    return all(_makes_plain_data(tree, program) for tree in trees)


def _makes_plain_data(tree: ast.AST, program: set[str]) -> bool:
    nodes = list(ast.walk(tree))
    functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    bound = {node.arg for node in nodes if isinstance(node, ast.arg)}
    stored = (n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    bound.update(node.id for node in stored)
    handed = {
        id(argument)
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == _CHECK
        for argument in node.args
    }
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}

    def is_plain(node: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, _PLAIN)
        if isinstance(node, ast.ExceptHandler):
            return node.name is None
        if isinstance(node, ast.FunctionDef):  # which its decorators are given
            return not node.decorator_list
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            return isinstance(node, _KNOWN)
        if id(node) in called:
            return node.id in program | functions | _BUILTINS
        if id(node) in handed and node.id in program:
            return True
        return node.id in bound - program - functions - set(dir(builtins))

    return all(map(is_plain, nodes))


def in_steps(text: str, tree: ast.Module) -> str:
    """Return `text`, going on after each statement that fails: so it shows all it would make.

    `tree` is what it was parsed to; it is of no use afterwards. The text comes back as it is if it
    is a single statement, after which there is nothing to go on with, or if Python's own tools do
    not take it, for instance because it nests too deeply.
    """
    if len(tree.body) == 1 and isinstance(tree.body[0], _STEPS):
        return text
    try:
        return ast.unparse(ast.fix_missing_locations(_Steps().visit(tree)))
    except (RecursionError, MemoryError, ValueError):
        return text


class _Steps(ast.NodeTransformer):
    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr):
            return node
        node = self.generic_visit(node)
        if isinstance(node, ast.For) and not isinstance(node.target, ast.Name):
            unpacked = ast.Assign([node.target], ast.Name(_ITEM, ast.Load()))
            node.body.insert(0, _step(unpacked))
            node.target = ast.Name(_ITEM, ast.Store())
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        return _step(node) if isinstance(node, _STEPS) and not is_text else node


def _step(node: ast.stmt) -> ast.stmt:
    """Make `node` go on as if it had succeeded; names that it would give have None."""
    names = [
        each
        for target in (node.targets if isinstance(node, ast.Assign) else ())
        for each in ast.walk(target)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    ]
    instead: ast.stmt = ast.Assign([*names], ast.Constant(None)) if names else ast.Pass()
    out = ast.ExceptHandler(ast.Name("MemoryError", ast.Load()), None, [ast.Raise()])
    rest = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [instead])
    return ast.Try([node], [out, rest], [], [])
