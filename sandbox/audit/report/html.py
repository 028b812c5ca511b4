"""Audits as one self-contained HTML page: no script, no font, no request to anywhere."""

from collections.abc import Sequence

from sandbox.audit.findings import Audit, Finding, Severity
from sandbox.audit.report.graph import picture
from sandbox.audit.report.sarif import tool_version
from sandbox.audit.report.text import place
from sandbox.pages.engine import render

_MEANINGS = {
    Severity.CRITICAL: "a guest did get there: a proof ran, or nothing else would hold it",
    Severity.HIGH: "a guest can get what it must not have, or the subject is refused",
    Severity.MEDIUM: "verdicts may be wrong, or one barrier fewer stands",
    Severity.LOW: "better otherwise",
    Severity.INFO: "worth knowing, nothing to do",
}


def to_html(audits: Sequence[Audit]) -> str:
    """Make one page over all `audits`."""
    return render(
        "audit.html",
        title=", ".join(f"{audit.kind} audit of {audit.subject}" for audit in audits),
        audits=[_section(audit) for audit in audits],
        severities=[(severity.label, told) for severity, told in _MEANINGS.items()],
        version=tool_version(),
    )


def _section(audit: Audit) -> dict[str, object]:
    loud = audit.at_least(Severity.LOW)
    return {
        "kind": audit.kind,
        "subject": audit.subject,
        "file": audit.file,
        "verdict": audit.verdict,
        "counts": audit.counts(),
        "figures": ", ".join(f"{name} {value}" for name, value in audit.figures.items()),
        "layers": audit.layers,
        "picture": picture(audit.graph),
        "loud": [_card(audit, finding) for finding in loud],
        "quiet": [_card(audit, finding) for finding in audit.findings if finding not in loud],
    }


def _card(audit: Audit, finding: Finding) -> dict[str, object]:
    return {
        "label": finding.severity.label,
        "rule": audit.rule(finding),
        "place": place(finding),
        "path": finding.path,
        "explanation": finding.explanation,
        "fix": finding.fix,
        "proof": finding.proof,
    }
