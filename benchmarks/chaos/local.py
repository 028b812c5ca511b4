"""The doors of one machine: a `Sandbox`, and grading."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable

from benchmarks.chaos.door import BATCH, Door
from benchmarks.chaos.jobs import ASKS, LIMITS, Known
from sandbox import Job, Policy, Sandbox, SandboxError, Status, grade_many
from sandbox.runtime.caller.defaults import close_all

_ROWS = 8


class LocalDoor(Door):
    """A sandbox of this process, in one of the ways that there are to use it."""

    def __init__(self, name: str, chance: random.Random) -> None:
        """Open the door."""
        super().__init__(chance)
        self.use = {
            "run": self.run,
            "map": self.map,
            "call": self.call,
            "services": self.services,
            "grade": self.grade,
        }[name]
        self.must_fork = False
        signal.signal(signal.SIGUSR1, self.on_fork)
        policy = Policy.load("contest").replaced(
            services=True, limits={**LIMITS, "cpu_seconds": 2.0}
        )
        self.sandbox = Sandbox(policy, workers=3)

    def run(self) -> None:
        """Run a batch by `Sandbox.run`, one after the other."""
        for known in (self.known() for _ in range(BATCH // 4)):
            self.heed()
            try:
                result = self.sandbox.run(known.job.code, known.job.stdin, **LIMITS)
            except SandboxError as error:
                self.tally.note("masked", error)
            else:
                self.tally.note(known.judge(result), (known, result))

    def map(self) -> None:
        """Run a batch by `Sandbox.map` with faults as items."""
        batch = [self.known() for _ in range(BATCH)]
        self.compare(batch, self.sandbox.map([k.job for k in batch], on_fault="yield"))

    def services(self) -> None:
        """Run a batch by `Sandbox.map` with services, and count how often each job's is asked."""
        batch, asked = [], Counter[int]()
        for place in range(BATCH // 2):
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
        """Make a function that remembers: what it answers depends on what it was asked before."""
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
        """Run a batch by `Sandbox.call_many`."""
        self.call_many(self.sandbox)

    def grade(self) -> None:
        """Grade a batch by `grade_many`: assertions, in a process without the program."""
        rows, scores = self.rows(_ROWS)
        self.compare_grades(scores, grade_many(rows, workers=3))

    def close(self) -> None:
        """Close what was opened, also what grading opened by itself."""
        self.sandbox.close()
        close_all()

    def heed(self) -> None:
        """Fork too, if a signal asked for it."""
        super().heed()
        if self.must_fork:
            self.must_fork = False
            self.fork()

    def fork(self) -> None:
        """Fork the caller, as a data loader does: a fork has results of its own and takes none."""
        self.in_batch = False  # an interrupt here would leave a fork that is not waited for
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

    def on_fork(self, _number: int, _frame: object) -> None:
        """Remember that a signal asked for a fork."""
        self.must_fork = True
