"""What stands in for functions and classes of the library does as those do, in CPython itself."""

import ast
from pathlib import Path

import pytest
from listed import assert_as_in_cpython, listed

import sandbox.language

PROGRAMS = listed("stand_ins.txt") | listed("asyncio.txt")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    assert_as_in_cpython(PROGRAMS[name], run(PROGRAMS[name]))


# Of these functions the names of the parameters are part of the interface, and so are those of the
# keywords that they take, none of which a program chooses.
OPTIONS = {
    "compile/rewriting.py": {"become"},
    "guest/preloading.py": {"_only_loaded"},
    "guest/stdio.py": {"reconfigure"},
    "natives/values/streams.py": {"__init__"},
    "stdlib/core.py": {"namedtuple", "__new__"},
    "stdlib/served/grading.py": {"grade", "grade_many"},
    "stdlib/concurrency/futures.py": {"__init__", "map", "shutdown"},
    "stdlib/served/sandbox.py": {
        *("tightened", "of", "__init__", "run", "call", "run_many", "call_many", "arun", "acall")
    },
    "stdlib/system/os.py": {"fdopen"},
    "stdlib/system/sys.py": {"format_exception", "format_exception_only", "print_exception", "new"},
    "stdlib/system/warnings.py": {"warn"},
}


def _named_beside_keywords(path):
    """Each function in a file that takes any keywords, and what else it takes by a name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, FUNCTIONS) and node.args.kwarg and node.args.args:
            yield getattr(node, "name", "<lambda>"), [arg.arg for arg in node.args.args]


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
LANGUAGE = Path(sandbox.language.__file__).parent


@pytest.mark.parametrize(
    "path", sorted(LANGUAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(LANGUAGE))
)
def test_a_keyword_of_a_programs_never_meets_a_parameter_of_ours(path):
    found = {name for name, _ in _named_beside_keywords(path)}
    assert found == OPTIONS.get(str(path.relative_to(LANGUAGE)), set())


def test_what_is_named_beside_keywords_is_found(tmp_path):
    (tmp_path / "x.py").write_text(
        "def f(a, /, **k): 0\ndef g(a, *b, **k): 0\nh = lambda a, **k: 0"
    )
    assert [*_named_beside_keywords(tmp_path / "x.py")] == [("g", ["a"]), ("<lambda>", ["a"])]


DENIED = {
    "a callback": "asyncio.get_running_loop().call_soon(deny); await asyncio.sleep(0.1)",
    "a timer": "asyncio.get_running_loop().call_later(0.1, deny); await asyncio.sleep(1)",
    "a done callback": (
        "asyncio.create_task(asyncio.sleep(0)).add_done_callback(deny); await asyncio.sleep(1)"
    ),
    "an exception handler": (
        "loop = asyncio.get_running_loop(); loop.set_exception_handler(deny);"
        " loop.call_soon(int, 'x'); await asyncio.sleep(1)"
    ),
    "a task that nobody awaits": "asyncio.create_task(denied()); await asyncio.sleep(1)",
    "a callback of an executor's": "ThreadPoolExecutor().submit(int).add_done_callback(deny)",
}


@pytest.mark.parametrize("place", DENIED)
def test_a_denial_passes_through_what_swallows_errors(run, place):
    ran = run(
        "import asyncio\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "def deny(*args): import ctypes\nasync def denied(): import ctypes\n"
        f"async def main(): {DENIED[place]}\nasyncio.run(main())\n"
    )
    assert ran.status == "DENIED", ran
    assert "ctypes" in ran.error


def test_a_denial_that_was_asked_for_is_an_exception_like_others(run):
    ran = run(
        "import asyncio\nasync def denied(): import ctypes\nasync def main():\n"
        "    for error in await asyncio.gather(denied(), return_exceptions=True): print(error)\n"
        "asyncio.run(main())\n"
    )
    assert (ran.status, ran.output) == ("OK", "No module named 'ctypes'\n"), ran
