"""Parts of a function's tree, and where each is evaluated."""

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def is_static(node: Function) -> bool:
    """Return True for a static method, as its decorator says."""
    decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in decorators)


def arguments(node: Function) -> Iterator[ast.arg]:
    """Yield every parameter."""
    a = node.args
    yield from (*a.posonlyargs, *a.args, *a.kwonlyargs)
    yield from (each for each in (a.vararg, a.kwarg) if each is not None)


def outside(node: Function) -> Iterator[ast.AST]:
    """Give the parts of a function that are evaluated where it stands, not in it."""
    yield from node.args.defaults
    yield from (each for each in node.args.kw_defaults if each is not None)
    if not isinstance(node, ast.Lambda):
        yield from node.decorator_list
        if node.returns is not None:
            yield node.returns


def own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield `node` and what is below it in the same scope."""
    if not isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node
        for child in ast.iter_child_nodes(node):
            yield from own_nodes(child)
