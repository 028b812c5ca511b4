"""Words for an exception that ended the guest: CPython's, with no frame of ours."""

import builtins
import re
import types
from collections.abc import Callable, Container
from typing import Any, NamedTuple

from sandbox.language.compile.compiler import FILENAME, TEXT, Refused, shown_file
from sandbox.language.guest.ends.denials import told_of
from sandbox.language.guest.ends.traces import (
    guest_frames,
    raised_by_compiler,
    raised_by_interpreter,
    render,
    tell,
    type_name,
)
from sandbox.policy.plan import Plan

MESSAGE_CHARACTERS = 4 << 10
_LIMITS = ((RecursionError, "RECURSION_LIMIT"), (MemoryError, "MEMORY_LIMIT"))
# What CPython says when it found no room for a frame and set no MemoryError: 3.11 and 3.12, 3.13.
_FORGOTTEN = ("returned NULL without setting an exception", "error return without exception set")
_LONG = 1 << 63
_BUILTIN_NAMES = frozenset(vars(builtins))


Hides = Callable[[object, str], bool]
_SEALED = re.compile(r"cannot set '.*' attribute of immutable type '(.*)'")  # typeobject.c


class Outcome(NamedTuple):
    """The end of the guest: a value of `Status`, one message, and a traceback."""

    status: str
    error: str
    traceback: str


def describe(
    exc: BaseException,
    plan: Plan,
    source: str,
    text: str,
    hides: Hides,
    sealed: Container[str] = (),
) -> Outcome:
    """Classify what the guest raised. Never raises, whatever the exception's own methods do.

    `text` is all that the program is made of, `source` what a traceback shows. `hides` says of a
    module facade and a name whether the name is one that is not granted; `sealed` has the names of
    the classes that would take attributes in CPython.
    """
    try:
        return _describe(exc, plan, source, text, hides, sealed)
    except BaseException:  # a hostile __str__, __class__ or args: say what cannot lie
        return Outcome("ERROR", type_name(exc), "")


def _describe(
    exc: BaseException,
    plan: Plan,
    source: str,
    text: str,
    hides: Hides,
    sealed: Container[str],
) -> Outcome:
    frames = guest_frames(exc)
    if issubclass(type(exc), SystemExit) and _is_success(exc):
        return Outcome("OK", "", "")
    uncompiled = raised_by_compiler(exc)
    if uncompiled and type(exc) is Refused:
        return Outcome("DENIED", _cap(str(exc)), "")
    at = _place(frames)
    line = at[1] if at else 0
    denial = _denial(exc, plan, hides) or _refused_by_class(exc, sealed)
    if denial is not None:
        what, key = denial
        where = f" ({_in(at)}line {line}, column {_column(at)})" if at else ""
        message = f"{what} by policy '{plan.name}'{where}{_elsewhere(key, plan)}"
        return Outcome("DENIED", _cap(message), render(exc, source))
    if uncompiled and issubclass(type(exc), SyntaxError):
        line = exc.lineno or 0  # type: ignore[attr-defined]
        status = "SYNTAX"
    else:
        status = _status(exc, text)
    # Asked once, as by CPython: what its own methods print, a program prints once.
    said = _safe_str(_exit_code(exc)) if issubclass(type(exc), SystemExit) else None
    told = tell(exc, source, text=said)
    message = _message(exc, told.text)
    where = f" ({_in(at)}line {line})" if line else ""
    return Outcome(status, _cap(message, where), told.traceback)


def _status(exc: BaseException, text: str) -> str:
    """Return a limit if the interpreter itself ran into it; an error if only the guest says so.

    A `raise` of another exception runs into one, too, where it makes that; and a program in which
    the limit's exception has no name did not raise it itself.
    """
    by_interpreter = raised_by_interpreter(exc)
    for kind, status in _LIMITS:
        if _is_or_library_s(exc, kind) and (by_interpreter or kind.__name__ not in text):
            return status
    if not by_interpreter:
        return "ERROR"
    if type(exc) is SystemError and _safe_str(exc).endswith(_FORGOTTEN):
        return "MEMORY_LIMIT"
    return "ERROR"


