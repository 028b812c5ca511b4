"""Changes a program without changing what it is after: renaming, wrapping, hiding texts and reads.

Works on the syntax tree, so what comes out is Python again; whether it still means the same is for
the oracles to see.
"""

import ast
import builtins
import keyword
from collections.abc import Callable

from .hiding import TEXTS, WRAPPINGS, Chooser

_KEPT = {"power", "solve", "reached", "call", "frame", "final", "buffer"}


def mutate(source: str, chooser: Chooser, rounds: int = 2) -> str:
    """Return `source` after a few random changes; unchanged where nothing fits."""
    for _ in range(rounds):
        mutation = chooser.choice(MUTATIONS)
        try:
            changed = mutation(source, chooser)
            ast.parse(changed)
        except (SyntaxError, ValueError, RecursionError):
            continue
        source = changed
    return source


def _by_tree(change: Callable[[ast.AST, Chooser], ast.AST]) -> Callable[[str, Chooser], str]:
    def mutation(source: str, chooser: Chooser) -> str:
        tree = change(ast.parse(source), chooser)
        return ast.unparse(ast.fix_missing_locations(tree)) + "\n"

    return mutation


class _Some(ast.NodeTransformer):
    """Visits all, changes about every other node that fits."""

    def __init__(self, chooser: Chooser) -> None:
        self._chooser = chooser

    def picks(self) -> bool:
        """Say whether to change this one."""
        return self._chooser.randint(0, 1) == 1


class _HideTexts(_Some):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is str and 1 < len(node.value) < 60 and self.picks():
            hidden = self._chooser.choice(TEXTS)(node.value, self._chooser)
            return ast.parse(hidden, mode="eval").body
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # its parts are no expressions

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        return node


class _DotsToGetattr(_Some):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.ctx, ast.Load) and self.picks():
            name = ast.Name("getattr", ast.Load())
            return ast.Call(name, [node.value, ast.Constant(node.attr)], [])
        return node

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        return node

    def visit_MatchClass(self, node: ast.MatchClass) -> ast.AST:
        return node


class _GetattrToDots(_Some):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("getattr"), [value, ast.Constant(str(name))], []):
                if name.isidentifier() and not keyword.iskeyword(name):
                    return ast.Attribute(value, name, ast.Load())
        return node


class _ItemsToCalls(_Some):
    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        plain = isinstance(node.ctx, ast.Load) and not isinstance(node.slice, ast.Slice)
        if plain and self.picks():
            method = ast.Attribute(node.value, "__getitem__", ast.Load())
            return ast.Call(method, [node.slice], [])
        return node


class _CallsThroughLambdas(_Some):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        starred = any(isinstance(argument, ast.Starred) for argument in node.args)
        framed = _names(node, "super", "globals", "locals", "vars", "dir")  # look at their caller
        if self.picks() and not (starred or node.keywords or framed):
            through = ast.parse("(lambda f, *a: f(*a))", mode="eval").body
            return ast.Call(through, [node.func, *node.args], [])
        return node


class _ValuesInBoxes(_Some):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if self.picks():
            box = ast.List([node], ast.Load())
            return ast.Subscript(box, ast.Constant(0), ast.Load())
        return node


def _names(node: ast.Call, *names: str) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in names


class _Rename(ast.NodeTransformer):
    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self._old:
            node.id = self._new
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        if node.arg == self._old:
            node.arg = self._new
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.name == self._old:
            node.name = self._new
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        if node.name == self._old:
            node.name = self._new
        return self.generic_visit(node)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        if node.name == self._old:
            node.name = self._new
        return self.generic_visit(node)


_NEW_NAMES = ("_", "_x", "__x", "print", "self", "cls", "match", "_getattr_", "guard", "ﬁx", "Δ")


def _rename(tree: ast.AST, chooser: Chooser) -> ast.AST:
    stores = {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    names = sorted(n for n in stores - _KEPT if not hasattr(builtins, n) and n[:2] != "__")
    if not names:
        return tree
    renamed: ast.AST = _Rename(chooser.choice(names), chooser.choice(_NEW_NAMES)).visit(tree)
    return renamed


def _wrapped(source: str, chooser: Chooser) -> str:
    return chooser.choice(WRAPPINGS)(source)


def _swallowed(source: str, _: Chooser) -> str:
    """Write `source` so that every refusal is caught, and the attempt made again."""
    body = "".join(f"        {line}\n" for line in source.splitlines())
    return f"for _ in range(2):\n    try:\n{body}    except Exception:\n        pass\n"


def _padded(source: str, chooser: Chooser) -> str:
    """Put harmless statements before `source`, which move lines, slots and caches."""
    lines = ["class Pad: x = 1", "pad = [n * n for n in range(9)]", "def pad(): return 1"]
    return f"{chooser.choice(lines)}\n{source}"


MUTATIONS: tuple[Callable[[str, Chooser], str], ...] = (
    _by_tree(lambda tree, chooser: _HideTexts(chooser).visit(tree)),
    _by_tree(lambda tree, chooser: _DotsToGetattr(chooser).visit(tree)),
    _by_tree(lambda tree, chooser: _GetattrToDots(chooser).visit(tree)),
    _by_tree(lambda tree, chooser: _ItemsToCalls(chooser).visit(tree)),
    _by_tree(lambda tree, chooser: _CallsThroughLambdas(chooser).visit(tree)),
    _by_tree(lambda tree, chooser: _ValuesInBoxes(chooser).visit(tree)),
    _by_tree(_rename),
    _wrapped,
    _swallowed,
    _padded,
)
