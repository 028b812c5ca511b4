"""Attacks on the grader that users call: what scores without the answer has escaped."""

from sandbox import Grade, grade
from sandbox.runtime.caller.defaults import close_defaults

from ..engine import OVERLOAD, Attempt, Engine, Program
from .arena import Evidence

ARGUMENT = 3


def shapes_of(expected: str) -> dict[str, dict[str, object]]:
    """Make tests that only the answer passes, in each shape that is graded in a way of its own."""
    wanted = f"solve({ARGUMENT}) == {expected!r}"
    checked = f"candidate({ARGUMENT}) == {expected!r}"
    return {
        "call": {"fn_name": "solve", "inputs": [[ARGUMENT]], "outputs": [expected]},
        "output": {"inputs": [f"{ARGUMENT}\n"], "outputs": [expected]},
        "check": {
            "prompt": "",
            "test": f"def check(candidate):\n    assert {checked}\n",
            "entry_point": "solve",
        },
        "assertions": {"test_list": [f"assert {wanted}", f"result = {wanted}\nassert result"]},
        "file": {
            "test": f"from solution import solve\n\ndef test_solve():\n    assert {wanted}\n",
        },
    }


class Grading(Engine):
    """An engine whose programs are graded. Its own sandbox runs the jobs in between."""

    def leftovers(self) -> list[Evidence]:
        """Return the leftovers of the stage, as any engine does.

        The grader's own sandboxes are no leftovers, and are used no more.
        """
        close_defaults()
        return super().leftovers()

    def run(self, program: Program) -> Attempt:
        """Grade `program` by tests of every shape, and what runs next by what it prints alone."""
        token = self.arena.token()
        code, texts = self.arena.fill(program.code, token), []
        before = self._execute(program.followup, "") if program.followup else None
        evidence: list[Evidence] = []
        doubts: list[str] = []
        for shape, tests in shapes_of(self.arena.secrets["expected"]).items():
            given = grade(code, tests, policy=self.setup.policy)
            self.executions += given.executions
            if is_overload(given):
                doubts.append(shape)
            else:
                evidence += judge(given, shape)
            texts.append(str(given))
        evidence += self.arena.look(token, texts)
        if before is not None and before.ok:
            evidence += self._grade_next(program, before.output)
        if self.careful:
            evidence += self._check_reference()
        status = "inconclusive" if doubts and not evidence else "graded"
        return Attempt(program, self.setup.name, status, "", tuple(evidence))

    def _grade_next(self, program: Program, printed: str) -> list[Evidence]:
        tests = {"inputs": [""], "outputs": [printed]}
        given = grade(program.followup, tests, policy=self.setup.policy)
        self.executions += given.executions
        if given.score == 1.0 or is_overload(given):
            return []
        return [Evidence("follow-up", f"the next program is graded otherwise: {given.cases}")]


def judge(given: Grade, shape: str) -> list[Evidence]:
    """Return a find for a score, or for no verdict at all: a row left out cannot be lost either."""
    if given.masked:
        return [Evidence("verdict", f"{shape}: its row is left out: {given.cases[0].reason}")]
    if given.passed:
        told = f"a wrong answer passed {given.passed} of {given.total}"
        return [Evidence("verdict", f"{shape}: {told}")]
    return []


def is_overload(given: Grade) -> bool:
    """Say whether the machine had no room for it."""
    return any(word in case.reason for case in given.cases for word in OVERLOAD)
