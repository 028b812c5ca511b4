"""From the text of a program to a code object that may be run."""

import ast
import gc
import sys
import types
from typing import Any

from sandbox.language.dialect import Dialect, Refusal
from sandbox.policy.plan import Plan

FILENAME = "<program>"
# The parser needs far less than this per character, so on a smaller source a MemoryError is its own
# way to say "nested too deeply" (MAXSTACK in CPython's Parser/pegen.h).
_PARSER_BYTES_PER_CHARACTER = 4096
_COMPILER_DEPTH = 3000
_TOO_COMPLEX = "too many nested expressions or statements"


class Refused(Exception):
    """The dialect does not allow the program. `refusals` says what and where, in order."""

    def __init__(self, refusals: tuple[Refusal, ...], policy: str) -> None:
        self.refusals = refusals
        self.policy = policy
        super().__init__("; ".join(self._say(refusal) for refusal in refusals[:20]))

    def _say(self, refusal: Refusal) -> str:
        place = f"line {refusal.line}, column {refusal.column}"
        return f"{refusal.what} by policy '{self.policy}' ({place})"


def compile_program(source: str, plan: Plan, mode: str = "exec") -> types.CodeType:
    """Compile `source` under `plan`.

    Raises SyntaxError for what is not Python, whatever the parser raises for it, and Refused for
    what the dialect does not allow. Futures are the program's own: ours are not inherited.
    """
    source = source.removeprefix(
        "\ufeff"
    )  # a byte order mark, which the interpreter skips in a file
    try:
        if not plan.language:
            return compile(source, FILENAME, mode, dont_inherit=True)
        return _compile_restricted(source, plan.name, mode)
    except (ValueError, UnicodeError) as error:
        raise _syntax_error(str(error)) from None
    except RecursionError:
        raise _syntax_error(_TOO_COMPLEX) from None
    except MemoryError:
        if len(source) * _PARSER_BYTES_PER_CHARACTER > plan.limits.memory_mib << 20:
            raise
        raise _syntax_error(_TOO_COMPLEX) from None


def _compile_restricted(source: str, policy: str, mode: str) -> types.CodeType:
    """Parse, check and compile, with as deep an expression as CPython takes from a text.

    A tree costs a level of the recursion limit where a text costs a third of one
    (COMPILER_STACK_FRAME_SCALE in CPython's compiler).
    """
    before, collecting = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(before, _COMPILER_DEPTH))
    gc.disable()  # a tree is many objects and no garbage
    try:
        tree: Any = compile(source, FILENAME, mode, ast.PyCF_ONLY_AST, dont_inherit=True)
        check(tree, policy)
        code: types.CodeType = compile(tree, FILENAME, mode, dont_inherit=True)
        return code
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            gc.enable()


def check(tree: Any, policy: str) -> None:
    """Put the guards into `tree`, or raise Refused."""
    dialect = Dialect()
    dialect.rewrite(tree)
    if dialect.refusals:
        refusals = sorted(dialect.refusals, key=lambda refusal: (refusal.line, refusal.column))
        raise Refused(tuple(refusals), policy)


def _syntax_error(message: str) -> SyntaxError:
    return SyntaxError(message, (FILENAME, 1, 1, None))
