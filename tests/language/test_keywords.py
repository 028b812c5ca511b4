"""A keyword may be a text of the program's own kind: equal to a name at one look, not at the next.

Python matches it with parameters, and C code looks for it in dicts, each time by its `__eq__`. So a
function of ours that hands keywords on does not hand on others beside them, nor look for one by its
name, before they are plain texts.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "sandbox" / "language"
# By file and function, where no keyword is a program's.
_OURS = {
    ("compile/rewriting.py", "become"),
    ("library/lenient.py", "_shapes"),
    ("natives/values/decimals.py", "method"),  # it asks for values alone
    ("natives/values/kept_keys.py", "function"),  # as these it makes plain ones
    ("stdlib/served/sandbox.py", "of"),
    # Of a question, whose keywords are plain: `is_question` looks first.
    ("numpy/engine/operations.py", "seterr"),
    ("numpy/engine/entries.py", "call"),
}


def _functions():
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.args.kwarg:
                yield path.relative_to(ROOT).as_posix(), node


def _uses(function):
    """Yield where a function reads its keywords, or hands them on beside others."""

    def is_it(node):
        return isinstance(node, ast.Name) and node.id == function.args.kwarg.arg

    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            given = [keyword.value for keyword in node.keywords if keyword.arg is None]
            beside = len(given) < len(node.keywords) or len(given) > 1
            if beside and any(map(is_it, given)):
                yield node
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            if is_it(node.value):
                yield node
        elif isinstance(node, ast.Compare) and any(map(is_it, node.comparators)):
            yield node


def _makes_plain(function):
    name = function.args.kwarg.arg
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    return any(ast.unparse(call) == f"exact_names({name})" for call in calls)


def test_no_function_looks_for_a_keyword_that_is_no_plain_text():
    found = {
        (path, function.name)
        for path, function in _functions()
        if any(_uses(function)) and not _makes_plain(function)
    }
    assert found <= _OURS


def test_the_keywords_of_a_class_statement_do_not_come_to_c_code():
    text = (ROOT / "guards/classes/classes.py").read_text(encoding="utf-8")
    calls = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "_real_build_class"
    ]
    assert calls
    for call in calls:
        assert [keyword.arg for keyword in call.keywords] == ["metaclass"]


@pytest.mark.parametrize("statement", ["class C(Base, **given)", "class C(Base, key=1)"])
def test_a_class_is_told_its_keywords_as_they_were_given(run, statement):
    ran = run(
        f"""
class Name(str): pass
class Base:
    def __init_subclass__(cls, **named):
        print([(type(key).__name__, key, named[key]) for key in named])
given = {{Name("key"): 1}}
{statement}: pass
"""
    )
    kind = "Name" if "given" in statement else "str"
    assert ran.output == f"[({kind!r}, 'key', 1)]\n"


def test_a_metaclass_may_be_given_by_a_text_of_the_programs_own_kind(run):
    ran = run(
        """
class Name(str): pass
class M(type): pass
class C(**{Name("metaclass"): M}): pass
print(type(C) is M)
"""
    )
    assert ran.output == "True\n", ran


def test_a_type_variable_takes_its_name_by_a_keyword_of_the_programs_own_kind(run):
    ran = run(
        """
import typing
class Name(str): pass
print(typing.TypeVar(**{Name("name"): "T", "bound": int}).__bound__)
"""
    )
    assert ran.output == "<class 'int'>\n", ran
