"""The traceback of an exception: what is the guest's in it, who raised it, and its text."""

import dis
import linecache
import traceback
import types
from typing import Any, NamedTuple

from sandbox.interpreter.vault import asking
from sandbox.language.compile.compiler import (
    CELL,
    FILENAME,
    PROGRAM_FILES,
    compile_program,
    shown_file,
)
from sandbox.language.guest.ends import suggestions
from sandbox.language.natives.calls.throwing import has_thrown

TRACEBACK_CHARACTERS = 16 << 10
_FRAMES = 1000  # as many as CPython prints (PyTraceback_LIMIT)
_RAISE, _UNSTARTED = dis.opmap["RAISE_VARARGS"], dis.opmap["RETURN_GENERATOR"]
# Where a generator stands that something is thrown into: up to 3.12, 3.13.
_SUSPENDED = frozenset((dis.opmap["YIELD_VALUE"], dis.opmap["RESUME"], _UNSTARTED))


def innermost(link: types.TracebackType | None) -> types.TracebackType | None:
    """Return the last `_FRAMES` links: a traceback may be as long as the stack was deep."""
    for _ in range(_length(link) - _FRAMES):
        link = link.tb_next if link is not None else None
    return link


def _length(link: types.TracebackType | None) -> int:
    length = 0
    while link is not None:
        length, link = length + 1, link.tb_next
    return length


def guest_frames(exc: BaseException) -> list[tuple[types.CodeType, int, int]]:
    """Return code, line and instruction offset of the guest's innermost frames, outermost first."""
    links = asking.links(innermost(traceback_of(exc)))
    return [link for link in links if link[0].co_filename.startswith(PROGRAM_FILES)]


def raised_by_interpreter(exc: BaseException) -> bool:
    """Return True if CPython itself came upon it while it ran code.

    A raise statement, of the program or of a library on its behalf, says what it likes, and so does
    what is thrown into a generator. What had no room in the vault is raised again outside of it.
    """
    links = asking.links(innermost(traceback_of(exc)))
    if not links:
        return True
    code, _, at = links[-1]
    if code is asking.ANSWERS and type(exc) in (MemoryError, RecursionError):
        return True
    steps = code.co_code
    unstarted = at >= 2 and steps[at - 2] == _UNSTARTED
    return not (has_thrown(code) or steps[at] == _RAISE or steps[at] in _SUSPENDED or unstarted)


def raised_by_compiler(exc: BaseException) -> bool:
    """Return True if the program itself could not be compiled, so that nothing of it has run."""
    link = traceback_of(exc)
    if _length(link) > _FRAMES:  # a program's; a list of them all is more than memory holds
        return False
    codes = [code for code, _, _ in asking.links(link)]
    if any(code.co_filename.startswith(PROGRAM_FILES) for code in codes):
        return False
    return any(code is compile_program.__code__ for code in codes)


def traceback_of(exc: BaseException) -> types.TracebackType | None:
    """Return the real traceback, whatever the exception's `__getattribute__` says."""
    link: types.TracebackType | None = BaseException.__dict__["__traceback__"].__get__(exc)
    return link


