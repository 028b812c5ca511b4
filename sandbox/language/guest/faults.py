"""What to say of an exception that ended the guest: in CPython's words, with no frame of ours."""

import builtins
import dis
import linecache
import re
import traceback
import types
from collections.abc import Callable, Container
from typing import Any, NamedTuple

from sandbox.interpreter import asking
from sandbox.language.compile.compiler import FILENAME, GUEST_FILES, TEXT, Refused
from sandbox.language.guards.kinship import instance_dict
from sandbox.language.guest import suggestions
from sandbox.language.guest.denied import Denial
from sandbox.policy.plan import Plan

MESSAGE_CHARACTERS, TRACEBACK_CHARACTERS = 4 << 10, 16 << 10
_FRAMES = 1000  # as many as CPython prints (PyTraceback_LIMIT)
_LIMITS = ((RecursionError, "RECURSION_LIMIT"), (MemoryError, "MEMORY_LIMIT"))
# What CPython says when it found no room for a frame and set no MemoryError: 3.11 and 3.12, 3.13.
_FORGOTTEN = ("returned NULL without setting an exception", "error return without exception set")
_RAISE = dis.opmap["RAISE_VARARGS"]
_BUILTIN_NAMES = frozenset(vars(builtins))


Hides = Callable[[object, str], bool]
_SEALED = re.compile(r"cannot set '.*' attribute of immutable type '(.*)'")  # typeobject.c


class Outcome(NamedTuple):
    """How the guest ended: a value of `Status`, one message, and a traceback."""

    status: str
    error: str
    traceback: str


def describe(
    exc: BaseException, plan: Plan, source: str, hides: Hides, sealed: Container[str] = ()
) -> Outcome:
    """Classify what the guest raised. Never raises, whatever the exception's own methods do.

    `hides` says of a module facade and a name whether the name is one that is not granted; `sealed`
    has the names of the classes that would take attributes in CPython.
    """
    try:
        return _describe(exc, plan, source, hides, sealed)
    except BaseException:  # a hostile __str__, __class__ or args: say what cannot lie
        return Outcome("ERROR", _type_name(exc), "")


def _describe(
    exc: BaseException, plan: Plan, source: str, hides: Hides, sealed: Container[str]
) -> Outcome:
    frames = guest_frames(exc)
    if issubclass(type(exc), SystemExit) and _is_success(exc):
        return Outcome("OK", "", "")
    if isinstance(exc, Refused):
        return Outcome("DENIED", _cap(str(exc)), "")
    at = _place(frames)
    line = at[1] if at else 0
    denial = _denial(exc, plan, hides) or _refused_by_class(exc, sealed)
    if denial is not None:
        what, key = denial
        where = f" (line {line}, column {_column(at)})" if at else ""
        message = f"{what} by policy '{plan.name}'{where}{_elsewhere(key, plan)}"
        return Outcome("DENIED", _cap(message), render(exc, source))
    if issubclass(type(exc), SyntaxError) and not frames:  # not its own: it never began to run
        line = exc.lineno or 0  # type: ignore[attr-defined]
        status = "SYNTAX"
    else:
        status = _status(exc)
    message = _message(exc)
    return Outcome(status, _cap(message, f" (line {line})" if line else ""), render(exc, source))


def _status(exc: BaseException) -> str:
    """A limit, if the interpreter itself ran into it; an error, if the guest says so only."""
    for kind, status in _LIMITS:
        if issubclass(type(exc), kind) and not _raised_by_guest(exc):
            return status
    if issubclass(type(exc), SystemError) and _safe_str(exc).endswith(_FORGOTTEN):
        return "MEMORY_LIMIT"
    return "ERROR"


def _exit_code(exc: BaseException) -> Any:
    return SystemExit.__dict__["code"].__get__(exc)


def _is_success(exc: BaseException) -> bool:
    code = _exit_code(exc)
    return code is None or (type(code) in (int, bool) and int(code) & 0xFF == 0)


def _denial(exc: BaseException, plan: Plan, hides: Hides) -> tuple[str, str] | None:
    """What was denied and what would allow it, if this exception says that the policy said no."""
    if issubclass(type(exc), Denial):
        own = instance_dict(exc) or {}
        return _exact(own.get("what")), _exact(own.get("key"))
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
    """A class of the host's refuses a store by itself, in the words of types written in C."""
    if type(exc) is not TypeError or _raised_by_guest(exc):
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


def _innermost(link: types.TracebackType | None) -> types.TracebackType | None:
    """The last `_FRAMES` links: a traceback may be as long as the stack was deep."""
    length, at = 0, link
    while at is not None:
        length, at = length + 1, at.tb_next
    for _ in range(length - _FRAMES):
        link = link.tb_next if link is not None else None
    return link


def guest_frames(exc: BaseException) -> list[tuple[types.CodeType, int, int]]:
    """Of the guest's innermost frames, outermost first: code, line and instruction offset."""
    links = asking.links(_innermost(_traceback_of(exc)))
    return [link for link in links if link[0].co_filename in GUEST_FILES]


