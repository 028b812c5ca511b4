"""The text that runs after a program in its child: it answers what test files ask of it.

Each part below changes or adds to the answers that the tests of asserts get: see `texts.answering`.
"""

from collections.abc import Collection, Iterator
from functools import cache

from sandbox.grading.shared.arrays import PROGRAM_ARRAYS
from sandbox.grading.shared.derived import PROGRAM_DERIVED
from sandbox.grading.shared.files import PROGRAM_FILES
from sandbox.grading.shared.frames import PROGRAM_FRAMES
from sandbox.grading.shared.replaced import PROGRAM_REPLACED
from sandbox.grading.shared.values import PROGRAM_VALUES
from sandbox.grading.suites.program_given import GIVEN
from sandbox.grading.suites.program_shared import SHARED
from sandbox.grading.suites.program_told import TOLD
from sandbox.grading.tests import SuiteTests
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
{PROGRAM_VALUES}
{PROGRAM_LOOKING}"""
# What not every row needs: the program's child compiles all that is there. In this order.
_PARTS = {
    "numpy": PROGRAM_ARRAYS,
    "pandas": PROGRAM_FRAMES,
    "files": PROGRAM_FILES,
    "replaced": PROGRAM_REPLACED,
    "derived": PROGRAM_DERIVED,
}


def serving(tests: SuiteTests, packages: Collection[str]) -> str:
    """Return what runs after the program: it answers until the tests ask no more.

    `packages` are those that the program's policy grants.
    """
    return _serving(tests.settings, frozenset(_needs(tests, packages)))


def _needs(tests: SuiteTests, packages: Collection[str]) -> Iterator[str]:
    yield from packages
    needed = {"files": tests.shares_files, "replaced": tests.watched, "derived": tests.derives}
    yield from (part for part, is_needed in needed.items() if is_needed)


@cache
def _serving(settings: tuple[str, ...], needs: frozenset[str]) -> str:
    names = ", ".join(f"{name!r}: lambda: {name}" for name in settings)
    parts = "\n".join(text for part, text in _PARTS.items() if part in needs)
    return setters(settings) + answering(names, "exchanged", more=f"{_PROGRAM}\n{parts}")
