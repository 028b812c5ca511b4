"""How much work the static gate does for a source: bounded by its size, whatever it says."""

import ast
import cProfile
import sys

import pytest

from sandbox import audit_reward
from sandbox.audit.reward.gate import _examine, is_accepted
from sandbox.audit.reward.native.function import reasons_against
from sandbox.audit.reward.reading import folding
from sandbox.audit.reward.reading.entry import entries
from sandbox.audit.reward.reading.look import Look, parse, shown
from sandbox.audit.reward.reading.static import check_tree
from sandbox.result import Result, Status
from sandbox.rewards.independence import reason_against

from .worst import HEAD, deep, many

COUNT = 110
# Calls of functions, of C and of Python, that the budget for tangled sources comes to, at most.
TANGLED = 12_000_000
SMALL, LARGE = dict(many(COUNT)), dict(many(2 * COUNT))


def work(source):
    """The calls that looking at `source` takes; none for what is refused for its shape."""
    tree = parse(source)
    if tree is None:
        return 0
    with cProfile.Profile() as profile:
        check_tree(Look(tree))
        reasons_against(tree)
        for entry in entries(tree)[-1:]:
            reason_against(tree, entry)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("title", SMALL)
def test_twice_the_source_is_not_four_times_the_work(title):
    small, large = work(SMALL[title]), work(LARGE[title])
    assert large <= 2.2 * small + 50_000
    assert large <= TANGLED


@pytest.mark.parametrize("title", [title for title, _ in deep(1)])
def test_what_is_nested_too_deeply_is_refused_and_what_is_not_is_looked_at(title):
    for levels, refused in ((15, False), (250, True), (1000, True), (5000, True)):
        source = dict(deep(levels))[title]
        found = {finding.rule for finding in _examine(source, None, (), Loaded(), {})}
        assert ("unreadable" in found) is refused, levels


def test_a_dotted_name_that_is_dear_to_parse_is_refused():
    for dots, refused in ((400, False), (20_000, True)):
        assert (parse(f"import {'a.' * dots}b\n") is None) is refused, dots


class Loaded:
    """A trial whose child has loaded the module, and can do no more."""

    most_bytes = 1 << 20

    def load(self):
        return Result(output="", error="a name", status=Status.ERROR)


def test_an_accepted_sum_of_a_hundred_texts_stays_accepted():
    source = HEAD + "x = " + " + ".join(["'a'"] * 100) + "\n"
    assert is_accepted(audit_reward(source))
    long = audit_reward(HEAD + "x = " + " + ".join(["'a'"] * 1000) + "\n")
    assert [finding.rule for finding in long.findings] == ["unreadable"]


def test_a_caller_that_is_deep_in_its_own_gets_a_refusal():
    source = dict(deep(90))["calls of calls"]

    def down(levels):
        if levels:
            return down(levels - 1)
        return [finding.rule for finding in _examine(source, None, (), Loaded(), {})]

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(700)
    try:
        assert down(700 - 330) == ["unreadable"]
    finally:
        sys.setrecursionlimit(limit)


def test_a_name_that_each_finding_would_repeat_is_refused():
    name = "a" * 1001
    for text in (f"import {name} as m", f"{name} = 1", f"x.{name}", f"f({name}=1)"):
        assert parse(text) is None
    assert parse(f"x = {name!r}") is not None
    findings = _examine(f"foo.{'b' * 900}.__code__", None, (), Loaded(), {})
    assert max(len(finding.path) for finding in findings) <= 500


def test_only_small_expressions_are_written_out():
    assert shown(ast.parse("a.b(1)").body[0].value) == "a.b(1)"
    assert shown(ast.parse("[" + "1, " * 500 + "]").body[0].value) == "List"


@pytest.mark.parametrize(
    ("owner", "name", "args"),
    [
        ("a" * 4000, "replace", ["a", "b" * 4000]),
        ("a" * 4000, "replace", ["", "b" * 4000]),
        ("a" * 4000, "join", [["b"] * 4000]),
        ("{0}" * 1000, "format", ["b" * 4000]),
        ("a" * 4000, "translate", [{97: "b" * 4000}]),
        (b"a" * 4000, "join", [[b"b"] * 4000]),
    ],
)
def test_no_text_is_made_that_is_too_large_to_go_on_with(owner, name, args):
    with pytest.raises(folding.Unknown):
        folding.call_method(owner, name, args)
    assert folding.call_method("ab", "replace", ["a", "b"]) == "bb"
    assert folding.call_method(",", "join", [["a", "b"]]) == "a,b"
    assert folding.call_method("{0}{0}", "format", ["a"]) == "aa"
    assert folding.call_method("ab", "translate", [{97: "x"}]) == "xb"


def test_what_is_shared_weighs_as_often_as_it_is_there():
    value = ()
    for _ in range(60):
        value = (value, value)
    assert folding.weight(value) > folding.HEAVIEST
    assert folding.weight(["a", {"b": (1, 2)}]) < 20