def _place(
    frames: list[tuple[types.CodeType, int, int]],
) -> tuple[types.CodeType, int, int] | None:
    """The innermost of `frames` that is in the program itself, and not in a text that it ran."""
    inside = [frame for frame in frames if frame[0].co_filename == FILENAME]
    return inside[-1] if inside else None


def _raised_by_guest(exc: BaseException) -> bool:
    """True if a raise statement of the guest made it: the innermost frame is raising."""
    link = _traceback_of(exc)
    while link is not None and link.tb_next is not None:
        link = link.tb_next
    if link is None:
        return False
    code, _, at = asking.links(link)[0]
    return code.co_filename in GUEST_FILES and code.co_code[at] == _RAISE


def _traceback_of(exc: BaseException) -> types.TracebackType | None:
    """The real one, whatever the exception's `__getattribute__` says."""
    link: types.TracebackType | None = BaseException.__dict__["__traceback__"].__get__(exc)
    return link


def _column(frame: tuple[types.CodeType, int, int]) -> int:
    code, _, offset = frame
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
    kind = type(exc)
    if issubclass(kind, SystemExit):
        text = _safe_str(_exit_code(exc))
    elif issubclass(kind, SyntaxError):  # its str() adds the place, which CPython prints above it
        text = _safe_str(SyntaxError.__dict__["msg"].__get__(exc) or "<no detail available>")
    else:
        text = _safe_str(exc)
    name = _type_name(exc)
    return f"{name}: {text}" if text else name


def _cap(text: str, place: str = "", limit: int = MESSAGE_CHARACTERS) -> str:
    text = text.encode("utf-8", "replace").decode()
    if len(text) + len(place) > limit:
        text = text[: limit - len(place) - 3] + "..."
    return text + place


def render(exc: BaseException, source: str, *, printed: bool = True) -> str:
    """The traceback as CPython prints it, the guest's frames only.

    What is not `printed` is what the `traceback` module gives to a program, which in 3.11 suggests
    no names.
    """
    lines = source.splitlines(keepends=True)
    linecache.cache[FILENAME] = (len(source), None, lines, FILENAME)
    try:
        link = _innermost(_traceback_of(exc))
        shown = traceback.TracebackException(type(exc), exc, link, limit=-_FRAMES, compact=True)
        _edit(shown, exc, lines, printed)
        text = "".join(shown.format())
    except BaseException:  # a hostile exception, or no memory or stack left to say more
        return _bare(exc)
    finally:
        linecache.cache.pop(FILENAME, None)
    return _cap_middle(text.encode("utf-8", "replace").decode())


def _edit(shown: Any, exc: BaseException, lines: list[str], printed: bool) -> None:
    """For each exception of the chain: its guest's frames, its line, its suggestion."""
    seen: set[int] = set()
    stack: list[tuple[Any, Any]] = [(shown, exc)]
    while stack:
        item, cause_of = stack.pop()
        if item is None or id(item) in seen:
            continue
        seen.add(id(item))
        item.stack[:] = [frame for frame in item.stack if frame.filename in GUEST_FILES]
        for frame in item.stack:
            frame.filename = _SHOWN_AS.get(frame.filename, frame.filename)
        if getattr(item, "filename", None) in (FILENAME, TEXT):  # a SyntaxError
            _place_in_source(item, lines)
        if printed and isinstance(cause_of, BaseException):
            suggestions.complete(item, cause_of)
        stack += [(item.__cause__, _linked(cause_of, "__cause__"))]
        stack += [(item.__context__, _linked(cause_of, "__context__"))]
        parts = _linked(cause_of, "exceptions", BaseExceptionGroup) or ()
        stack += zip(getattr(item, "exceptions", None) or (), parts, strict=False)


_SHOWN_AS = {TEXT: "<string>"}


def _linked(exc: Any, name: str, kind: type = BaseException) -> Any:
    return kind.__dict__[name].__get__(exc) if issubclass(type(exc), kind) else None


def _place_in_source(item: Any, lines: list[str]) -> None:
    """What was compiled from a tree has no line with it, what was parsed may have several."""
    number = int(item.lineno or 0)
    if item.text is None or "\n" in item.text.strip("\n"):
        known = item.filename == FILENAME and 0 < number <= len(lines)
        item.text = lines[number - 1] if known else None
    item.filename = _SHOWN_AS.get(item.filename, item.filename)


def _bare(exc: BaseException) -> str:
    frames = "".join(
        f'  File "{_SHOWN_AS.get(code.co_filename, FILENAME)}", line {line}, in {code.co_name}\n'
        for code, line, _ in guest_frames(exc)[-20:]
    )
    return f"Traceback (most recent call last):\n{frames}{_type_name(exc)}\n"


def _cap_middle(text: str) -> str:
    if len(text) <= TRACEBACK_CHARACTERS:
        return text
    half = TRACEBACK_CHARACTERS // 2 - 8
    return f"{text[:half]}\n...\n{text[-half:]}"
