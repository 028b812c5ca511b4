"""A reward function's source, made ready: loaded once in a child, and its function found."""

import ast
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from sandbox.audit.reward.reading.entry import Entry, entries
from sandbox.audit.reward.reading.look import declared_encoding, parse
from sandbox.errors import RewardError
from sandbox.result import Result, Status
from sandbox.rewards import independence
from sandbox.runtime.caller.defaults import default_sandbox

_NOT_PARSED = (Status.SYNTAX, Status.CRASHED, Status.MEMORY_LIMIT, Status.VIOLATION)


@dataclass(frozen=True, slots=True)
class Source:
    """The facts of a function that its text shows. `whole` says why a batch must stay together."""

    text: str
    entry: Entry
    provides: bool  # it uses restricted_execution without an import
    whole: str


def text_of(source: "str | PathLike[str]") -> str:
    """Return the text itself, or a file's by its path. Raises ValueError for one of no UTF-8."""
    if isinstance(source, str):
        return source
    path = Path(source)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text: {error.reason}") from None


def names_in(text: str) -> list[str | None]:
    """List the reward functions of a source; None alone if it has none or cannot be parsed.

    A caller that loads that is told what is wrong with it.
    """
    loaded = default_sandbox("reward").run(text)
    tree = None if loaded.status in _NOT_PARSED else _tree(text)
    return [None] if tree is None else [entry.name for entry in entries(tree)] or [None]


def read(text: str, name: str | None, loaded: Result) -> Source:
    """Return the function `name` of a source that a child has `loaded`, or the only one.

    A child has parsed it first; where that went wrong it is not tried here. Raises RewardError if
    the module fails, ValueError if there is no such function or more than one.
    """
    if not loaded.ok:
        raise RewardError(
            f"the module failed as it was loaded: {loaded.status}: {loaded.error}",
            status=str(loaded.status),
            traceback=loaded.traceback,
        )
    tree = _tree(text)
    found = entries(tree, name)
    if not found:
        wanted = f"no function '{name}'" if name else "no function with a parameter 'completions'"
        raise ValueError(f"the source has {wanted}: say which one with name=")
    if len(found) > 1:
        names = ", ".join(entry.name for entry in found)
        raise ValueError(f"the source has several reward functions: say which with name=: {names}")
    provides = _uses(tree, "restricted_execution") and not _binds(tree, "restricted_execution")
    return Source(text, found[0], provides, independence.reason_against(tree, found[0]))


def _tree(text: str) -> ast.Module:
    tree = None if declared_encoding(text) else parse(text)
    if tree is None:
        raise ValueError("the source nests too deeply, or declares an encoding: give UTF-8 text")
    return tree


def _uses(tree: ast.Module, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(tree))


def _binds(tree: ast.Module, name: str) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.alias(name=given, asname=bound) if name in ((bound or given), given):
                return True
            case ast.FunctionDef(name=bound) | ast.ClassDef(name=bound) if bound == name:
                return True
            case ast.Name(id=bound, ctx=ast.Store()) if bound == name:
                return True
            case _:
                continue
    return False
