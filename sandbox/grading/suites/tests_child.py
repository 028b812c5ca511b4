"""Text that runs pytest over test files in the tests' child, and asks the program.

No part of the program is in it, and it is the same for every row: the supervisor runs `PREPARED`
once, and each child goes on from there with `SUITE`. The files are modules in memory;
what they import of the program is asked for. Each test is reported by a service as it ends.
"""

from sandbox.grading.shared.arrays import TESTS_ARRAYS
from sandbox.grading.shared.derived import TESTS_DERIVED
from sandbox.grading.shared.frames import TESTS_FRAMES
from sandbox.grading.shared.values import TESTS_VALUES
from sandbox.grading.shared.waiting import TESTS_WAITING
from sandbox.grading.suites.tests_classes import CLASSES
from sandbox.grading.suites.tests_given import GIVEN
from sandbox.grading.suites.tests_granted import GRANTED
from sandbox.grading.suites.tests_module import MODULE
from sandbox.grading.suites.tests_objects import OBJECTS
from sandbox.grading.suites.tests_pytest import PYTEST
from sandbox.grading.suites.tests_shared import SHARED
from sandbox.grading.texts.agreeing import AGREED
from sandbox.grading.texts.crossing import TEST_CODEC
from sandbox.grading.texts.followed import TESTS_FOLLOWING
from sandbox.grading.texts.lent import TESTS_LENDING
from sandbox.grading.texts.looking import TESTS_LOOKING
from sandbox.grading.texts.raising import RAISING
from sandbox.grading.texts.settings import WATCHING
from sandbox.grading.texts.testing import ASKING, BEGIN, CALL, REPORT

_ASKING = ASKING.format(
    settings=WATCHING.format(call="exchanged"), raising=RAISING, call="exchanged"
)

PREPARED = f"""
def grade_run():
{TEST_CODEC}
    import builtins
    from builtins import (
        AssertionError, ImportError, KeyboardInterrupt, MemoryError, NameError, any, dir, exec,
        hasattr, setattr,
    )

    class Ended(BaseException):
        pass

    module_name, lent_packages = [""], set()
{_ASKING}
{AGREED}
{OBJECTS}
{TESTS_LOOKING}
{CLASSES}
{MODULE}
    import logging
    import os
{GRANTED}
{GIVEN}
{TESTS_FOLLOWING}
{TESTS_LENDING}
{TESTS_VALUES}
{TESTS_ARRAYS}
{TESTS_FRAMES}
{TESTS_DERIVED}
    import ast
    import io
    import linecache
    import re
    import threading
    import warnings
    from pathlib import Path

    import pytest
    from _pytest.python import Module
{TESTS_WAITING}
{SHARED}
{PYTEST}
    def main():
        plan = {BEGIN}()
        module_name[0] = plan["module"]
        lent_packages.update(plan["packages"])
        grants[0] = plan["grants"]
        test_words[0] = set(plan["words"])
        knows_stop[0] = bool(test_words[0] & {{"StopIteration", "StopAsyncIteration"}})
        watched.update(readers(plan["settings"]))
        told.update({{name: read()[0] for name, read in watched.items()}})
        if "grade_set_random" in plan["settings"]:
            import random

            random.seed, random.setstate = seeding(random.seed), seeding(random.setstate)
        program = Program(module_name[0])
        sys.modules[module_name[0]] = program
        sys.meta_path.insert(0, Files(plan["files"]))
        # A module that the program wrote would be found there.
        own = str(Path.cwd())
        sys.path[:] = [each for each in sys.path if each not in ("", own)]
        hears[0], seen[0] = plan["hears"], plan["sees_arguments"]
        is_dry[0], only[0], by_star[0] = plan["is_dry"], plan["only"], plan["by_star"]
        patience[:] = [True] * 1000
        sys.argv = ["pytest"]
        told_argv[:] = sys.argv
        if not test_words[0].isdisjoint(("setenv", "delenv", "environ", "putenv")):
            environment[:] = [surroundings()]
        sys.stdin = io.StringIO()
        for name, text in plan["files"].items():
            if not name.endswith(".py"):
                put_file(name, text)
        if plan["shares_files"]:
            shares[0], directory[0] = ("/tmp", own), own
            mirror.update(tree())
        watch(plan["watched"])
        replaces[0], stdin_told[0] = bool(plan["watched"]), sys.stdin
        if numpy is not None:
            numpy.random.seed = numpy_seeding(numpy.random.seed)
            numpy_told[:] = [numpy_key()]
        begin()
        session = pytest.grade_session
        session.config.option.maxfail = 1 if plan["early_stop"] else 0
        session.config.pluginmanager.register(Watch(plan), "grade-watch")
        sys.stdout, sys.stderr = Sink(), Sink()
        hook = session.config.hook
        try:
            hook.pytest_collection(session=session)
            hook.pytest_runtestloop(session=session)
        except (KeyboardInterrupt, session.Failed, session.Interrupted, pytest.exit.Exception):
            pass  # each test has been told of, or has not
        finally:
            hook.pytest_sessionfinish(session=session, exitstatus=0)
            session.config._ensure_unconfigure()

    # What a test prints and nobody looks at.
    class Sink(io.TextIOBase):
        def writable(self):
            return True

        def write(self, text):
            return len(text)

    def put_file(name, text):
        try:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text)
        except OSError:  # no directory of its own here
            pass

    return main


import pytest

pytest.grade_main = grade_run()
"""
# The services are names of the program in a child, and those of functions above.
SUITE = f"""
import pytest

pytest.grade_main.__globals__.update({CALL}={CALL}, {BEGIN}={BEGIN}, {REPORT}={REPORT})
pytest.grade_main()
"""
