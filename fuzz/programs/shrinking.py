"""Makes a program that was found smaller while it is still found."""

import ast
import copy
import time
from collections.abc import Callable, Iterator

_MOST_TRIES, MOST_SECONDS = 250, 4.0


def shrink(source: str, fails: Callable[[str], bool], seconds: float = MOST_SECONDS) -> str:
    """Return the smallest program that `fails` says True of, in so many `seconds` and 250 tries.

    Takes statements away, puts bodies in the place of what is around them, and parts of an
    expression in the place of the whole. `source` is returned as it is if it does not parse.
    """
    try:
        best = ast.unparse(ast.parse(source)) + "\n"
    except (SyntaxError, ValueError, RecursionError):
        return source
    if not fails(best):
        return source
    asked, until = {best}, time.monotonic() + seconds
    going = True
    while going:
        going = False
        for smaller in _smaller(best):
            if smaller in asked or len(smaller) >= len(best):
                continue
            if len(asked) >= _MOST_TRIES or time.monotonic() > until:
                return best
            asked.add(smaller)
            if fails(smaller):
                best, going = smaller, True
                break
    return best


def _smaller(source: str) -> Iterator[str]:
    """Yield programs with one thing less, the largest steps first."""
    tree = ast.parse(source)
    for change in (*_statements(tree), *_expressions(tree)):
        try:
            text = ast.unparse(change) + "\n"
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        yield text


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    places = [
        (index, name, at)
        for index, node in enumerate(ast.walk(tree))
        for name in ("body", "orelse", "finalbody", "handlers", "cases", "decorator_list")
        if isinstance(block := getattr(node, name, None), list)
        for at in range(len(block))
    ]
    for index, name, at in places:
        less = copy.deepcopy(tree)
        block = getattr(_node(less, index), name)
        inner = getattr(block[at], "body", None)
        del block[at]
        yield less
        if isinstance(inner, list):
            flat = copy.deepcopy(tree)
            block = getattr(_node(flat, index), name)
            block[at : at + 1] = block[at].body
            yield flat


def _expressions(tree: ast.Module) -> Iterator[ast.AST]:
    nodes = list(ast.walk(tree))
    for index, node in enumerate(nodes):
        for field, value in ast.iter_fields(node):
            if not isinstance(value, ast.expr) or isinstance(value, (ast.Name, ast.Constant)):
                continue
            for number, inner in enumerate(ast.walk(value)):
                if number and isinstance(inner, ast.expr) and number < 8:
                    less = copy.deepcopy(tree)
                    setattr(_node(less, index), field, copy.deepcopy(inner))
                    yield less


def _node(tree: ast.AST, index: int) -> ast.AST:
    return list(ast.walk(tree))[index]
