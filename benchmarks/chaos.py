"""Are verdicts right while supervisors, children and callers are killed, stopped and interrupted?

    python -m benchmarks.chaos [--minutes 5] [--seed 0] [--door run --door map ...]

Each way into the sandbox is used by a process of its own (`benchmarks.chaos_doors`), with jobs
whose verdicts are known. Meanwhile faults are injected at random: see `FAULTS`. A job may then have
no verdict, and says so ("masked"); it must never have a wrong one. Prints what was seen, and exits
with 1 if a verdict was wrong, lost or given twice, a limit was said that was not met, a correct row
scored 0, a service was called again, or something was left behind.
"""

import argparse
import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).resolve().parents[1]
DOORS = ("run", "map", "call", "services", "grade")
_HARMLESS = ("right", "masked", "interrupted", "forked")
_OPENING_SECONDS, _ENDING_SECONDS = 60, 120
_PAUSE_SECONDS = (0.2, 1.5)  # between two faults of one door
_FREEZE_SECONDS = (0.3, 3.0)
_CALM = 20  # of the last seconds before the end, how many pass without a fault


class User:
    """The process that uses one door, and what it has said."""

    def __init__(self, door: str, seed: int) -> None:
        self.door, self.last, self.chance = door, dict[str, Any](), random.Random(seed)
        self.faults = Counter[str]()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.chaos_doors", door, str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
        )
        self.itself = psutil.Process(self.process.pid)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.last = json.loads(line)

    def wait_until_open(self) -> None:
        """Until the first batch is done. Raises SystemExit if it never is."""
        deadline = time.monotonic() + _OPENING_SECONDS
        while not self.last:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"{self.door}: no batch without a fault came to its end")
            time.sleep(0.05)

    def supervisors(self) -> list[psutil.Process]:
        """List the supervisors that serve it now."""
        return self.itself.children()

    def children(self) -> list[psutil.Process]:
        """The processes of guests, spare ones too."""
        return [p for p in self.itself.children(recursive=True) if p.ppid() != self.itself.pid]

    def end(self) -> None:
        """Let it finish. Raises nothing: one that does not end is killed, and counted."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write("\n")
            self.process.stdin.close()
        try:
            self.process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._reader.join(5)


# -- the faults


def kill_supervisor(user: User) -> None:
    """SIGKILL, as the kernel does it when memory is out."""
    user.chance.choice(user.supervisors()).kill()


def kill_child(user: User) -> None:
    """The same for one guest's process."""
    user.chance.choice(user.children()).kill()


def stop_supervisor(user: User) -> None:
    """Stopped for a while, and then continued."""
    with _stopped([user.chance.choice(user.supervisors())]):
        time.sleep(user.chance.uniform(*_FREEZE_SECONDS))


def stop_child(user: User) -> None:
    """The same for one guest's process."""
    with _stopped([user.chance.choice(user.children())]):
        time.sleep(user.chance.uniform(*_FREEZE_SECONDS) / 2)


def freeze(user: User) -> None:
    """All of it stands still, as in a container that is paused."""
    with _stopped([user.itself, *user.itself.children(recursive=True)]):
        time.sleep(user.chance.uniform(*_FREEZE_SECONDS) * 2)


def interrupt(user: User) -> None:
    """Ctrl-C."""
    user.process.send_signal(signal.SIGINT)


def fork(user: User) -> None:
    """The caller forks, and uses the sandbox in both."""
    user.process.send_signal(signal.SIGUSR1)


def fill_pipes(user: User) -> None:
    """The caller reads nothing for a while."""
    user.process.send_signal(signal.SIGUSR2)


def starve(user: User) -> None:
    """A supervisor that can open no descriptor more, for a while."""
    process = user.chance.choice(user.supervisors())
    soft, hard = process.rlimit(resource.RLIMIT_NOFILE)
    process.rlimit(resource.RLIMIT_NOFILE, (process.num_fds(), hard))
    time.sleep(user.chance.uniform(*_FREEZE_SECONDS))
    process.rlimit(resource.RLIMIT_NOFILE, (soft, hard))


FAULTS: tuple[Callable[[User], None], ...] = (
    *(kill_supervisor, kill_child, stop_supervisor, stop_child, freeze),
    *(interrupt, fork, fill_pipes, starve),
)


@contextlib.contextmanager
def _stopped(processes: list[psutil.Process]) -> Iterator[None]:
    try:
        for process in processes:
            with contextlib.suppress(psutil.Error):
                process.suspend()
        yield
    finally:
        for process in reversed(processes):
            with contextlib.suppress(psutil.Error):
                process.resume()


# -- the campaign


def torment(user: User, until: float) -> None:
    """One fault after the other, at random moments."""
    while time.monotonic() < until and user.process.poll() is None:
        time.sleep(user.chance.uniform(*_PAUSE_SECONDS))
        fault = user.chance.choice(FAULTS)
        with contextlib.suppress(psutil.Error, IndexError, OSError):  # it has just gone
            fault(user)
            user.faults[fault.__name__] += 1


def campaign(doors: list[str], minutes: float, seed: int) -> list[User]:
    """Use `doors` for so long, and torment whoever uses them."""
    users = [User(door, seed + number) for number, door in enumerate(doors)]
    try:
        for user in users:
            user.wait_until_open()
        until = time.monotonic() + max(minutes * 60 - _CALM, 1)
        threads = [threading.Thread(target=torment, args=(user, until)) for user in users]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for user in users:
            user.end()
    return users


def report(users: list[User], console: Console) -> bool:
    """Print what was seen; True if all of it was as it must be."""
    good = True
    names = sorted({name for user in users for name in user.last.get("counts", {})})
    table = Table(title=f"{sum(sum(user.faults.values()) for user in users)} faults")
    for column in ("door", "faults", *names):
        table.add_column(column)
    for user in users:
        counts = user.last.get("counts", {})
        cells = [str(counts.get(name, 0)) for name in names]
        table.add_row(user.door, str(sum(user.faults.values())), *cells)
        good &= set(counts) <= set(_HARMLESS) and bool(user.last.get("ended"))
    console.print(table)
    injected = Counter[str]()
    for user in users:
        injected += user.faults
        for example in user.last.get("examples", []):
            console.print(f"{user.door}: {example}", markup=False)
        if not user.last.get("ended"):
            code = user.process.returncode
            console.print(f"{user.door}: did not come to its end (exit status {code})")
    console.print(", ".join(f"{name} {count}" for name, count in sorted(injected.items())))
    return good


def main() -> int:
    """Run it and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--door", action="append", choices=DOORS)
    arguments = parser.parse_args()
    console, load = Console(highlight=False), os.getloadavg()[0]
    users = campaign(arguments.door or list(DOORS), arguments.minutes, arguments.seed)
    good = report(users, console)
    console.print(f"load of the machine before: {load:.1f}, processors: {os.cpu_count()}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
