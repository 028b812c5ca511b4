"""What stands in for functions and classes of the library does as those do, in CPython itself."""

import ast
from pathlib import Path

import pytest
from listed import assert_as_in_cpython, listed

import sandbox.language

PROGRAMS = listed("stand_ins.txt")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    assert_as_in_cpython(PROGRAMS[name], run(PROGRAMS[name]))


# Of these functions the names of the parameters are part of the interface, and so are those of the
# keywords that they take, none of which a program chooses.
OPTIONS = {
    "compile/rewriting.py": {"become"},
    "guards/builtin_guards.py": {"open"},
    "guest/preloading.py": {"_only_loaded"},
    "guest/stdio.py": {"reconfigure"},
    "natives/streams.py": {"__init__"},
    "stdlib/core.py": {"namedtuple", "__new__"},
    "stdlib/dataclasses.py": {"_signature_fromstr"},
    "stdlib/grading.py": {"grade", "grade_many"},
    "stdlib/queue.py": {"__init__", "map", "shutdown"},
    "stdlib/sandbox.py": {
        *("tightened", "__init__", "run", "call", "run_many", "call_many", "arun", "acall")
    },
    "stdlib/sys.py": {"format_exception", "format_exception_only", "print_exception", "new"},
    "stdlib/warnings.py": {"warn"},
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
