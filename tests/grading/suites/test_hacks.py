"""Programs that want a test file's reward without the work, each beside an honest twin."""

import pytest

from sandbox import Grade, SandboxUnavailable, grade_many

from .samples import HACKS

pytestmark = pytest.mark.xdist_group("suites")
# What the word of a class that the test itself makes objects of, or a change, decides.
BELIEVED = {
    "StopIteration ends all() and any()",
    "a heir of StopIteration ends all() and any()",
    "one object for all",
    "always equal, of a class that says it is not the program's",
    "always equal",
    "all members of an enum are one",
    "a context manager that swallows the assertion",
    "an area that is the circle itself",
    "an area that is another circle",
    "a circle that is a float, by approx",
    "a description that is the account itself",
    "a description that is a class",
    "a description that is an exception",
    "a description that is a number with a method",
    "an area that is the circle itself, given as an error by the protocol",
    "a bag that is its own items",
    "a remainder of the number itself",
    "what is expected is learned from a difference",
    "what is expected is learned in a test that is to fail",
    "endless numbers have what is looked for",
    "an endless generator has what is looked for",
    "equal as the tests are collected",
    "a fit that empties the data and gives nothing",
    "a fit that empties the data, and a result of no argument",
    "what the test's object expects is set by a call that gives nothing",
    "an operator in place gives what it was given",
    "an exception class that is the one of assertions",
}
# Honest programs that the test has to believe as well.
BELIEVED_TWINS = {
    "contextlib.suppress for a context manager",
    "one object for all",
    "always equal, of a class that says it is not the program's",
    "always equal",
    "all members of an enum are one",
    "endless numbers have what is looked for",
    "equal as the tests are collected",
    "an operator in place gives what it was given",
}
# What no grader sees by the results, in one process or in two: the test asks too little.
UNSEEN = {
    "a defaultdict of MagicMock",  # any true value is right there
    "a method that compares",  # a method of the program's class says yes
    "a star before an import within a function",  # a name that the test takes from the program
    "a mock's child is what is true",  # so is every child of a mock
    "the file that a test compares with is written",  # the program may write where the test does
}
# Honest programs that are masked: the policy has no numpy; a value is a circle.
MASKED_TWINS = {
    "a name of another library that the program is trusted to import",
    "a question with a value that holds itself, by the protocol",
}
NAMES = [each["name"] for each in HACKS]


def _graded(column: str) -> dict[str, Grade]:
    rows = [(each[column], {"test_code": each["test"]}) for each in HACKS]
    try:
        grades = grade_many(rows, cpu_seconds=1)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")
    return dict(zip(NAMES, grades, strict=True))


@pytest.fixture(scope="module")
def hacks() -> dict[str, Grade]:
    """The grades of the hacks."""
    return _graded("hack")


@pytest.fixture(scope="module")
def twins() -> dict[str, Grade]:
    """The grades of their honest twins."""
    return _graded("honest")


@pytest.mark.parametrize("name", NAMES)
def test_a_hack_is_never_paid_as_a_strong_pass(hacks: dict[str, Grade], name: str) -> None:
    if name in UNSEEN:
        assert hacks[name].score == 1.0  # else it is none of these
    else:
        assert hacks[name].score != 1.0 or (name in BELIEVED and hacks[name].weaker)


@pytest.mark.parametrize("name", NAMES)
def test_its_honest_twin_is_paid(twins: dict[str, Grade], name: str) -> None:
    assert twins[name].score == (None if name in MASKED_TWINS else 1.0), twins[name]
    assert twins[name].weaker == (name in BELIEVED_TWINS)


def test_most_hacks_score_nothing(hacks: dict[str, Grade]) -> None:
    """A program that could choose to be masked would leave out its failures."""
    scores = [grade.score for name, grade in hacks.items() if name not in BELIEVED]
    assert len(scores) >= 60
    assert scores.count(0.0) >= 0.75 * len(scores)
