"""The report as one self-contained HTML page: the matrix as a heat map, filters, sources."""

import html
from string import Template

from .judging.finds import Find, Report
from .layers.depth import COLUMNS
from .layers.depth_rows import NOT_TRIED, STOPS, THROUGH, Depth, Row
from .programs.attacks import corpus

_PAGE = Template("""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Fuzzing of policy $policy</title>
<style>
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em; color: #222; }
table { border-collapse: collapse; } th, td { padding: 2px 7px; text-align: left; }
thead th { position: sticky; top: 0; background: #fff; } td.n { text-align: right; }
td.stops { background: #b7dfb9; } td.through { background: #f2b8a8; } td.none { background: #eee; }
tr.shallow td:first-child { background: #f7dd8e; } pre { background: #f6f6f6; padding: .7em; }
.find { border-left: 4px solid #c33; padding-left: 1em; } summary { cursor: pointer; }
input, select { font: inherit; margin-right: 1em; }
</style></head><body>
<h1>Fuzzing of policy $policy</h1>
<p>$summary</p>
<h2>Finds</h2>$finds
<h2>Stages</h2>$stages
<h2>Attacks</h2>$depth
<script>
const rows = [...document.querySelectorAll("tr[data-family]")];
function apply() {
  const family = document.getElementById("family").value;
  const goal = document.getElementById("goal").value;
  const text = document.getElementById("text").value.toLowerCase();
  const shallow = document.getElementById("shallow").checked;
  for (const row of rows) {
    row.hidden = (family && row.dataset.family !== family) || (goal && row.dataset.goal !== goal)
      || (shallow && !row.classList.contains("shallow"))
      || (text && !row.textContent.toLowerCase().includes(text));
  }
}
for (const id of ["family", "goal", "text", "shallow"]) {
  const field = document.getElementById(id);
  if (field) field.addEventListener("input", apply);
}
</script></body></html>
""")


def page(report: Report) -> str:
    """The whole page. Everything that came from a guest is escaped."""
    summary = (
        f"Seed {report.seed}, Python {report.python}, {report.executions} executions in"
        f" {report.seconds:.0f} s ({report.rate:.0f} per second), {len(report.finds)} escapes."
        f" Layers: {', '.join(report.layers)}."
    )
    return _PAGE.substitute(
        policy=html.escape(report.policy),
        summary=html.escape(summary),
        finds="".join(map(_find, report.finds)) or "<p>None.</p>",
        stages=_stages(report),
        depth=_depth(report.depth) if report.depth else _attempts(report),
    )


def _find(find: Find) -> str:
    return (
        f'<div class="find"><h3>{html.escape(find.id)}</h3><p>{html.escape(find.path())}</p>'
        f"<pre>{html.escape(find.shrunk)}</pre></div>"
    )


def _stages(report: Report) -> str:
    rows: list[tuple[object, ...]] = [
        (s.name, s.setup, s.programs, f"{s.seconds:.1f} s", s.skipped or _counted(s.statuses))
        for s in report.stages
    ]
    return _table(("stage", "sandbox", "programs", "time", "outcomes"), rows)


def _counted(statuses: dict[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in sorted(statuses.items()))


def _table(heads: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _depth(depth: Depth) -> str:
    families: list[tuple[object, ...]] = [
        (
            name,
            counts.total(),
            min(counts),
            ", ".join(f"{d}: {n}" for d, n in sorted(counts.items())),
        )
        for name, counts in sorted(depth.by_family().items())
    ]
    limits: list[tuple[object, ...]] = [(h.id, h.by, h.behind) for h in depth.limits]
    missing = "".join(
        f"<p>{html.escape(layer)} is missing on this host: {html.escape(reason)}</p>"
        for layer, reason in depth.missing.items()
    )
    return (
        f"{missing}<p>How many layers stop an attack on their own.</p>"
        + _table(("family", "attacks", "least", "depth: attacks"), families)
        + f"<p>{_filters(depth.rows, 'shallow only')}</p>{_matrix(depth.rows, COLUMNS)}"
        + "<h3>Limits</h3>"
        + _table(("resource attack", "held by", "behind it, with that lifted"), limits)
    )


def _attempts(report: Report) -> str:
    """The corpus by the sandboxes that this campaign tried it in."""
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
    return (
        "<p>What became of each attack of the corpus, by the sandbox that it was tried in. How many"
        f" layers stop it on their own is measured with --depth. {html.escape(report.coverage)}."
        f"</p><p>{_filters(rows, 'got through only')}</p>{_matrix(rows, tuple(setups))}"
    )


def _filters(rows: list[Row], only: str) -> str:
    families = sorted({row.attack.family for row in rows})
    goals = sorted({row.attack.goal for row in rows})
    return (
        f'family <select id="family">{_options(families)}</select>'
        f'goal <select id="goal">{_options(goals)}</select>'
        f'contains <input id="text"><label><input type="checkbox" id="shallow">{only}</label>'
    )


def _options(names: list[str]) -> str:
    return "<option></option>" + "".join(f"<option>{html.escape(name)}</option>" for name in names)


def _matrix(rows: list[Row], columns: tuple[str, ...]) -> str:
    deep = columns is COLUMNS
    names = ("attack", "goal", *(("depth",) if deep else ()), *columns)
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(_row(row, columns, deep=deep) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _row(row: Row, columns: tuple[str, ...], *, deep: bool) -> str:
    attack = row.attack
    cells = "".join(_cell(row, name) for name in columns)
    depth = f'<td class="n">{row.depth}</td>' if deep else ""
    without = f"<p>Gets through without {', '.join(row.through_without)}.</p>"
    told = (
        f"<p>{html.escape(attack.family)}. {html.escape(attack.reference)}</p>"
        f"{without if row.through_without else ''}"
        f"{f'<p>{html.escape(row.reason)}</p>' if row.reason else ''}"
        f"<pre>{html.escape(attack.code)}</pre>"
    )
    name, family, goal = map(html.escape, (attack.id, attack.family, attack.goal))
    kind = "shallow" if (row.shallow if deep else THROUGH in row.cells.values()) else "deep"
    return (
        f'<tr class="{kind}" data-family="{family}" data-goal="{goal}">'
        f"<td><details><summary>{name}</summary>{told}</details></td>"
        f"<td>{goal}</td>{depth}{cells}</tr>"
    )


def _cell(row: Row, column: str) -> str:
    cell = row.cells.get(column, NOT_TRIED)
    kind = {NOT_TRIED: "none", THROUGH: "through"}.get(cell, "stops")
    evidence = html.escape(row.evidence.get(column, ""), quote=True)
    sign = {STOPS: "stops", NOT_TRIED: ""}.get(cell, cell)
    return f'<td class="{kind}" title="{evidence}">{sign}</td>'
