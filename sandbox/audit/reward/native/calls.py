"""Arguments that a call on the list may have: what it would call itself has to be written out."""

import ast
from collections.abc import Iterator

from sandbox.audit.reward.native.names import Names
from sandbox.audit.reward.native.tables import (
    BEFORE_FLAGS,
    BUILTINS,
    CALLING,
    ERRORS,
    FLAGS,
    OF_SANDBOX,
    OPTIONS,
)

_USUAL = 2  # a pattern and a text


def wrong_arguments(node: ast.Call, names: Names) -> Iterator[str]:
    """Say what is wrong with the arguments of a call, whose function is on the list."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in CALLING:
            yield from _key(node, names)
        case ast.Name(id="str") if len(node.args) > 1 or node.keywords:
            yield "str with a codec"  # looked for by its name, and imported
        case ast.Name(id="isinstance"):
            if not all(map(_is_type, node.args[1:])):
                yield "a type that is not written out"
        case ast.Name(id=name) if name in OF_SANDBOX:
            yield from _options(node, name)
        case ast.Attribute(value=ast.Name(id="re"), attr=name):
            yield from _of_re(node, name, names)
        case _:
            return


def is_flags(node: ast.AST) -> bool:
    """Return True for flags of `re` by their names: as a number, one of them prints the pattern."""
    match node:
        case ast.Attribute(value=ast.Name(id="re"), attr=name):
            return name in FLAGS
        case ast.BinOp(op=ast.BitOr(), left=left, right=right):
            return is_flags(left) and is_flags(right)
        case _:
            return False


def _key(node: ast.Call, names: Names) -> Iterator[str]:
    for word in node.keywords:
        if word.arg == "key" and not names.is_function(word.value):
            yield "a key that is no function of this file"


def _options(node: ast.Call, name: str) -> Iterator[str]:
    for word in node.keywords:
        if word.arg not in OPTIONS:
            yield f"{name} with {word.arg}"
        elif word.arg == "comparator" and not isinstance(word.value, ast.Constant):
            yield "a comparator that is not a name"


def _of_re(node: ast.Call, name: str, names: Names) -> Iterator[str]:
    flags = [word.value for word in node.keywords if word.arg == "flags"]
    flags += node.args[BEFORE_FLAGS.get(name, _USUAL) :]
    if not all(map(is_flags, flags)):
        yield "flags that are not written out"
    if name == "sub":
        given = [word.value for word in node.keywords if word.arg == "repl"]
        for repl in (*given, *node.args[1:2]):
            if not names.is_text(repl) and not names.is_function(repl):
                yield "a replacement that may be called, and is no function of this file"


def _is_type(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name):
            return name in BUILTINS | ERRORS
        case ast.Tuple(elts=parts):
            return all(map(_is_type, parts))
        case _:
            return False
