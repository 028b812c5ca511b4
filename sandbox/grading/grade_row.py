"""One program and its tests: every form of test, graded."""

from collections.abc import Callable, Iterable
from typing import Any

from sandbox.errors import CONFIGURATION, SandboxError
from sandbox.grading.asserts.assertions import AssertionRun, Sharing
from sandbox.grading.comparators import Comparator
from sandbox.grading.sandboxes import Sandboxes
from sandbox.grading.suites.run import SuiteRun
from sandbox.grading.tests import AssertTests, CallTests, StdinTests, SuiteTests, Tests
from sandbox.grading.texts.harness import as_module, entry
from sandbox.grading.verdicts import Case, Grade, Verdict, failed, masked, passed, summed_up
from sandbox.result import Result

_ENTRY = "grade_entry"
_FEW = 2  # tests for which a child that only compiles costs more than it saves


class Row:
    """Grades one program. `executions` counts the children that it used."""

    def __init__(self, sandboxes: Sandboxes, compare: Comparator, *, early_stop: bool) -> None:
        self._sandboxes, self._compare, self._early_stop = sandboxes, compare, early_stop
        self.executions = 0

    def grade(self, code: str, tests: Tests) -> Grade:
        """Grade `code`. Raises what a wrong configuration raises, and no fault of a run."""
        if not code.strip():
            nothing = [failed("no program")] * (1 if self._early_stop else tests.total)
            return summed_up(nothing[: tests.total], tests.total, executions=0)
        if reason := self._sandboxes.too_long(code):
            every = [failed(reason)] * (1 if self._early_stop else tests.total)
            return summed_up(every[: tests.total], tests.total, executions=0)
        weaker, total = False, tests.total
        try:
            if isinstance(tests, SuiteTests):
                cases, weaker, total = self._suites(code, tests)
            elif isinstance(tests, AssertTests):
                cases, weaker = self._assertions(code, tests)
            elif isinstance(tests, CallTests):
                cases = self._one_by_one(self._calls(code, tests))
            else:
                cases = self._one_by_one(self._inputs(code, tests))
        except CONFIGURATION:
            raise
        except SandboxError as error:
            cases = [masked(str(error))] * total
        return summed_up(cases, total, executions=self.executions, weaker=weaker)

    def _one_by_one(self, checks: list[Callable[[], Case]]) -> list[Case]:
        cases: list[Case] = []
        for check in checks:
            cases.append(_or_masked(check))
            if self._early_stop and cases[-1].verdict is Verdict.FAILED:
                break
        return cases

    def _inputs(self, code: str, tests: StdinTests) -> list[Callable[[], Case]]:
        texts = self._sandboxes.texts(code, tests)
        directly = len(tests.pairs) <= _FEW

        def check(given: str, wanted: str) -> Case:
            if not self._sandboxes.takes_stdin(given):
                return masked("the test's input is larger than the policy's stdin_kib")
            if not self._is_printable(wanted):
                return masked("no program can print what the test expects: output_kib, or no text")

            def run() -> Result:
                sandbox, limits = self._sandboxes.programs, self._sandboxes.limits
                if directly:
                    return sandbox.run(code, given, services=None, **texts, **limits)
                return sandbox.run_many(code, [given], services=None, **texts, **limits)[0]

            result = self._run(run)
            return self._compared(result, lambda: self._compare.text(result.output, wanted))

        return [_bound(check, *pair) for pair in tests.pairs]

    def _calls(self, code: str, tests: CallTests) -> list[Callable[[], Case]]:
        texts = self._sandboxes.texts(code, tests)
        after = entry(tests.name, code, *texts.values(), strict=self._compare.strict)
        texts["postamble"] = after
        source = as_module(code)
        directly = len(tests.pairs) <= _FEW

        def check(args: tuple[Any, ...], wanted: tuple[Any, ...]) -> Case:
            def run() -> Result:
                sandbox, limits = self._sandboxes.programs, self._sandboxes.limits
                if directly:
                    return sandbox.call(source, _ENTRY, args, None, **texts, **limits)
                return sandbox.call_many(source, _ENTRY, [args], **texts, **limits)[0]

            try:
                result = self._run(run)
            except CONFIGURATION:
                raise
            except ValueError as error:  # before there was a child
                return masked(f"no program can be given the test's arguments: {error}")
            case = self._compared(result, lambda: self._is_one_of(result.value, wanted))
            if case.verdict is not Verdict.FAILED or self._compare.is_callers:
                return case
            return self._as_given(result, wanted)

        return [_bound(check, *pair) for pair in tests.pairs]

    def _as_given(self, result: Result, wanted: tuple[Any, ...]) -> Case:
        """Return the verdict with what is `wanted` taken as it would arrive from a program."""
        values, reason = [], "it is not equal to itself"
        for value in wanted:
            try:
                values.append(self._sandboxes.as_given(value))
            except ValueError as error:
                reason = str(error)
        if not any(self._compare.value(value, value) for value in values):
            return masked(f"no program can give what the test expects: {reason}")
        return self._compared(result, lambda: self._is_one_of(result.value, values))

    def _is_one_of(self, value: Any, wanted: Iterable[Any]) -> bool:
        return any(self._compare.value(value, each) for each in wanted)

    def _is_printable(self, wanted: str) -> bool:
        if self._compare.is_callers:
            return True
        return self._sandboxes.could_print(wanted if self._compare.strict else wanted.strip())

    def _run(self, once: Callable[[], Result]) -> Result:
        def counted() -> Result:
            self.executions += 1
            return once()

        return self._sandboxes.attempt(counted, self._sandboxes.was_starved)

    def _compared(self, result: Result, is_right: Callable[[], bool]) -> Case:
        if not result.ok:
            return failed(f"{result.status}: {result.error}")
        return passed() if is_right() else failed("wrong answer")

    def _assertions(self, code: str, tests: AssertTests) -> tuple[list[Case], bool]:
        def once() -> AssertionRun:
            trial = AssertionRun(self._sandboxes, code, tests, early_stop=self._early_stop)
            try:
                trial.run()
            finally:
                self.executions += trial.executions
            return trial

        if not self._needs_instances(tests):
            trial = self._sandboxes.attempt(once, lambda trial: trial.was_starved)
            return trial.cases, trial.is_weaker
        sharing = Sharing(self._sandboxes, code, tests)
        checks = [_bound(lambda text: sharing.check(text, self._run), text) for text in tests.texts]
        return self._one_by_one(checks), True

    def _suites(self, code: str, tests: SuiteTests) -> tuple[list[Case], bool, int]:
        def once(*, sees_arguments: bool) -> SuiteRun:
            trial = SuiteRun(
                self._sandboxes,
                code,
                tests,
                early_stop=self._early_stop,
                sees_arguments=sees_arguments,
            )
            try:
                trial.run()
            finally:
                self.executions += trial.executions
            return trial

        def attempt(*, sees_arguments: bool) -> SuiteRun:
            return self._sandboxes.attempt(
                lambda: once(sees_arguments=sees_arguments), lambda trial: trial.was_starved
            )

        trial = attempt(sees_arguments=True)
        if trial.altered:
            trial.mask_unless_passed_in(attempt(sees_arguments=False))
        return trial.cases, trial.is_weaker, max(trial.total, len(trial.cases))

    def _needs_instances(self, tests: AssertTests) -> bool:
        """Return True if tests and program share a child: settled before the program has run."""
        if not tests.are_plain or tests.makes_plain_data:
            return not tests.are_plain
        if not self._sandboxes.knows_way(tests):
            self.executions += 1
        return self._sandboxes.passes_instances(tests)


def _or_masked(check: Callable[[], Case]) -> Case:
    try:
        return check()
    except CONFIGURATION:
        raise
    except SandboxError as error:
        return masked(str(error))


def _bound(check: Callable[..., Case], *arguments: Any) -> Callable[[], Case]:
    return lambda: check(*arguments)
