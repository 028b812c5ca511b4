"""Families of attacks on the language layer, each a generator: cases x how each of them is written.

A family is a function that gives its cases for what a policy grants. A new one is a module with
such a function and a line in `FAMILIES`; what recognizes an escape is `inspector`, for all alike.
"""

import random
from collections.abc import Callable, Iterator
from itertools import count

from sandbox.policy.plan import Plan

from ..programs.hiding import Chooser
from . import answers, cells, metaclasses, races, receivers, states
from .parts import Case, Surface, Writer, written

Deck = Callable[[Surface, Chooser], list[tuple[Writer, Case]]]
FAMILIES: dict[str, Deck] = {
    "races": races.deck,
    "answers": answers.deck,
    "states": states.deck,
    "receivers": receivers.deck,
    "metaclasses": metaclasses.deck,
    "cells": cells.deck,
}


def surface_of(plan: Plan) -> Surface:
    """Return the surface that a program has under `plan`."""
    modules = {module: frozenset(names) for module, names in plan.modules.items()}
    return Surface(frozenset(plan.builtins), modules)


def one_pass(family: str, surface: Surface, chooser: random.Random) -> Iterator[str]:
    """Yield each case of one family that `surface` allows once, mixed."""
    cases = FAMILIES[family](surface, chooser)
    chooser.shuffle(cases)
    return written(cases, surface, chooser)


def endless(surface: Surface, chooser: random.Random) -> Iterator[tuple[str, str]]:
    """Yield `(family, program)` without end, the families in turn, each its cases over and over."""
    running = {family: one_pass(family, surface, chooser) for family in FAMILIES}
    for number in count():
        family = list(FAMILIES)[number % len(FAMILIES)]
        code = next(running[family], "")
        if not code:
            running[family] = one_pass(family, surface, chooser)
            code = next(running[family], "pass\n")
        yield family, code
