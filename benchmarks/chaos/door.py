"""`Door`, the base of all doors: it runs batches until it is stopped, and looks for leaks then."""

import contextlib
import gc
import os
import random
import select
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any

import psutil

from benchmarks.chaos.jobs import LIMITS, PROGRAMS, RIGHT, TESTS, WRONG, Known, Tally, draw
from sandbox import Fault, Grade, Result, SandboxError

BATCH = 24
_UNREAD_SECONDS, _SETTLE_SECONDS = 1.0, 10.0
Row = tuple[str, dict[str, Any]]


class Door:
    """One way into the sandbox, in use. To be made in the main thread.

    `use` runs one batch of jobs whose verdicts are known, and notes what they got.
    """

    use: Callable[[], None]

    def __init__(self, chance: random.Random) -> None:
        """Count what this process has before anything is opened."""
        said = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)  # what others print, Ray say, is no line of ours
        self.chance, self.tally, self.number = chance, Tally(said), 10**6
        self.in_batch = self.must_wait = False
        self.before = self.belongings()
        signal.signal(signal.SIGINT, self.on_interrupt)
        signal.signal(signal.SIGUSR2, self.on_wait)

    def known(self) -> Known:
        """Make one more job with a known verdict."""
        self.number += 1
        return draw(PROGRAMS, self.number, LIMITS, self.chance)

    def rows(self, count: int) -> tuple[list[Row], list[float]]:
        """Make programs with tests for grading, and the score of each."""
        rows, scores = [], []
        for _ in range(count):
            self.number += 1
            right = self.chance.random() < 0.7
            code = (RIGHT if right else WRONG).format(nonce=self.number)
            rows.append((code, {"test_list": TESTS}))
            scores.append(1.0 if right else 0.0)
        return rows, scores

    def compare(self, batch: Sequence[Known], given: Iterable[Result | Fault]) -> None:
        """Compare the verdicts given for `batch` with the known ones, in its order."""
        taken, given = 0, iter(given)
        for known, result in zip(batch, given, strict=False):
            taken += 1
            self.heed()
            if isinstance(result, Fault):
                same = result.job == known.job
                self.tally.note("masked" if same else "wrong", result.reason)
            else:
                self.tally.note(known.judge(result), (known, result))
        self.count(len(batch), taken + sum(1 for _ in given))

    def call_many(self, sandbox: Any) -> None:
        """Run one batch of calls by `sandbox.call_many`: all or nothing."""
        self.number += 1
        code = f"def f(n):\n    return [n, {self.number}]\n"
        wanted = list(range(BATCH))
        try:
            results = sandbox.call_many(code, "f", [[n] for n in wanted], **LIMITS)
        except SandboxError as error:
            self.tally.note("masked", error)
        else:
            self.compare_values(wanted, results)

    def compare_values(self, wanted: Sequence[int], results: Sequence[Result]) -> None:
        """Compare results of calls of a function that returns its argument and the job's number."""
        self.count(len(wanted), len(results))
        for n, result in zip(wanted, results, strict=False):
            right = result.value == [n, self.number]
            limit = result.status.endswith("_LIMIT")
            self.tally.note("right" if right else "false limit" if limit else "wrong", result)

    def compare_grades(self, scores: Sequence[float], grades: Sequence[Grade]) -> None:
        """Compare the grades of rows with their known scores."""
        self.count(len(scores), len(grades))
        for wanted, grade in zip(scores, grades, strict=False):
            if grade.masked:
                self.tally.note("masked", grade)
            else:
                self.compare_score(wanted, grade.score)

    def compare_score(self, wanted: float, score: float | None) -> None:
        """Compare the score of one row with the known one."""
        if score == wanted:
            self.tally.note("right")
        else:
            self.tally.note("false 0" if wanted else "false 1", (self.number, score))

    def count(self, wanted: int, got: int) -> None:
        """Note what is missing or too much."""
        for _ in range(got, wanted):
            self.tally.note("lost")
        for _ in range(wanted, got):
            self.tally.note("duplicated")

    def close(self) -> None:
        """Close what was opened."""
        raise NotImplementedError

    def belongings(self) -> dict[str, int]:
        """Count what must be no more at the end than it was before."""
        me = psutil.Process()
        children = me.children()
        zombies = sum(child.status() == psutil.STATUS_ZOMBIE for child in children)
        return {"descriptors": me.num_fds(), "zombies": zombies, "threads": me.num_threads()}

    # -- faults from within

    def heed(self) -> None:
        """Do what a signal asked for."""
        if self.must_wait:
            self.must_wait = False
            time.sleep(_UNREAD_SECONDS)

    def on_wait(self, _number: int, _frame: FrameType | None) -> None:
        """Remember to read nothing for a while."""
        self.must_wait = True

    def on_interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Interrupt a batch as Ctrl-C does."""
        if self.in_batch:
            raise KeyboardInterrupt

    # -- from the beginning to the end

    def live(self) -> None:
        """Run batches until standard input ends; then say what is left behind."""
        self.use()
        self.tally.say()
        while not select.select([0], [], [], 0)[0]:
            try:
                self.in_batch = True
                self.use()
            except KeyboardInterrupt:
                self.tally.note("interrupted")
            finally:
                self.in_batch = False
            self.tally.say()
        self.use()  # all is in order again
        self.close()
        after = self._settled()
        for name, count in after.items():
            if count > self.before[name]:
                self.tally.note(f"leaked {name}", (self.before, after, _open()))
        self.tally.say(ended=True)

    def _settled(self) -> dict[str, int]:
        """Return its belongings once they are as they were, or when there was time enough."""
        deadline = time.monotonic() + _SETTLE_SECONDS
        while True:
            gc.collect()
            now = self.belongings()
            if all(now[name] <= self.before[name] for name in now) or time.monotonic() > deadline:
                return now
            time.sleep(0.2)


def _open() -> list[str]:
    """List what the descriptors of this process are."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the one that lists them
            found.append(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
    return found