def _is_or_library_s(exc: BaseException, kind: type[BaseException]) -> bool:
    """Return True for a `kind`, and for one of a package's own, as numpy has a MemoryError."""
    own = type(exc)
    if own is kind:
        return True
    return issubclass(own, kind) and type.__dict__["__module__"].__get__(own) != "__main__"


def _exit_code(exc: BaseException) -> Any:
    return SystemExit.__dict__["code"].__get__(exc)


def _is_success(exc: BaseException) -> bool:
    """Say whether CPython would end with the exit status 0 (handle_system_exit, pythonrun.c)."""
    code = _exit_code(exc)
    if code is None or not issubclass(type(code), int):
        return code is None
    number = int.__int__(code)  # without a method of a class of the program's
    return number & 0xFF == 0 and -_LONG <= number < _LONG  # what is no C long is -1


def _denial(exc: BaseException, plan: Plan, hides: Hides) -> tuple[str, str] | None:
    """Return what was denied and what would allow it, if `exc` says that the policy said no."""
    if told := told_of(exc):
        return told
    if not raised_by_interpreter(exc):
        return None
    if plan.language and type(exc) is NameError:
        name = _exact(exc.name)
        if name in _BUILTIN_NAMES and name not in plan.builtins:
            return f"builtin '{name}' is denied", f"builtin {name}"
    # A facade has no hook for what it lacks: CPython reads attributes faster where there is none.
    if type(exc) is AttributeError and hides(exc.obj, name := _exact(exc.name)):
        full = f"{exc.obj.__dict__['__name__']}.{name}"
        return f"'{full}' is denied", full
    return None


def _refused_by_class(exc: BaseException, sealed: Container[str]) -> tuple[str, str] | None:
    """Return the denial if a host's class refused a store by itself, in the words of C types."""
    if type(exc) is not TypeError or not raised_by_interpreter(exc):
        return None
    found = _SEALED.fullmatch(_safe_str(exc))
    name = found[1].rpartition(".")[2] if found else ""
    if name not in sealed:
        return None
    return f"setting an attribute of the class {name!r} is denied", ""


def _exact(value: object) -> str:
    return value if type(value) is str else ""


def _elsewhere(key: str, plan: Plan) -> str:
    policies = plan.elsewhere.get(key, ()) if key else ()
    allowing = " and ".join(f"policy '{policy}'" for policy in policies)
    verb = "allows" if len(policies) == 1 else "allow"
    return f", {allowing} {verb} it" if policies else ""


def _place(
    frames: list[tuple[types.CodeType, int, int]],
) -> tuple[types.CodeType, int, int] | None:
    """Return the innermost of `frames` in a file of the program's, not in a text that it ran."""
    inside = [frame for frame in frames if frame[0].co_filename != TEXT]
    return inside[-1] if inside else None


def _in(frame: tuple[types.CodeType, int, int] | None) -> str:
    name = frame[0].co_filename if frame else FILENAME
    return "" if name == FILENAME else f"{shown_file(name)}, "


def _column(frame: tuple[types.CodeType, int, int]) -> int:
    code, _, offset = frame
    for index, (_, _, column, _) in enumerate(code.co_positions()):
        if index == offset // 2:
            return (column or 0) + 1
    return 1


def _safe_str(value: object) -> str:
    try:
        text = str(value)
    except BaseException:  # the guest's own __str__
        return "<exception str() failed>"
    return str.__str__(text)


def _message(exc: BaseException, text: str | None) -> str:
    if issubclass(type(exc), SyntaxError):  # its str() adds the place, which CPython prints above
        text = _safe_str(SyntaxError.__dict__["msg"].__get__(exc) or "<no detail available>")
    elif text is None:
        text = _safe_str(exc)
    name = type_name(exc)
    return f"{name}: {text}" if text else name


def _cap(text: str, place: str = "", limit: int = MESSAGE_CHARACTERS) -> str:
    text = text.encode("utf-8", "replace").decode()
    if len(text) + len(place) > limit:
        text = text[: limit - len(place) - 3] + "..."
    return text + place
