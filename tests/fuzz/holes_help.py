"""Deliberate holes in the guards, one for each weakness that a family of attacks looks for.

`planted` is source that runs before the world is built. It replaces one function of ours by one
that has the weakness; a function that is not there any more is an error, never a hole that is not
planted. `family` and `like`, a pattern, say which programs come by the changed code.
"""

import re
import sys
from dataclasses import dataclass

# What all of them share.
HELP = """
import importlib, pkgutil
for room in ("natives", "guards", "stdlib"):  # each module by its name
    package = importlib.import_module(f"sandbox.language.{room}")
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if not found.ispkg and "asyncio" not in found.name:
            globals()[found.name.rpartition(".")[2]] = importlib.import_module(found.name)
import gc, sys  # some have the names of CPython's
from sandbox.language.compile import names
from sandbox.language.guest import world
from sandbox.language.guest import state as session

def everywhere(old, new):
    for name, module in list(sys.modules.items()):
        if name.startswith("sandbox."):
            for key, value in list(vars(module).items()):
                if value is old: setattr(module, key, new)

def replace(owner, name, make):
    old = vars(owner)[name]
    new = make(old)
    setattr(owner, name, new)
    if type(owner) is type(sys): everywhere(old, new)

def breathe():
    # What a guard must not do: the collector runs, and code of the guest's with it.
    before = gc.isenabled()
    gc.enable()
    kept = [set() for _ in range(8)]
    (lambda: None)()
    if not before: gc.disable()

def afterwards(change):
    def sealed(old):
        def close(made):
            old(made)
            change(made)
        return close
    replace(sealing, "seal", sealed)
"""


@dataclass(frozen=True, slots=True)
class Hole:
    """One hole: the family that has to find it, and a pattern of programs that come by it."""

    family: str
    planted: str
    like: str = ""
    since: tuple[int, int] = (3, 11)
    until: tuple[int, int] = (3, 99)

    def comes_by(self, code: str) -> bool:
        """Whether `code` is a program that comes by the changed code."""
        return re.search(self.like, code, re.DOTALL) is not None

    @property
    def source(self) -> str:
        """What to plant before a world is built."""
        return f"{HELP}{self.planted}"

    @property
    def is_here(self) -> bool:
        """Whether this Python has what makes it a hole."""
        return self.since <= sys.version_info[:2] <= self.until
