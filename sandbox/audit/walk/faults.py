"""An error of ours is no refusal: tells what broke in the guards or in the harness.

A step that fails counts as safe. So it must have failed as a guest's step does, never because what
was to judge it is broken. Two looks: before the search, steps that every guest may take have to
give what they give in CPython; and an error from inside this package must be raised on purpose or
be explained by a value of the guest's.
"""

import dis
import types
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

_PACKAGE = f"{Path(__file__).parents[2]}/"
# Errors that no value of a guest's explains, unless a `raise` of this package makes them. A failed
# lookup counts only if an instruction of ours made it: what a guest hands in to be called may say
# KeyError by itself.
_OURS = (NameError, AssertionError, ImportError, SystemError)
_LOOKUPS, _OUR_LOOKUP = (KeyError, IndexError), "BINARY_SUBSCR"

# True for a guest, or the walk sees nothing. A name that the policy does not grant leaves one out.
CONTROLS = (
    "Own().__class__ is Own",
    "type(Own()) is Own",
    "Own().method().__class__ is Own",
    "taken([1, 2], 1) == 2",
    "stored(Own()) == 'stored'",
    "put({}) == 'put'",
    "added([]) == 'put'",
    "shown(lambda spy: spy(7))[1:] == (7,)",
    "made(Own)().__class__.__base__ is Own",
    "formed(type).__class__ is type",
    "getattr(Own(), 'no_such_name', 7) == 7",
    "getattr(Own(), '__class__') is Own",
    "[o := Own(), setattr(o, 'a', 7), vars(o)['a']][1:] == [None, 7]",
    "'{0.method}'.format(Own)[:9] == '<function'",
    "caught(lambda: 1 / 0).__class__ is ZeroDivisionError",
)


def broken_controls(
    attempt: Callable[[str], Any], granted: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Yield `CONTROLS` that fail, and how; `attempt` gives what an expression gives or raises."""
    for expression in CONTROLS:
        answer = attempt(expression)
        lacks_a_grant = type(answer) is NameError and answer.name not in granted
        if answer is not True and not lacks_a_grant:
            yield expression, f"{type(answer).__name__} {answer}"[:200]


def try_reader(answers: list[Any]) -> tuple[bool, str]:
    """Say whether a reader is granted, by what it gave for objects that have the attribute.

    And if all of them failed, though this package refused none on purpose: how.
    """
    if any(map(_is_not_granted, answers)):
        return False, ""
    failed = [a for a in answers if isinstance(a, BaseException) and not is_deliberate(a)]
    return True, repr(failed[0])[:200] if len(failed) == len(answers) else ""


def _is_not_granted(answer: Any) -> bool:
    if isinstance(answer, AttributeError):
        return type(answer.obj) is types.ModuleType
    return isinstance(answer, NameError)


def is_python(source: str) -> bool:
    """Return True if CPython itself takes `source`: else no policy has refused it."""
    try:
        compile(source, "<step>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True


def is_deliberate(error: BaseException) -> bool:
    """Return True if a `raise` of this package made `error`."""
    frame = _innermost(error)
    return frame is not None and frame[1] == "RAISE_VARARGS"


def fault_in(error: BaseException) -> str:
    """Say what broke and where, if `error` is ours; otherwise return an empty text."""
    frame = _innermost(error)
    if type(error) is SystemError:  # the interpreter's own word that something is wrong in it
        return f"SystemError: {error}"[:200]
    if frame is None or frame[1] == "RAISE_VARARGS":
        return ""
    lookup = isinstance(error, _LOOKUPS) and frame[1] == _OUR_LOOKUP
    return f"{type(error).__name__} at {frame[0]}" if lookup or isinstance(error, _OURS) else ""


def _innermost(error: BaseException) -> tuple[str, str] | None:
    """Return where `error` was made and by which instruction, if that is in this package."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not trace.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        return None
    code = trace.tb_frame.f_code
    place = f"{code.co_filename.removeprefix(_PACKAGE)}:{trace.tb_lineno}"
    return place, dis.opname[code.co_code[trace.tb_lasti]]
