"""The heap that children share: no gaps, nothing that is counted; each in its own process."""

import subprocess
import sys


def run(source):
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


COUNTED = """
import gc, sys, weakref
from sandbox.runtime.supervisor import heap
class Thing: pass
def function(): return "a constant of its own"
kept = Thing()
made = heap.stop_counting()
before = [sys.getrefcount(o) for o in (kept, function, function.__code__.co_consts[1])]
more = [kept, function, function.__code__.co_consts[1]] * 10
after = [sys.getrefcount(o) for o in (kept, function, function.__code__.co_consts[1])]
print(made > 10_000, before == after)
later = Thing()
ended = weakref.ref(later)
del later
print(ended() is None, [m for m in gc.get_objects() if type(m) is memoryview])
"""


def test_where_cpython_can_nothing_that_is_there_is_counted_and_all_that_comes_is():
    uncounted = sys.version_info >= (3, 12)
    assert run(COUNTED) == f"{uncounted} {uncounted}\nTrue []\n"


GAPS = """
import random
from sandbox.runtime.supervisor import heap
random.seed(1)
for size in range(48, 513, 16):
    blocks = [bytes(size - 33) for _ in range(20_000)]
    random.shuffle(blocks)
    del blocks[::2]
    kept = blocks
    del blocks
heap.fill_gaps()
wrong = 0
for size in range(48, 513, 16):
    places = [id(block) for block in [bytes(size - 33) for _ in range(20)]]
    wrong += sum(b - a != size for a, b in zip(places, places[1:]))
print(wrong)
"""


def test_what_is_made_after_the_gaps_are_taken_lies_together():
    assert int(run(GAPS)) <= 30  # of 570: where a pool ends
