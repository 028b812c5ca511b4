"""One way into the sandbox, used without end by a process of its own, for `benchmarks.chaos`.

    python -m benchmarks.chaos_doors DOOR SEED

Each batch is jobs whose verdicts are known. After each, one line of JSON on standard output: how
often each outcome was seen so far. It ends when its standard input does, closes what it opened, and
says what is left of descriptors and processes. SIGINT interrupts a batch as Ctrl-C does, SIGUSR1
makes it fork amid a batch, SIGUSR2 makes it leave results unread for a while.
"""

import contextlib
import gc
import os
import random
import select
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import psutil

from sandbox import Fault, Job, Policy, Result, Sandbox, SandboxError, Status, grade_many
from sandbox.runtime.defaults import close_all

from .chaos_jobs import ASKS, LIMITS, PROGRAMS, RIGHT, TESTS, WRONG, Known, Tally

_BATCH, _ROWS = 24, 8
_UNREAD_SECONDS = 1.0
_SETTLE_SECONDS = 10.0


class Door:
    """A sandbox in use, and the faults that come from within the caller."""

    def __init__(self, name: str, seed: int) -> None:
        self.use: Callable[[], None] = {
            "run": self.run,
            "map": self.map,
            "call": self.call,
            "services": self.services,
            "grade": self.grade,
        }[name]
        self.chance, self.tally, self.number = random.Random(seed), Tally(), 0
        self.in_batch = self.must_fork = self.must_wait = False
        policy = Policy.load("contest").replaced(
            session=True, limits={**LIMITS, "cpu_seconds": 2.0}
        )
        self.before = _belongings()
        self.sandbox = Sandbox(policy, workers=3)

    def known(self) -> Known:
        """One more job."""
        self.number += 1
        nonce = str(10**6 + self.number)
        weights = [weight for weight, *_ in PROGRAMS]
        (_, code, status, text), *_ = self.chance.choices(PROGRAMS, weights)
        job = Job(code.replace("NONCE", nonce), "cab", limits=LIMITS)
        return Known(job, status, text.replace("NONCE", nonce))

    # -- the ways in

    def run(self) -> None:
        """`Sandbox.run`, one after the other."""
        for known in (self.known() for _ in range(_BATCH // 4)):
            self.heed()
            try:
                result = self.sandbox.run(known.job.code, known.job.stdin, **LIMITS)
            except SandboxError as error:
                self.tally.note("masked", error)
            else:
                self.tally.note(known.judge(result), (known, result))

    def map(self) -> None:
        """`Sandbox.map` with faults as items."""
        batch = [self.known() for _ in range(_BATCH)]
        self.compare(batch, self.sandbox.map([k.job for k in batch], on_fault="yield"))

    def services(self) -> None:
        """The same with a service, which counts what it was asked by whom."""
        batch, asked = [], Counter[int]()
        for place in range(_BATCH // 2):
            if place % 3:
                batch.append(self.known())
                continue
            self.number += 1
            code = ASKS.format(nonce=self.number)
            service = self.service(asked, place)
            job = Job(code, limits=LIMITS, services={"add": service})
            batch.append(Known(job, Status.OK, f"10 {self.number}\n"))
        self.compare(batch, self.sandbox.map([k.job for k in batch], on_fault="yield"))
        for place, times in asked.items():
            if times > 5:
                self.tally.note("service called twice", (place, times))

    def service(self, asked: Counter[int], place: int) -> Callable[[int], int]:
        """A function that remembers: what it answers depends on what it was asked before."""
        total = 0

        def add(n: int) -> int:
            nonlocal total
            asked[place] += 1
            total += n
            if self.chance.random() < 0.02:
                time.sleep(0.5)
            return total

        return add

    def call(self) -> None:
        """`Sandbox.call_many`: all or nothing."""
        self.number += 1
        code = f"def f(n):\n    return [n, {self.number}]\n"
        wanted = list(range(_BATCH))
        try:
            results = self.sandbox.call_many(code, "f", [[n] for n in wanted], **LIMITS)
        except SandboxError as error:
            self.tally.note("masked", error)
            return
        self.count(len(wanted), len(results))
        for n, result in zip(wanted, results, strict=False):
            right = result.value == [n, self.number]
            limit = result.status.endswith("_LIMIT")
            self.tally.note("right" if right else "false limit" if limit else "wrong", result)

    def grade(self) -> None:
        """`grade_many`: assertions, in a process without the program."""
        rows, scores = [], []
        for _ in range(_ROWS):
            self.number += 1
            right = self.chance.random() < 0.7
            code = (RIGHT if right else WRONG).format(nonce=self.number)
            rows.append((code, {"test_list": TESTS}))
            scores.append(1.0 if right else 0.0)
        grades = grade_many(rows, workers=3)
        self.count(len(rows), len(grades))
        for row, wanted, grade in zip(rows, scores, grades, strict=False):
            if grade.masked:
                self.tally.note("masked", grade)
            elif grade.score == wanted:
                self.tally.note("right")
            else:
                self.tally.note("false 0" if wanted else "false 1", (row, grade))

    def compare(self, batch: list[Known], given: Iterator[Result | Fault]) -> None:
        """Take what is given for `batch`, in its order."""
        taken = 0
        for known, result in zip(batch, given, strict=False):
            taken += 1
            self.heed()
            if isinstance(result, Fault):
                same = result.job is known.job
                self.tally.note("masked" if same else "wrong", result.reason)
            else:
                self.tally.note(known.judge(result), (known, result))
        self.count(len(batch), taken + sum(1 for _ in given))

    def count(self, wanted: int, got: int) -> None:
        """Note what is missing or too much."""
        for _ in range(got, wanted):
            self.tally.note("lost")
        for _ in range(wanted, got):
            self.tally.note("duplicated")

    def close(self) -> None:
        """Close what was opened, also what grading opened by itself."""
        self.sandbox.close()
        close_all()

    # -- faults from within

    def heed(self) -> None:
        """Do what a signal asked for."""
        if self.must_wait:
            self.must_wait = False
            time.sleep(_UNREAD_SECONDS)
        if self.must_fork:
            self.must_fork = False
            self.fork()

    def fork(self) -> None:
        """A fork of the caller, as a data loader's: it has results of its own and takes none."""
        self.in_batch = False  # an interrupt here would leave the fork to nobody
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                result = self.sandbox.run("print(6 * 7)", **LIMITS)
                status = 0 if result.output == "42\n" else 2
            except SandboxError:
                status = 3
            finally:
                self.sandbox.close()
                os._exit(status)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        outcome = {0: "forked", 3: "masked", -9: "masked"}.get(code, "wrong in a fork")
        self.tally.note(outcome, code)
        self.in_batch = True

    def on_signal(self, number: int, _frame: FrameType | None) -> None:
        """Remember, or interrupt."""
        if number == signal.SIGUSR1:
            self.must_fork = True
        elif number == signal.SIGUSR2:
            self.must_wait = True
        elif self.in_batch:
            raise KeyboardInterrupt

    def live(self) -> None:
        """Batches until standard input ends; then what is left behind."""
        for number in (signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, self.on_signal)
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
        after = _settled(self.before)
        for name, count in after.items():
            if count > self.before[name]:
                self.tally.note(f"leaked {name}", (self.before, after, _open()))
        self.tally.say(ended=True)


def _belongings() -> dict[str, int]:
    """Count what this process has."""
    me = psutil.Process()
    children = me.children()
    zombies = sum(child.status() == psutil.STATUS_ZOMBIE for child in children)
    return {"descriptors": me.num_fds(), "zombies": zombies, "threads": me.num_threads()}


def _open() -> list[str]:
    """List what the descriptors of this process are."""
    found = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):  # the one that lists them
            found.append(f"{number} {os.readlink(f'/proc/self/fd/{number}')}")
    return found


def _settled(before: dict[str, int]) -> dict[str, int]:
    """The same once it is as it was, or when there was time enough."""
    deadline = time.monotonic() + _SETTLE_SECONDS
    while True:
        gc.collect()
        now = _belongings()
        if all(now[name] <= before[name] for name in now) or time.monotonic() > deadline:
            return now
        time.sleep(0.2)


def main() -> int:
    """Use the door that the arguments name."""
    arguments: list[Any] = sys.argv[1:]
    Door(arguments[0], int(arguments[1])).live()
    return 0


if __name__ == "__main__":
    sys.exit(main())
