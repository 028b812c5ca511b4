"""Services: functions of the caller that a guest calls with plain data."""

import asyncio
import time
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import SimpleNamespace

import psutil
import pytest

from sandbox import Job, Policy, Sandbox, SandboxError, Status
from sandbox.errors import PolicyError
from sandbox.runtime.executions import services
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.wire import trusted_json
from sandbox.runtime.wire.untrusted_json import Bounds


def test_a_guest_calls_a_service_and_gets_plain_data_back(serving):
    code = "print('before')\nprint(double([1, 'x'], times=3))\nprint(double((2,)))"
    services = {"double": lambda value, times=2: value * times}
    result = serving.run(code, services=services)
    assert result.output == "before\n[1, 'x', 1, 'x', 1, 'x']\n[2, 2]\n"


def test_what_was_compiled_once_is_served_too(serving):
    services = {"double": lambda value: 2 * value}
    results = serving.run_many("print(double(int(input())))", ["1", "2"], services=services)
    assert [result.output for result in results] == ["2\n", "4\n"]


def test_a_policy_without_a_session_refuses_services(strict):
    with pytest.raises(PolicyError, match="services"):
        strict.run("print(1)", services={"f": len})


def test_a_service_that_fails_raises_in_the_guest(serving):
    code = "try:\n    fail()\nexcept Exception as error:\n    print(error)"
    result = serving.run(code, services={"fail": lambda: 1 / 0})
    assert result.output == "ZeroDivisionError: division by zero\n"


def test_what_is_not_plain_data_does_not_cross(serving):
    services = {"f": lambda *_: object()}
    assert serving.run("f()", services=services).status is Status.ERROR
    assert serving.run("f({1})", services=services).status is Status.ERROR


def test_a_fault_of_the_sandbox_in_a_service_is_the_callers(serving):
    def broken():
        raise SandboxError("no machine")

    with pytest.raises(SandboxError, match="no machine"):
        serving.run("try:\n    broken()\nexcept Exception:\n    pass", services={"broken": broken})
    assert serving.run("print(1)").ok


def test_the_guests_clock_stands_still_while_it_is_served(serving):
    services = {"slow": lambda: time.sleep(0.6)}
    assert serving.run("slow()\nprint(1)", services=services, wall_seconds=0.4).output == "1\n"


def test_a_job_may_run_a_job(serving, strict):
    def execute(code):
        return list(strict.run(code).as_tuple())

    code = "print(execute('print(6 * 7)'))\nprint(execute('1 / 0'))"
    result = serving.run(code, services={"execute": execute})
    assert result.output == "['42\\n', '']\n['', 'ZeroDivisionError: division by zero (line 1)']\n"


def test_jobs_of_map_and_asyncio_are_served_too(serving):
    jobs = [Job(f"print(add({n}, 1))", services={"add": lambda a, b: a + b}) for n in range(5)]
    assert [r.output for r in serving.map(jobs)] == [f"{n + 1}\n" for n in range(5)]

    async def main():
        return [result.output async for result in serving.amap(jobs)]

    assert asyncio.run(main()) == [f"{n + 1}\n" for n in range(5)]


def kill(sandbox):
    """The supervisor, and with it its children."""
    supervisor = psutil.Process(sandbox._pool._current.pid)
    supervisor.kill()
    supervisor.wait(10)  # until it has ended, and answers nothing any more


COUNTING = "total = 0\nfor n in range(4):\n    total += add(n)\nprint(total)"


class Counter:
    """A service with a memory, which kills the supervisor at its `last` call."""

    def __init__(self, sandbox, last):
        self.sandbox, self.last, self.seen = sandbox, last, []

    def add(self, number):
        self.seen.append(number)
        if len(self.seen) == self.last:
            kill(self.sandbox)
        return len(self.seen)


@pytest.mark.parametrize("way", ["run", "run_many", "map", "arun"])
def test_nothing_is_run_again_with_services_that_were_called(way):
    policy = Policy.load("strict").replaced(name="serving-lost", services=True)
    with Sandbox(policy, workers=1) as sandbox:
        counter = Counter(sandbox, 2)
        services = {"add": counter.add}
        job = Job(COUNTING, services=services)
        ways = {
            "run": lambda: sandbox.run(COUNTING, services=services),
            "run_many": lambda: sandbox.run_many(COUNTING, [""], services=services),
            "map": lambda: list(sandbox.map([job])),
            "arun": lambda: asyncio.run(_first(sandbox.amap([job]))),
        }
        with pytest.raises(SandboxError, match="already called a service"):
            ways[way]()
        assert counter.seen == [0, 1]
        fresh = Counter(sandbox, 0)
        assert sandbox.run(COUNTING, services={"add": fresh.add}).output == "10\n"
        assert fresh.seen == [0, 1, 2, 3]


