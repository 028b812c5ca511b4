"""Each oracle sees what it is for, and nothing where there is nothing."""

from dataclasses import replace
from enum import EnumMeta

import pytest

from fuzz.engine import Engine, Program
from fuzz.judging.inspector import Judge
from fuzz.judging.oracles import Seen, judge
from fuzz.targets import setups
from fuzz.targets.arena import Arena
from fuzz.targets.graders import Grading, shapes_of
from sandbox import Policy, Result, Status
from sandbox.language.guest.world import build_world

GOOD = Result(output="x\n", stdout="x\n", error="", status=Status.OK, cpu_seconds=0.1)
BAD = {
    "canary": replace(GOOD, output="@SECRET@", stdout="@SECRET@"),
    "canary, backwards": replace(GOOD, output="@TERCES@", stdout="@TERCES@"),
    "status: OK with a signal": replace(GOOD, exit_signal=31),
    "status: OK with an error": replace(GOOD, error="oh"),
    "status: a failure with an output": replace(GOOD, status=Status.ERROR, error="oh"),
    "status: text for no file": replace(GOOD, output="\ud800", stdout="\ud800"),
    "limit: CPU": replace(GOOD, cpu_seconds=9.0),
    "limit: memory": replace(GOOD, peak_memory_bytes=1 << 30),
    "limit: output": replace(GOOD, output="x" * 99999, stdout="x" * 99999),
    "limit: wall": replace(GOOD, wall_seconds=99.0),
    "verdict": replace(GOOD, value="FORGED-t1"),
    "reached": replace(GOOD, output="REACHED-t1\n", stdout="REACHED-t1\n"),
}


def judged(arena: Arena, result: Result, contest: Policy) -> list[str]:
    secret = arena.secrets["file"]
    for mark, text in (("@SECRET@", secret), ("@TERCES@", secret[::-1])):
        result = replace(
            result,
            output=result.output.replace(mark, text),
            stdout=result.stdout.replace(mark, text),
        )
    policy = setups.target(contest).policy
    return [evidence.oracle for evidence in judge(Seen(result, policy, "t1", arena))]


def test_an_honest_result_is_evidence_of_nothing(arena: Arena, contest: Policy) -> None:
    assert judged(arena, GOOD, contest) == []
    failed = Result(output="", stdout="x", error="ValueError", status=Status.ERROR)
    assert judged(arena, failed, contest) == []


@pytest.mark.parametrize("what", BAD)
def test_an_oracle_sees(arena: Arena, contest: Policy, what: str) -> None:
    oracle = what.split(":")[0].split(",")[0]
    assert oracle in judged(arena, BAD[what], contest)


def test_a_call_that_was_killed_for_it_was_not_reached(arena: Arena, contest: Policy) -> None:
    killed = Result(
        output="",
        stdout="REACHED-t1",
        error="violation: x",
        status=Status.VIOLATION,
        exit_signal=31,
    )
    assert judged(arena, killed, contest) == []


NATIVE = {
    "witness": "open('@WITNESS@', 'w').close()",
    "connection": "import socket\n"
    "socket.create_connection(('127.0.0.1', @PORT@)).sendall(b'@TOKEN@')",
    "canary": "print(open('@CANARY@').read())",
    "bystander": "import os\nos.kill(@VICTIM@, 10)",
    "canary file": "import os\nos.utime('@CANARY@', (1, 1))",
    "supervisor": "import os\nos.kill(os.getppid(), 9)",
    "capability": "import sys\npower = sys._getframe()",
}


@pytest.mark.parametrize("oracle", NATIVE)
def test_what_happens_outside_is_seen_where_no_layer_prevents_it(
    arena: Arena, contest: Policy, oracle: str
) -> None:
    engine = Engine(setups.bare(contest), arena, powers=True)
    with setups.instrumented(arena.mark), engine:
        outcome = engine.run(Program(id=oracle, code=NATIVE[oracle], means="process"))
        assert oracle in {evidence.oracle for evidence in outcome.evidence}, outcome
        assert not engine.run(Program(id="none", code="print(1)", means="process")).escaped


def test_what_the_next_job_meets_is_seen(arena: Arena, contest: Policy) -> None:
    with Engine(setups.target(contest), arena) as engine:
        other = Program(id="x", code="x = 1", followup="import time\nprint(time.time_ns())")
        (evidence,) = engine.run(other).evidence
        assert evidence.oracle == "follow-up"
        right = Program(id="y", code="x = 1", followup="print(abs(-7))")
        assert engine.run(right).evidence == ()


def test_the_grader_that_users_call_is_asked_in_every_shape(arena: Arena, contest: Policy) -> None:
    engine = Grading(setups.target(contest), arena)
    with setups.instrumented(arena.mark), engine:
        answer = arena.secrets["expected"]
        right = f"print({answer!r})\ndef solve(n): return {answer!r}"
        told = [e.detail for e in engine.run(Program(id="x", code=right)).evidence]
        shapes = {detail.split(":")[0] for detail in told if "passed" in detail}
        assert shapes == set(shapes_of(answer))
        wrong = Program(id="y", code="print(1)\ndef solve(n): return 1")
        assert engine.run(wrong).evidence == ()
        assert engine.leftovers() == []


def test_a_grade_that_another_program_changed_is_a_find(arena: Arena, contest: Policy) -> None:
    engine = Grading(setups.target(contest), arena)
    with setups.instrumented(arena.mark), engine:
        other = Program(id="x", code="x = 1", followup="import time\nprint(time.time_ns())")
        assert {e.oracle for e in engine.run(other).evidence} == {"follow-up"}
        same = Program(id="y", code="x = 1", followup="print(abs(-7))")
        assert engine.run(same).evidence == ()
        engine.leftovers()


def test_a_right_answer_that_a_guest_cannot_know_is_a_find(arena: Arena, contest: Policy) -> None:
    with Engine(setups.target(contest), arena) as engine:
        known = f"def solve(n): return {arena.secrets['expected']!r}"
        outcome = engine.run(Program(id="x", code=known, entry="solve"))
        assert {evidence.oracle for evidence in outcome.evidence} == {"canary", "verdict"}


def test_what_makes_classes_unseen_is_held_by_no_program() -> None:
    made = build_world(Policy.load("contest").plan())
    inspector = Judge(made)
    for raw in (type.__new__, vars(EnumMeta)["__new__"]):
        assert inspector.find({"held": [raw]}) != "", raw
    granted = {"held": [object.__new__, int.__new__, made.state.builtins["type"].__new__]}
    assert inspector.find(granted) == ""
