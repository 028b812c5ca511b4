"""Two policies compared by what a guest can do under each, not by their text."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import fields
from os import PathLike
from typing import Any

from sandbox.audit.findings import Audit, Edge, Finding, Graph, LayerRow, Node, Severity
from sandbox.audit.policy import graph
from sandbox.audit.policy.rules import DIFF_RULES, SEVERITIES
from sandbox.audit.walk import reach
from sandbox.policy.layers import LAYERS, OFF, OPTIONAL, REQUIRED
from sandbox.policy.limits import Limits
from sandbox.policy.model import Policy

_STRENGTH = {REQUIRED: 2, OPTIONAL: 1, OFF: 0}
_SHOWN = 10

Reached = Mapping[str, tuple[str, str]]  # label of an object: grant, expression


def audit_diff(
    first: "str | PathLike[str] | Policy", second: "str | PathLike[str] | Policy"
) -> Audit:
    """Find what a guest can reach under `second` that it cannot reach under `first`.

    Names, paths or policies, which must load. Raises PolicyError, SandboxUnavailable, SandboxError.
    """
    old, new = Policy.load(first), Policy.load(second)
    before, after = _walk(old), _walk(new)
    findings = [*_layers(old, new), *_limits(old, new), *_packages(old, new)]
    gained = _only_in(after["reached"], before["reached"], new)
    lost = _only_in(before["reached"], after["reached"], old)
    if old.language == "off" or new.language == "off":
        findings += _language(old, new)
        gained, lost = {}, {}
    findings += [_gain(new.name, grant, paths) for grant, paths in gained.items()]
    findings += [_loss(old.name, grant, paths) for grant, paths in lost.items()]
    known = {(hit["rule"], hit["what"]) for hit in before["hits"]}
    holes = [hit for hit in after["hits"] if (hit["rule"], hit["what"]) not in known]
    findings += [_hole(hit) for hit in holes]
    serious = [hit for hit in holes if SEVERITIES[hit["rule"]] >= Severity.HIGH]
    return Audit(
        kind="diff",
        subject=f"{old.name} to {new.name}",
        findings=tuple(findings),
        rules=DIFF_RULES,
        figures={
            f"objects reached under {old.name}": before["objects"],
            f"under {new.name}": after["objects"],
        },
        layers=tuple(_rows(old, new)),
        graph=graph.of_paths(serious, SEVERITIES) if serious else _graph(gained),
    )


def _walk(policy: Policy) -> dict[str, Any]:
    if policy.language == "off":
        return {"reached": {}, "hits": [], "objects": 0}
    return reach.walk(policy.plan())


def _only_in(here: Reached, there: Reached, policy: Policy) -> dict[str, list[str]]:
    """Return, by module of the grant, expressions for what only `here` reaches, shortest first."""
    modules, found = policy.plan().modules, defaultdict(list)
    for label in here.keys() - there.keys():
        grant, expression = here[label]
        found[grant if grant in modules else grant.rpartition(".")[0] or grant].append(expression)
    return {grant: sorted(paths, key=_by_length) for grant, paths in sorted(found.items())}


def _by_length(path: str) -> tuple[int, str]:
    return len(path), path


def _gain(policy: str, grant: str, paths: list[str]) -> Finding:
    explanation = f"Through {grant}, {policy} reaches {len(paths)} objects more: {_some(paths)}."
    return _more(paths[0], explanation, f"remove {grant}")


def _more(path: str, explanation: str, remedy: str) -> Finding:
    """Return the finding that the new policy lends a guest what the old one does not."""
    return Finding(
        severity=Severity.LOW,
        rule="diff-reach",
        path=path,
        explanation=explanation,
        fix=f"Nothing if it is meant; else {remedy}.",
    )


def _loss(policy: str, grant: str, paths: list[str]) -> Finding:
    return Finding(
        severity=Severity.INFO,
        rule="diff-lost",
        path=paths[0],
        explanation=f"Through {grant}, {policy} alone reaches {len(paths)}: {_some(paths)}.",
        fix="Nothing if it is meant.",
    )


def _hole(hit: Mapping[str, Any]) -> Finding:
    return Finding(
        severity=SEVERITIES[hit["rule"]],
        rule=hit["rule"],
        path=hit["path"],
        explanation=f"From {hit['root']} a guest gets to {hit['what']}.",
        fix=f"Remove {hit['root']}; `sandbox audit policy` proves it.",
    )


def _language(old: Policy, new: Policy) -> Iterator[Finding]:
    if old.language != new.language:
        gone = new.language == "off"
        yield Finding(
            severity=Severity.HIGH if gone else Severity.INFO,
            rule="diff-layer",
            path="language",
            explanation=f"{new.name} has language = {new.language!r}, {old.name} "
            f"{old.language!r}. With the language off a guest reaches all of Python.",
            fix='Use language = "restricted".' if gone else "Nothing if it is meant.",
        )


def _packages(old: Policy, new: Policy) -> Iterator[Finding]:
    """Yield what is lent to a guest without the language layer that was not: files and threads."""
    names = {grant.name for grant in old.packages}
    for grant in new.packages:
        if grant.name not in names:
            yield _more(
                f"packages.{grant.name}",
                f"{new.name} shows the files of {grant.name} and has it imported before"
                f" children are confined; {old.name} does not.",
                f"remove {grant.name}",
            )
    if new.threads > old.threads:
        text = f"{new.name} lets a program have {new.threads} threads, {old.name} {old.threads}."
        yield _more("threads", text, f"set threads = {old.threads}")
    was, now = _room_for_files(old), _room_for_files(new)
    if any(more > less for more, less in zip(now, was, strict=True)):
        yield _more(
            "files",
            f"{new.name} lets a program keep {now[0]} KiB in {now[1]} files of its own"
            f" in memory, {old.name} {was[0]} KiB in {was[1]}.",
            "say remove_files = true, or less of it",
        )


def _room_for_files(policy: Policy) -> tuple[int, int]:
    files = policy.files
    return (0, 0) if files is None else (files.scratch_kib, files.scratch_count)


def _layers(old: Policy, new: Policy) -> Iterator[Finding]:
    for layer in LAYERS:
        was, now = getattr(old.layers, layer), getattr(new.layers, layer)
        if layer != "language" and _STRENGTH[now] < _STRENGTH[was]:
            yield Finding(
                severity=Severity.HIGH if was == REQUIRED else Severity.MEDIUM,
                rule="diff-layer",
                path=f"layers.{layer}",
                explanation=f"{layer} is {now} in {new.name} and {was} in {old.name}.",
                fix=f'Set layers.{layer} = "{was}".',
            )


def _limits(old: Policy, new: Policy) -> Iterator[Finding]:
    for limit in fields(Limits):
        was, now = getattr(old.limits, limit.name), getattr(new.limits, limit.name)
        if now > was:
            yield Finding(
                severity=Severity.INFO,
                rule="diff-limit",
                path=f"limits.{limit.name}",
                explanation=f"{limit.name} is {now:g} in {new.name} and {was:g} in {old.name}.",
                fix="Nothing if it is meant.",
            )


def _rows(old: Policy, new: Policy) -> Iterator[LayerRow]:
    before, after = old.layers.plain(), new.layers.plain()
    for layer, strength in after.items():
        was = before[layer]
        told = "as before" if was == strength else f"{was} in {old.name}"
        yield LayerRow(name=layer, strength=strength, holds=told)


def _graph(gained: Mapping[str, list[str]]) -> Graph:
    end = Node(id="end", label="reached only now; no sink", kind="end")
    nodes = [
        Node(id=grant, label=f"{grant}: {len(paths)}", kind="grant")
        for grant, paths in gained.items()
    ]
    edges = tuple(Edge(source=node.id, target="end", label="") for node in nodes)
    return Graph(nodes=(*nodes, end), edges=edges) if nodes else Graph()


def _some(paths: list[str]) -> str:
    rest = len(paths) - _SHOWN
    return ", ".join(paths[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
