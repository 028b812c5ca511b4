"""Grading what a reward function asks to have graded: the trusted side of `grade` and its kin.

Requests are untrusted, tests included: they are checked field by field, programs run under the
policy and the limits of `ServedJobs`, and what has to be parsed here, as assertions have, is short.
"""

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn, Protocol

from sandbox.errors import SandboxClosed
from sandbox.grading.block import ending
from sandbox.grading.comparators import comparator
from sandbox.grading.extraction import extract_code
from sandbox.grading.formats import read_tests
from sandbox.grading.grade import grade, grade_many
from sandbox.grading.options import COMPARATOR, OWN, check_types
from sandbox.grading.tests import AssertTests, CallTests, StdinTests, SuiteTests, Tests
from sandbox.grading.verdicts import Case, Grade, Verdict
from sandbox.policy.model import Policy

MOST_TEXT = 64 << 10  # characters of tests that are Python, in one request
MOST_TEXT_IN_ALL = 2 << 20  # in one audit, where they differ
_REMEMBERED_CHARACTERS = 32 << 20  # of requests and answers
_FIELDS = {"code", "tests", "options"}
# Where the shapes of tests hold Python, and where they hold another shape.
_TEXTS = (
    *("test", "test_list", "test_imports", "test_setup_code", "challenge_test_list", "prompt"),
    *("test_code", "test_files"),
)
_INNER = ("verification_info", "input_output", "test_cases", "official_tests", "public_test_cases")
_Answer = dict[str, Any]


class Budget(Protocol):
    """Says what may still be spent on a function's programs, and what they run under."""

    @property
    def policy(self) -> Policy: ...
    @property
    def deadline(self) -> float: ...
    def limits(self, asked: Mapping[str, float], /) -> dict[str, float]: ...
    def pay(self, programs: int, cpu_seconds: float, /) -> None: ...
    def add(self, programs: int, cpu_seconds: float, /) -> None: ...
    def exhaust(self, reason: str, /) -> NoReturn: ...


