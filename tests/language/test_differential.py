"""Random programs behave here as in CPython: the same output, the same end."""

import ast
import contextlib
import gc
import io
import re
import sys
import traceback
import warnings

import harness
import pytest
from grammar import programs
from hypothesis import HealthCheck, given, settings

from sandbox.language.compile.nodes import CHILDREN

_NEWER = {"TypeAlias", "TypeVar", "ParamSpec", "TypeVarTuple"}
_drawn: set[type] = set()


def in_cpython(source: str) -> tuple[str, str]:
    """What `exec` prints of it, and how the program ends."""
    printed, end = io.StringIO(), ""
    namespace: dict[str, object] = {"__name__": "__main__"}
    code = compile(source, "<program>", "exec", dont_inherit=True)
    with contextlib.redirect_stdout(printed):
        try:
            exec(code, namespace)
        except BaseException as error:
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno for frame in frames if frame.filename == "<program>"]
            # A SyntaxError as a traceback has it. Nothing here may keep the error alive.
            text = str(error.msg if isinstance(error, SyntaxError) else error)
            said = f"{type(error).__name__}: {text}".removesuffix(": ")
            end = f"{said} (line {lines[-1]})" if lines else said  # `except*` makes a group in none
    with contextlib.redirect_stdout(printed):  # a generator left open prints at the end
        gc.collect()
        held = [namespace]
        del namespace
        gc.collect()
        held.clear()
        gc.collect()
    return _without_addresses(printed.getvalue()), end


@settings(
    max_examples=90,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(source=programs())
def compare(widest: object, source: str) -> None:
    """One program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = in_cpython(source)
        ran = harness.run(widest, source)
        _drawn.update(map(type, ast.walk(ast.parse(source))))
    error = ran.error
    if error.startswith("import of module 'nowhere' is denied"):  # the program did not catch it
        line = re.search(r"\(line (\d+),", error)
        error = f"ModuleNotFoundError: No module named 'nowhere' (line {line and line[1]})"
    assert (_without_addresses(ran.output), error) == expected, source


def _without_addresses(text: str) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", text)


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_random_programs_of_the_dialect_behave_as_in_cpython(widest):
    gc.freeze()  # what is there now is no garbage of a program
    try:
        compare(widest)
    finally:
        gc.unfreeze()
    unwritten = {kind.__name__ for kind in set(CHILDREN) - _drawn}
    if sys.version_info < (3, 12):
        unwritten -= _NEWER
    assert unwritten == {"Expression"}  # the root of eval(), which the programs call as well


def test_a_difference_would_be_seen(widest):
    source = "print(sorted([2, 1]))\nraise KeyError(1)\n"
    assert in_cpython(source) == ("[1, 2]\n", "KeyError: 1 (line 2)")
    assert harness.run(widest, source.replace("2, 1", "2, 3")).output != "[1, 2]\n"
