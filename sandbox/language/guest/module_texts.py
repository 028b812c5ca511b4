"""The texts of a program's own modules, compiled as the program itself is."""

import types

from sandbox.language.compile.compiler import (
    Refused,
    compile_program,
    delegates,
    file_name,
    notices_ends,
)
from sandbox.language.guest.ends.denials import denied_source
from sandbox.language.guest.ends.traces import keep_lines
from sandbox.language.guest.files.tree import Node
from sandbox.language.guest.state import GuestState
from sandbox.language.natives.demand import DELEGATING, turn_all


def compiled(state: GuestState, path: str, node: Node) -> types.CodeType:
    """Compile the file `path` under the policy. Raises SyntaxError, or ImportError for a denial."""
    plan, data = state.plan, bytes(node.data or b"")
    if len(data) > plan.limits.source_kib << 10:
        raise denied_source(path, f"more than source_kib: {plan.limits.source_kib} KiB")
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise SyntaxError(f"(unicode error) {error}", (path, 1, 0, None)) from None
    name = file_name(path)
    state.imported.append(text)
    state.noticing = state.noticing or notices_ends(text)
    if delegates(text):
        turn_all(DELEGATING)
    keep_lines(name, text)
    failure: BaseException
    try:
        return compile_program(text, plan, "exec", name)
    except SyntaxError as error:
        failure = _in_file(error, path, text)
    except Refused as refused:
        said = (f"{item.what} in line {item.line}" for item in refused.refusals[:20])
        failure = denied_source(path, "; ".join(said))
    raise failure  # here, where what was refused is no context of it


def _in_file(error: SyntaxError, path: str, text: str) -> SyntaxError:
    lines = text.splitlines(keepends=True)
    number = error.lineno or 0
    error.filename = path
    if 0 < number <= len(lines):
        error.text = lines[number - 1]
    if len(error.args) > 1:
        error.args = (error.msg, (path, *error.args[1][1:]))
    return error.with_traceback(None)  # it is no fault of the program's own text
