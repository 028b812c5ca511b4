"""Blocks inside of blocks: more of them than the compiler of CPython 3.12 has room for.

Before 3.12.3 it counts the managers of `async with` one way, keeps places for them another way, and
writes past the last (gh-116767).
"""

import ast
import sys
from typing import Any

from sandbox.interpreter import asking

_FEARED = (3, 12) <= sys.version_info < (3, 12, 3)
_MANY = 17  # of the 20 that CPython allows; a coroutine has one of its own, and `async with` two
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_BLOCKS = (ast.For, ast.AsyncFor, ast.While)
_TRIES = (ast.Try, ast.TryStar)


def check_nesting(source: str, filename: str, mode: str) -> None:
    """Raise SyntaxError for what this Python's compiler would not survive."""
    if not _FEARED or "async" not in source or "with" not in source:
        return
    tree: Any = asking.compile_text(source, filename, mode, ast.PyCF_ONLY_AST)
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        depth = 0 if isinstance(node, _SCOPES) else depth + _blocks(node)
        if depth > _MANY:
            raise SyntaxError("too many statically nested blocks", (filename, node.lineno, 1, None))
        stack += [(child, depth) for child in ast.iter_child_nodes(node)]


def _blocks(node: Any) -> int:
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return len(node.items)
    return 2 if isinstance(node, _TRIES) else int(isinstance(node, _BLOCKS))
