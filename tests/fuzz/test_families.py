"""The families find the weaknesses that they are there for, and nothing where there is none."""

import os
import random
import time
from itertools import islice

import pytest
from holes_answers import ANSWERS
from holes_games import GAMES
from holes_help import Hole
from holes_races import RACES
from holes_receivers import RECEIVERS

from fuzz import families
from fuzz.inner.bench import Bench
from fuzz.inner.template import TemplateError
from sandbox import Policy

HOLES = {**RACES, **ANSWERS, **RECEIVERS, **GAMES}
_MOST, _SEED, _PARTS, _WANTED, _QUIET = 60, 1, 24, 0.9, 15
LONG = pytest.mark.long  # of the hunts, all but the first


@pytest.fixture(scope="module")
def intact(contest):
    """A bench in which nothing is planted."""
    with Bench(contest.plan()) as bench:
        yield bench


def programs(policy, hole):
    """What the hole's family has that comes by the changed code."""
    surface = families.surface_of(policy.plan())
    every = families.one_pass(hole.family, surface, random.Random(_SEED))
    return islice((code for code in every if hole.comes_by(code)), _MOST)


def hunt(policy, hole, intact):
    """What a program found with the hole that finds nothing without it."""
    with Bench(policy.plan(), hole.source) as bench:
        for number, code in enumerate(programs(policy, hole), 1):
            found = bench.run(code).found
            if found and not intact.run(code).found:
                return f"program {number}: {found}"
    return ""


_STRANGE = """
def refuse(*_): raise AssertionError("the judge asked a class of somebody else's")
made = type("Meta", (type,), {"__eq__": refuse, "__hash__": refuse})("C", (), {})
"""


def test_the_judge_asks_no_class_for_its_hash(contest):
    with Bench(contest.plan(), f"global made{_STRANGE}") as bench:
        assert bench.run(f"{_STRANGE}print(made is made)").found == ""


@pytest.mark.parametrize("part", [0, *(pytest.param(n, marks=LONG) for n in range(1, _PARTS))])
def test_planted_weaknesses_of_the_guards_are_found(contest, intact, capsys, part):
    here = {name: hole for name, hole in HOLES.items() if hole.is_here}
    chosen, told = list(here)[part::_PARTS], {}
    started = time.monotonic()
    for name in chosen:
        told[name] = hunt(contest, here[name], intact)
    with capsys.disabled():
        print(f"\nweaknesses, {time.monotonic() - started:.0f} s:")
        for name, found in told.items():
            print(f"  {'found ' if found else 'MISSED'} {name}: {found[:90]}")
    assert len(HOLES) >= 45
    assert sum(map(bool, told.values())) >= _WANTED * len(told), told


@pytest.mark.parametrize("policy", [pytest.param("strict", marks=LONG), "contest"])
def test_nothing_is_found_where_nothing_is_planted(policy):
    plan = Policy.load(policy).plan()
    surface, found = families.surface_of(plan), {}
    with Bench(plan) as bench:
        for family in families.FAMILIES:
            every = families.one_pass(family, surface, random.Random(_SEED))
            for code in islice(every, _QUIET):
                if answer := bench.run(code).found:
                    found[code] = answer
    assert found == {}


@pytest.mark.parametrize("name", HOLES)
def test_what_a_hole_replaces_is_there(name):
    """Also where its hunt is a long one: a renaming would leave nothing to find."""
    child = os.fork()
    if not child:
        status = 1
        try:
            exec(HOLES[name].source, {"__name__": "planted"})
            status = 0
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\n".encode())
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


def test_a_hole_whose_target_is_gone_is_an_error(contest):
    with pytest.raises(TemplateError, match="KeyError"):
        Bench(contest.plan(), Hole("races", 'replace(guards, "gone", None)').source).__enter__()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x = 1", ""),
        ("x = ().__class__", ""),
        ("class C: pass\nx = vars(C), C.__mro__, C.mro(), type(C)", ""),
        ("import collections, functools\nx = functools.partial(collections.Counter)", ""),
    ],
)
def test_what_a_guest_may_hold_is_no_find(intact, code, found):
    assert intact.run(code) == (found, "OK", "")


@pytest.mark.parametrize("family", families.FAMILIES)
def test_every_family_writes_python_that_a_policy_grants(family):
    """The same programs for the same seed; strict grants less of each but the ways of import."""
    plans = {name: Policy.load(name).plan() for name in ("strict", "contest")}
    for name, plan in plans.items():
        surface = families.surface_of(plan)
        first, second = (
            list(islice(families.one_pass(family, surface, random.Random(3)), 150))
            for _ in range(2)
        )
        assert first == second
        assert len(first) >= 20
        for code in first:
            assert name == "contest" or "import " not in code
            compile(code, "<family>", "exec", dont_inherit=True)


def test_families_come_in_turn_without_end(contest):
    every = families.endless(families.surface_of(contest.plan()), random.Random(1))
    turns = [family for family, _ in islice(every, 2 * len(families.FAMILIES))]
    assert turns == 2 * list(families.FAMILIES)


def test_a_program_that_fails_is_looked_at_too(intact):
    assert intact.run("1 / 0").status == "ERROR"
    assert intact.run("().__reduce__").status == "DENIED"
