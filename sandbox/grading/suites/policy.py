"""Make the policy of the tests' child: CPython with pytest, held by the kernel's layers."""

from sandbox.policy.model import Policy

_REASON = "Test files are run by pytest itself, in a child that has no part of the program."
# One run of each kind of test, for what a first run imports and compiles: all of pytest's plugins.
_WARM_UP = '''
import types
import unittest.case
from pathlib import Path

import pytest
from _pytest.config import _prepareconfig
from _pytest.main import Session
from _pytest.python import Module


class Warming:
    def pytest_collection(self, session):
        module = types.ModuleType("warming")
        source = """
import unittest
import unittest.mock
import pytest

@pytest.fixture
def one():
    return 1

@pytest.mark.parametrize("n", [1])
def test_it(one, n, capsys, monkeypatch):
    with pytest.raises(ValueError, match="x"):
        raise ValueError("x")
    assert one == pytest.approx(n)

def test_failing():
    assert False

class TestCase(unittest.TestCase):
    def test_it(self):
        with unittest.mock.patch("builtins.input"):
            self.assertEqual(1, 1)
"""
        exec(compile(source, "warming.py", "exec"), vars(module))
        node = Module.from_parent(session, path=Path("warming.py").absolute())
        node._getobj = lambda: module
        session.items = list(session.genitems(node))
        session.testscollected = len(session.items)
        return True


OPTIONS = ["-p", "no:terminal", "-p", "no:cacheprovider", "-p", "no:faulthandler", "--capture=no",
           "--assert=plain", "-c", "/dev/null", "--rootdir=/", "--basetemp=/tmp/cases"]
pytest.main(OPTIONS, plugins=[Warming()])
# What each run begins with, up to the collection of tests. A file that it opens is closed.
config = _prepareconfig(OPTIONS)
config._do_configure()
config.pluginmanager.get_plugin("logging-plugin").log_file_handler.close()
pytest.grade_session = Session.from_config(config)
config.hook.pytest_sessionstart(session=pytest.grade_session)

# What a failure looks like is not read, and would take the time of large values.
unittest.case.safe_repr = lambda value, short=False: "..."
unittest.case.pprint = types.SimpleNamespace(pformat=lambda value: "...")
unittest.case.difflib = types.SimpleNamespace(ndiff=lambda *texts: (), unified_diff=lambda *_: ())

from sandbox.grading.suites.tests_child import PREPARED

exec(PREPARED, {})
'''


def testing(policy: Policy) -> Policy:
    """Make the policy of the tests' child for programs under `policy`.

    It has pytest, and the packages that `policy` grants: tests compare what these make.
    """
    pytest = {
        "name": "pytest",
        "preload": ["pytest", "unittest.mock"],
        "warm_up": _WARM_UP,
        "reason": _REASON,
    }
    limits = {
        name: max(getattr(policy.limits, name), least)
        for name, least in (
            ("cpu_seconds", 30.0),
            ("wall_seconds", 120.0),
            ("memory_mib", 1024),
            ("output_kib", 16384),
            ("source_kib", 16384),
        )
    }
    return Policy.load("kernel-only").replaced(
        name="grading-suites",
        services=True,
        threads=16,
        packages=(*policy.packages, pytest),
        limits=limits,
        layers={"namespaces": "required", "landlock": "required"},  # packages are shown by both
    )