class Grading:
    """Grades what a function asks for, within the budget of `jobs`.

    `most_text`: the characters of tests that are Python, in all requests, by default those of an
    audit. `at_once` has the tests
    of a request graded together, and nothing remembered; otherwise the budget is looked at before
    each.
    """

    def __init__(
        self, jobs: Budget, *, most_text: int | None = None, at_once: bool = False
    ) -> None:
        self._jobs, self._at_once = jobs, at_once
        self._known: dict[str, _Answer] = {}
        self._text_left = MOST_TEXT_IN_ALL if most_text is None else most_text
        self._room = 0 if at_once else _REMEMBERED_CHARACTERS

    def extract(self, completion: Any) -> _Answer:
        """Return the program in a completion, or what the real function raises.

        Raises RuntimeError when the budget is spent.
        """
        return self._told(lambda: {"code": extract_code(completion)})

    def serve(self, request: Any) -> _Answer:
        """Grade one program: return its cases, with verdicts or with what is to be compared.

        Raises RuntimeError when the budget is spent; a fault of the sandbox raises SandboxError.
        """
        return self._told(lambda: self._remembered(_checked(request)))

    def serve_many(self, requests: Sequence[Any]) -> list[_Answer]:
        """Grade `requests` as `serve` does; requests with the same settings are graded together.

        Tests of many programs come with each of them, and are read once.
        """
        read: dict[str, Tests | None] = {}
        together: dict[str, list[tuple[int, str, Tests]]] = {}
        answers: list[_Answer] = [{}] * len(requests)
        for at, request in enumerate(requests):
            alone = self._sorted_in(at, request, read, together)
            answers[at] = self.serve(request) if alone else {}
        for settings, rows in together.items():
            self._jobs.pay(len(rows), 0.0)
            given = {**json.loads(settings), "policy": self._jobs.policy}
            with self._in_time():
                done = grade_many([(code, tests) for _, code, tests in rows], **given)
            for (at, _, _), each in zip(rows, done, strict=True):
                answers[at] = _answer_of(each)
        return answers

    def _sorted_in(
        self,
        at: int,
        request: Any,
        read: dict[str, Tests | None],
        together: dict[str, list[tuple[int, str, Tests]]],
    ) -> bool:
        """Say whether to serve a request alone: to compare, or to say what is wrong with it."""
        try:
            fields = _checked(request)
            key = json.dumps(fields["tests"])
            if key not in read:
                read[key] = None if fields["tests"] is None else self._read(fields["tests"])
            limits = self._jobs.limits(fields["limits"])
        except (TypeError, ValueError):
            return True
        tests = read[key]
        if tests is None or not tests.total or fields["comparator"] is None:
            return True
        settings = {"comparator": fields["comparator"], **fields["options"], **limits}
        same = together.setdefault(json.dumps(settings), [])
        same.append((at, fields["code"], tests))
        return False

    def _told(self, answer: Callable[[], _Answer]) -> _Answer:
        """Return an answer, or the error of a wrong request for the function to raise.

        The function gets the error that the real one would raise.
        """
        self._jobs.pay(0, 0.0)
        before = time.thread_time()
        try:
            return answer()
        except (TypeError, ValueError) as error:
            kind = "TypeError" if isinstance(error, TypeError) else "ValueError"
            return {"raised": kind, "message": str(error)[:1000]}
        finally:
            self._jobs.add(0, time.thread_time() - before)

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """End the grading in here when the function's time is over; it is then worth nothing.

        Raises RuntimeError for that, as `pay` does.
        """
        try:
            with ending(self._jobs.deadline):
                yield
        except SandboxClosed:
            self._jobs.pay(0, 0.0)
            raise
        if math.isfinite(self._jobs.deadline):
            self._jobs.pay(0, 0.0)

    def _remembered(self, fields: Mapping[str, Any]) -> _Answer:
        if self._at_once:
            return self._graded(fields)
        key = json.dumps(fields)
        if key not in self._known:
            answer = self._graded(fields)
            size = len(key) + len(json.dumps(answer))
            if size > self._room:
                return answer
            self._room -= size
            self._known[key] = answer
        return self._known[key]

    def _graded(self, fields: Mapping[str, Any]) -> _Answer:
        if fields["comparator"] is not None:
            comparator(fields["comparator"])
        tests = None if fields["tests"] is None else self._read(fields["tests"])
        if isinstance(tests, SuiteTests):  # pytest compares, and knows the tests as it runs
            return _answer_of(self._paid(fields, tests, COMPARATOR))
        if self._at_once and fields["comparator"] is not None and tests is not None:
            options = self._options(fields, fields["comparator"])
            return _answer_of(self._together(fields, tests, options))
        cases, executions, weaker = list[_Answer](), 0, False
        for test, right in _one_by_one(tests):
            case, used, is_weaker = self._case(test, right, fields)
            cases.append(case)
            executions, weaker = executions + used, weaker or is_weaker
            if fields["options"].get("early_stop", True) and case.get("verdict") == Verdict.FAILED:
                break
        total = tests.total if tests else 0
        return {"cases": cases, "total": total, "executions": executions, "weaker": weaker}

    def _options(self, fields: Mapping[str, Any], compare: Any) -> dict[str, Any]:
        """Return the options of a request, within the limits of the budget. Raises ValueError."""
        return {
            **self._jobs.limits(fields["limits"]),
            **fields["options"],
            "comparator": compare,
            "policy": self._jobs.policy,
        }

    def _together(self, fields: Mapping[str, Any], tests: Tests, options: Any) -> Grade:
        with self._in_time():
            return grade(fields["code"], tests, **options)

    def _case(
        self, test: Tests, right: tuple[Any, ...], fields: Mapping[str, Any]
    ) -> tuple[_Answer, int, bool]:
        """Pay for and grade one test: its verdict, or what the program gave and what is right."""
        seen: list[Any] = []
        compare = fields["comparator"] or (lambda actual, _: seen.append(actual))
        done = self._paid(fields, test, compare)
        told = {"actual": seen[0], "expected": list(right)} if seen else _told(done.cases[0])
        return told, done.executions, done.weaker

    def _paid(self, fields: Mapping[str, Any], tests: Tests, compare: Any) -> Grade:
        options = self._options(fields, compare)
        self._jobs.pay(1, 0.0)
        started = time.monotonic()
        done = self._together(fields, tests, options)
        # `grade` does not tell the CPU time of these; it was no more than the time that passed.
        self._jobs.add(max(done.executions - 1, 0), time.monotonic() - started)
        return done

    def _read(self, data: Any) -> Tests:
        try:
            self._pay_for(_python_in(data))
            return read_tests(data)
        except (ValueError, TypeError):
            raise
        except (RecursionError, MemoryError, LookupError, AttributeError) as error:
            raise ValueError(f"tests: {type(error).__name__}") from None

    def _pay_for(self, characters: int) -> None:
        if characters > MOST_TEXT:
            raise ValueError(f"tests of more than {MOST_TEXT:,} characters of Python")
        self._text_left -= characters
        if self._text_left < 0:
            self._jobs.exhaust("more tests that are Python were given than an audit parses")


