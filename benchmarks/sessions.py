"""Sessions beside the floor: opening, cells with and without undo, branches, idle memory.

    python -m benchmarks.sessions [--policy strict] [--rounds 60] [--idle 100] [--json]

The floor is fork + _exit + wait of a bare interpreter (`benchmarks.speed`), measured in turns with
the cells, so that a change of the machine's pace meets all alike. The memory of an idle session is
the proportional set size (PSS, proc(5)) of its processes, in which a page that k processes share
counts as a k-th. IPython's kernel and the executor of smolagents run the same cells where they are
installed.
"""

import argparse
import contextlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.side_by_side.contenders import Floor
from sandbox import Sandbox, Session

_BRANCHES = 16
_CELLS = 50


def measure(policy: str, rounds: int, idle: int) -> dict[str, Any]:
    """Return medians in milliseconds, ratios to the floor, and MiB of memory."""
    found: dict[str, list[float]] = {}

    def timed(name: str, work: Callable[[], object], share: int = 1) -> None:
        begun = time.perf_counter()
        work()
        found.setdefault(name, []).append((time.perf_counter() - begun) * 1e3 / share)

    floor = Floor()
    floor.open()
    with Sandbox(policy, workers=1, sessions=idle + 8) as sandbox, contextlib.closing(floor):
        begun = time.perf_counter()
        with sandbox.session() as first:
            first.run("1")
        cold = (time.perf_counter() - begun) * 1e3
        with sandbox.session() as undoing, sandbox.session(undo=False) as in_place:
            for session in (undoing, in_place):
                session.run("x = 0")
            for _ in range(rounds):
                floor.send("fork", 1)
                found.setdefault("floor", []).extend(each * 1e3 for each in floor.answer())
                timed("a cell, with undo", lambda: undoing.run("x += 1"))
                timed("a cell, in place", lambda: in_place.run("x += 1"))
                timed("a program by itself", lambda: sandbox.run("x = 1"))
                timed("open to first result", lambda: _open(sandbox))
            for _ in range(max(rounds // 10, 3)):
                timed("a branch of 16", lambda: _fork(undoing), _BRANCHES - 1)
        memory = _idle_mib(sandbox, idle)
    medians = {name: median(values) for name, values in found.items()}
    return {
        "policy": policy,
        "first session ms": cold,
        "ms": medians,
        "floors": {name: value / medians["floor"] for name, value in medians.items()},
        "idle sessions": idle,
        "idle MiB each": memory,
        "others ms": dict(_others()),
    }


def _open(sandbox: Sandbox) -> None:
    with sandbox.session() as session:
        session.run("1")


def _fork(session: Session) -> None:
    for branch in session.fork(_BRANCHES - 1):
        branch.close()


def _idle_mib(sandbox: Sandbox, count: int) -> float:
    sessions = [sandbox.session() for _ in range(count)]
    try:
        for session in sessions:
            session.run("x = 1")
        time.sleep(0.5)  # states that were dropped go
        pids = [pid for session in sessions for pid in _processes(session)]
        return sum(map(_pss_bytes, pids)) / count / (1 << 20)
    finally:
        for session in sessions:
            session.close()


def _processes(session: Session) -> list[int]:
    keeper = session._branch.tree.connection.pid
    with open(f"/proc/{keeper}/task/{keeper}/children") as children:
        return [keeper, *map(int, children.read().split())]


def _pss_bytes(pid: int) -> int:
    with contextlib.suppress(OSError), open(f"/proc/{pid}/smaps_rollup") as lines:
        for line in lines:
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


def _others() -> Iterator[tuple[str, float]]:
    """Time a cell by others, of which none isolates anything or undoes anything."""
    with contextlib.suppress(ImportError):
        yield "smolagents' LocalPythonExecutor", _smolagents()
    with contextlib.suppress(ImportError):
        yield "ipykernel", _ipykernel()


def _smolagents() -> float:
    from smolagents.local_python_executor import LocalPythonExecutor

    executor = LocalPythonExecutor([])
    executor.send_tools({})
    executor("x = 0")
    return _per_cell(lambda: executor("x += 1"))


def _ipykernel() -> float:
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel()
    try:
        client.execute_interactive("x = 0", silent=True)
        return _per_cell(lambda: client.execute_interactive("x += 1", silent=True))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _per_cell(run: Callable[[], object]) -> float:
    times = []
    for _ in range(_CELLS):
        begun = time.perf_counter()
        run()
        times.append((time.perf_counter() - begun) * 1e3)
    return median(times)


def _show(report: dict[str, Any]) -> None:
    table = Table(title=f"sessions under {report['policy']}, {os.cpu_count()} processors")
    for heading in ("what", "p50 ms", "floors"):
        table.add_column(heading, justify="left" if heading == "what" else "right")
    for name, value in report["ms"].items():
        table.add_row(name, f"{value:.2f}", f"{report['floors'][name]:.2f}")
    for name, value in report["others ms"].items():
        table.add_row(f"a cell by {name}", f"{value:.2f}", "")
    console = Console()
    console.print(table)
    console.print(
        f"first session, with its supervisor: {report['first session ms']:.0f} ms;"
        f" {report['idle sessions']} idle sessions: {report['idle MiB each']:.2f} MiB each"
    )


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--policy", default="strict")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--idle", type=int, default=100)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    report = measure(given.policy, given.rounds, given.idle)
    if given.json:
        print(json.dumps(report, indent=2))
    else:
        _show(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
