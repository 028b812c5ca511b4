"""Grading for a reward function in a child: served by the trusted side, paid for by its budget."""

import json

import pytest

from sandbox import Status
from sandbox.audit.reward.grading import Grading
from sandbox.job import FIELDS, LOCAL, Job
from sandbox.language.stdlib.served.grading import EXTRACT, GRADE
from sandbox.language.stdlib.served.sandbox import SERVICE


def request(**fields):
    tests = {"inputs": ["a"], "outputs": ["a"]}
    base = {"code": "print(input())", "tests": tests}
    options = {"comparator": "lcb", "early_stop": True, "preamble": "calls"}
    return {**base, "options": options, **fields}


def asking(**options):
    return request(options={"comparator": "lcb", "early_stop": True, **options})


@pytest.fixture
def grading(jobs):
    return Grading(jobs)


@pytest.fixture
def graded(guests, jobs, grading):
    lent = {SERVICE: jobs.serve, GRADE: grading.serve, EXTRACT: grading.extract}
    return lambda code: guests.run(code, services=lent)


def test_grades_are_what_the_real_functions_give(graded):
    result = graded("""
from sandbox import extract_code, grade, grade_many
assert extract_code("```python\\nprint(1)\\n```") == "print(1)\\n"
assert extract_code([{"role": "assistant", "content": "```\\n2\\n```"}]) == "2\\n"
pairs = {"inputs": ["1", "2", "3"], "outputs": ["1.0", "0", "3"]}
one = grade("print(input())", pairs, early_stop=False)
assert (one.passed, one.total, one.score, one.masked, one.weaker) == (2, 3, 0.0, False, False)
assert one.fraction == 2 / 3 and one.executions == 3
assert [c.verdict for c in one.cases] == ["passed", "failed", "passed"]
assert one.cases[1].reason == "wrong answer"
[every] = grade_many([("print(input())", pairs)], early_stop=False)
assert [c.verdict for c in every.cases] == ["passed", "failed", "passed"]
early = grade_many([("print(input())", pairs)])
assert [c.verdict for c in early[0].cases] == ["passed", "failed", "skipped"]
exact = grade("print(input())", pairs, comparator="exact", early_stop=True)
assert [c.verdict for c in exact.cases] == ["failed", "skipped", "skipped"]
own = grade("print(input())", pairs, comparator=lambda a, b: a.strip() == b[:1], early_stop=False)
assert (own.passed, own.score) == (2, 0.0)
calls = {"fn_name": "f", "inputs": [[1], [2]], "outputs": [2, [4]]}
for comparator in ("lcb", lambda a, b: a == b):
    assert grade("def f(x): return 2 * x", calls, comparator=comparator).score == 1.0
checks = {"test_list": ["assert f(1) == 2", "assert f(2) == 5"]}
assert grade("def f(x): return 2 * x", checks).passed == 1
assert grade("while True: pass", pairs, cpu_seconds=0.05).cases[0].reason.startswith("CPU_LIMIT")
one = {"inputs": [""], "outputs": ["1"]}
assert grade("print(x)", one, preamble="x = 1").score == 1.0
assert grade("print(x)", one, preamble="").score == 0.0
assert grade(" ", pairs).cases[0].reason == "no program"
assert grade("1", None).masked and grade("1", []).score is None
bad = grade("print(1)", pairs, comparator=lambda a, b: 1 / 0)
assert bad.masked and bad.cases[0].reason == "the comparator raised ZeroDivisionError"
print("all")
""")
    assert (result.output, result.error) == ("all\n", "")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("extract_code(None)", "TypeError"),
        ("extract_code([['nested']])", "TypeError"),
        ("grade(None, {'inputs': [], 'outputs': []})", "TypeError"),
        ("grade('1', {'answer': 3})", "ValueError"),
        ("grade('1', {'inputs': ['1'], 'outputs': []})", "ValueError"),
        ("grade('1', '{')", "ValueError"),
        ("grade('1', {'test_list': ['assert (']})", "ValueError"),
        ("grade('1', {'test_list': [5]})", "ValueError"),
        ("grade('1', {'test_list': ['x' * 70_000]})", "ValueError"),
        ("grade('1', None, comparator='fuzzy')", "ValueError"),
        ("grade('1', {'inputs': [''], 'outputs': ['']}, cpu_second=1)", "ValueError"),
        ("grade('1', {'inputs': [''], 'outputs': ['']}, cpu_seconds=1000)", "ValueError"),
        ("grade_many(5)", "TypeError"),
        ("grade('1', {'inputs': {1, 2}})", "ValueError"),
    ],
)
def test_a_wrong_request_raises_in_the_function_what_the_real_one_raises(code, kind, graded):
    result = graded(f"from sandbox import extract_code, grade, grade_many\n{code}")
    assert result.status is Status.ERROR
    assert kind in result.error


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        {},
        request(more=1),
        request(code=b"x"),
        asking(comparator=["lcb"]),
        asking(comparator="__class__"),
        asking(early_stop=1),
        asking(preamble=None),
        request(options=[]),
        asking(cpu_seconds="1"),
        asking(cpu_seconds=float("nan")),
        asking(cpu_second=1),
        asking(policy="kernel-only"),
        request(tests=5),
        request(tests={"inputs": 5, "outputs": 5}),
        request(tests={"fn_name": "__import__('os')", "inputs": [[]], "outputs": [1]}),
        request(tests={"test": "x", "entry_point": "f(__import__('os'))"}),
        request(tests="[" * 100_000),
        request(tests={"test_list": ["-" * 50_000 + "1"]}),
        request(tests={"test_cases": ["assert " + "x" * 70_000]}),
        request(tests={"verification_info": '{"test_list": ["' + "x" * 70_000 + '"]}'}),
    ],
    ids=lambda wrong: repr(wrong)[:60],
)
def test_a_forged_request_to_grade_is_answered_and_nothing_runs(wrong, grading, jobs):
    assert grading.serve(wrong)["raised"] in ("TypeError", "ValueError")
    assert jobs.programs == 0


