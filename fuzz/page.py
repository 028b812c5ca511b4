"""The report as one self-contained HTML page: the matrix as a heat map, filters, sources."""

from sandbox.pages.engine import render, script_source

from .judging.finds import Report, StageReport
from .layers.depth import COLUMNS
from .layers.depth_rows import NOT_TRIED, STOPS, THROUGH, Depth, Row
from .programs.attacks import corpus

_LEGEND = (("stops", "stopped"), ("through", "got through"), ("none", "not tried there"))


def page(report: Report) -> str:
    """Make the whole page. Everything that came from a guest is escaped."""
    summary = (
        f"Seed {report.seed}, Python {report.python}, {report.executions} executions in"
        f" {report.seconds:.0f} s ({report.rate:.0f} per second), {len(report.finds)} escapes."
        f" Layers: {', '.join(report.layers)}."
    )
    return render(
        "fuzz.html",
        title=f"Fuzzing of policy {report.policy}",
        script_source=script_source("filters.js"),
        policy=report.policy,
        summary=summary,
        coverage=report.coverage,
        finds=report.finds,
        stages=[
            (
                s.name,
                s.setup,
                s.programs,
                f"{s.seconds:.1f}\N{NO-BREAK SPACE}s",
                s.skipped or _counted(s.statuses),
            )
            for s in report.stages
        ],
        matrix=_depth(report.depth) if report.depth else _attempts(report),
    )


def _stage(stage: StageReport) -> tuple[object, ...]:
    seconds = f"{stage.seconds:.1f}\N{NO-BREAK SPACE}s"
    outcomes = stage.skipped or _counted(stage.statuses)
    return stage.name, stage.setup, stage.programs, seconds, outcomes


def _counted(statuses: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(statuses.items()))


def _depth(depth: Depth) -> dict[str, object]:
    families = [
        (
            name,
            counts.total(),
            min(counts),
            ", ".join(f"{d}: {n}" for d, n in sorted(counts.items())),
        )
        for name, counts in sorted(depth.by_family().items())
    ]
    return {
        "only": "shallow only",
        "missing": depth.missing,
        "families": families,
        "limits": [(held.id, held.by, held.behind) for held in depth.limits],
        **_matrix(depth.rows, COLUMNS, deep=True),
    }


def _attempts(report: Report) -> dict[str, object]:
    """Return the corpus by the sandboxes that this campaign tried it in."""
    setups = list(dict.fromkeys(name for each in report.tried.values() for name in each))
    attacks = [attack for attack in corpus() if attack.id in report.tried]
    rows = [
        Row(
            attack=attack,
            cells={n: THROUGH if t.evidence else t.status for n, t in tried.items()},
            evidence={name: t.evidence or t.status for name, t in tried.items()},
        )
        for attack in attacks
        for tried in (report.tried[attack.id],)
    ]
    return {
        "only": "got through only",
        "missing": {},
        "families": [],
        "limits": [],
        **_matrix(rows, tuple(setups), deep=False),
    }


def _matrix(rows: list[Row], columns: tuple[str, ...], *, deep: bool) -> dict[str, object]:
    return {
        "deep": deep,
        "legend": (*_LEGEND, ("shallow", "one layer or none" if deep else "got through somewhere")),
        "heads": ("attack", "goal", *(("depth",) if deep else ()), *columns),
        "rows": [_row(row, columns, deep=deep) for row in rows],
    }


def _row(row: Row, columns: tuple[str, ...], *, deep: bool) -> dict[str, object]:
    attack = row.attack
    return {
        "id": attack.id,
        "family": attack.family,
        "goal": attack.goal,
        "reference": attack.reference,
        "code": attack.code,
        "depth": row.depth,
        "without": ", ".join(row.through_without),
        "reason": row.reason,
        "kind": "shallow" if (row.shallow if deep else THROUGH in row.cells.values()) else "deep",
        "cells": [_cell(row, name) for name in columns],
    }


def _cell(row: Row, column: str) -> dict[str, str]:
    cell = row.cells.get(column, NOT_TRIED)
    return {
        "kind": {NOT_TRIED: "none", THROUGH: "through"}.get(cell, "stops"),
        "evidence": row.evidence.get(column, ""),
        "sign": {STOPS: "stops", NOT_TRIED: ""}.get(cell, cell),
    }
