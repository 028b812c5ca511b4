"""One run of a program's test files: pytest in a child of its own, the program in another."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sandbox.errors import SandboxError
from sandbox.grading.asserts.call_session import Ended, Guest, is_answer
from sandbox.grading.sandboxes import Sandboxes
from sandbox.grading.suites.program_child import serving
from sandbox.grading.suites.reading import compares_changes
from sandbox.grading.suites.tests_child import SUITE
from sandbox.grading.tests import SuiteTests
from sandbox.grading.texts.harness import as_module
from sandbox.grading.texts.testing import BEGIN, CALL, REPORT
from sandbox.grading.verdicts import Case, Verdict, failed, masked, named, passed
from sandbox.result import Result, Status

# Tests that met a limit, of which it is found out whose it was: a bound of the cost.
_MOST_BLAMES = 3
_QUIET = "it asks nothing of the program"
_MASKS = {
    "unknown": "what the test asks cannot be carried over",
    "limit": "the test met a limit",
    "unasked": "the test does not call the program",
}


class SuiteRun:
    """One run of a row's test files, all in one child, with one child for the program.

    What the tests' child says is believed, as no byte of the program is in it. A test that failed
    without having asked the program says nothing about it and is masked, as is one of which
    something could not be carried over.
    """

    def __init__(
        self,
        sandboxes: Sandboxes,
        code: str,
        tests: SuiteTests,
        *,
        early_stop: bool,
        sees_arguments: bool = True,
        alone: str = "",
    ) -> None:
        """Make a run.

        Without `sees_arguments` tests see no change that the program makes to an argument. The test
        that `alone` names runs without others and without the program: every answer agrees with it.
        """
        self._sandboxes, self._code, self._tests = sandboxes, code, tests
        self._early_stop, self._sees_arguments = early_stop, sees_arguments
        self._alone = alone
        self._ended = ""
        self._names: list[str] = []  # of the tests that were found
        self._broken: Case | None = None  # of test files that could not be read
        self._limited: dict[str, str] = {}  # tests that met a limit, and which
        self._has_asked = self._has_begun = self._hides = False
        self.cases: list[Case] = []
        self._after_end: list[str] = []  # tests that did not end, or begin, as their child ended
        self.altered: list[str] = []  # tests that compare what the program changed
        self.executions = 0
        self.is_weaker = self.was_starved = False

    def run(self) -> None:
        """Run the tests. Raises SandboxError."""
        sandboxes, tests = self._sandboxes, self._tests
        self._guest = Guest(
            sandboxes.modules,
            as_module(self._code),
            sandboxes.guest_limits,
            {
                "preamble": sandboxes.preamble(self._code, tests),
                "postamble": serving(tests, sandboxes.package_names),
            },
            files=dict(tests.data),
        )
        services: dict[str, Callable[..., Any]] = {
            CALL: self._call,
            BEGIN: self._begin,
            REPORT: self._report,
        }
        self.executions += 1
        try:
            suites = sandboxes.suites
            options = {"services": services, **sandboxes.suite_limits}
            [result] = suites.run_many(SUITE, [""], **options)
        finally:
            self._guest.close()
        self._finish(result)
        if not self._alone:
            self._blame()
            if self._hides and not self._has_asked and not self._has_failed():
                none = masked("no test calls the program, which has a builtin's name that they use")
                self.cases = [named(case.name, none) for case in self.cases]

    def mask_unless_passed_in(self, other: "SuiteRun") -> None:
        """Mask the `altered` tests that did not pass in `other`, where they saw no change.

        A program that empties what it was given, and returns nothing, would pass such a test.
        """
        right = {case.name for case in other.cases if case.verdict is Verdict.PASSED}
        wrong = set(self.altered) - right
        case = masked("what it is compared with was changed by the program")
        self.cases = [named(c.name, case) if c.name in wrong else c for c in self.cases]

    @property
    def total(self) -> int:
        """The number of tests that count: those that the files skip by themselves do not."""
        return max(len(self._names), 1)

    def _begin(self) -> dict[str, Any]:
        if self._has_begun:
            raise SandboxError("the tests' child began twice")
        self._has_begun = True
        tests = self._tests
        return {
            "files": dict(tests.files),
            "suites": list(tests.suites),
            "module": tests.module,
            "words": list(tests.words),
            "settings": list(tests.settings),
            "watched": list(tests.watched),
            "packages": self._sandboxes.package_names,
            "grants": self._sandboxes.granted_names,
            "hears": list(tests.hears),
            "shares_files": tests.shares_files,
            "early_stop": self._early_stop,
            "sees_arguments": self._sees_arguments,
            "is_dry": bool(self._alone),
            "only": self._alone,
            "by_star": tests.by_star,
        }

    def _call(self, *request: Any) -> Any:
        self._sandboxes.check()
        if self._alone:  # it is only whether a value can be sent at all
            return _ended("there is no program")
        if not self._guest.started:
            self.executions += 1
        try:
            said = self._guest.call(list(request))
        except Ended as end:
            self._ended = f"{end.result.status}: {end}"
            self.was_starved = self.was_starved or self._sandboxes.was_starved(end.result)
            return _ended("the program ended")
        if _is_said(said):
            kind, content, text = said[0]
            if is_answer(kind, content) or (kind == "asks" and _is_question(content)):
                return [said[0], _encodable(said[1]), _encodable(said[2]), said[3]]
            if kind == "unusable" and isinstance(content, str):
                self._ended = f"its value cannot be graded: {text}"
                return _ended(self._ended)
        self._ended = "the program answered with no value"
        return _ended(self._ended)

    def _report(self, name: Any, outcome: Any, why: Any) -> None:
        if not (isinstance(why, str) and isinstance(name, str)):
            raise SandboxError("the tests' child reported no outcome")
        if name == "collected":
            if not isinstance(outcome, list) or not all(isinstance(each, str) for each in outcome):
                raise SandboxError("the tests' child reported no names of tests")
            self._names, self._hides = list(outcome), why == "hidden"
        elif name == "broken":
            self._broken = self._case(outcome, why)
        else:
            self._has_asked = self._has_asked or outcome not in ("quiet", "skipped", "unasked")
            if outcome == "limit" and not self._ended:
                self._limited[name] = why
            if outcome == "skipped" and not self._ended:
                self._names = [each for each in self._names if each != name]
                self.is_weaker = self.is_weaker or why == "believed"
                return
            if outcome == "altered" and compares_changes(self._tests, name):
                self.altered.append(name)
            elif outcome in ("altered", "changed"):
                is_told = compares_changes(self._tests, name, with_results=True)
                self.is_weaker = self.is_weaker or is_told
            self.cases.append(named(name, self._case(outcome, why)))

    def _case(self, outcome: str, why: str) -> Case:
        if outcome in ("passed", "altered", "changed", "quiet"):
            self.is_weaker = self.is_weaker or bool(why)
            return replace(passed(), reason=_QUIET) if outcome == "quiet" else passed()
        if self._ended:  # whatever the test made of it
            return failed(self._ended)
        if outcome in _MASKS:
            reason = _MASKS[outcome]
            return masked(f"{reason}: {why}" if why else reason)
        if outcome == "skipped":
            return masked(f"the test file skips itself: {why}")
        return failed(why)

    def _has_failed(self) -> bool:
        return any(case.verdict is not Verdict.PASSED for case in self.cases)

    def _blame(self) -> None:
        """Fail the tests that met a limit by what the program gave: alone they do not meet it."""
        for name, why in list(self._limited.items())[:_MOST_BLAMES]:
            other = SuiteRun(self._sandboxes, self._code, self._tests, early_stop=False, alone=name)
            other.run()
            self.executions += other.executions
            if other.met_a_limit:
                continue
            case = failed(f"the test met a limit by what the program gave: {why}")
            self.cases = [
                named(c.name, case) if c.name == name or c.name in self._after_end else c
                for c in self.cases
            ]

    @property
    def met_a_limit(self) -> bool:
        """True if a test met a limit, or the child of the tests did."""
        return bool(self._limited)

    def _finish(self, result: Result) -> None:
        """Judge what has no verdict: tests that could not be read, or whose child ended."""
        if self._broken is not None:
            self.cases = [self._broken]
            return
        said = f"{result.status}: {result.error}" if not result.ok else "pytest ended"
        if not self._names and self._has_begun and result.ok:
            self.cases = self.cases or [masked("there is no test in the test files")]
            return
        reported = {case.name for case in self.cases}
        rest = [name for name in self._names if name not in reported]  # the first is at its turn
        stopped = self._early_stop and self._has_failed()
        if stopped or (result.ok and not rest):
            return
        is_starved = result.status is Status.WALL_LIMIT
        self.was_starved = self.was_starved or is_starved
        self._after_end = rest or [""]
        case = failed(self._ended) if self._ended else masked(f"the tests ended: {said}")
        if not self._ended and not is_starved:
            self._limited[self._after_end[0]] = said
        self.cases += [named(name, case) for name in self._after_end]


def _ended(text: str) -> list[Any]:
    """Make the answer of a program that ended."""
    return [["ended", "", text], "", "", []]


def _encodable(text: str) -> str:
    """Replace halves of pairs, which no stream could have written."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _is_said(said: Any) -> bool:
    """Return True for an answer with what was printed before it."""
    if not (isinstance(said, list) and len(said) == 4 and isinstance(said[3], list)):
        return False
    answer, out, err, _ = said
    if not (isinstance(answer, list) and len(answer) == 3):
        return False
    return all(isinstance(each, str) for each in (answer[0], answer[2], out, err))


def _is_question(content: Any) -> bool:
    """Return True for the number of what a test gave, what to do with it, and the words."""
    if not (isinstance(content, list) and len(content) == 3):
        return False
    number, act, words = content
    is_number = type(number) is int and number >= 0
    return is_number and isinstance(act, str) and isinstance(words, list)
