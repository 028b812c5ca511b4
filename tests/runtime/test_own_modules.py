"""Programs of several files: what `files` gives can be imported, compiled under the policy."""

import pytest

from sandbox import Job, Policy, Sandbox, Status

HELPER = "def double(x):\n    return 2 * x\n"
PROGRAM = "from helper import double\nprint(double(int(input())))\ndef f(x):\n    return double(x)"


@pytest.fixture(scope="module")
def algorithms():
    with Sandbox("algorithms", workers=1) as sandbox:
        yield sandbox


def test_a_helper_is_imported_by_every_way(algorithms):
    files = {"helper.py": HELPER}
    assert algorithms.run(PROGRAM, "21", files=files).output == "42\n"
    assert [r.output for r in algorithms.run_many(PROGRAM, ["1", "2"], files=files)] == [
        "2\n",
        "4\n",
    ]
    called = PROGRAM.replace("print", "lambda: print")
    assert algorithms.call(called, "f", [4], files=files).value == 8
    assert [r.output for r in algorithms.map([Job(PROGRAM, "3", files=files)])] == ["6\n"]
    assert algorithms.run(PROGRAM, "21").status is Status.DENIED


def test_the_strictest_policy_takes_modules_of_the_programs_own(strict):
    files = {"pkg/__init__.py": "from .part import x", "pkg/part.py": "x = 5"}
    assert strict.run("import pkg\nprint(pkg.x)", files=files).output == "5\n"
    refused = strict.run("import helper", files={"helper.py": "import math"})
    assert (refused.status, "import of module 'math'" in refused.error) == (Status.DENIED, True)
    assert "(/box/helper.py, line 1, column 1)" in refused.error


def test_what_the_dialect_refuses_in_a_module_is_denied_with_file_and_line(algorithms):
    files = {"helper.py": "x = 1\ny = x.__globals__\n"}
    result = algorithms.run("import helper", files=files)
    assert result.status is Status.DENIED
    assert "/box/helper.py" in result.error
    assert "attribute '__globals__' is denied in line 2" in result.error
    caught = algorithms.run(
        "try:\n    import helper\nexcept ImportError as error:\n    print('caught', error)",
        files=files,
    )
    assert caught.output.startswith("caught /box/helper.py: attribute '__globals__'")


def test_an_error_names_the_file_and_the_line(algorithms):
    files = {"deep/er.py": "def f():\n    raise KeyError('k')\n", "deep/__init__.py": ""}
    result = algorithms.run("import deep.er\ndeep.er.f()", files=files)
    assert result.error == "KeyError: 'k' (/box/deep/er.py, line 2)"
    assert 'File "/box/deep/er.py", line 2, in f' in result.traceback
    assert 'File "<program>", line 2, in <module>' in result.traceback


def test_a_file_of_the_callers_is_preferred_as_in_cpython_and_one_of_the_programs_is_not(
    algorithms,
):
    mine = {"heapq.py": "x = 'mine'", "itertools.py": "x = 'mine'"}
    ask = "import {0}\nprint(getattr({0}, 'x', 'granted'))"
    assert algorithms.run(ask.format("heapq"), files=mine).output == "mine\n"
    assert algorithms.run(ask.format("itertools"), files=mine).output == "granted\n"
    written = "open('heapq.py', 'w').write('x = 1')\n"
    assert algorithms.run(written + ask.format("heapq")).output == "granted\n"
    package = {"json/__init__.py": "x = 'mine'"}
    assert algorithms.run(ask.format("json"), files=package).output == "granted\n"


def test_a_module_that_is_too_large_is_denied(algorithms):
    files = {"large.py": "#" * 2048}
    result = algorithms.run("import large", files=files, source_kib=1)
    assert (result.status, "source_kib" in result.error) == (Status.DENIED, True)


def test_limits_are_told_as_such_in_a_module(algorithms):
    files = {
        "deep.py": "def f():\n    f()\n",
        "much.py": "def f():\n    return bytes(1 << 40)\n",
        "long.py": "while True: pass",
        "said.py": "def f():\n    raise RecursionError('said')\n",
    }
    run = algorithms.run
    assert run("import deep\ndeep.f()", files=files).status is Status.RECURSION_LIMIT
    assert run("import much\nmuch.f()", files=files).status is Status.MEMORY_LIMIT
    assert run("import long", files=files, cpu_seconds=0.3).status is Status.CPU_LIMIT
    assert run("import said\nsaid.f()", files=files).status is Status.ERROR


def test_finalizers_in_modules_run_at_the_end(algorithms):
    files = {"m.py": "class D:\n    def __del__(self):\n        print('gone')\nd = D()\n"}
    assert algorithms.run("import m", files=files).output == "gone\n"


def test_modules_work_under_a_deterministic_policy():
    policy = Policy.load("algorithms").replaced(name="fixed", deterministic=True)
    files = {"m.py": "class C: pass\nc = C()\ns = {1, 'a', (2,)}\n"}
    with Sandbox(policy, workers=1) as sandbox:
        job = Job("import m, os\nprint(m.c, m.s, os.listdir('.'), os.stat('m.py'))", files=files)
        first, second = (result.output for result in sandbox.map([job, job]))
    assert first == second != ""


def test_nothing_of_one_jobs_modules_is_there_for_the_next(algorithms):
    assert algorithms.run("import helper", files={"helper.py": "x = 1"}).ok
    assert algorithms.run("import helper").status is Status.DENIED


@pytest.mark.parametrize("part", ["__builtins__", "__class__", "__dict__", "__name__"])
def test_no_file_gives_a_package_a_name_of_pythons_own(algorithms, part):
    files = {"pkg/__init__.py": "x = 5", f"pkg/{part}.py": "y = 6\ndef print(*a): pass"}
    result = algorithms.run(f"import importlib\nimportlib.import_module('pkg.{part}')", files=files)
    assert result.status in (Status.ERROR, Status.DENIED)
    assert "ModuleNotFoundError" in result.error or result.status is Status.DENIED
    read = algorithms.run("import pkg\nprint(pkg.x)", files=files)
    assert read.output == "5\n"
