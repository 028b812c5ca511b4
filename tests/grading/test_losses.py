"""A supervisor that is lost while a row is graded: the row starts anew, no right one scores 0."""

import contextlib
import threading

import psutil
import pytest

from sandbox import Policy, Sandbox, SandboxError, grade, grade_many
from sandbox.grading.asserts.call_session import Guest
from sandbox.grading.sandboxes import Sandboxes
from sandbox.grading.texts.harness import PASS

from .samples import COPY

IDENTITY = "def f(x):\n    return x"
LONG = {"test_list": [f"assert f({n}) == {n}\nassert f(-{n}) == -{n}" for n in range(6)]}


@pytest.fixture
def killing(monkeypatch):
    """`killing(role, call)`: the supervisor of the sandbox `role` dies before that call, once."""
    made, init, calls = [], Sandboxes.__init__, []

    def note(self, *args, **kwargs):
        made.append(self)
        init(self, *args, **kwargs)

    def prepare(role, at):
        call = Guest.call

        def kill_first(self, request):
            calls.append(request)
            if len(calls) == at:
                kill(getattr(made[-1], role))
            return call(self, request)

        monkeypatch.setattr(Guest, "call", kill_first)

    monkeypatch.setattr(Sandboxes, "__init__", note)
    return prepare


def kill(sandbox):
    supervisor = psutil.Process(sandbox._pool._current.pid)
    supervisor.kill()
    supervisor.wait(10)


@pytest.mark.parametrize("role", ["guests", "tests"])
@pytest.mark.parametrize("at", [2, 4])
def test_a_right_program_is_right_also_where_a_supervisor_is_lost(role, at, killing):
    """Its second run would take the first request for an answer: the row starts anew instead."""
    killing(role, at)
    result = grade(IDENTITY, LONG)
    assert (result.score, result.masked) == (1.0, False)
    assert result.passed == 6


def test_of_many_rows_none_is_wrong_where_supervisors_are_lost(monkeypatch):
    call, calls, lock = Guest.call, [], threading.Lock()

    def kill_now_and_then(self, request):
        with lock:
            calls.append(request)
            is_due = len(calls) % 15 == 0 and len(calls) < 100
        if is_due:
            with contextlib.suppress(AttributeError, psutil.Error):  # replaced at this moment
                kill(self._sandbox)
        return call(self, request)

    monkeypatch.setattr(Guest, "call", kill_now_and_then)
    rows = [(f"{IDENTITY} + {n} - {n}", LONG) for n in range(15)]
    grades = grade_many(rows, workers=2)
    assert {grade.score for grade in grades} <= {1.0, None}
    assert sum(grade.masked for grade in grades) < 12
    assert len(calls) > 90


def test_a_token_that_was_given_before_a_loss_is_not_counted_twice(monkeypatch):
    stack = "class Stack:\n    def push(self, x):\n        return x\n"
    test = "s = Stack()\nassert s.push(1) == 1\nassert s.push(2) == 2"
    real, lost = Sandbox.run, []

    def run(self, code, stdin="", *, services=None, **options):
        def give_and_lose(token):
            services[PASS](token)
            if not lost:
                lost.append(token)
                kill(self)

        if not services or PASS not in services:
            return real(self, code, stdin, services=services, **options)
        return real(self, code, stdin, services={PASS: give_and_lose}, **options)

    monkeypatch.setattr(Sandbox, "run", run)
    result = grade(stack, {"test_list": [test]})
    assert (result.score, result.weaker, len(lost)) == (1.0, True, 1)


def test_a_sandbox_that_cannot_start_masks_its_row_and_no_other(monkeypatch):
    policy = Policy.load("contest").replaced(name="contest-that-starts-late")
    real, failed = Sandboxes.__dict__["programs"].fget, []

    def programs(self):
        if len(failed) < 2:
            failed.append(1)
            raise SandboxError("the supervisor ended while it started (status -9)")
        return real(self)

    monkeypatch.setattr(Sandboxes, "programs", property(programs))
    rows = [(f"{COPY}  # {n}", {"inputs": ["a"], "outputs": ["a"]}) for n in range(3)]
    grades = grade_many(rows, workers=1, policy=policy)
    assert [grade.score for grade in grades] == [None, 1.0, 1.0]
