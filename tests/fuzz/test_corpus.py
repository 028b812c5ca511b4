"""The corpus is data that holds together, and every attempt in it can succeed somewhere."""

import ast
import os
from collections import Counter
from pathlib import Path

import pytest

from fuzz.engine import Engine, Program
from fuzz.judging.oracles import Seen, held, limits
from fuzz.layers import promises
from fuzz.programs.attacks import CorpusError, corpus, read, select
from fuzz.targets import setups, weak
from fuzz.targets.arena import Arena
from sandbox import Policy

# What needs root to succeed with no layer in the way.
ROOTS_OWN = {"privilege"}


def test_there_are_enough_distinct_attempts_of_every_kind() -> None:
    attacks = corpus()
    assert len(attacks) >= 300
    assert len({" ".join(attack.code.split()) for attack in attacks}) == len(attacks)
    modes = Counter(attack.mode for attack in attacks)
    assert min(modes.values()) >= 30
    assert len(modes) == 5
    assert all(attack.reference and attack.family for attack in attacks)
    assert len({attack.family for attack in attacks}) >= 25


@pytest.mark.parametrize("key", ["goal", "mode", "power", "means"])
def test_a_value_that_no_attack_has_is_refused(tmp_path: Path, key: str) -> None:
    lines = {"mode": "native", "goal": "denial", key: "nonsense"}
    text = "\n".join(f'{name} = "{value}"' for name, value in lines.items())
    file = tmp_path / "wrong.toml"
    file.write_text(f'{text}\n[[attack]]\nid = "x"\nfamily = "x"\nreference = "x"\ncode = "1"\n')
    with pytest.raises(CorpusError, match=f"{key} is 'nonsense'"):
        list(read(file))


def test_what_is_meant_to_be_python_is() -> None:
    broken = []
    for attack in select("language"):
        try:
            ast.parse(attack.code)
        except SyntaxError:
            broken.append(attack.id)
    assert broken == []


def tried(
    arena: Arena, setup: setups.Setup, programs: list[Program], powers: bool | None = None
) -> dict[str, bool]:
    """By attack: whether any oracle saw anything."""
    seen: dict[str, bool] = {}
    engine = Engine(setup, arena, careful=False, powers=powers)
    with setups.instrumented(arena.mark), engine:
        for outcome in engine.run_all(programs):
            origin = outcome.program.origin
            seen[origin] = seen.get(origin, False) or outcome.escaped
    return seen


def test_with_no_layer_at_all_every_attack_on_the_language_and_the_kernel_succeeds(
    arena: Arena, contest: Policy
) -> None:
    attacks = [a for a in (*select("language"), *select("native")) if a.control != "planted"]
    if os.getuid() != 0:
        attacks = [a for a in attacks if a.means not in ROOTS_OWN]
    # What comes of a power is the better proof than the power.
    programs = [list(promises.programs(attack))[-1] for attack in attacks]
    seen = tried(arena, setups.bare(contest), programs, powers=True)
    worthless = sorted(name for name, escaped in seen.items() if not escaped)
    allowed = 0 if os.getuid() == 0 else len(attacks) // 10  # what an ordinary user may not do
    assert len(worthless) <= allowed, worthless


def test_a_caller_that_trusts_what_it_reads_is_taken_in_by_every_forged_stream(
    arena: Arena, contest: Policy
) -> None:
    programs = [
        Program(id=a.id, code=p.code, means="pipe", origin=a.id)
        for a in select("protocol")
        for p in promises.programs(a)
    ]
    with weak.weak_caller():
        seen = tried(arena, setups.without(contest, "language"), programs)
    assert sorted(name for name, escaped in seen.items() if not escaped) == []


def test_a_naive_grader_is_taken_in_by_every_attack_on_it(arena: Arena) -> None:
    expected = arena.secrets["expected"]
    for attack in select("grader"):
        assert weak.graded(attack.code, expected, attack.followup, attack.expect), attack.id


def test_the_language_layer_alone_keeps_from_a_program_what_another_changed(
    arena: Arena, contest: Policy
) -> None:
    expected = arena.secrets["expected"]
    left = [a for a in select("grader") if a.family == "state" and a.goal == "persistence"]
    assert len(left) >= 40
    for attack in left[::6]:  # each is an interpreter with a world in it
        told = weak.graded(attack.code, expected, attack.followup, attack.expect, contest)
        assert told == [], attack.id


def test_a_naive_grader_passes_what_is_right_and_fails_what_is_wrong(arena: Arena) -> None:
    expected = arena.secrets["expected"]
    assert not weak.graded("def solve(n): return 'wrong'", expected)
    assert weak.grade(f"def solve(n): return {expected!r}", expected, "", None)[0]
    assert not weak.graded("x = 1", expected, "print(abs(-7))", "7\n")


def test_a_sample_of_the_resource_attacks_passes_tight_limits_where_they_are_lifted(
    arena: Arena, contest: Policy
) -> None:
    names = ("cpu-loop", "cpu-power", "memory-append", "memory-big-int", "output-flood")
    chosen = [a for a in select("resource") if a.id in names]
    tight = setups.target(contest)
    lifted = setups.wide(tight, cpu_seconds=1.2, memory_mib=400, output_kib=4096)
    with Engine(lifted, arena) as engine:
        for attack in chosen:
            (code,) = attack.programs().values()
            result = engine.sandbox.run(code)
            seen = Seen(result, tight.policy, "none", arena)
            assert limits(seen), (attack.id, result.status, result.cpu_seconds)
    with Engine(tight, arena) as engine:
        for attack in chosen:
            (program,) = promises.programs(attack)
            outcome = engine.run(program)
            assert (outcome.evidence, held(outcome.status)) == ((), True), attack.id  # type: ignore[arg-type]


def test_the_interpreter_alone_stops_what_the_process_alone_does_not(
    arena: Arena, contest: Policy
) -> None:
    """Of each attempt on the kernel and on the language what comes of it, with no guard before."""
    chosen = [*promises.promised("interpreter"), *select("language")[::3], *select("protocol")]
    programs = [list(promises.programs(attack))[-1] for attack in chosen]
    programs = [program for program in programs if not program.id.endswith("/walk")]
    assert len(programs) > 250
    setup = setups.alone(contest, "interpreter")
    seen = tried(arena, setup, programs)
    assert sorted(name for name, escaped in seen.items() if escaped) == []
    without = setup.policy.replaced(layers={"interpreter": "off"})
    nothing = setups.Setup("nothing", without, language=False, exposed=True)
    seen = tried(arena, nothing, [p for p in programs if p.means in ("file", "process")])
    assert sum(seen.values()) > 0.7 * len(seen) > 25  # else it proves nothing


def test_the_language_layer_alone_stops_every_attack_on_it(arena: Arena, contest: Policy) -> None:
    """Of a power the way to it too; the campaign of `test_holes` tries the other layers alone."""
    programs = [p for attack in promises.promised("language") for p in promises.programs(attack)]
    seen = tried(arena, setups.alone(contest, "language"), programs)
    assert len(seen) >= 4
    assert sorted(name for name, escaped in seen.items() if escaped) == []
