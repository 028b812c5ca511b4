"""Leads from a path of `pathlib` to what the tree of the program that was entered holds there."""

from collections.abc import Iterator
from typing import Any

from sandbox.language.guest import state as entered
from sandbox.language.guest.files.paths import checked
from sandbox.language.guest.files.tree import Node, Tree
from sandbox.language.stdlib.files.path_wildcards import found_below
from sandbox.language.stdlib.files.pure_paths import PurePath, joined, parsed


def tree_entered() -> Tree:
    """Return the tree of the program that was entered."""
    return entered.files().tree


def text_of(path: Any) -> str:
    """Return the path's plain text, whatever `__str__` its class may have."""
    return str(checked(PurePath.__str__(path)))


def node_at(path: Any) -> Node | None:
    """Return the file or directory there, None if there is none."""
    try:
        return tree_entered().get(text_of(path))
    except (OSError, ValueError):
        return None


def found_from(path: Any, pattern: Any, before: str) -> Iterator[Any]:
    """Return the paths below `path` that match `pattern`, with `before` put in front of it.

    Raises NotImplementedError for a pattern from the root, ValueError for an empty one.
    """
    root, wanted = parsed((pattern,))
    if root:
        raise NotImplementedError("Non-relative patterns are unsupported")
    if not wanted and not before:
        raise ValueError(f"Unacceptable pattern: {pattern!r}")
    node = node_at(path)
    if node is None or node.children is None:
        return iter(())
    parts = (*[before] * bool(before), *wanted)
    return iter([joined(path, names) for names in found_below(node, parts)])
