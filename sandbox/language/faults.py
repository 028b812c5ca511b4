"""What to say of an exception that ended the guest: in CPython's words, with no frame of ours."""

import builtins
import dis
import linecache
import traceback
import types
from typing import Any, NamedTuple

from sandbox.language.compiler import FILENAME
from sandbox.language.denied import Denial
from sandbox.policy.plan import Plan

MESSAGE_CHARACTERS, TRACEBACK_CHARACTERS = 4 << 10, 16 << 10
_RAISE = dis.opmap["RAISE_VARARGS"]
_BUILTIN_NAMES = frozenset(vars(builtins))


class Outcome(NamedTuple):
    """How the guest ended: a value of `Status`, one message, and a traceback."""

    status: str
    error: str
    traceback: str


def describe(exc: BaseException, plan: Plan, source: str) -> Outcome:
    """Classify what the guest raised. Never raises, whatever the exception's own methods do."""
    try:
        return _describe(exc, plan, source)
    except Exception:  # a hostile __str__, __class__ or args: say what cannot lie
        return Outcome("ERROR", _type_name(exc), "")


def _describe(exc: BaseException, plan: Plan, source: str) -> Outcome:
    frames = guest_frames(exc)
    line = frames[-1][1] if frames else 0
    place = f" (line {line})" if line else ""
    if issubclass(type(exc), SystemExit):
        return _exit(exc, place, source)
    what = _denial(exc, plan)
    if what is not None:
        where = f" (line {line}, column {_column(exc)})" if line else ""
        return Outcome(
            "DENIED", _cap(f"{what}{where}{_elsewhere(what, plan)}"), render(exc, source)
        )
    if issubclass(type(exc), SyntaxError) and not frames:  # not its own: it never began to run
        return _syntax(exc, source)
    status = "ERROR"
    if issubclass(type(exc), RecursionError) and not _raised_by_guest(exc):
        status = "RECURSION_LIMIT"
    elif issubclass(type(exc), MemoryError) and not _raised_by_guest(exc):
        status = "MEMORY_LIMIT"
    return Outcome(status, _cap(_message(exc), place), render(exc, source))


def _syntax(exc: Any, source: str) -> Outcome:
    line = f" (line {exc.lineno})" if exc.lineno else ""
    return Outcome("SYNTAX", _cap(f"{_type_name(exc)}: {exc.msg}", line), render(exc, source))


def _exit(exc: Any, place: str, source: str) -> Outcome:
    code = BaseException.__getattribute__(exc, "code")
    if code is None or (type(code) in (int, bool) and int(code) & 0xFF == 0):
        return Outcome("OK", "", "")
    text = _safe_str(code)
    return Outcome(
        "ERROR", _cap(f"SystemExit: {text}" if text else "SystemExit", place), render(exc, source)
    )


def _denial(exc: BaseException, plan: Plan) -> str | None:
    """What was denied, if this exception says that the policy said no."""
    if issubclass(type(exc), Denial):
        what = BaseException.__getattribute__(exc, "__dict__").get("what")
        if type(what) is str and what:
            return f"{what} by policy '{plan.name}'"
    if (
        plan.language
        and issubclass(type(exc), NameError)
        and not issubclass(type(exc), UnboundLocalError)
    ):
        name = exc.name  # type: ignore[attr-defined]
        if type(name) is str and name in _BUILTIN_NAMES and name not in plan.builtins:
            return f"builtin '{name}' is denied by policy '{plan.name}'"
    return None


def _elsewhere(what: str, plan: Plan) -> str:
    for key, policies in plan.elsewhere.items():
        kind, _, name = key.rpartition(" ")
        quoted = f"'{name}'"
        if quoted in what and (what.startswith("builtin") == (kind == "builtin")):
            return ", " + " and ".join(f"policy '{policy}'" for policy in policies) + " allows it"
    return ""


def guest_frames(exc: BaseException) -> list[tuple[types.CodeType, int, int]]:
    """Of each frame of the guest, outermost first: code, line and instruction offset."""
    frames, link = [], exc.__traceback__
    while link is not None:
        code = link.tb_frame.f_code
        if code.co_filename == FILENAME:
            frames.append((code, link.tb_lineno, link.tb_lasti))
        link = link.tb_next
    return frames


def _raised_by_guest(exc: BaseException) -> bool:
    """True if a raise statement of the guest made it: the innermost frame is its own and raising."""
    link = exc.__traceback__
    while link is not None and link.tb_next is not None:
        link = link.tb_next
    if link is None:
        return False
    code = link.tb_frame.f_code
    return code.co_filename == FILENAME and code.co_code[link.tb_lasti] == _RAISE


def _column(exc: BaseException) -> int:
    frames = guest_frames(exc)
    code, _, offset = frames[-1]
    for index, (_, _, column, _) in enumerate(code.co_positions()):
        if index == offset // 2:
            return (column or 0) + 1
    return 1


def _type_name(exc: BaseException) -> str:
    cls = type(exc)
    name: str = type.__dict__["__qualname__"].__get__(cls)
    module = type.__dict__["__dict__"].__get__(cls).get("__module__", "builtins")
    if type(module) is str and module not in ("builtins", "__main__"):
        return f"{module}.{name}"
    return str.__str__(name)


def _safe_str(value: object) -> str:
    try:
        text = str(value)
    except BaseException:  # the guest's own __str__
        return "<exception str() failed>"
    return str.__str__(text)


def _message(exc: BaseException) -> str:
    text = _safe_str(exc)
    name = _type_name(exc)
    return f"{name}: {text}" if text else name


def _cap(text: str, place: str = "", limit: int = MESSAGE_CHARACTERS) -> str:
    text = text.encode("utf-8", "replace").decode()
    if len(text) + len(place) > limit:
        text = text[: limit - len(place) - 3] + "..."
    return text + place


def render(exc: BaseException, source: str) -> str:
    """The traceback as CPython prints it, the guest's frames only."""
    lines = source.splitlines(keepends=True)
    linecache.cache[FILENAME] = (len(source), None, lines, FILENAME)
    try:
        shown = traceback.TracebackException(type(exc), exc, exc.__traceback__, compact=True)
        _keep_guest_frames(shown)
        text = "".join(shown.format())
    except BaseException:  # a hostile exception, or no memory or stack left to say more
        return _bare(exc)
    finally:
        linecache.cache.pop(FILENAME, None)
    return _cap_middle(text.encode("utf-8", "replace").decode())


def _keep_guest_frames(shown: Any) -> None:
    seen: set[int] = set()
    stack = [shown]
    while stack:
        item = stack.pop()
        if item is None or id(item) in seen:
            continue
        seen.add(id(item))
        frames = [frame for frame in item.stack if frame.filename == FILENAME]
        item.stack[:] = frames
        stack += [item.__cause__, item.__context__, *(getattr(item, "exceptions", None) or ())]


def _bare(exc: BaseException) -> str:
    frames = "".join(
        f'  File "{FILENAME}", line {line}, in {code.co_name}\n'
        for code, line, _ in guest_frames(exc)[-20:]
    )
    return f"Traceback (most recent call last):\n{frames}{_type_name(exc)}\n"


def _cap_middle(text: str) -> str:
    if len(text) <= TRACEBACK_CHARACTERS:
        return text
    half = TRACEBACK_CHARACTERS // 2 - 8
    return f"{text[:half]}\n...\n{text[-half:]}"
