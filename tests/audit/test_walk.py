"""The search itself: what it finds in worlds with a hole, and that it cannot hurt the caller."""

import collections
import json
import os
import resource
import types

import pytest

from sandbox import Policy
from sandbox.audit.findings import Severity
from sandbox.audit.policy.audit import audit_policy
from sandbox.audit.walk import explorer, reach, step_timeout
from sandbox.audit.walk.search import Search
from sandbox.audit.walk.what_if import RawGrant
from sandbox.language.compile.rewriting import FORMAT, FREE, GETATTR, METACLASSES
from sandbox.language.guards import guards as guards_module
from sandbox.language.guards.attributes.sealing import seal
from sandbox.language.guest.world import build_world
from sandbox.language.stdlib.catalog import supported

STRICT = Policy.load("strict").plan()


def walked(made, roots, *, whole=False, sealed=True):
    """What a walk from `roots` finds in `made`, in a child of this process; or its answer."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            resource.setrlimit(resource.RLIMIT_CPU, (60, 61))
            step_timeout.start()
            if sealed:
                seal(made)
            allowed = [value for _, value in explorer._objects(made)]
            answer = Search(made, {}, lambda number: None).run(roots, allowed, True)
            data = json.dumps(answer).encode()
            while data:
                data = data[os.write(writing, data) :]
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    answer = json.loads(data)
    return answer if whole else {hit["rule"]: hit["path"] for hit in answer["hits"]}


def _unguarded_format(made):
    made.state.builtins[FORMAT] = lambda o: o.format


def _unguarded_reads(made):
    made.state.builtins[GETATTR] = getattr


def _writable_class(made):
    made.state.builtins["abs"] = collections.Counter  # of a world that is not sealed


def _leaking_builtin(made):
    made.state.builtins["abs"] = types.SimpleNamespace(inner=[os])


def _leaking_default(made):
    made.state.builtins["abs"] = {"deep": (frozenset({vars(json)["loads"]}), os.fdopen)}


@pytest.mark.parametrize(
    ("hole", "rule", "path"),
    [
        (_unguarded_format, "escape-attributes", "'{0.__code__}'.format((lambda: 0))"),
        (_unguarded_reads, "escape-classes", "().__class__.__subclasses__"),
        (_writable_class, "host-write", "stored(abs)"),
        (_leaking_builtin, "escape-module", "abs.inner[0]"),
        (_leaking_default, "escape-system", "abs['deep'][1]"),
    ],
)
def test_a_hole_in_the_guards_or_in_a_granted_object_is_found(hole, rule, path):
    made = build_world(STRICT)
    hole(made)
    roots = [("abs", "abs"), ("print", "print"), ("len", "len")]
    found = walked(made, roots, sealed=hole is not _writable_class)
    assert rule in found, found
    if path.startswith(("abs", "'{0")):
        assert found[rule] == path


def test_the_same_world_without_a_hole_is_clean():
    assert walked(build_world(STRICT), [("abs", "abs"), ("print", "print")]) == {}


def test_a_step_that_computes_without_end_is_given_up_and_the_search_goes_on():
    def computes(o=None):
        while o == "os":
            pass
        return os

    made = build_world(STRICT)
    made.state.builtins["abs"] = computes
    found = walked(made, [("abs", "abs")])
    assert "abs" in found["escape-module"]


@pytest.fixture(scope="module")
def everything():
    builtins, modules = supported()
    plan = Policy.load("contest").plan()
    wide = types.SimpleNamespace(**{**plan.to_dict(), "limits": plan.limits})
    wide.builtins, wide.modules, wide.name = builtins, modules, "everything"
    return reach.walk(type(plan)(**vars(wide)))


@pytest.mark.xdist_group("everything")  # the search is made once
def test_all_that_can_be_granted_at_all_leads_to_nothing(everything):
    assert {hit["rule"] for hit in everything["hits"]} <= {"host-container"}
    assert everything["complete"]
    assert everything["ends"] == []


@pytest.mark.xdist_group("everything")
def test_the_search_went_far_enough_to_mean_something(everything):
    assert everything["objects"] > 5_000
    assert everything["steps"] > 200_000
    reached = everything["reached"]
    assert "function builtins.print" in reached or "function sandbox.language" in str(reached)
    assert any(path.startswith("made(") for _, path in reached.values()) or len(reached) > 2_000


@pytest.mark.parametrize(
    ("grant", "path"),
    [
        (RawGrant("statistics", "random"), "statistics.random"),
        (RawGrant("random", "_os"), "random._os"),
        (RawGrant("typing", "get_type_hints"), "typing.get_type_hints(Own)"),
        (RawGrant("json", "codecs"), "json.codecs"),
        (RawGrant("warnings", "catch_warnings"), "warnings.catch_warnings()._module"),
    ],
)
def test_the_routes_that_real_policies_left_open_are_found_by_their_shortest_path(grant, path):
    (hit, *_) = reach.walk(STRICT, (grant,))["hits"]
    assert hit["path"] == path


def test_what_blocks_exits_or_prints_hurts_neither_the_caller_nor_the_answer(capfd):
    answer = reach.walk(STRICT, (RawGrant("email", "*"), RawGrant("sched", "scheduler")))
    assert answer["layers"]
    assert "seccomp" in answer["layers"]
    assert any(end.startswith("signal") for end in answer["ends"])  # the kernel's filter spoke
    assert "a system call that only the kernel's filter refused" in {
        hit["what"] for hit in answer["hits"]
    }
    assert capfd.readouterr() == ("", "")


def test_a_grant_that_this_python_does_not_have_is_no_failure():
    answer = reach.walk(STRICT, (RawGrant("no_such_module", "*"), RawGrant("", "no_such")))
    assert answer["roots"] == []
    assert answer["hits"] == []


def test_two_walks_find_the_same():
    plan = Policy.load("strict").plan()
    first, second = (reach.walk(plan, (RawGrant("copy", "*"),)) for _ in range(2))
    assert first["hits"] == second["hits"]
    assert first["steps"] == second["steps"]


def _no_metaclass(made):
    made.state.builtins[METACLASSES] = frozenset()


def _all_free(made):
    made.state.builtins[FREE] = type("All", (), {"__contains__": lambda self, key: True})()


@pytest.mark.parametrize(("hole", "path"), [(_no_metaclass, "kind_of("), (_all_free, "read_")])
def test_a_hole_that_only_the_questions_in_compiled_code_reach_is_found(hole, path):
    """In functions a guard is spared where the type of the object allows it."""
    made = build_world(STRICT)
    hole(made)
    found = walked(made, [("abs", "abs"), ("len", "len")])
    assert found["escape-classes"].startswith(path), found


def test_a_step_that_is_no_python_is_no_refusal():
    search = Search(build_world(STRICT), {}, lambda number: None)
    assert search._compiled("@.__globals__") is None
    with pytest.raises(AssertionError, match="no Python"):
        search._compiled("@ @")


def _missing_guard(made):
    made.state.builtins[GETATTR] = None


def _guard_with_a_bug(made):
    text = "def read(o, name, *rest): return {}[name]"
    names = {}
    exec(compile(text, guards_module.__file__, "exec"), names)
    made.state.builtins["getattr"] = names["read"]


@pytest.mark.parametrize(
    ("bug", "said"), [(_missing_guard, "NoneType"), (_guard_with_a_bug, "KeyError at language")]
)
def test_errors_of_ours_are_told_and_never_count_as_safe(bug, said):
    made = build_world(STRICT)
    bug(made)
    answer = walked(made, [("abs", "abs")], whole=True)
    assert said in str(answer["faults"])
    assert not answer["complete"]


def test_the_report_says_that_something_is_broken(quick):
    quick |= {"faults": ["getattr(value): KeyError at guards.py:1"], "complete": False}
    (found,) = [f for f in audit_policy("strict").findings if f.rule == "walk-incomplete"]
    assert "KeyError" in found.explanation
    assert found.severity is Severity.MEDIUM
