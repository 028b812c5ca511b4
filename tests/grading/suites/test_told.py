"""A program learns nothing of its tests, and an assertion of theirs that it ends is never lost."""

import pytest

from .protocol import graded

pytestmark = pytest.mark.xdist_group("suites")


def test_the_environment_tells_no_name_of_a_test() -> None:
    program = "import os\ndef names(): return sorted(os.environ)"
    test = """
from solution import names

def test_secret(monkeypatch):
    monkeypatch.setenv("MODE", "x")
    assert "MODE" in names() and not [name for name in names() if name.startswith("PYTEST")]
"""
    assert graded(program, test, policy="kernel-only").score == 1.0


def test_a_function_that_is_retried_may_fail_by_an_assertion() -> None:
    program = """
def retry(times):
    def decorated(function):
        def called(*args):
            for turn in range(times):
                try:
                    return function(*args)
                except Exception:
                    if turn == times - 1:
                        raise
        return called
    return decorated
"""
    test = """
import pytest
from solution import retry

def test_third():
    turns = []
    @retry(3)
    def flaky(n):
        turns.append(n)
        assert len(turns) == 3
        return n
    assert flaky(7) == 7

def test_never():
    @retry(2)
    def failing():
        raise AssertionError("never")
    with pytest.raises(AssertionError, match="never"):
        failing()
"""
    assert graded(program, test).score == 1.0


def test_the_name_of_a_test_that_is_decorated_reaches_no_program() -> None:
    program = "def kept(f):\n    kept.names = [f.__name__, f.__doc__]\n    return f\n"
    test = """
from solution import kept

@kept
def test_secret():
    'It says more.'
    assert kept.names == ["test", ""]
"""
    assert graded(program, test).score == 1.0


def test_what_the_library_keeps_in_an_object_of_the_tests_is_for_no_program() -> None:
    program = """
def told(thing, name):
    return getattr(thing, name, None)

def names(thing):
    return sorted(vars(thing))

def is_there(thing):
    return thing is not None
"""
    test = """
import sys, threading
from solution import is_there, names, told

class Plain:
    def __init__(self):
        self._kept = 2

class Worker(threading.Thread):
    shown = 3

class TestTold:
    secret = 5

    def test_objects(self):
        assert told(Plain(), "_kept") == 2 and names(Plain()) == ["_kept"]
        assert told(Worker(), "_target") is None and names(Worker()) == []

    def test_classes(self):
        assert told(Worker, "shown") == 3 and told(Worker, "_bootstrap") is None
        assert told(TestTold, "secret") is None

    def test_frames(self):
        assert is_there(sys._getframe()) and told(sys._getframe(), "f_globals") is None
"""
    done = graded(program, test, policy="kernel-only")
    assert [str(case.verdict) for case in done.cases] == ["passed"] * 3, done


def test_a_call_with_a_list_that_was_mended_is_no_retry() -> None:
    program = """
def mend(function):
    items = [1]
    try:
        function(items)
    except AssertionError:
        items.append(2)
        function(items)
"""
    test = """
from solution import mend

def test_given():
    def checked(items):
        assert len(items) == 2
    mend(checked)
"""
    assert graded(program, test).score == 0.0
