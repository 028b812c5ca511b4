"""Are verdicts right while supervisors, children and callers are killed, stopped and interrupted?

    python -m benchmarks.chaos [--minutes 5] [--seed 0] [--door run --door map ...]

Each way into the sandbox is used by a process of its own (`benchmarks.chaos.use`), with jobs
whose verdicts are known. Meanwhile faults are injected at random: see `benchmarks.chaos.faults`. A
job may then have no verdict, and says so ("masked"); it must never have a wrong one. Prints what
was seen, and exits with 1 if a verdict was wrong, lost or given twice, a limit was said that was
not met, a correct row scored 0, a service was called again, or something was left behind. The door
"ray" is left out where Ray is not installed.
"""

import argparse
import contextlib
import importlib.util
import os
import sys
import threading
import time
from collections import Counter

import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.chaos.faults import User, faults_of

_DOORS = ("run", "map", "call", "services", "grade", "server", "ray")
_HARMLESS = ("right", "masked", "interrupted", "forked")
_PAUSE_SECONDS = (0.2, 1.5)  # between two faults of one door
_CALM = 20  # of the last seconds before the end, how many pass without a fault


def torment(user: User, until: float) -> None:
    """Inject one fault after the other into the process of `user`, at random moments."""
    faults = faults_of(user.door)
    while time.monotonic() < until and user.process.poll() is None:
        time.sleep(user.chance.uniform(*_PAUSE_SECONDS))
        fault = user.chance.choice(faults)
        with contextlib.suppress(psutil.Error, IndexError, OSError):  # it has just gone
            fault(user)
            user.faults[fault.__name__] += 1


def campaign(doors: list[str], minutes: float, seed: int) -> list[User]:
    """Use `doors` for so many minutes, inject faults into their users, and return the users."""
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
    """Print what was seen; return True if all of it was as it must be."""
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
    """Run the campaign and print what was seen."""
    parser = argparse.ArgumentParser(prog="benchmarks.chaos", description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--door", action="append", choices=_DOORS)
    arguments = parser.parse_args()
    console, load = Console(highlight=False, width=150), os.getloadavg()[0]
    doors = arguments.door or list(_DOORS)
    if importlib.util.find_spec("ray") is None and "ray" in doors:
        doors.remove("ray")
        console.print("left out: ray, which is not installed")
    users = campaign(doors, arguments.minutes, arguments.seed)
    good = report(users, console)
    console.print(f"load of the machine before: {load:.1f}, processors: {os.cpu_count()}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