def test_what_comes_back_of_a_grade_is_plain_data_without_what_was_expected(grading):
    answer = grading.serve(request(tests={"inputs": ["a"], "outputs": ["secret"]}))
    assert json.loads(json.dumps(answer)) == answer
    assert "secret" not in json.dumps(answer)
    own = grading.serve(asking(comparator=None))
    assert own["cases"] == [{"actual": "a\n", "expected": ["a"]}]


def test_grading_is_paid_for_from_the_same_budget(grading, jobs, monkeypatch):
    asserted = {"tests": {"test_list": ["assert f() == 1"]}, "code": "def f(): return 1"}
    first = grading.serve(request(**asserted))
    assert first["cases"] == [{"verdict": "passed", "reason": "", "name": ""}]
    spent = jobs.programs
    assert spent == first["executions"] > 0
    assert grading.serve(request(**asserted)) == first
    assert jobs.programs == spent
    monkeypatch.setattr("sandbox.audit.reward.grading.MOST_TEXT_IN_ALL", 0)
    with pytest.raises(RuntimeError, match="more tests that are Python"):
        Grading(jobs).serve(request(**asserted))
    monkeypatch.setattr("sandbox.audit.reward.jobs.MOST_CPU_SECONDS", 0.0)
    for ask in (lambda: grading.serve(request()), lambda: grading.extract("x")):
        with pytest.raises(RuntimeError, match="s of CPU"):
            ask()


def test_requests_are_remembered_as_long_as_they_are_few(grading, monkeypatch):
    monkeypatch.setattr(grading, "_room", 100)
    asserted = {"tests": {"test_list": ["assert f() == 1"]}, "code": "def f(): return 1"}
    for _ in range(3):
        assert grading.serve(request(**asserted))["cases"][0]["verdict"] == "passed"
    assert not grading._known


def test_without_a_session_nothing_is_graded(guests):
    result = guests.run("from sandbox import grade\ngrade('1', None)")
    assert result.status is Status.ERROR
    assert "no session" in result.error


def test_an_answer_is_remembered_for_no_other_order_of_a_dict(grading):
    pairs = {"fn_name": "f", "outputs": [["a", "b"]], "inputs": [[{"a": 1, "b": 2}]]}
    code = "def f(d):\n    return list(d)"
    other = {**pairs, "inputs": [[{"b": 2, "a": 1}]]}
    for tests, given in ((pairs, ["a", "b"]), (other, ["b", "a"])):
        answer = grading.serve({**asking(comparator=None), "code": code, "tests": tests})
        assert answer["cases"][0]["actual"] == given


def test_a_result_is_remembered_for_no_other_order_of_a_dict(jobs):
    job = Job("def f(d):\n    return list(d)", entry="f", argv=[])
    fields = {name: getattr(job, name) for name in FIELDS if name not in LOCAL}
    for given in ({"a": 1, "b": 2}, {"b": 2, "a": 1}):
        assert jobs.serve({**fields, "args": [given]})["value"] == list(given)
