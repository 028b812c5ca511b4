"""Everything that is measured, behind one interface: open, run a program, give back its output."""

import json
import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.side_by_side.programs import PROGRAMS, Program
from sandbox import Job, Sandbox

CORES = len(os.sched_getaffinity(0))


class Absent(Exception):
    """The contender is not installed or does not work here; the message says which."""


class Contender:
    """One way to run a program. `samples` is how often it runs in each round of the latencies."""

    name = ""
    samples = 1
    concurrency = CORES  # threads that drive it when its throughput is measured

    def open(self) -> None:
        """Make the contender ready. Raises Absent."""

    def run(self, program: Program) -> str:
        """Run `program` to its end; return what it printed."""
        raise NotImplementedError

    def latencies(self, program: Program, pause: float) -> Iterator[float]:
        """Measure the seconds of each of `samples` runs, with a pause before each."""
        for _ in range(self.samples):
            time.sleep(pause)
            started = time.perf_counter()
            output = self.run(program)
            seconds = time.perf_counter() - started
            if output != program.output:
                raise Absent(f"wrong output: {output!r}")
            yield seconds

    def close(self) -> None:
        """End whatever `open` started."""


class Floor(Contender):
    """fork + _exit + wait, timed inside of a bare interpreter; it runs no program."""

    name = "floor: bare fork + _exit + wait"
    samples = 10

    def open(self) -> None:
        script = Path(__file__).with_name("floor.py")
        paths = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-E", "-s", "-P", str(script), *paths],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"PYTHONHASHSEED": "0"},
        )
        self.resident_bytes = int(self.ask("resident", 0))

    def ask(self, command: str, argument: int) -> float:
        self.send(command, argument)
        return float(self.answer())

    def send(self, command: str, argument: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command} {argument}\n")
        self._process.stdin.flush()

    def answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def latencies(self, program: Program, pause: float) -> Iterator[float]:
        for _ in range(self.samples):
            time.sleep(pause)
            self.send("fork", 1)
            yield from self.answer()

    def close(self) -> None:
        self._process.communicate()


class Ours(Contender):
    """This executor, under the policy `strict`, with every layer that the host has."""

    name = "restricted-execution"
    samples = 10

    def open(self) -> None:
        self.sandbox = Sandbox(policy="strict")
        self.layers = self.sandbox.run("").layers

    def run(self, program: Program) -> str:
        return self.sandbox.run(program.source).output

    def count_for(self, program: Program, seconds: float) -> tuple[int, float]:
        """Return the executions in about `seconds` by `map`, and the seconds that it really was."""
        started = time.perf_counter()
        jobs = iter(
            lambda: Job(program.source) if time.perf_counter() - started < seconds else None, None
        )
        count = sum(result.output == program.output for result in self.sandbox.map(jobs))
        return count, time.perf_counter() - started

    def close(self) -> None:
        self.sandbox.close()


class OursCompiled(Ours):
    """The same with the program compiled before, as `run_many` does: what is left is execution."""

    name = "restricted-execution, compiled before"

    def run(self, program: Program) -> str:
        return self.sandbox.run_many(program.source, [""])[0].output


class OnFile(Contender):
    """A command that runs a program from a file."""

    def open(self) -> None:
        import tempfile

        self._folder = tempfile.TemporaryDirectory()
        self._files = {}
        for number, program in enumerate(PROGRAMS):
            path = Path(self._folder.name, f"{number}.py")
            path.write_text(program.source)
            self._files[program.name] = str(path)

    def command(self, file: str) -> list[str]:
        raise NotImplementedError

    def run(self, program: Program) -> str:
        command = self.command(self._files[program.name])
        return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout

    def close(self) -> None:
        self._folder.cleanup()


class Subprocess(OnFile):
    """A fresh interpreter for each program: no limits, no isolation."""

    name = "subprocess: python -I -S"

    def command(self, file: str) -> list[str]:
        return [sys.executable, "-I", "-S", file]
