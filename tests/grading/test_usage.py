"""Reading what tests use takes work in proportion to their text, up to a stated size."""

import ast
from collections import Counter

import pytest

from sandbox.grading import usage
from sandbox.grading.formats import read_tests


@pytest.mark.parametrize("prefix", ["f", "F", "rf", "Fr", "x = f", "print(f"])
@pytest.mark.parametrize("form", ["test_list", "test"])
def test_f_strings_of_many_fields_are_refused_where_parsing_them_is_quadratic(
    prefix: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tests(text: str) -> object:
        return {"test_list": [text]} if form == "test_list" else {"test": text, "entry_point": "f"}

    end = ")" if "(" in prefix else ""
    monkeypatch.setattr(usage, "_LOOKS_FOR_FIELDS", True)
    with pytest.raises(ValueError, match="f-strings"):
        read_tests(tests(f"{prefix}'{'{a}' * 10_000}'{end}"))
    assert read_tests(tests(f"{prefix}'{'{a}' * 1_000}'{end}")).total == 1
    assert read_tests(tests("assert f() == [" + "{'a': 1}," * 10_000 + "]")).total == 1
    monkeypatch.setattr(usage, "_LOOKS_FOR_FIELDS", False)
    usage.check_size([f"{prefix}'{'{a}' * 10_000}'{end}"])


@pytest.mark.parametrize("form", ["test_list", "test"])
def test_tests_that_are_too_long_for_any_program_are_not_parsed(form: str) -> None:
    """Grading masks them: a parser would refuse them."""
    texts = ["(" * (1 << 23)] * 3
    data = {"test": "".join(texts), "entry_point": "f"} if form == "test" else {form: texts}
    assert not read_tests(data).are_plain  # type: ignore[union-attr]


def looked_at(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many children of nodes are looked at to find instances in `text`."""
    seen, children = Counter[str](), ast.iter_child_nodes
    tree = ast.parse(text)

    def counted(node: ast.AST):  # type: ignore[no-untyped-def]
        for child in children(node):
            seen["children"] += 1
            yield child

    with monkeypatch.context() as patch:
        patch.setattr(ast, "iter_child_nodes", counted)
        assert not usage.needs_instances([tree], ["f"])
    return seen["children"]


def test_calls_within_calls_are_looked_at_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    shallow = looked_at("f(" * 40 + "1" + ")" * 40, monkeypatch)
    deep = looked_at("f(" * 80 + "1" + ")" * 80, monkeypatch)
    assert deep < 2.5 * shallow


@pytest.mark.parametrize("form", ["test_list", "test"])
def test_each_text_is_parsed_once(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read, parse = Counter[str](), ast.parse

    def counted(text: str, *rest: object, **options: object) -> ast.AST:
        read[text] += 1
        return parse(text, *rest, **options)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(ast, "parse", counted)
    if form == "test":
        read_tests({"test": "def check(f):\n    assert f(1)\n    f(2)", "entry_point": "f"})
    else:
        read_tests({"test_list": ["assert f(math.pi)", "random.seed(1)\nx = f(1)\nassert x"]})
    assert len(read) > 1
    assert set(read.values()) == {1}, read
