"""The measurements: latencies interleaved, throughput in slices, opening, where the time goes."""

import contextlib
import itertools
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from statistics import mean, median, quantiles
from typing import Any

import psutil

from benchmarks.side_by_side.contenders import CORES, Absent, Contender, Floor, Ours
from benchmarks.side_by_side.programs import NINE_LINES, ONE_LINE, PROGRAMS, Program
from sandbox import Sandbox

PAUSE_SECONDS = 0.005  # before each run of every contender: a caller that is not saturating it
SLICES = 3
PAGES = 2048
REST_SECONDS = 0.05  # after which the spares have nothing left to do

Latencies = dict[str, dict[str, list[float]]]  # contender: program: seconds


def latencies(contenders: Sequence[Contender], seconds: float) -> Latencies:
    """Measure every contender and program in each round, round after round until the time is up."""
    found: Latencies = {each.name: {p.name: [] for p in PROGRAMS} for each in contenders}
    until = time.monotonic() + seconds
    for turn in itertools.count():  # at least one round
        if turn and time.monotonic() > until:
            break
        shift = turn % len(contenders)
        for contender in [*contenders[shift:], *contenders[:shift]]:
            for program in PROGRAMS:
                found[contender.name][program.name] += contender.latencies(program, PAUSE_SECONDS)
    return found


def throughput(contenders: Sequence[Contender], seconds: float) -> dict[str, float]:
    """Measure executions of the nine lines per second, per core that was given to them."""
    rates: dict[str, list[float]] = {each.name: [] for each in contenders}
    each_seconds = seconds / SLICES / len(contenders)
    for _ in range(SLICES):
        for contender in contenders:
            rates[contender.name].append(_rate(contender, each_seconds))
    return {name: mean(values) for name, values in rates.items()}


def _rate(contender: Contender, seconds: float) -> float:
    if isinstance(contender, Floor):
        with _open(Floor, contender.concurrency) as floors:
            for floor in floors:
                floor.send("rate", int(seconds * 1000))
            return mean(floor.answer() for floor in floors)
    if isinstance(contender, Ours):
        count, took = contender.count_for(NINE_LINES, seconds)
        return count / took / CORES
    return _rate_of_threads(contender, seconds)


@contextlib.contextmanager
def _open(kind: type[Floor], count: int) -> Iterator[list[Floor]]:
    opened = [kind() for _ in range(count)]
    for each in opened:
        each.open()
    try:
        yield opened
    finally:
        for each in opened:
            each.close()


def _rate_of_threads(contender: Contender, seconds: float) -> float:
    started = time.perf_counter()

    def work(_: int) -> int:
        count = 0
        while time.perf_counter() - started < seconds:
            count += contender.run(NINE_LINES) == NINE_LINES.output
        return count

    with ThreadPoolExecutor(contender.concurrency) as pool:
        done = sum(pool.map(work, range(contender.concurrency)))
    return done / (time.perf_counter() - started) / contender.concurrency


def opening(times: int) -> list[float]:
    """Measure seconds from no sandbox at all to the first result, and no result lost in between."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        with Sandbox(policy="strict") as sandbox:
            assert sandbox.run(ONE_LINE.source).output == ONE_LINE.output
            found.append(time.perf_counter() - started)
    return found


def page_faults(executions: int) -> dict[str, float]:
    """Count the minor faults of one child: until it is ready, and while it runs each program.

    From /proc/<pid>/stat (proc(5)): `minflt` of the spare children, and `cminflt` of the
    supervisor, which counts the children that it has waited for.
    """
    before = set(psutil.Process().children())
    with Sandbox(policy="strict", workers=1, measure="kernel") as sandbox:
        (supervisor,) = set(psutil.Process().children()) - before
        for _ in range(3):  # the first children are forked in haste, without a warm-up
            sandbox.run("")
            time.sleep(REST_SECONDS)
        found = {"until ready": _spare_faults(supervisor)}
        for program in PROGRAMS:
            total = -_faults(supervisor.pid)[1]
            for _ in range(executions):
                time.sleep(REST_SECONDS)
                sandbox.run(program.source)
            total += _faults(supervisor.pid)[1]
            found[program.name] = total / executions - found["until ready"]
    return found


def _spare_faults(supervisor: psutil.Process) -> float:
    time.sleep(5 * REST_SECONDS)
    _forker, *spares = sorted(supervisor.children(), key=psutil.Process.create_time)
    return mean(_faults(child.pid)[0] for child in spares)


def _faults(pid: int) -> tuple[int, int]:
    with open(f"/proc/{pid}/stat") as stream:
        fields = stream.read().rpartition(")")[2].split()
    return int(fields[7]), int(fields[8])


def shares(found: Latencies, floor: Floor, plain: str, compiled: str) -> dict[str, Any]:
    """Return what compiling and first writes to pages take of each program's latency, in ms."""
    faults = page_faults(20)
    page_seconds = median(floor.ask("page_copy", PAGES) for _ in range(5))
    rows: dict[str, Any] = {"page_copy_us": page_seconds * 1e6, "faults": faults}
    for program in PROGRAMS:
        whole = median(found[plain][program.name])
        rows[program.name] = {
            "p50_ms": whole * 1e3,
            "compile_ms": (whole - median(found[compiled][program.name])) * 1e3,
            "page_copies_ms": faults[program.name] * page_seconds * 1e3,
        }
    return rows


def summary(seconds: Sequence[float]) -> dict[str, float]:
    """Return the milliseconds at the middle and at 95 %, and how many samples they rest on."""
    cuts = quantiles(seconds, n=20) if len(seconds) > 1 else [seconds[0]] * 19
    return {"p50_ms": median(seconds) * 1e3, "p95_ms": cuts[18] * 1e3, "samples": len(seconds)}


def open_all(kinds: Sequence[type[Contender]]) -> tuple[list[Contender], dict[str, str]]:
    """Open the contenders that work here, warmed up; say why the others do not."""
    usable, absent = [], {}
    for kind in kinds:
        contender = kind()
        try:
            contender.open()
            _warm_up(contender)
        except (Absent, OSError, RuntimeError) as error:
            absent[contender.name] = str(error) or type(error).__name__
        else:
            usable.append(contender)
    return usable, absent


def _warm_up(contender: Contender) -> None:
    for program in PROGRAMS:
        for _ in range(3):
            list(contender.latencies(program, 0))


def host() -> dict[str, Any]:
    """Describe the host and the Python that the figures were measured on."""
    uname = os.uname()
    return {
        "cores": CORES,
        "kernel": uname.release,
        "machine": uname.machine,
        "python": ".".join(map(str, sys.version_info[:3])),
        "load": os.getloadavg()[0],
    }


def ratio(program: Program, found: Latencies, name: str, base: str) -> float:
    """Return how many times the median of `base` the median of `name` is."""
    return median(found[name][program.name]) / median(found[base][program.name])
