"""The tests of a program in one form; `formats` reads them from the shapes of data sets."""

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class StdinTests:
    """Pairs of standard input and expected output."""

    pairs: tuple[tuple[str, str], ...]

    @property
    def total(self) -> int:
        """The number of tests."""
        return len(self.pairs)


@dataclass(frozen=True, slots=True)
class CallTests:
    """Calls of the function `name`, or of that method of `Solution`.

    `pairs` are positional arguments and the values any of which is right.
    """

    name: str
    pairs: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]

    @property
    def total(self) -> int:
        """The number of tests."""
        return len(self.pairs)


@dataclass(frozen=True, slots=True)
class AssertTests:
    """Python texts that raise where the program is wrong.

    `setup` runs before each of `texts`. `names` are what the texts use of the program, as
    expressions; `prefix` is put in front of the program itself. `are_plain` is False if the texts
    use a value of the program that is no plain data, such as an instance of its class.
    `makes_plain_data` is True if they are known to make no such value by themselves. `stepped` has
    each text as it runs without a program: going on after a statement that fails. `settings` are
    what of the interpreter they may set and the program feels, for which `noting` has `setup` and
    the texts as they run: see `grading.settings`.
    """

    texts: tuple[str, ...]
    names: tuple[str, ...]
    setup: str = ""
    prefix: str = ""
    candidate: str = ""
    are_plain: bool = True
    makes_plain_data: bool = False
    stepped: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    noting: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raise ValueError where another text would run than the one that is meant."""
        count = len(self.texts)
        if len(self.stepped) not in (0, count) or len(self.noting) not in (0, 1 + count):
            raise ValueError("each text has its other forms, or none has: use `only`")

    @classmethod
    def unread(cls, texts: tuple[str, ...], setup: str) -> "AssertTests":
        """Make tests that no program can be run with: grading finds that out, and masks the row."""
        return cls(texts=texts, names=(), setup=setup, are_plain=False)

    def only(self, which: slice) -> "AssertTests":
        """Take some of the tests, each with all its forms."""
        return replace(
            self,
            texts=self.texts[which],
            stepped=self.stepped[which],
            noting=self.noting[:1] + self.noting[1:][which],
        )

    @property
    def total(self) -> int:
        """The number of tests."""
        return len(self.texts)


@dataclass(frozen=True, slots=True)
class SuiteTests:
    """Test files for pytest, which import the program as the module `module`.

    `files` are pairs of a path and a text: the test files, which `suites` names, and what else they
    find (`conftest.py`, modules, data). `data` is what the program finds as well. `words` are those
    of the tests' texts, `settings` as those of `AssertTests`, `watched` the modules of which tests
    may replace what a program uses, `hears` which of warnings and logs they look at, `shares_files`
    whether they write or read files, `derives` whether they may derive a class from one of the
    program's, `by_star` whether none names what it imports of the program.
    """

    files: tuple[tuple[str, str], ...]
    suites: tuple[str, ...]
    module: str
    data: tuple[tuple[str, str], ...] = ()
    words: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    watched: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
    shares_files: bool = False
    derives: bool = False
    by_star: bool = False

    @property
    def total(self) -> int:
        """One, as long as they have not run: how many there are is known then."""
        return 1


@dataclass(frozen=True, slots=True)
class UnreadTests:
    """Tests of a row among others that no known form fits, for the `reason`."""

    reason: str

    @property
    def total(self) -> int:
        """One, which has no verdict."""
        return 1


Tests = StdinTests | CallTests | AssertTests | SuiteTests
