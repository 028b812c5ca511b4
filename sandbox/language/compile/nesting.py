"""Blocks nested so deeply that CPython's own compiler writes past the table that it has for them.

Since 3.12 its table of handlers has 20 places. A coroutine or a generator takes one that no check
counts, an `await` or `yield from` another, and each comprehension that it inlines one more
(gh-116767).
"""

import ast
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

_AFFECTED = sys.version_info >= (3, 12)
_PLACES = 20
_UNCOUNTED = 2
_DEEPEST = _PLACES - _UNCOUNTED
_INDENTATION = re.compile(r"\n[ \t\f]+")
_OTHER_LINES = re.compile(r"\r\n?")
_FOR = re.compile(r"(?<![A-Za-z_])for\b")
_WITH = re.compile(r"(?:^|[\r\n;:]|async)[\s\\]*with\b")
Children = Iterator[tuple[Any, int]]


def may_nest_deeply(source: str) -> bool:
    """Return False if a look at the text is enough to say that nothing in it is nested too deeply.

    Each block in a block has an indentation of its own; each comprehension has a `for`; each
    further manager of a `with` a comma. Most take one place, a `try` up to four.
    """
    if not _AFFECTED:
        return False
    if "\r" in source:
        source = _OTHER_LINES.sub("\n", source)
    handlers = 2 if "except" in source else 0
    each = max(1, handlers + ("*" in source and handlers > 0) + ("finally" in source))
    depth = (1 + len(set(_INDENTATION.findall(source)))) * each
    each = 1 + ("async" in source)
    loops = source.count("for") * each
    if depth <= _DEEPEST < depth + loops:  # it stands in other words, too
        loops = len(_FOR.findall(source)) * each
    depth += loops
    if depth <= _DEEPEST and "with" in source and _WITH.search(source):
        depth += source.count(",")
    return depth > _DEEPEST


def check_nesting(tree: ast.AST) -> None:
    """Raise SyntaxError, as the compiler does for what it counts."""
    stack: list[tuple[Any, int]] = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > _DEEPEST:
            place = (None, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1, None)
            raise SyntaxError("too many statically nested blocks", place)
        children = _CHILDREN.get(type(node))
        if children is None:
            stack += [(child, depth) for child in ast.iter_child_nodes(node)]
        else:
            stack += children(node, depth)


def _with(node: ast.With | ast.AsyncWith, depth: int) -> Children:
    for at, item in enumerate(node.items, 1):
        yield item, depth + at
    for each in node.body:
        yield each, depth + len(node.items)


def _try(node: ast.Try, depth: int) -> Children:
    last = depth + bool(node.finalbody)
    star = type(node) is not ast.Try
    for each in node.body:
        yield each, last + bool(node.handlers)
    for handler in node.handlers:
        yield handler, last + 2 + star
    for each in node.orelse:
        yield each, last
    for each in node.finalbody:
        yield each, depth + 1


def _one_more(node: ast.AST, depth: int) -> Children:
    for child in ast.iter_child_nodes(node):
        yield child, depth + 1


def _comprehension(node: Any, depth: int) -> Children:
    depth += 1 + any(each.is_async for each in node.generators)
    for child in ast.iter_child_nodes(node):
        yield child, depth


def _function(node: Any, depth: int) -> Children:
    """Yield children with depths: the body is another code object's, all else is of this one."""
    body = node.body if type(node.body) is list else [node.body]
    inside = set(map(id, body))
    for child in ast.iter_child_nodes(node):
        yield child, 0 if id(child) in inside else depth


_CHILDREN: dict[type, Callable[[Any, int], Children]] = {
    **dict.fromkeys((ast.With, ast.AsyncWith), _with),
    **dict.fromkeys((ast.Try, ast.TryStar), _try),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), _comprehension),
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef), _function),
    ast.AsyncFor: _one_more,
}