def keep_lines(name: str, text: str) -> None:
    """Have tracebacks show the lines of a module of the program's own."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)


class Told(NamedTuple):
    """The text of an exception, None where it could not be had, and its traceback."""

    text: str | None
    traceback: str


def render(exc: BaseException, source: str, *, printed: bool = True) -> str:
    """Return the traceback of `tell`."""
    return tell(exc, source, printed=printed).traceback


def tell(exc: BaseException, source: str, *, text: str | None = None, printed: bool = True) -> Told:
    """Return the traceback as CPython prints it, the guest's frames only, and `str(exc)`.

    `exc` is asked for its text once; not at all if `text` is given, which then takes its place. A
    line of `source` is shown where a frame is or the compiler found a fault, and not where an
    exception says that one is: `source` may hold more than the program may see. What is not
    `printed` is what the `traceback` module gives to a program, which in 3.11 suggests no names.
    """
    lines = source.splitlines(keepends=True)
    linecache.cache[FILENAME] = (len(source), None, lines, FILENAME)
    try:
        link = innermost(traceback_of(exc))
        asked = exc if text is None else _saying(text, exc)
        shown = _Shown(type(exc), asked, link, limit=-_FRAMES, compact=True)
        text = shown.said
        _edit(shown, exc, printed)
        if issubclass(type(exc), SyntaxError) and raised_by_compiler(exc):
            _place_in_source(shown, lines)
        whole = "".join(shown.format())
    except BaseException:  # a hostile exception, or no memory or stack left to say more
        return Told(text, _bare(exc))
    finally:
        linecache.cache.pop(FILENAME, None)
    return Told(text, _cap_middle(whole.encode("utf-8", "replace").decode()))


class _Shown(traceback.TracebackException):
    """One that keeps what the exception said of itself, without what is suggested behind it."""

    said: str | None = None
    _whole = ""

    @property
    def _str(self) -> str:
        return self._whole

    @_str.setter
    def _str(self, text: str) -> None:
        self._whole = str.__str__(text)  # of the program's own kind, maybe
        if self.said is None:
            self.said = self._whole


def _saying(text: str, exc: BaseException) -> BaseException:
    """Make an exception that says `text` and comes of what `exc` comes of."""
    made = BaseException(text)
    for name in ("__cause__", "__context__", "__suppress_context__"):  # the last: set by the first
        setattr(made, name, BaseException.__dict__[name].__get__(exc))
    return made


def _edit(shown: Any, exc: BaseException, printed: bool) -> None:
    """Give each exception of the chain its guest's frames and its suggestion."""
    seen: set[int] = set()
    stack: list[tuple[Any, Any]] = [(shown, exc)]
    while stack:
        item, cause_of = stack.pop()
        if item is None or id(item) in seen:
            continue
        seen.add(id(item))
        item.stack[:] = [each for each in item.stack if each.filename.startswith(PROGRAM_FILES)]
        for frame in item.stack:
            frame.filename = shown_file(frame.filename)
        named = getattr(item, "filename", None)
        if type(named) is str and named != FILENAME:  # a SyntaxError
            item.filename = shown_file(named)
        if printed and cause_of is not None:
            suggestions.complete(item, cause_of)
        stack += [(item.__cause__, _linked(cause_of, "__cause__"))]
        stack += [(item.__context__, _linked(cause_of, "__context__"))]
        parts = _linked(cause_of, "exceptions", BaseExceptionGroup) or ()
        stack += zip(getattr(item, "exceptions", None) or (), parts, strict=False)


def _linked(exc: Any, name: str, kind: type = BaseException) -> Any:
    return kind.__dict__[name].__get__(exc) if issubclass(type(exc), kind) else None


def _place_in_source(item: Any, lines: list[str]) -> None:
    """Set the line: what came of a tree has none with it, what was parsed may have several."""
    number = int(item.lineno or 0)
    if item.text is None or "\n" in item.text.strip("\n"):
        is_own = item.filename == FILENAME or item.filename.startswith(CELL)
        known = is_own and 0 < number <= len(lines)
        item.text = lines[number - 1] if known else None


def _bare(exc: BaseException) -> str:
    frames = "".join(
        f'  File "{shown_file(code.co_filename)}", line {line}, in {code.co_name}\n'
        for code, line, _ in guest_frames(exc)[-20:]
    )
    return f"Traceback (most recent call last):\n{frames}{type_name(exc)}\n"


def type_name(exc: BaseException) -> str:
    """Return the name of the class of `exc`, with its module where CPython prints that."""
    cls = type(exc)
    name: str = type.__dict__["__qualname__"].__get__(cls)
    module = type.__dict__["__dict__"].__get__(cls).get("__module__", "builtins")
    if type(module) is str and module not in ("builtins", "__main__"):
        return f"{module}.{name}"
    return str.__str__(name)


def _cap_middle(text: str) -> str:
    if len(text) <= TRACEBACK_CHARACTERS:
        return text
    half = TRACEBACK_CHARACTERS // 2 - 8
    return f"{text[:half]}\n...\n{text[-half:]}"
