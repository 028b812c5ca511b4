"""Results of an audit: findings with their severity, as data that every report is made of."""

import json
from dataclasses import asdict, dataclass
from enum import IntEnum
from typing import Any


class Severity(IntEnum):
    """Severity of a finding; comparable, the worst is the greatest."""

    INFO = 0  # worth knowing, nothing to do
    LOW = 1  # better otherwise
    MEDIUM = 2  # verdicts may be wrong, or one barrier fewer stands
    HIGH = 3  # a guest can get what it must not have, or the subject is refused
    CRITICAL = 4  # a guest did get there: a proof ran, or nothing else would hold it

    @property
    def label(self) -> str:
        """`info`, `low`, `medium`, `high` or `critical`."""
        return self.name.lower()

    @classmethod
    def parse(cls, label: str) -> "Severity":
        """Return the severity that is called `label`. Raises ValueError for another word."""
        for severity in cls:
            if severity.label == label.lower():
                return severity
        raise ValueError(f"no severity {label!r}: {', '.join(s.label for s in cls)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A fault that an audit looks for: a stable id in kebab-case, a title, and why it matters."""

    id: str
    title: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """A program that was run in the sandbox and what it printed.

    `control` is what the same program gave where the hole is not, so that the difference proves it.
    """

    program: str
    status: str  # of `sandbox.Status`
    output: str
    control: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong: how bad, by which rule, where, why, and what to do about it.

    `path` is the shortest guest expression that gets there, or the key or the expression that the
    rule looked at. `line` and `column` count from 1 in `file`.
    """

    severity: Severity
    rule: str  # a `Rule.id` of the audit
    path: str
    explanation: str
    fix: str
    line: int | None = None
    column: int | None = None
    file: str | None = None
    proof: Proof | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerRow:
    """One layer of a policy: `required`, `optional` or `off`, and what it is there for."""

    name: str
    strength: str
    holds: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A place in the picture of what can be reached."""

    id: str
    label: str
    kind: str  # grant, step or sink
    severity: Severity | None = None  # of a sink


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """One step of a guest from a place to the next."""

    source: str  # a `Node.id`
    target: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """The picture of what a guest can reach, from grants to sinks."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The outcome of one audit; the worst finding comes first.

    `kind` is `policy`, `diff` or `reward`. `file` is where the subject was read from, if it was a
    file. `figures` are what was looked at, as `{name: number or text}`: a report says with them how
    much "nothing found" means. `layers` and `graph` belong to policies; `verdict` to reward
    functions: `native`, `contained` or `refused`.
    """

    kind: str
    subject: str
    findings: tuple[Finding, ...]
    rules: tuple[Rule, ...]
    file: str | None = None
    figures: dict[str, int | float | str]
    layers: tuple[LayerRow, ...] = ()
    graph: Graph = Graph()
    verdict: str = ""

    def __post_init__(self) -> None:
        known = {rule.id for rule in self.rules}
        if unknown := {finding.rule for finding in self.findings} - known:
            raise ValueError(f"findings of rules that the audit does not have: {sorted(unknown)}")
        ordered = sorted(self.findings, key=lambda f: (-f.severity, f.rule, f.line or 0, f.path))
        object.__setattr__(self, "findings", tuple(ordered))

    @property
    def worst(self) -> Severity | None:
        """The greatest severity, None where nothing was found."""
        return max((finding.severity for finding in self.findings), default=None)

    def at_least(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings that are as bad as `severity`, or worse."""
        return tuple(finding for finding in self.findings if finding.severity >= severity)

    def rule(self, finding: Finding) -> Rule:
        """Return the rule that `finding` names."""
        return next(rule for rule in self.rules if rule.id == finding.rule)

    def counts(self) -> dict[str, int]:
        """Return `{label: findings of exactly that severity}`, the worst first; zeros included."""
        found = [finding.severity for finding in self.findings]
        return {each.label: found.count(each) for each in sorted(Severity, reverse=True)}

    def to_dict(self) -> dict[str, Any]:
        """Return the audit in built-in types only; severities are their labels."""
        data: dict[str, Any] = _labelled(asdict(self))
        data["worst"] = None if self.worst is None else self.worst.label
        return data

    def to_json(self) -> str:
        """Return `to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=2)


def _labelled(value: Any) -> Any:
    if isinstance(value, Severity):
        return value.label
    if isinstance(value, dict):
        return {key: _labelled(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_labelled(item) for item in value]
    return value
