"""Latency and throughput of this executor beside others, in one interleaved run.

    python -m benchmarks.speed [--quick | --seconds N] [--json]

The floor is fork + _exit + wait of a bare interpreter with RestrictedPython loaded: what a process
for every program costs at least, where none was forked ahead. Contenders take turns, so that a
change of the machine's pace meets all of them alike.
"""

import argparse
import json
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.side_by_side import measure
from benchmarks.side_by_side.contenders import Contender, Floor, Ours, OursCompiled, Subprocess
from benchmarks.side_by_side.peers import PEERS
from benchmarks.side_by_side.programs import NINE_LINES, ONE_LINE, PROGRAMS

LATENCY_SHARE, THROUGHPUT_SHARE = 0.5, 0.25  # of the time; the rest is for opening and page faults
QUICK_SECONDS, SECONDS = 15.0, 90.0


def run(seconds: float) -> dict[str, Any]:
    """Measure everything in about `seconds`; return plain data."""
    contenders, absent = measure.open_all([Floor, Ours, OursCompiled, Subprocess, *PEERS])
    floor, ours = contenders[0], contenders[1]
    assert isinstance(floor, Floor)
    assert isinstance(ours, Ours)
    try:
        found = measure.latencies(contenders, seconds * LATENCY_SHARE)
        rated = [each for each in contenders if not isinstance(each, OursCompiled)]
        rates = measure.throughput(rated, seconds * THROUGHPUT_SHARE)
        opened = measure.opening(max(int(seconds / 6), 3))
        shares = measure.shares(found, floor, Ours.name, OursCompiled.name)
    finally:
        for contender in contenders:
            contender.close()
    return {
        "host": measure.host(),
        "layers": list(ours.layers),
        "floor_resident_bytes": floor.resident_bytes,
        "contenders": {each.name: _figures(each, found, rates) for each in contenders},
        "absent": absent,
        "opening_to_first_result": measure.summary(opened),
        "shares": shares,
        "aims": _aims(found, rates, opened),
    }


def _figures(
    contender: Contender, found: measure.Latencies, rates: dict[str, float]
) -> dict[str, Any]:
    name = contender.name
    rows: dict[str, Any] = {
        program.name: {
            **measure.summary(found[name][program.name]),
            "floors": measure.ratio(program, found, name, Floor.name),
        }
        for program in PROGRAMS
    }
    if name in rates:
        rows["per_second_per_core"] = rates[name]
        rows["times_subprocess"] = rates[name] / rates[Subprocess.name]
    return rows


def _aims(
    found: measure.Latencies, rates: dict[str, float], opened: list[float]
) -> list[dict[str, Any]]:
    """Return what we want to reach, and what was measured."""
    floor_seconds = median(found[Floor.name][NINE_LINES.name])
    one, nine = (measure.ratio(p, found, Ours.name, Floor.name) for p in (ONE_LINE, NINE_LINES))
    share = rates[Ours.name] * 4 * floor_seconds
    faster = 1 / measure.ratio(ONE_LINE, found, Ours.name, Subprocess.name)
    over = rates[Ours.name] / rates[Subprocess.name]
    rows = [
        ("one line, p50, in floors", one, "at most", 1.5),
        ("nine lines, p50, in floors", nine, "at most", 2.0),
        ("throughput per core, in 1 / (4 floors)", share, "at least", 1.0),
        ("one line, p50, times faster than subprocess", faster, "at least", 10.0),
        ("throughput, in those of subprocess", over, "at least", 10.0),
        ("opening to first result, p50, ms", median(opened) * 1e3, "at most", 200.0),
    ]
    return [
        {
            "aim": f"{what}: {bound} {limit:g}",
            "measured": value,
            "reached": value <= limit if bound == "at most" else value >= limit,
        }
        for what, value, bound, limit in rows
    ]


def show(report: dict[str, Any], console: Console) -> None:
    """Print the report for a person."""
    host = report["host"]
    console.print(
        f"{host['cores']} cores, Linux {host['kernel']} {host['machine']}, "
        f"Python {host['python']}, load {host['load']:.1f}; "
        f"floor {report['floor_resident_bytes'] / 2**20:.1f} MiB resident"
    )
    console.print(f"layers: {', '.join(report['layers'])}")
    console.print(_contenders(report["contenders"]))
    for name, reason in report["absent"].items():
        console.print(f"{name}: {reason}")
    console.print(_shares(report["shares"]))
    aims = _table("What we want to reach", "aim", "measured", "reached")
    for row in report["aims"]:
        aims.add_row(row["aim"], f"{row['measured']:.2f}", "yes" if row["reached"] else "no")
    console.print(aims)


def _contenders(rows: dict[str, Any]) -> Table:
    headings = ["contender"]
    for program in PROGRAMS:
        headings += [f"{program.name} p50 ms", "p95", "floors"]
    table = _table("Latency and throughput", *headings, "per s per core", "x subprocess")
    for name, row in rows.items():
        cells = []
        for program in PROGRAMS:
            found = row[program.name]
            cells += [f"{found[key]:.2f}" for key in ("p50_ms", "p95_ms", "floors")]
        rates = [row.get("per_second_per_core"), row.get("times_subprocess")]
        cells += ["" if rate is None else f"{rate:.1f}" for rate in rates]
        table.add_row(name, *cells)
    return table


def _shares(shares: dict[str, Any]) -> Table:
    faults = shares["faults"]
    title = (
        f"Where the time goes (a page copy: {shares['page_copy_us']:.2f} µs; "
        f"{faults['until ready']:.0f} faults before a child is ready, off the path)"
    )
    table = _table(title, "program", "p50 ms", "compile ms", "page copies ms", "faults")
    for program in PROGRAMS:
        row = shares[program.name]
        cells = [f"{row[key]:.2f}" for key in ("p50_ms", "compile_ms", "page_copies_ms")]
        table.add_row(program.name, *cells, f"{faults[program.name]:.0f}")
    return table


def _table(title: str, first: str, *headings: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for heading in headings:
        table.add_column(heading, justify="right")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--seconds", type=float, default=SECONDS, help="about how long (%(default)s)"
    )
    parser.add_argument("--quick", action="store_true", help=f"take {QUICK_SECONDS:g} seconds")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    arguments = parser.parse_args()
    report = run(QUICK_SECONDS if arguments.quick else arguments.seconds)
    if arguments.json:
        print(json.dumps(report, indent=2))
    else:
        show(report, Console(width=140))


if __name__ == "__main__":
    main()
