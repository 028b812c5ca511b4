"""The sources of a campaign's programs: the corpus, the generators, mutations of the corpus."""

import random
from collections.abc import Collection, Iterator
from itertools import count

from sandbox import Policy

from .. import families
from ..engine import Program
from ..layers import promises
from . import generator, mutation
from .attacks import select
from .sinks import effect, widen


def of_mode(
    mode: str, chooser: random.Random, *, walks_only: bool, granted: Collection[str] = ()
) -> list[Program]:
    """Return the corpus of one mode, mixed, so that the first seconds have some of each family.

    `walks_only`: not the use of a power, which shows best where no other layer stops it.
    """
    found = [p for attack in select(mode, granted) for p in promises.programs(attack)]
    if walks_only:
        found = [program for program in found if not program.id.endswith("/use")]
    if mode == "protocol":
        found = [Program(id=p.id, code=p.code, means="pipe", origin=p.origin) for p in found]
    chooser.shuffle(found)
    return found


def of_layer(layer: str, chooser: random.Random) -> list[Program]:
    """Return what `layer` promises to stop on its own, mixed; of ways to a power only their use."""
    found = [p for attack in promises.promised(layer) for p in promises.programs(attack)]
    if layer == "language":
        found = [program for program in found if not program.id.endswith("/walk")]
    chooser.shuffle(found)
    return found


def generated(chooser: random.Random, policy: Policy) -> Iterator[Program]:
    """Yield programs without end, importing only what `policy` grants."""
    modules = list(policy.plan().modules) or list(generator.ROOTS)
    for number in count():
        power, code = generator.generate(chooser, modules)
        yield _walk_or_use(chooser, f"generated-{number}", power, code, "information")


def of_families(chooser: random.Random, policy: Policy) -> Iterator[Program]:
    """Yield attacks on the guards themselves, without end, the families in turn."""
    surface = families.surface_of(policy.plan())
    for number, (family, code) in enumerate(families.endless(surface, chooser)):
        yield Program(id=f"{family}-{number}", code=code, steady=True, goal="information")


def mutated(chooser: random.Random) -> Iterator[Program]:
    """Yield attacks of the corpus after random changes, without end."""
    attacks = select("language")
    for number in count():
        attack = chooser.choice(attacks)
        code = mutation.mutate(attack.code, chooser, chooser.randint(1, 4))
        name = f"mutated-{number}-{attack.id}"
        yield _walk_or_use(chooser, name, attack.power, code, attack.goal, attack.id)


def resources(chooser: random.Random) -> Iterator[Program]:
    """Yield every resource attack once, in a random order."""
    found = [p for attack in select("resource") for p in promises.programs(attack)]
    chooser.shuffle(found)
    return iter(found)


def _walk_or_use(
    chooser: random.Random, name: str, power: str, code: str, goal: str, origin: str = ""
) -> Program:
    """Return the way alone, for the inspector to see, or with what comes of it."""
    last = widen(power) if chooser.randint(0, 2) else effect(power, goal)
    return Program(id=name, code=f"{code}\n{last}\n", power=power, goal=goal, origin=origin)
