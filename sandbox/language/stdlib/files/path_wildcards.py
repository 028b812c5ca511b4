"""Finds what is below a directory and matches a pattern of several parts."""

import sys
from collections.abc import Iterator
from typing import Any

from sandbox.language.guest.files.tree import Node
from sandbox.language.stdlib.files.wildcards import has_wildcards, matches, tokens

_FILES_TOO = sys.version_info >= (3, 13)  # what a last `**` stands for, in pathlib


def found_below(
    top: Node, parts: tuple[str, ...], *, hidden: bool = True, files_too: bool = _FILES_TOO
) -> Iterator[tuple[str, ...]]:
    """Yield the names, from `top` on, of what matches `parts`; each once.

    A part `**` stands for any directories. What begins with a dot is matched by wildcards where
    `hidden` is true, or where the part begins with a dot, too.
    """
    seen: set[tuple[str, ...]] = set()
    todo: list[tuple[Node, tuple[str, ...], int]] = [(top, (), 0)]
    looked: set[tuple[int, int]] = set()
    while todo:
        node, names, at = todo.pop()
        if at == len(parts):
            if names not in seen:
                seen.add(names)
                yield names
            continue
        if (node.number, at) in looked and ".." not in names:
            continue
        looked.add((node.number, at))
        todo += reversed([*_steps(node, names, at, parts, hidden, files_too)])


def _steps(
    node: Node,
    names: tuple[str, ...],
    at: int,
    parts: tuple[str, ...],
    hidden: bool,
    files_too: bool,
) -> Iterator[tuple[Node, tuple[str, ...], int]]:
    children, part = node.children, parts[at]
    if children is None:
        return
    if part == "..":
        if node.parent is not None:
            yield node.parent, (*names, part), at + 1
        return
    if part == "**":
        yield node, names, at + 1
        for name, child in children.items():
            if not hidden and name.startswith("."):
                continue
            if child.children is not None:
                yield child, (*names, name), at
            elif at + 1 == len(parts) and files_too:
                yield child, (*names, name), at + 1
        return
    if not has_wildcards(part):
        named = children.get(part)
        if named is not None:
            yield named, (*names, part), at + 1
        return
    wanted: list[Any] = tokens(part)
    for name, child in children.items():
        shown = hidden or not name.startswith(".") or part.startswith(".")
        if shown and matches(name, wanted):
            yield child, (*names, name), at + 1
