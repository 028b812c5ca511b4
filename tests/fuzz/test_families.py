"""The families find the weaknesses that they are there for, and nothing where there is none."""

import random
import time
from itertools import islice

import pytest
from holes_answers import ANSWERS
from holes_games import GAMES
from holes_races import RACES
from holes_receivers import RECEIVERS

from fuzz import families
from fuzz.bench import Bench

HOLES = {**RACES, **ANSWERS, **RECEIVERS, **GAMES}
_MOST, _SEED, _PARTS, _WANTED = 60, 1, 4, 0.9


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


@pytest.mark.parametrize("part", range(_PARTS))
def test_planted_weaknesses_of_the_guards_are_found(contest, capsys, part):
    here = {name: hole for name, hole in HOLES.items() if hole.is_here}
    chosen, told = list(here)[part::_PARTS], {}
    started = time.monotonic()
    with Bench(contest.plan()) as intact:
        for name in chosen:
            told[name] = hunt(contest, here[name], intact)
    with capsys.disabled():
        print(f"\nweaknesses, {time.monotonic() - started:.0f} s:")
        for name, found in told.items():
            print(f"  {'found ' if found else 'MISSED'} {name}: {found[:90]}")
    assert len(HOLES) >= 45
    assert sum(map(bool, told.values())) >= _WANTED * len(told), told
