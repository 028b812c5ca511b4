"""Cells of a session: one text each, whose last expression has a value, as at a prompt."""

import ast
import types
from typing import NamedTuple

from sandbox.interpreter.vault import asking
from sandbox.language.compile.compiler import cell_file, compile_program
from sandbox.policy.plan import Plan


class Cell(NamedTuple):
    """The code of a cell: its statements, and its last expression; None for what it has not."""

    statements: types.CodeType | None
    expression: types.CodeType | None


def compile_cell(source: str, plan: Plan, number: int) -> Cell:
    """Compile a cell under `plan`. Its frames tell the `number` as their file.

    Raises what `compile_program` raises. Lines count from the start of the cell in both parts.
    """
    file = cell_file(number)
    place = _last_expression(source, file)
    if place is None:
        return Cell(compile_program(source, plan, filename=file), None)
    before, expression = place
    statements = compile_program(before, plan, filename=file) if before.strip() else None
    return Cell(statements, compile_program(expression, plan, "eval", file))


def _last_expression(source: str, file: str) -> tuple[str, str] | None:
    """Return the text before the last statement, and that statement, if it is an expression.

    The latter as a text by itself, each character on the line and in the column where it stands.
    None also for a text that is not Python: whoever compiles it whole says why.
    """
    try:
        tree = asking.compile_text(source.removeprefix("\ufeff"), file, "exec", ast.PyCF_ONLY_AST)
    except (SyntaxError, ValueError, RecursionError, MemoryError, SystemError):
        return None
    last = tree.body[-1] if tree.body else None
    if type(last) is not ast.Expr or last.end_lineno is None or last.end_col_offset is None:
        return None
    lines = source.removeprefix("\ufeff").encode().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    rows = lines.split(b"\n")
    first, end = last.lineno - 1, last.end_lineno - 1
    before = b"\n".join([*rows[:first], rows[first][: last.col_offset]])
    inside = rows[first : end + 1]
    inside[-1] = inside[-1][: last.end_col_offset]
    inside[0] = inside[0][last.col_offset :]
    text = b"\n".join(inside)
    column = len(rows[first][: last.col_offset].decode())
    if column:  # in parentheses, as it would be indented; each character where it was
        text = b"(" + b" " * (column - 1) + text + b"\n)"
    text = b"\n" * first + text
    stripped = before.rstrip()
    if stripped.endswith(b"\\"):  # the expression is on a line that went on
        before = stripped[:-1]
    return before.decode(), text.decode()
