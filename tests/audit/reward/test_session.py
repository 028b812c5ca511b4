"""The `sandbox` module in a child: a stand-in that the trusted side serves, and what it is told."""

import pytest

from sandbox import Policy, PolicyError, Status
from sandbox.job import FIELDS, LOCAL, Job
from sandbox.language.stdlib.served.sandbox import SERVICE

JOB = Job("print(input())", "x", args=[], argv=[])
GOOD = {name: getattr(JOB, name) for name in FIELDS if name not in LOCAL}


@pytest.fixture
def run(guests, jobs):
    return lambda code: guests.run(code, services={SERVICE: jobs.serve})


def test_every_form_of_running_a_program_is_served(run):
    result = run("""
import asyncio
from sandbox import Job, Policy, Result, Sandbox, Status, restricted_execution
assert restricted_execution("print(input())", "a") == ("a\\n", "")
assert restricted_execution("1 / 0", policy="contest")[1].startswith("ZeroDivisionError")
with Sandbox(Policy.load("strict").tightened(cpu_seconds=1), workers=2) as box:
    result = box.run("print(1)", stdin="", cpu_seconds=0.2)
    assert isinstance(result, Result) and result.ok and result.as_tuple() == ("1\\n", "")
    assert box.run("while True: pass", cpu_seconds=0.05).status is Status.CPU_LIMIT
    assert box.call("def f(a, b=0): return [a, b]", "f", [1], {"b": 2}).value == [1, 2]
    assert [r.output for r in box.run_many("print(input())", ["x", "y"])] == ["x\\n", "y\\n"]
    jobs = [Job("print(3)"), Job("def g(): return 4", entry="g")]
    assert [r.value for r in box.call_many("def f(a): return 2 * a", "f", [[1], (2,)])] == [2, 4]
    assert [(r.output, r.value) for r in box.map(jobs, progress=True)] == [("3\\n", None), ("", 4)]
    async def main():
        one = await box.arun("print(5)")
        two = await box.acall("def h(): return 6", "h")
        return one.output, two.value, [r.output async for r in box.amap([Job("print(7)")])]
    assert asyncio.run(main()) == ("5\\n", 6, ["7\\n"])
print("all")
""")
    assert (result.output, result.error) == ("all\n", "")


def test_the_policy_that_the_function_names_is_not_its_to_choose(run):
    code = "import sandbox\nprint(sandbox.restricted_execution('import math', policy='contest')[1])"
    assert "by policy 'strict'" in run(code).output


@pytest.mark.parametrize(
    "code",
    [
        "sandbox.Sandbox().run('1', services={'f': print})",
        "sandbox.Sandbox().run('1', cpu_seconds=60.0)",
        "sandbox.Sandbox().run('1', no_such_limit=1)",
        "sandbox.restricted_execution(1)",
        "sandbox.restricted_execution('1', ['x'])",
        "sandbox.Sandbox().call('1', 'f', [object()])",
        "sandbox.Sandbox().run('1', cpu_seconds='many')",
    ],
)
def test_what_the_real_one_refuses_raises_in_the_function(code, run):
    result = run(f"import sandbox\ntry:\n    {code}\nexcept Exception as e:\n    print('no')")
    assert result.output == "no\n"


def test_without_a_session_nothing_is_run(guests):
    result = guests.run("import sandbox\nsandbox.restricted_execution('1')")
    assert result.status is Status.ERROR
    assert "no session" in result.error


@pytest.mark.parametrize(
    "code",
    [
        "import sandbox.runtime.caller.client",
        "from sandbox import errors",
        "from sandbox.result import json",
        "import sandbox\nsandbox.runtime",
        "import sandbox\nsandbox.restricted_execution.__globals__",
        "import sandbox\nsandbox.Sandbox.run.__code__",
        "import sandbox\nsandbox.Sandbox.run = print",
        "import sandbox\nsandbox.restricted_execution = print",
        "import sandbox\nsandbox.grade_many = print",
        "import sandbox\nsandbox.grade.__globals__",
        "import sandbox\nsandbox.extract_code.__closure__",
        "from sandbox.language.stdlib.served.grading import Grade",
        "import sandbox\nsandbox.Result.from_json.__func__.__globals__",
        "import logging\nlogging.FileHandler",
        "import logging\nlogging.os",
        "import ast\nast.parse",
        "import ast\nast.sys",
    ],
)
def test_the_stand_ins_lead_nowhere(code, run):
    result = run(code)
    absent = result.error.startswith("AttributeError: module 'logging' has no attribute")
    assert result.status is Status.DENIED or absent, result


def test_literals_are_text_and_logs_run_no_method_of_the_function(run):
    result = run("""
import ast, logging
class Loud:
    def __str__(self):
        print("ran")
        return "x"
logging.getLogger("a").warning("%s", Loud())
logging.error(Loud())
print(ast.literal_eval("{'a': [1, (2, None)]}"))
try:
    ast.literal_eval(Loud())
except ValueError as error:
    print("no")
""")
    assert result.output == "{'a': [1, (2, None)]}\nno\n"


@pytest.mark.parametrize(
    "job",
    [
        None,
        [],
        {},
        {**GOOD, "more": 1},
        {**GOOD, "code": None},
        {**GOOD, "stdin": ["x"]},
        {**GOOD, "entry": 1},
        {**GOOD, "entry": "f", "args": {}},
        {**GOOD, "kwargs": []},
        {**GOOD, "limits": []},
        {**GOOD, "limits": {"cpu_seconds": True}},
        {**GOOD, "limits": {"cpu_seconds": float("nan")}},
        {**GOOD, "limits": {"cpu_seconds": 10**400}},
        {**GOOD, "limits": {"nothing": 1}},
    ],
)
def test_a_forged_request_is_refused_before_anything_runs(job, jobs):
    with pytest.raises((TypeError, ValueError)) as caught:
        jobs.serve(job)
    assert not isinstance(caught.value, PolicyError)  # that would be a fault of the sandbox
    assert jobs.programs == 0


def test_one_program_is_run_once(jobs):
    assert jobs.serve(GOOD) == jobs.serve(dict(GOOD))
    assert jobs.programs == 1
    assert jobs.serve({**GOOD, "stdin": "y"})["output"] == "y\n"
    assert jobs.programs == 2


def test_a_flood_of_output_is_not_kept_in_the_caller(jobs, monkeypatch):
    monkeypatch.setattr(jobs, "_room", 1000)
    flood = {**GOOD, "code": "print('x' * 2000)"}
    assert len(jobs.serve(flood)["output"]) == 2001
    assert len(jobs.serve(flood)["output"]) == 2001
    assert jobs.programs == 2


def test_a_budget_that_is_spent_ends_the_serving(jobs, monkeypatch):
    monkeypatch.setattr("sandbox.audit.reward.jobs.MOST_CPU_SECONDS", 0.1)
    busy = {**GOOD, "code": "while True: pass"}
    assert jobs.serve(busy)["status"] == "CPU_LIMIT"
    with pytest.raises(RuntimeError, match=r"0\.1 s of CPU"):
        jobs.serve(GOOD)
    assert jobs.serve(busy)["status"] == "CPU_LIMIT"  # known already
    assert jobs.exhausted


def test_the_policy_of_the_guest_is_the_only_one_that_holds_the_stand_in():
    strict = Policy.load("strict")
    with pytest.raises(PolicyError, match="needs services"):
        strict.replaced(modules=Policy.load("reward").modules)