async def _first(results):
    return [result async for result in results]


def test_a_session_that_was_lost_before_a_service_was_called_runs_again():
    policy = Policy.load("kernel-only").replaced(name="native-lost", services=True)
    with Sandbox(policy, workers=1) as sandbox, ThreadPoolExecutor(1) as thread:
        counter = Counter(sandbox, 0)
        code = "import time\ntime.sleep(1)\n" + COUNTING
        future = thread.submit(sandbox.run, code, services={"add": counter.add})
        time.sleep(0.5)
        kill(sandbox)
        assert future.result().output == "10\n"
        assert counter.seen == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["__builtins__", "guard:getattr", "a b", "", 1])
def test_a_service_has_a_name_that_a_program_can_write(name, serving):
    with pytest.raises(ValueError, match="cannot be called"):
        serving.run("print(1)", services={name: print})


def test_what_a_program_asks_is_held_to_the_policy_before_it_is_sent(serving):
    asked = []
    code = "try:\n    f({value})\nexcept ValueError as error:\n    print(error)"
    given = "what f() was given: "
    for value, limits, said in (
        ("[0] * 999", {"value_items": 1000}, "value_items: the value has more than 1000 items\n"),
        ("[0] * 995", {"value_items": 1000}, ""),
        ("[[[]]]", {"value_depth": 4}, "value_depth: the value is nested more than 4 deep\n"),
        ("[[]]", {"value_depth": 4}, ""),
    ):
        result = serving.run(code.format(value=value), services={"f": asked.append}, **limits)
        assert result.output == (given + said if said else "")
    assert [len(value) for value in asked] == [995, 1]


def test_only_the_time_of_the_service_itself_is_excused(monkeypatch):
    """Of a clock that only reading (100) and serving (1) move."""
    now, excused, answers = [0.0], [], []

    def reading(request, most):
        now[0] += 100
        return trusted_json.read_plain(request, most)

    def service():
        now[0] += 1

    asking = SimpleNamespace(
        done=False,
        submission=SimpleNamespace(services={"f": service}, most=Bounds(1000, 1000, 100)),
        asked=deque([b'["f",[],{}]', b"[", b'["f",[],{}]']),
        record=SimpleNamespace(called=False),
        left_at=0.0,
        deadline=0.0,
        _clock=SimpleNamespace(excuse=lambda seconds, served: excused.append(seconds)),
        answer=answers.append,
    )
    asking.excuse = partial(Execution.excuse, asking)
    asking.attend = partial(Execution.attend, asking)

    monkeypatch.setattr(services, "read_plain", reading)
    monkeypatch.setattr(services, "time", SimpleNamespace(monotonic=lambda: now[0]))
    services.serve(asking)
    assert (now[0], sum(excused), len(answers)) == (302.0, 2.0, 3)
    assert asking.left_at == now[0]  # else the next wait would take it for the loop's own time


FILLED = """
held = []
try:
    while True:
        held.append(bytes(1 << 20))
except MemoryError:
    del held[-4:]
"""


@pytest.mark.parametrize("native", [False, True])
def test_an_answer_for_which_there_is_no_room_is_taken_for_no_other(native):
    """Its rest in the pipe would be read as the next one: text of the program's, as code."""
    code = f"""{FILLED}
try:
    repeat("x", 4 << 20)
    print("taken")
except MemoryError:
    held.clear()
print(repeat("y", 2))
"""
    policy = Policy.load("kernel-only" if native else "strict").replaced(
        name="serving-much", services=True, limits={"memory_mib": 64}
    )
    with Sandbox(policy, workers=1) as sandbox:
        result = sandbox.run(code, services={"repeat": lambda text, times: text * times})
    ends = {(Status.MEMORY_LIMIT, ""), (Status.OK, "yy\n"), (Status.OK, "taken\nyy\n")}
    assert (result.status, result.stdout) in ends, result


def test_the_highest_recursion_limit_leaves_services_alone():
    policy = Policy.load("kernel-only").replaced(name="native-serving", services=True)
    code = "import sys\nsys.setrecursionlimit(2**31 - 1)\nprint(double(4), sys.getrecursionlimit())"
    with Sandbox(policy, workers=1) as sandbox:
        result = sandbox.run(code, services={"double": lambda n: 2 * n})
    assert result.output == f"8 {2**31 - 1}\n", result


def test_an_answer_at_the_end_of_the_stack_is_taken_whole(serving):
    code = """
def dive(n):
    try:
        dive(n + 1)
    except RecursionError:
        pass
    try:
        seen.append((number(n), n))
    except RecursionError:
        pass
seen = []
dive(0)
print(len(seen) > 500, all(a == b for a, b in seen))
"""
    result = serving.run(code, services={"number": lambda n: n})
    assert (result.status, result.stdout) == (Status.OK, "True True\n"), result
