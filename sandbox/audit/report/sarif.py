"""Audits as SARIF 2.1.0, which code hosts show inline.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from sandbox.audit.findings import Audit, Finding, Rule, Severity
from sandbox.version import UNKNOWN, version

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
# SARIF's levels (3.27.10), and the score from which code hosts read "critical", "high" and so on.
_LEVELS = {
    Severity.INFO: "note",
    Severity.LOW: "note",
    Severity.MEDIUM: "warning",
    Severity.HIGH: "error",
    Severity.CRITICAL: "error",
}
_SCORES = {
    Severity.INFO: "0.0",
    Severity.LOW: "3.0",
    Severity.MEDIUM: "5.0",
    Severity.HIGH: "8.0",
    Severity.CRITICAL: "9.5",
}


def to_sarif(audits: Sequence[Audit]) -> str:
    """Make one SARIF log with one run, over all `audits`; JSON text."""
    findings = [(audit, finding) for audit in audits for finding in audit.findings]
    rules = _distinct(rule for audit in audits for rule in audit.rules)
    worst: dict[str, Severity] = {}
    for _, finding in findings:
        worst[finding.rule] = max(finding.severity, worst.get(finding.rule, Severity.INFO))
    index = {rule.id: number for number, rule in enumerate(rules)}
    driver = {
        "name": "restricted-execution",
        "semanticVersion": tool_version(),
        "rules": [_rule(rule, worst.get(rule.id, Severity.INFO)) for rule in rules],
    }
    results = [_result(audit, finding, index[finding.rule]) for audit, finding in findings]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def tool_version() -> str:
    """Return the version of this package; 0.0.0 in a checkout on sys.path but not installed."""
    return version() if version() != UNKNOWN else "0.0.0"


def _distinct(rules: Iterable[Rule]) -> list[Rule]:
    return list({rule.id: rule for rule in rules}.values())


def _rule(rule: Rule, worst: Severity) -> dict[str, Any]:
    return {
        "id": rule.id,
        "name": "".join(part.capitalize() for part in rule.id.split("-")),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.help},
        "help": {"text": rule.help},
        "defaultConfiguration": {"level": _LEVELS[worst]},
        "properties": {"security-severity": _SCORES[worst], "tags": ["security"]},
    }


def _result(audit: Audit, finding: Finding, index: int) -> dict[str, Any]:
    message = f"{finding.path}: {finding.explanation} Fix: {finding.fix}"
    location: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": finding.path}]}
    file = finding.file or audit.file
    if file is not None:
        location["physicalLocation"] = {
            "artifactLocation": {"uri": _uri(file)},
            "region": _region(finding),
        }
    properties: dict[str, Any] = {"subject": audit.subject, "severity": finding.severity.label}
    if finding.proof is not None:
        properties["proof"] = {
            "program": finding.proof.program,
            "status": finding.proof.status,
            "output": finding.proof.output,
            "control": finding.proof.control,
        }
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": message},
        "locations": [location],
        # The same finding in the next run, whatever line it moved to.
        "partialFingerprints": {"finding/v1": _fingerprint(audit, finding)},
        "properties": properties,
    }


def _region(finding: Finding) -> dict[str, int]:
    region = {"startLine": finding.line or 1}
    if finding.line and finding.column:
        region["startColumn"] = finding.column
    return region


def _uri(file: str) -> str:
    from pathlib import Path
    from urllib.parse import quote

    path = Path(file)
    if path.is_absolute() and path.is_relative_to(Path.cwd()):
        path = path.relative_to(Path.cwd())
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())


def _fingerprint(audit: Audit, finding: Finding) -> str:
    parts = (audit.kind, audit.subject, finding.rule, finding.path)
    return sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()
