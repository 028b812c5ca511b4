"""Audits as one self-contained HTML page: no script, no font, no request to anywhere."""

from collections.abc import Sequence
from html import escape

from sandbox.audit.findings import Audit, Finding, Graph, Severity
from sandbox.audit.report.graph import to_svg
from sandbox.audit.report.sarif import tool_version
from sandbox.audit.report.text import place

# The browser is told as well that nothing may be loaded and nothing may run.
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>{style}</style></head><body><main>
"""
_STYLE = """
:root{--fg:#1c2128;--bg:#fff;--soft:#57606a;--line:#d0d7de;--card:#f6f8fa;--critical:#82071e;
--high:#cf222e;--medium:#9a6700;--low:#0969da;--info:#57606a;--good:#1a7f37}
@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--soft:#9198a1;--line:#30363d;
--card:#151b23;--critical:#ff7b72;--high:#f85149;--medium:#d29922;--low:#58a6ff;--info:#9198a1;
--good:#3fb950}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);
font:15px/1.5 system-ui,sans-serif}main{max-width:1080px;margin:0 auto;padding:24px}
h1{font-size:24px;margin:32px 0 4px}h2{font-size:18px;margin:28px 0 8px}p{margin:6px 0}
code,pre{font:13px/1.45 ui-monospace,monospace}code{overflow-wrap:anywhere}
pre{background:var(--bg);border:1px solid var(--line);border-radius:6px;padding:10px;overflow:auto;
margin:6px 0;white-space:pre-wrap;overflow-wrap:anywhere}
.soft{color:var(--soft)}table{border-collapse:collapse;width:100%}th,td{text-align:left;
padding:5px 10px;border-bottom:1px solid var(--line);vertical-align:top}th{font-weight:600}
.counts span{display:inline-block;margin:4px 8px 4px 0;padding:2px 10px;border-radius:12px;
border:1px solid var(--line)}.tag{display:inline-block;min-width:70px;text-align:center;color:#fff;
border-radius:12px;padding:0 10px;font-size:13px;font-weight:600}
@media(prefers-color-scheme:dark){.tag{color:#0d1117}}
.tag.critical{background:var(--critical)}.tag.high{background:var(--high)}
.tag.medium{background:var(--medium)}.tag.low{background:var(--low)}
.tag.info{background:var(--info)}
.finding{background:var(--card);border:1px solid var(--line);border-left-width:5px;
border-radius:6px;padding:10px 14px;margin:10px 0}
.finding.critical{border-left-color:var(--critical)}.finding.high{border-left-color:var(--high)}.finding.medium{border-left-color:var(--medium)}
.finding.low{border-left-color:var(--low)}.finding.info{border-left-color:var(--info)}
.fix{color:var(--good)}summary{cursor:pointer}.picture{overflow-x:auto;border:1px solid var(--line);
border-radius:6px;background:var(--card)}
.graph text{font:11px ui-monospace,monospace;fill:var(--fg)}.graph .edge path{fill:none;
stroke:var(--soft);stroke-width:1.2}.graph .edge text{fill:var(--soft);font-size:10px}
.graph rect{fill:var(--bg);stroke:var(--soft)}
.graph .grant rect,.graph .end rect{stroke:var(--good)}
.graph .critical rect{stroke:var(--critical);stroke-width:2.5}
.graph .high rect{stroke:var(--high);stroke-width:2.5}.graph .medium rect{stroke:var(--medium)}
.required{color:var(--good)}.optional{color:var(--medium)}.off{color:var(--high)}
"""


def to_html(audits: Sequence[Audit]) -> str:
    """One page over all `audits`."""
    title = ", ".join(f"{audit.kind} audit of {audit.subject}" for audit in audits)
    body = "".join(map(_section, audits))
    made = f'<p class="soft">restricted-execution {escape(tool_version())}</p>'
    head = _HEAD.format(title=escape(title), style=_STYLE)
    return f"{head}{body}{made}</main></body></html>\n"


def _section(audit: Audit) -> str:
    parts = [f"<h1>{escape(audit.kind.capitalize())} audit of {escape(audit.subject)}</h1>"]
    if audit.file:
        parts.append(f'<p class="soft"><code>{escape(audit.file)}</code></p>')
    parts += [_counts(audit), _figures(audit), _layers(audit), _picture(audit.graph)]
    loud = audit.at_least(Severity.LOW)
    parts.append("<h2>Findings</h2>")
    parts += [_finding(audit, finding) for finding in loud]
    if not loud:
        parts.append('<p class="fix">Nothing found that asks for a change.</p>')
    quiet = [finding for finding in audit.findings if finding not in loud]
    if quiet:
        inner = "".join(_finding(audit, finding) for finding in quiet)
        parts.append(f"<details><summary>{len(quiet)} for information</summary>{inner}</details>")
    return "".join(parts)


def _counts(audit: Audit) -> str:
    spans = [f"<span>{number} {label}</span>" for label, number in audit.counts().items()]
    if audit.verdict:
        spans.insert(0, f"<span>{audit.verdict}</span>")
    return f'<p class="counts">{"".join(spans)}</p>'


def _figures(audit: Audit) -> str:
    if not audit.figures:
        return ""
    text = ", ".join(f"{name} {value}" for name, value in audit.figures.items())
    return f'<p class="soft">Looked at: {escape(text)}.</p>'


def _layers(audit: Audit) -> str:
    if not audit.layers:
        return ""
    rows = "".join(
        f"<tr><td><code>{escape(row.name)}</code></td>"
        f'<td class="{escape(row.strength)}">{escape(row.strength)}</td>'
        f"<td>{escape(row.holds)}</td></tr>"
        for row in audit.layers
    )
    heads = "<tr><th>layer</th><th>in this policy</th><th>what it holds</th></tr>"
    return f"<h2>Layers</h2><table>{heads}{rows}</table>"


def _picture(graph: Graph) -> str:
    if not graph.nodes:
        return ""
    note = "From grants on the left to sinks on the right; a line is what a guest does."
    return (
        f'<h2>What can be reached</h2><p class="soft">{note}</p>'
        f'<div class="picture">{to_svg(graph)}</div>'
    )


def _finding(audit: Audit, finding: Finding) -> str:
    label = finding.severity.label
    rule = audit.rule(finding)
    where = f' <span class="soft">{escape(place(finding))}</span>' if place(finding) else ""
    return (
        f'<article class="finding {label}"><p><span class="tag {label}">{label}</span> '
        f"<strong>{escape(rule.title)}</strong> "
        f'<span class="soft">{escape(rule.id)}</span>{where}</p>'
        f"<p><code>{escape(finding.path)}</code></p><p>{escape(finding.explanation)}</p>"
        f'<p class="fix"><strong>Fix:</strong> {escape(finding.fix)}</p>'
        f"{_proof(finding)}<details><summary>Why this matters</summary>"
        f"<p>{escape(rule.help)}</p></details></article>"
    )


def _proof(finding: Finding) -> str:
    proof = finding.proof
    if proof is None:
        return ""
    said = escape(proof.output) or "(nothing)"
    control = f"<p>The control printed:</p><pre>{escape(proof.control)}</pre>"
    return (
        f"<details open><summary>Proof: this program ended with {escape(proof.status)}</summary>"
        f"<pre>{escape(proof.program)}</pre><p>It printed:</p><pre>{said}</pre>"
        f"{control if proof.control else ''}</details>"
    )
