"""The fuzzer's own family of attempts on numpy: each is stopped by the language layer alone."""

from collections import Counter
from importlib.util import find_spec
from random import Random

import pytest

from fuzz.engine import Engine, Program
from fuzz.programs import sources
from fuzz.programs.attacks import select
from fuzz.targets import setups
from fuzz.targets.arena import Arena
from sandbox import Policy

pytestmark = pytest.mark.skipif(find_spec("numpy") is None, reason="numpy is not installed")
# Puts a class of numpy's where every program finds it.
LEAK = """
import gc
from sandbox.runtime.supervisor import preparation
build = preparation.build_world
def leaking(plan, unseen=frozenset()):
    made = build(plan, unseen)
    for space in gc.get_objects():
        if type(space) is dict and space.get('__name__') == 'numpy' and 'ndarray' in space:
            made.state.builtins['leaked'] = space['ndarray']
    return made
preparation.build_world = leaking
"""


def test_it_has_enough_attempts_and_is_tried_where_numpy_is_granted_alone() -> None:
    family = [attack for attack in select("language", ("numpy",)) if attack.needs == "numpy"]
    assert len(family) >= 80
    assert min(Counter(attack.family for attack in family).values()) >= 10
    assert not any(attack.needs for attack in select("language"))


def test_the_language_layer_alone_stops_every_attempt() -> None:
    policy = Policy.load("contest-numpy")
    found = sources.of_mode("language", Random(0), walks_only=True, granted=policy.plan().modules)
    programs = [program for program in found if program.origin.startswith("numpy-")]
    seen = _tried(policy, programs)
    assert len(seen) >= 80
    assert sorted(name for name, escaped in seen.items() if escaped) == []


def test_a_class_of_numpys_is_known_at_sight() -> None:
    program = Program(id="leak", code="power = leaked", origin="leak")
    inside = Program(id="inside", code="power = [leaked((3,))]", origin="inside")
    policy = Policy.load("contest-numpy")
    assert _tried(policy, [program, inside], LEAK) == {"leak": True, "inside": True}


def _tried(policy: Policy, programs: list[Program], planted: str = "") -> dict[str, bool]:
    setup = setups.alone(policy, "language")
    seen: dict[str, bool] = {}
    with (
        Arena() as arena,
        setups.instrumented(arena.mark, planted),
        Engine(setup, arena, careful=False) as engine,
    ):
        for outcome in engine.run_all(programs):
            seen[outcome.program.origin] = outcome.escaped
    return seen
