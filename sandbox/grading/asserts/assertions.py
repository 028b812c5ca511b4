"""Tests that are programs: run in a child of their own, which calls over to the program's child."""

import secrets
from collections.abc import Callable
from typing import Any

from sandbox.errors import SandboxError
from sandbox.grading.asserts.call_session import Ended, Guest, is_answer
from sandbox.grading.asserts.dry_run import meets_a_limit
from sandbox.grading.asserts.test_names import compares_arguments, imported, parsed
from sandbox.grading.sandboxes import Sandboxes
from sandbox.grading.tests import AssertTests
from sandbox.grading.texts.harness import PASS, serving, sharing, with_prompt
from sandbox.grading.texts.testing import BEGIN, CALL, REPORT, TESTING
from sandbox.grading.verdicts import Case, Verdict, failed, masked, passed
from sandbox.result import Result, Status

# Tests that meet a limit alone, after which the rest of a row fares the same: a bound of its cost.
# Such a test has failed or is masked, so that the score of the row is settled.
_MOST_CUT_OFFS = 3
# Of a test: its setup and text, the names that it uses of the program, the candidate, whether it
# sees what becomes of its arguments, and what it may set.
_Begun = tuple[str, str, tuple[str, ...], str, bool, tuple[str, ...]]
_FEW = 2  # tests for which a child that only compiles costs more than it saves


class AssertionRun:
    """One run of a row's tests. Each test has a fresh child for the program.

    What the tests' child says is believed, as no byte of the program is in it; what it is given by
    the program is plain data of exact types, and stand-ins that ask the program. A test that failed
    before it had called the program, or that never calls it, says nothing about it and is masked.

    The tests share a child until it meets a limit. From the test that it was at, each has a child
    of its own, so that no test pays for what another took.
    """

    def __init__(
        self, sandboxes: Sandboxes, code: str, tests: AssertTests, *, early_stop: bool
    ) -> None:
        self._sandboxes, self._tests, self._early_stop = sandboxes, tests, early_stop
        prompt, self._program = with_prompt(code, tests)
        before = _joined(sandboxes.preamble(code, tests), prompt)
        self._beside = {"preamble": before, "postamble": serving(tests)}
        self._guest = self._new_guest()
        self._ended = ""
        self._alone = False  # each test has a child of its own
        self._begun = 0  # tests that the present child was given
        self._is_open = False  # the last of them has no verdict
        self._excess = ""  # what it said to be too much
        self._cut_offs = 0
        self._with_copies = False  # the test is run again, and sees no argument that was changed
        self.is_weaker = False  # a test believed what classes of the program's said of themselves
        self.cases: list[Case] = []
        self.executions = 0
        self.was_starved = False

    def run(self) -> None:
        """Run the tests, one after the other. Raises SandboxError."""
        while self._is_wanted():
            self._run_child()
            self._alone = True

    def _run_child(self) -> None:
        services: dict[str, Callable[..., Any]] = {
            CALL: self._call,
            BEGIN: self._begin,
            REPORT: self._report,
        }
        self.executions += 1
        self._begun, self._is_open = 0, False
        try:
            options = {"services": services, **self._sandboxes.test_limits}
            [result] = self._sandboxes.tests.run_many(TESTING, [""], **options)
        finally:
            self._guest.close()
        if self._is_open or not self._begun:
            self._cut_off(result)

    def _begin(self) -> _Begun | None:
        """Begin the next test, with a new child; return None if this child gets no more tests."""
        self._sandboxes.check()
        if self._is_open or (self._alone and self._begun) or not self._is_wanted():
            return None
        self._guest.close()
        self._guest, self._ended = self._new_guest(), ""
        self._begun, self._is_open, self._excess = self._begun + 1, True, ""
        tests = self._tests
        setup, *texts = tests.noting or (tests.setup, *tests.texts)
        text, is_seen = texts[len(self.cases)], not self._with_copies
        return setup, text, tests.names, tests.candidate, is_seen, tests.settings

    def _call(self, *request: Any) -> Any:
        if not self._guest.started:
            self.executions += 1
        try:
            answer = self._guest.call(list(request))
        except Ended as end:
            self._ended = f"{end.result.status}: {end}"
            self.was_starved = self.was_starved or self._sandboxes.was_starved(end.result)
            return ["ended", "", "the program ended"]
        if isinstance(answer, list) and len(answer) == 3:
            kind, content, text = answer
            if is_answer(kind, content):
                return answer
            if kind == "unusable" and isinstance(content, str) and isinstance(text, str):
                self._ended = f"its value cannot be graded: {text}"
                return ["ended", "", self._ended]
        self._ended = "the program answered with no value"
        return ["ended", "", self._ended]

    def _report(self, verdict: str, reason: str) -> None:
        if verdict == "limit":  # others may have come near it: see `_cut_off`
            self._excess = reason
            return
        self._is_open = False
        if verdict == "altered" and not self._ended and self._compares_arguments():
            self._with_copies = True  # the next test is this one again
            return
        if verdict == "failed" and self._with_copies and not self._ended:
            reason = "what it is compared with was changed by the program"
            self.cases.append(masked(reason))
        else:
            self.cases.append(self._case(verdict, reason))
        self._with_copies = False

    def _case(self, verdict: str, reason: str) -> Case:
        if self._ended:  # whatever the test made of it
            return failed(self._ended)
        if not self._guest.started:
            return masked(f"the test does not call the program: {reason or verdict}")
        if verdict in ("passed", "altered"):
            self.is_weaker = self.is_weaker or bool(reason)
            return passed()
        if verdict == "unknown":
            return masked(f"what the test asks cannot be carried over: {reason}")
        return failed(reason)

    def _compares_arguments(self) -> bool:
        """Return True if the test compares what a call gave or left with what an argument became.

        A program that empties both would pass.
        """
        tests = self._tests
        text = tests.texts[len(self.cases)]
        return compares_arguments(parsed([tests.setup, text]), (*tests.names, "candidate"))

    def _is_wanted(self) -> bool:
        """Return True if there is another test to run."""
        stopped = self._early_stop and any(c.verdict is Verdict.FAILED for c in self.cases)
        return len(self.cases) < self._tests.total and not stopped

    def _cut_off(self, result: Result) -> None:
        """Judge a tests' child that ended, or said that it met a limit, before the last verdict."""
        if self._ended:
            self.cases.append(failed(self._ended))
            return
        if self._begun > 1:
            return  # it is run again, alone
        said = self._excess or f"{result.status}: {result.error}"
        text = f"the tests ended: {said}"
        self._cut_offs += 1
        is_starved = result.status is Status.WALL_LIMIT  # a test cannot wait of its own will
        self.was_starved = self.was_starved or is_starved
        is_last = is_starved or not self._begun or self._cut_offs == _MOST_CUT_OFFS
        is_blamed = self._begun and not is_starved and self._is_of_the_program()
        rest = self._tests.total - len(self.cases) if is_last else 1
        self.cases.extend([failed(text) if is_blamed else masked(text)] * rest)
        self._is_open = False

    def _is_of_the_program(self) -> bool:
        """Return False if the test, alone in its child, would meet the limit without it, too."""
        if not self._guest.started:
            return False
        self.executions += 1
        text = self._tests.texts[len(self.cases)]
        return not meets_a_limit(self._sandboxes.tests, self._tests, text)

    def _new_guest(self) -> Guest:
        return Guest(
            self._sandboxes.guests,
            self._program,
            self._sandboxes.guest_limits,
            self._beside,
            is_one_of_many=self._tests.total > _FEW,
        )


