"""The builtins `eval` and `exec` of a guest: the text is compiled as the program was."""

import sys
import types
from collections.abc import Callable
from typing import Any

from sandbox.interpreter.vault.asking import evaluate
from sandbox.language.compile.compiler import (
    TEXT,
    Refused,
    compile_program,
    delegates,
    notices_ends,
)
from sandbox.language.guards.global_names import space_of
from sandbox.language.guards.namespaces import Namespaces, visible
from sandbox.language.guest.ends.denials import denied_code
from sandbox.language.guest.state import GuestState
from sandbox.language.natives.demand import DELEGATING, turn_all

# What is bound in the variables of a function's frame is there when they are asked for again: until
# each is asked for anew (PEP 667).
_KEPT_BY_FRAMES = sys.version_info < (3, 13)


def evaluation(state: GuestState, namespaces: Namespaces) -> list[Callable[..., Any]]:
    """Make both."""

    def eval(source: Any, globals: Any = None, locals: Any = None, /) -> Any:
        if isinstance(source, str):
            source = str.__str__(source).lstrip(" \t")
        return _run(state, namespaces, source, "eval", globals, locals)

    def exec(source: Any, globals: Any = None, locals: Any = None, /) -> None:
        _run(state, namespaces, source, "exec", globals, locals)

    return [eval, exec]


def _run(
    state: GuestState, namespaces: Namespaces, source: Any, mode: str, globals: Any, locals: Any
) -> Any:
    """Compile under the policy and run.

    The namespaces that the guest gives are copied in and out: the code finds its guards through
    them, so they must be dicts of ours, without a name of ours in them. What it binds in the body
    of a class is what the body could bind, and looked at with it.
    """
    code = compile_under(state, source, mode)
    frame = state.guest_frame()
    if globals is None and locals is None:
        if not frame.is_function:  # a module, a class's body, or a text in such a namespace
            return evaluate(code, frame.f_globals, frame.f_locals)
        seen = visible(frame.f_locals)
        try:
            return evaluate(code, frame.f_globals, seen)
        finally:
            if _KEPT_BY_FRAMES:
                frame.f_locals.update(visible(seen))
    if locals is globals:
        locals = None
    own = frame.f_globals if globals is None else space_of(globals)
    inside = namespaces.enter(globals) if own is None else own
    local: Any = inside if locals is None else space_of(locals)
    copied = local is None
    local = visible(locals) if copied else local
    try:
        return evaluate(code, inside, local)
    finally:
        if own is None:
            namespaces.leave(globals, inside)
        if copied:
            locals.update(visible(local))


def compile_under(state: GuestState, source: Any, mode: str) -> types.CodeType:
    """Compile a guest's source as the program itself was."""
    if isinstance(source, (bytes, bytearray)):
        source = bytes(source).decode()
    if not isinstance(source, str):
        raise TypeError(f"{mode}() arg 1 must be a string or bytes object")
    failure: BaseException
    text = str.__str__(source)
    state.noticing = state.noticing or notices_ends(text)
    if delegates(text):
        turn_all(DELEGATING)
    try:
        return compile_program(text, state.plan, mode, TEXT)
    except SyntaxError as error:
        if len(error.args) > 1:
            error.filename = "<string>"
            error.args = (error.msg, ("<string>", *error.args[1][1:]))
        failure = error.with_traceback(None)  # it is no fault of the program's own text
    except Refused as refused:
        failure = denied_code("; ".join(item.what for item in refused.refusals))
    raise failure  # here, where what was refused is no context of it
