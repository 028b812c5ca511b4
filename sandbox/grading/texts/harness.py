"""The texts that run after a program in its child: what calls it, or a test beside it.

Each is compiled by itself, so that nothing of it completes a program that is no Python. Each takes
its builtins by an import or from a literal: the program may have used their names for variables,
and what it did to them changes its own answers only.
"""

import re

from sandbox.grading.asserts.test_names import stand_alone
from sandbox.grading.tests import AssertTests
from sandbox.grading.texts.answering import answering
from sandbox.grading.texts.settings import setters

EXCHANGE, PASS = "grade_exchange", "grade_passed"

# However a program compares its name with it, and as long, so that no column moves. Where a harness
# imports the program, no such comparison holds.
_MAIN, _IMPORTED = re.compile(r"""(['"])__main__\1"""), r"\1solution\1"
_LINE_END, _NOTHING = re.compile(r"\r\n?|\n"), re.compile(r"[ \t\f]*(#.*)?\Z", re.DOTALL)
_BLANK = re.compile(r"[ \t\f]*")
_JOINED = re.compile(r"\A(?:\\(?:\r\n?|\n))+")
_WHOLE = re.compile(r"(async\s+def|def|class)\b|@|if\s+__name__\b")
_IMPORTS = re.compile(r"(from|import)\b")
_WORD, _LOOKED_INTO = re.compile(r"\w+"), re.compile(r"\b(\w++)\s*+\.\s*+[^\W\d]")
# What any value of these types comes from stands in a program, or in what runs before it.
_NUMBERS = re.compile(r"decimal|fractions|complex|cmath|[0-9.][jJ]")

_ENTRY = """
try:
    grade_class = Solution
except:
    grade_class = None


def grade_entry(*grade_args):
    if grade_class is None:
        return {given}({name}(*grade_args))
    return {given}(grade_class().{name}(*grade_args))
"""

_CONVERT = """
def grade_given(grade_value):
    grade_kind = grade_value.__class__
    if grade_kind is [].__class__ or grade_kind is ().__class__:
        return [grade_given(grade_item) for grade_item in grade_value]
    if grade_kind is {}.__class__:
        return {grade_key: grade_given(grade_value[grade_key]) for grade_key in grade_value}
    if grade_kind.__name__ == "complex" and not grade_value.imag:
        return grade_value.real
    if grade_kind.__name__ == "Decimal" or grade_kind.__name__ == "Fraction":
        for grade_number in (0.0).__class__, (0).__class__:
            try:
                grade_equal = grade_number(grade_value)
                if grade_equal == grade_value or grade_equal != grade_equal:
                    return grade_equal
            except:
                pass
    return grade_value

"""

# Of a tested function, where program and test share a process: for an iterator of the test's, its
# StopIteration is an error. While it runs, its names are its own again: what it calls, and how deep
# it may call itself, is as ever.
_SHIELDS = """
from builtins import (
    RuntimeError as grade_error, StopAsyncIteration as grade_stop_later,
    StopIteration as grade_stop, zip as grade_zip,
)


def grade_shield(grade_own):
    def grade_tested(*grade_args, **grade_kwargs):
        grade_put(grade_shields, grade_owned)
        try:
            return grade_own(*grade_args, **grade_kwargs)
        except (grade_stop, grade_stop_later) as grade_stopped:
            raise grade_error(grade_stopped.__class__.__name__) from None
        finally:
            grade_put(grade_owned, grade_shields)

    return grade_tested if grade_own.__class__ is grade_put.__class__ else grade_own


def grade_put(grade_old, grade_new):
    global {names}
    {names}, = [
        grade_each if grade_value is grade_before else grade_value
        for grade_value, grade_before, grade_each in grade_zip(({names},), grade_old, grade_new)
    ]


grade_owned = ({names},)
grade_shields = [grade_shield(grade_own) for grade_own in grade_owned]
grade_put(grade_owned, grade_shields)
"""

