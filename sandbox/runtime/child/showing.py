"""The value of a cell's last expression, as a notebook shows it, and what a cell displays."""

import base64
import builtins
import io
import linecache
import sys
from types import FunctionType
from typing import Any

from sandbox.language.compile.compiler import cell_file
from sandbox.language.guards.classes.class_origin import IMMUTABLE, dict_of, flags_of, mro_of
from sandbox.language.guest.stdio import NativeIn
from sandbox.policy.plan import Plan
from sandbox.runtime.wire.untrusted_json import Bounds, NotPlain, encode, quote

# The methods by which objects show themselves in a notebook (IPython's display protocol).
_METHODS = {
    "_repr_html_": "text/html",
    "_repr_markdown_": "text/markdown",
    "_repr_svg_": "image/svg+xml",
    "_repr_latex_": "text/latex",
    "_repr_png_": "image/png",
    "_repr_jpeg_": "image/jpeg",
}
_REPR_CHARACTERS = 64 << 10
_MOST_PARTS = 64  # that one cell displays; more are dropped


class Display:
    """Collects what a cell displays, as pairs of a MIME type and text: base64 of what is binary."""

    def __init__(self, plan: Plan) -> None:
        self._own = _of_program if plan.language else _of_any
        self._has_figures = not plan.language
        self.parts: list[tuple[str, str]] = []

    def add(self, o: Any) -> None:
        """Add the ways in which `o` shows itself, beside its text."""
        for name, mime in _METHODS.items():
            method = self._own(o, name)
            if method is None or len(self.parts) >= _MOST_PARTS:
                continue
            shown = method(o)
            if issubclass(type(shown), (bytes, bytearray)):
                shown = base64.b64encode(bytes(memoryview(shown))).decode()
            if issubclass(type(shown), str):
                self.parts.append((mime, str.__str__(shown)))

    def take(self) -> list[tuple[str, str]]:
        """Return what there is, figures of matplotlib's included, and forget it."""
        if self._has_figures:
            self._add_figures()
        parts, self.parts = self.parts, []
        return parts

    def _add_figures(self) -> None:
        plots = sys.modules.get("matplotlib.pyplot")
        if plots is None:
            return
        for number in plots.get_fignums()[:_MOST_PARTS]:
            content = io.BytesIO()
            plots.figure(number).savefig(content, format="png")
            self.parts.append(("image/png", base64.b64encode(content.getvalue()).decode()))
        plots.close("all")


def _of_program(o: Any, name: str) -> Any:
    """Return the method if a class of the program's defines it as a function; None else."""
    for cls in mro_of(type(o)):
        if flags_of(cls) & IMMUTABLE:
            continue
        found = dict_of(cls).get(name)
        if found is not None:
            return found if type(found) is FunctionType else None
    return None


def _of_any(o: Any, name: str) -> Any:
    return getattr(type(o), name, None)


def furnish(scope: dict[str, Any], plan: Plan) -> Display:
    """Give the namespace a `display`, and return what collects it."""
    shown = Display(plan)
    own = scope["__builtins__"] if plan.language else vars(builtins)
    say, text_of = own.get("print"), own.get("repr")
    if say is not None and text_of is not None:

        def display(*objects: Any) -> None:
            for o in objects:
                before = len(shown.parts)
                shown.add(o)
                if len(shown.parts) == before:
                    say(text_of(o))

        scope["display"] = display
    return shown


def value(found: Any, shown: Display, most: Bounds) -> str:
    """Return the value as JSON text: how it is shown, and itself where it is plain data."""
    text = str.__str__(repr(found))
    if len(text) > _REPR_CHARACTERS:
        text = f"{text[:_REPR_CHARACTERS]}..."
    shown.add(found)
    said = f'"repr":{quote(text)},"parts":{_encoded(shown, most)}'
    left = Bounds(most.chars - len(said) - 32, most.items - 4 - 4 * _MOST_PARTS, most.depth - 2)
    try:
        return f'{{{said},"data":{encode(found, left)}}}'
    except NotPlain:
        return f"{{{said}}}"


def nothing(shown: Display, most: Bounds) -> str:
    """Return what was displayed by a cell that has no value; empty if nothing was."""
    parts = _encoded(shown, most)
    return "" if parts == "[]" else f'{{"parts":{parts}}}'


def _encoded(shown: Display, most: Bounds) -> str:
    """Return the parts, as many as fit into half of what may leave."""
    left, fitting = most.chars // 2, list[tuple[str, str]]()
    for mime, text in shown.take():
        left -= len(text) + len(mime) + 8
        if left >= 0:
            fitting.append((mime, text))
    try:
        return encode(fitting, most)
    except NotPlain:  # more characters once they are escaped
        return "[]"


def give_input(text: str) -> None:
    """Let standard input be `text`, without the language layer.

    It is a stream alone: of a descriptor, what is read would be read for other states, too.
    """
    if text or type(sys.stdin) is NativeIn:
        sys.stdin = sys.__stdin__ = NativeIn(text)  # type: ignore[misc]


def keep_lines(code: str, number: int) -> None:
    """Have tracebacks and `inspect.getsource` find the lines of a cell."""
    lines = [f"{line}\n" for line in code.split("\n")]
    linecache.cache[cell_file(number)] = (len(code), None, lines, cell_file(number))
