"""Runs a kept find again: under the policy as it is, and with one layer alone each."""

from pathlib import Path

from sandbox import Policy, SandboxUnavailable

from .engine import Engine
from .layers import promises
from .programs.attacks import read
from .targets import setups
from .targets.arena import Arena, Evidence


def replay(policy: Policy, file: Path) -> dict[str, list[Evidence]]:
    """Return what the attacks in `file` bring about, by sandbox. Raises OSError, CorpusError."""
    attacks = list(read(file))
    layers = promises.layers(policy)
    chosen = [setups.target(policy), *(setups.alone(policy, layer) for layer in layers)]
    found: dict[str, list[Evidence]] = {}
    with Arena() as arena, setups.instrumented(arena.mark):
        for setup in chosen:
            programs = [p for attack in attacks for p in promises.programs(attack)]
            try:
                with Engine(setup, arena, 1) as engine:
                    outcomes = list(engine.run_all(programs))
            except SandboxUnavailable:
                continue
            found[setup.name] = [each for outcome in outcomes for each in outcome.evidence]
    return found