_SHARED = """
{alias}
{shields}
{setup}
{text}
{passed}({token!r})
"""


def as_module(code: str) -> str:
    """The program as a test harness has it that imports it: its `__main__` part does not run."""
    return _MAIN.sub(_IMPORTED, code) if "__name__" in code else code


def entry(name: str, code: str, before: str = "", *, strict: bool = False) -> str:
    """A function `grade_entry` that calls `name` of the program `code`, or of its `Solution`.

    `before` is the text that runs before the program.

    A number that JSON has no word for is given as the int or the float that is equal to it, if
    there is one and the comparison that follows is not `strict` about types.
    """
    converts = not strict and any(map(_NUMBERS.search, (code, before)))
    convert = _CONVERT if converts else ""
    return convert + _ENTRY.format(name=name, given="grade_given" if converts else "")


def with_prompt(code: str, tests: AssertTests) -> tuple[str, str]:
    """Part `code` and its prompt: the text that runs before the program, and the program.

    A program that continues the prompt is one text with it. Any other runs after it: what it leaves
    open, or has at its beginning, is its own.
    """
    prompt = tests.prefix
    if not prompt:
        return "", as_module(code)
    if _continues(code):
        return "", as_module(f"{prompt.rstrip()}\n{code}")
    if _goes_on(prompt, code):
        return "", as_module(f"{prompt}{code}")
    whole = f"{stand_alone(prompt)[0].rstrip()}\n"
    if "from __future__" in prompt and "from __future__" not in code:  # it holds for both
        return "", as_module(f"{whole}\n{code}")
    return as_module(whole), as_module(code)


def _continues(code: str) -> bool:
    """True if the first line that says something is indented: it is inside a function."""
    line = next((line for line in _lines(code) if not _NOTHING.match(line)), "")
    return _is_indented(line)


def _goes_on(prompt: str, code: str) -> bool:
    """True if `code` begins within the prompt's last line, which is an indentation."""
    last = _lines(prompt)[-1]
    if not last or last.strip(" \t\f") or _WHOLE.match(code):
        return False
    rest = (line for line in _lines(code)[1:] if not _NOTHING.match(line))
    return not _IMPORTS.match(code) or _is_indented(next(rest, ""))


def _lines(text: str) -> list[str]:
    """Its lines as Python's tokenizer has them. A backslash before the first is no line."""
    return _LINE_END.split(_JOINED.sub("", text))


def _is_indented(line: str) -> bool:
    """A form feed begins the line anew."""
    blank = _BLANK.match(line)[0]  # type: ignore[index]  # it always matches
    return bool(blank.rpartition("\f")[2])


def serving(tests: AssertTests) -> str:
    """Return the guest code that answers calls of the tested names until the tests ask no more."""
    named = (*tests.names, *tests.settings)
    names = ", ".join(f"{name!r}: lambda: {name}" for name in named)
    return setters(tests.settings) + answering(names, EXCHANGE)


def sharing(tests: AssertTests, text: str, token: str) -> str:
    """One test, in the program's own process, for values that cannot cross."""
    alias = f"candidate = {tests.candidate}" if tests.candidate else ""
    setup = "" if tests.prefix else tests.setup
    return _SHARED.format(
        alias=alias,
        shields=_shields(tests, text),
        setup=setup,
        text=text,
        passed=PASS,
        token=token,
    )


def _shields(tests: AssertTests, text: str) -> str:
    """For the names that `text` uses and does not look into, if it wants no StopIteration."""
    whole = f"{tests.setup}\n{text}"
    if "StopIteration" in whole or "StopAsyncIteration" in whole:
        return ""
    words = set(_WORD.findall(whole)) - set(_LOOKED_INTO.findall(whole))
    names = [name for name in (*tests.names, "candidate") if name in words]
    if "candidate" in names and not tests.candidate:
        names.remove("candidate")
    return _SHIELDS.format(names=", ".join(names)) if names else ""