def _joined(preamble: str, prompt: str) -> str:
    return f"{preamble}\n{prompt}" if preamble and prompt else preamble or prompt


class Sharing:
    """The weaker way, for tests that use instances of the program's classes: one child for both.

    The test must come to its end and give a token that only the text after it holds; leaving early
    does not pass. The program could still meddle with what the test calls.
    """

    def __init__(self, sandboxes: Sandboxes, code: str, tests: AssertTests) -> None:
        self._sandboxes, self._code, self._tests = sandboxes, code, tests

    def check(self, text: str, run: Callable[[Callable[[], Result]], Result]) -> Case:
        """Return the verdict on one test. Raises SandboxError."""
        end = _End()
        token = secrets.token_hex(16)
        prompt, program = with_prompt(self._code, self._tests)
        after = sharing(self._tests, text, token)
        before = _joined(self._sandboxes.preamble(self._code, self._tests), prompt)
        if not self._sandboxes.guests_take(after):
            return masked("the test is larger than a source may be")

        def once() -> Result:
            end.begin(token)  # what an attempt before gave is no answer of this one
            try:
                return self._sandboxes.guests.run(
                    program,
                    "",
                    services={PASS: end.take},
                    preamble=before,
                    postamble=after,
                    **self._sandboxes.guest_limits,
                )
            except _WrongEnd as error:
                raise _FailedError(str(error)) from None

        try:
            result = run(once)
        except _FailedError as error:
            return failed(str(error))
        if not result.ok:
            said = f"{result.status}: {result.error}"
            denied = result.status is Status.DENIED
            lacked = self._sandboxes.lacks(self._imported(text)) if denied else []
            if any(f"module '{each}'" in said for each in lacked):
                return masked(f"the test imports what the policy does not grant: {said}")
            return failed(said)
        return passed() if end.is_right else failed("the test did not come to its end")

    def _imported(self, text: str) -> set[str]:
        return imported(parsed([self._tests.setup, text]))


class _WrongEnd(SandboxError):
    """Ends the child: it gave another word than the token, or gave it twice."""


class _FailedError(Exception):
    """The same, for the caller: no fault of the sandbox, which would have it run again."""


class _End:
    """A watch for a test's token, given once, behind its text. It keeps nothing of a program's."""

    def __init__(self) -> None:
        self._token = ""
        self._is_open = self.is_right = False

    def begin(self, token: str) -> None:
        """Wait for `token`."""
        self._token, self._is_open, self.is_right = token, True, False

    def take(self, *said: Any) -> None:
        """Take the token, as a service. Raises _WrongEnd for any other, and for the second call."""
        self.is_right = self._is_open and len(said) == 1 and said[0] == self._token
        self._is_open = False
        if not self.is_right:
            raise _WrongEnd("the test did not come to its end")
