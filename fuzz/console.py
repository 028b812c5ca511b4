"""The view that a person has of a campaign: live progress, and a summary."""

import time
from collections import Counter

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from .judging.finds import Find, Report, StageReport
from .layers.depth_rows import STOPS, Depth

_REFRESH_SECONDS = 0.2


class Progress:
    """A live view; give its `watch` to a campaign. A context."""

    def __init__(self, console: Console, seconds: float) -> None:
        self._console, self._seconds = console, seconds
        self._live = Live(console=console, refresh_per_second=5, transient=True)
        self._last = 0.0

    def __enter__(self) -> "Progress":
        self._live.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def watch(self, stage: StageReport, report: Report) -> None:
        """Draw the campaign's progress a few times a second; to be called after every program."""
        now = time.monotonic()
        if now - self._last >= _REFRESH_SECONDS:
            self._last = now
            self._live.update(self._view(stage, report))

    def _view(self, stage: StageReport, report: Report) -> Group:
        line = Text()
        line.append(f"{report.seconds:5.0f} of {self._seconds:.0f} s  ", "dim")
        line.append(f"{stage.name} ", "bold")
        line.append(f"({stage.setup}): {stage.programs} programs  ")
        line.append(f"{report.executions} executions, {report.rate:.0f}/s  ")
        style = "bold red" if report.finds else "green"
        line.append(f"{len(report.finds)} finds", style)
        line.append(f"  {report.coverage}", "dim")
        done = Text(f"done: {', '.join(each.name for each in report.stages)}", "dim")
        return Group(line, done, *(Text(find.path(), "red") for find in report.finds[-3:]))


def summary(console: Console, report: Report) -> None:
    """Print the stages as a table, then each find with its smallest program."""
    table = Table("stage", "sandbox", "programs", "seconds", "outcomes")
    for stage in report.stages:
        outcomes = ", ".join(f"{name} {n}" for name, n in sorted(stage.statuses.items()))
        told = Text(stage.skipped or outcomes, "yellow" if stage.skipped else "")
        row = (stage.name, stage.setup, str(stage.programs), f"{stage.seconds:.1f}")
        table.add_row(*row, told)
    console.print(table)
    if report.depth is not None:
        _depth(console, report.depth)
    for find in report.finds:
        console.print(show(find))
    style = "bold red" if report.finds else "bold green"
    cut = " (interrupted)" if report.interrupted else ""
    console.print(
        Text(
            f"policy '{report.policy}', seed {report.seed}{cut}: {len(report.finds)} escapes in"
            f" {report.executions} executions, {report.seconds:.0f} s,"
            f" {report.rate:.0f} executions/s; {report.coverage}",
            style,
        )
    )
    if report.unreached:
        console.print(Text(f"no time for {report.unreached} more stages: give more", "yellow"))
    for name, came in report.guided.items():
        console.print(Text(f"guided, {name}: {came}"))


def _depth(console: Console, depth: Depth) -> None:
    """Print how many layers stop each family on their own, and which attacks meet one alone."""
    table = Table("family", "attacks", "least", "depth: attacks")
    for family, counts in sorted(depth.by_family().items()):
        spread = ", ".join(f"{layers}: {n}" for layers, n in sorted(counts.items()))
        table.add_row(family, str(counts.total()), str(min(counts)), spread)
    console.print(table)
    for row in depth.shallow:
        by = ", ".join(name for name, cell in row.cells.items() if cell == STOPS) or "nothing"
        attack = row.attack
        told = f"shallow: {attack.id} ({attack.goal}): {by} alone; {row.reason}"
        console.print(Text(told, "yellow"))
    through = [row for row in depth.rows if row.through_without]
    for row in through:
        without = ", ".join(row.through_without)
        console.print(Text(f"{row.attack.id} gets through without {without}", "red"))
    _limits(console, depth)


def _limits(console: Console, depth: Depth) -> None:
    table = Table("resource attack", "held by", "behind it, with that lifted")
    for held in sorted(depth.limits, key=lambda held: (held.by, held.behind, held.id)):
        table.add_row(held.id, held.by, held.behind)
    console.print(table)
    pairs = Counter((held.by, held.behind) for held in depth.limits)
    for (first, second), number in sorted(pairs.items()):
        console.print(f"{number} resource attacks: {first}; behind it: {second}")


def show(find: Find) -> Text:
    """Return one find as text: where, what, and the program."""
    text = Text(f"\n{find.id}\n", "bold red")
    text.append(f"{find.path()}\n", "red")
    text.append(f"{find.shrunk}\n", "default")
    return text