def _told(case: Case) -> _Answer:
    return {"verdict": str(case.verdict), "reason": case.reason, "name": case.name}


def _answer_of(done: Grade) -> _Answer:
    return {
        "cases": [_told(case) for case in done.cases],
        "total": done.total,
        "executions": done.executions,
        "weaker": done.weaker,
    }


def _checked(request: Any) -> dict[str, Any]:
    """Return the fields of a request: limits apart from options, and the comparator, or None."""
    if type(request) is not dict or set(request) != _FIELDS:
        raise TypeError("not a request to grade")
    if type(request["code"]) is not str:
        raise TypeError(f"a program is a str, not a {type(request['code']).__name__}")
    options = request["options"]
    if type(options) is not dict or "policy" in options:
        raise TypeError("options are those of grade, by their names")
    chosen = options.get("comparator", COMPARATOR)
    if type(chosen) not in (str, type(None)):
        raise TypeError("a comparator is a name or a function")
    check_types(options)
    limits = {name: value for name, value in options.items() if name not in OWN}
    if any(type(value) not in (int, float) for value in limits.values()):
        raise TypeError("limits are numbers by their names")
    own = {name: options[name] for name in OWN if name in options and name != "comparator"}
    return {
        "code": request["code"],
        "tests": request["tests"],
        "comparator": chosen,
        "options": own,
        "limits": limits,
    }


def _python_in(data: Any) -> int:
    """Count the characters of `data` that are read as Python if it is what tests look like."""
    if isinstance(data, str):
        data = json.loads(data)
    if isinstance(data, list):
        return sum(len(each) for each in data if isinstance(each, str))
    if not isinstance(data, dict):
        return 0
    inner = sum(_python_in(data[key]) for key in _INNER if data.get(key) is not None)
    return inner + sum(len(json.dumps(data[key])) for key in _TEXTS if key in data)


def _one_by_one(
    tests: StdinTests | CallTests | AssertTests | None,
) -> Iterator[tuple[Tests, tuple[Any, ...]]]:
    """Yield each test alone, so that the budget is looked at before it, and what would be right."""
    if isinstance(tests, AssertTests):
        for number in range(tests.total):
            yield tests.only(slice(number, number + 1)), ()
    elif tests is not None:
        for given, wanted in tests.pairs:
            right = wanted if isinstance(wanted, tuple) else (wanted,)
            yield replace(tests, pairs=((given, wanted),)), right  # type: ignore[arg-type]
