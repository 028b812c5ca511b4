"""What each spare child performs before a job waits for it."""

import subprocess
import sys

SCRIPT = """
import os, sys
from sandbox import Policy
from sandbox.language.guest.world import build_world
from sandbox.runtime.child import child
from sandbox.runtime.child import warmup

def tell(said):  # what is printed in the process of a world is a program's
    os.write(1, f"{said}\\n".encode())

plan = Policy.load("strict").plan()
world, main = build_world(plan), sys.modules["__main__"]
before = world.state.files.tree.tick()
child.warm_up(warmup.program_for(plan), plan, world)
tell((sys.modules["__main__"] is main, world.state.entered, world.state.output.pending))
same = world.state.files.tree.tick() - before == 1_000_000  # nothing was made in between
tell((same, world.state.files.opened))
try:
    child.warm_up("print('lost')\\n1 / 0", plan, world)
except RuntimeError as error:
    tell(error)
"""


def test_a_rehearsal_leaves_nothing_and_says_so_when_it_fails() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "(True, False, [])",
        "(True, [])",
        "the warm-up: ZeroDivisionError: division by zero (line 2)",
    ], done.stderr
