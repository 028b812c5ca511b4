"""The generator of programs that enter C code again finds a class that is handed out as it is."""

import random

import pytest

from fuzz.reentrance.hunt import hunt
from fuzz.reentrance.writing import BEFORE, generate, program
from sandbox import Policy
from sandbox.language.compile.compiler import compile_program

_SEED, _SECONDS, _PROGRAMS = 7, 6.0, 40
# CPython's own methods of one class, as if the language layer had not replaced them.
_RAW = """
import array
import pytest

from sandbox.language.natives import patching
for name in ("append", "insert", "extend", "fromlist", "__setitem__", "tofile"):
    patching.put(array.array, name, patching.original(array.array, name))
"""


@pytest.mark.parametrize("policy", ["contest", "strict"])
def test_nothing_is_found_where_nothing_is_planted(policy):
    ran, crashes = hunt(policy, seconds=_SECONDS, seed=_SEED, most=_PROGRAMS)
    assert ran > 0
    assert crashes == []


@pytest.mark.long
def test_a_raw_class_is_found():
    ran, crashes = hunt("contest", seconds=90, seed=1, planted=_RAW, only="array.array(", enough=1)
    assert ran > 0
    assert {crash.what for crash in crashes} & {"SIGSEGV", "SIGABRT", "@CHANGED@"}
    assert any("array.array" in crash.source for crash in crashes)


def test_the_same_seed_makes_the_same_programs_and_all_compile(contest: Policy):
    first, second = (generate(random.Random(5), contest, 15) for _ in range(2))
    assert first == second
    for block in first:
        compile_program(BEFORE + program([block]), contest.plan())
