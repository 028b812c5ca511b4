"""The text that runs after a program in its child: it answers what test files ask of it.

Each part below changes or adds to the answers that the tests of asserts get: see `texts.answering`.
"""

from functools import cache

from sandbox.grading.suites.program_given import GIVEN
from sandbox.grading.suites.program_shared import SHARED
from sandbox.grading.suites.program_told import TOLD
from sandbox.grading.texts.answering import answering
from sandbox.grading.texts.following import PROGRAM_FOLLOWING
from sandbox.grading.texts.harness import EXCHANGE
from sandbox.grading.texts.lending import PROGRAM_LENDING
from sandbox.grading.texts.looking import PROGRAM_LOOKING
from sandbox.grading.texts.settings import setters

_PROGRAM = f"""
    from builtins import (
        AttributeError, BaseException, NotImplemented, OSError, divmod, globals, issubclass, object,
        property, setattr, slice, sorted,
    )

    space = globals()
{SHARED}
{PROGRAM_FOLLOWING}
    def exchanged(answer):
        return {EXCHANGE}([answer, *drained(), noted_words()])

{TOLD}
{GIVEN}
{PROGRAM_LENDING}
{PROGRAM_LOOKING}"""


@cache
def serving(settings: tuple[str, ...]) -> str:
    """Return what runs after the program: it answers until the tests ask no more."""
    names = ", ".join(f"{name!r}: lambda: {name}" for name in settings)
    return setters(settings) + answering(names, "exchanged", more=_PROGRAM)
