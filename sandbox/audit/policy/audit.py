"""`audit_policy`: what a policy lets out, and what else is wrong with it."""

import builtins
import difflib
import sys
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

from sandbox.audit.findings import Audit, Finding, Graph, LayerRow, Proof, Severity
from sandbox.audit.policy import checks, lenient_reader, proofs, remains, shown, stars
from sandbox.audit.policy.graph import of_counts, of_paths
from sandbox.audit.policy.lenient_reader import Draft
from sandbox.audit.policy.rules import POLICY_RULES, SEVERITIES
from sandbox.audit.walk import reach, what_if
from sandbox.audit.walk.what_if import RawGrant
from sandbox.policy.layers import BY_NAME
from sandbox.policy.model import Policy
from sandbox.policy.support import supported

_BASE = "strict"  # what-if grants are put on top of it where nothing of the policy is left
_MOST_PROOFS = 12  # each is a run of its own
_ORDER = [rule.id for rule in POLICY_RULES]
_ALSO = 6  # other things that one finding names

Hits = list[dict[str, Any]]


def audit_policy(policy: "str | PathLike[str] | Policy", *, prove: bool = True) -> Audit:
    """Search what a guest can reach under `policy`, and check the rest of what it says.

    `policy` is a shipped policy's name, the path of a .toml file, which need not load, or a
    `Policy`. With `prove`, each path is turned into a program that is run in the sandbox. The
    search runs in a confined process of its own and takes some ten seconds of CPU time.

    Raises PolicyError where there is no such policy, SandboxUnavailable where the search cannot be
    confined on this host, SandboxError where it fails.
    """
    draft = lenient_reader.read(policy)
    findings = list(draft.findings)
    figures: dict[str, int | float | str] = {}
    paths: Hits = []
    if draft.refused:
        found, hits = _what_if(draft, prove)
        findings += found
        paths += hits
    graph = Graph()
    if draft.policy is not None:
        figures |= shown.figures(draft.policy)
        findings += checks.check(draft.policy, draft.text, draft.file)
        if draft.policy.language != "off":
            answer = reach.walk(draft.policy.plan())
            counted, left = remains.count(draft.policy)
            figures |= {**_figures(answer), **counted}
            findings += [*_reached(draft, draft.policy, answer, prove), *left]
            subject = checks.Subject(draft.policy, draft.text, draft.file)
            findings += stars.check(subject, answer["public"])
            paths += _serious(answer["hits"])
            graph = of_counts(answer["per_grant"], draft.policy.plan().modules)
    if paths:
        graph = of_paths(paths, SEVERITIES)
    return Audit(
        kind="policy",
        subject=draft.subject,
        findings=tuple(findings),
        rules=POLICY_RULES,
        file=draft.file,
        figures=figures,
        layers=_layers(draft.policy),
        graph=graph,
    )


def _layers(policy: Policy | None) -> tuple[LayerRow, ...]:
    rows = policy.layers.plain().items() if policy is not None else ()
    return tuple(LayerRow(name=n, strength=s, holds=BY_NAME[n].holds) for n, s in rows)


def _figures(answer: Mapping[str, Any]) -> dict[str, int | float | str]:
    return {
        "objects reached": answer["objects"],
        "steps tried": answer["steps"],
        "refused when compiled": answer["refused"],
        "steps that were stopped": len(answer["ends"]),
        "walk held by": ", ".join(n for n in answer["layers"] if n not in ("process", "language")),
    }


def _serious(hits: Hits) -> Hits:
    return [hit for hit in hits if SEVERITIES[hit["rule"]] >= Severity.HIGH]


def _grouped(hits: Iterable[Mapping[str, Any]], by: str) -> dict[Any, Hits]:
    groups: dict[Any, Hits] = {}
    for hit in hits:
        groups.setdefault((hit[by], hit["rule"]), []).append(dict(hit))
    return groups


def _also(group: Hits) -> str:
    """Say what else the same grant leads to; empty if nothing."""
    rest = [hit["what"] for hit in group[1:]]
    if not rest:
        return ""
    more = f" and {len(rest) - _ALSO} more" if len(rest) > _ALSO else ""
    return f" Also: {', '.join(rest[:_ALSO])}{more}."


# -- what a guest reaches under the policy as it loads


def _reached(draft: Draft, policy: Policy, answer: dict[str, Any], prove: bool) -> list[Finding]:
    found = [_hole(draft, policy, group, prove) for group in _groups_of(answer["hits"])]
    containers = [hit for hit in answer["hits"] if hit["rule"] == "host-container"]
    if containers:
        found.append(_containers(containers))
    if not answer["complete"] or answer["ends"]:
        found.append(_incomplete(answer))
    return found


def _groups_of(hits: Hits) -> list[Hits]:
    serious = [hit for hit in hits if hit["rule"] != "host-container"]
    return list(_grouped(serious, "root").values())[:_MOST_PROOFS]


def _hole(draft: Draft, policy: Policy, group: Hits, prove: bool) -> Finding:
    hit = group[0]
    proof = None
    if prove:
        program = proofs.program_for(hit["path"], frozenset(policy.plan().modules))
        proof = proofs.prove(policy, hit["root"], program)
    proven = proofs.holds(proof, hit["told"])
    line = draft.text.grant(hit["root"])
    return Finding(
        severity=Severity.CRITICAL if proven else SEVERITIES[hit["rule"]],
        rule=hit["rule"],
        path=hit["path"],
        explanation=f"From {hit['root']} a guest gets to {hit['what']}.{_also(group)}",
        fix=_fix(hit["root"]),
        line=line,
        file=draft.file if line else None,
        proof=proof,
    )


def _fix(root: str) -> str:
    if root == "the language":
        return "This is a hole in the language layer, whatever is granted: report it."
    return f"Remove {root} from the grants, and report it: a supported grant must not lead there."


def _containers(hits: Hits) -> Finding:
    paths = ", ".join(hit["path"].partition("(")[2].removesuffix(")") for hit in hits[:_ALSO])
    return Finding(
        severity=Severity.INFO,
        rule="host-container",
        path=hits[0]["path"],
        explanation=f"{len(hits)} lists and dicts of library code can be written to: {paths}.",
        fix="Nothing to do: each program has a process of its own.",
    )


def _incomplete(answer: dict[str, Any]) -> Finding:
    stepped = answer["stepped_over"]
    said = f"{len(stepped)} steps ended the search and were left out ({', '.join(stepped[:3])})."
    if not answer["complete"]:
        said = f"It stopped after {answer['steps']} steps. " + (said if stepped else "")
    if answer["faults"]:
        said = f"Errors of the sandbox itself: {'; '.join(answer['faults'][:3])}. " + said
    return Finding(
        severity=Severity.LOW if answer["complete"] else Severity.MEDIUM,
        rule="walk-incomplete",
        path="policy",
        explanation=said,
        fix="Grant less at once, or audit parts of the policy on their own.",
    )


# -- what a grant that is refused would have let out


def _what_if(draft: Draft, prove: bool) -> tuple[list[Finding], Hits]:
    base = draft.policy if _restricted(draft.policy) else Policy.load(_BASE)
    assert base is not None
    answer = reach.walk(base.plan(), draft.refused)
    hits = sorted(_serious(answer["hits"]), key=_telling)
    by_grant = {grant: [h for h in hits if _belongs(h["root"], grant)] for grant in draft.refused}
    shown = {grant: found[0] for grant, found in by_grant.items() if found}
    proven: dict[RawGrant, Proof | None] = {}
    if prove:
        chosen = list(shown)[:_MOST_PROOFS]
        modules = frozenset((*base.plan().modules, *(g.module for g in draft.refused if g.module)))
        programs = [proofs.program_for(shown[grant]["path"], modules) for grant in chosen]
        made = proofs.prove_what_if(base, draft.refused, programs)
        proven = dict(zip(chosen, made, strict=True))
    found = [_refused(draft, g, by_grant[g], proven.get(g), answer) for g in draft.refused]
    return found, [hit for found in by_grant.values() for hit in found[:3]]


def _telling(hit: Mapping[str, Any]) -> tuple[int, bool, int]:
    """Make a sort key: short paths first, then what needs no explanation, a module like os."""
    telling = hit["what"] in ("the real module os", "the real module sys")
    return len(hit["chain"]), not telling, _ORDER.index(hit["rule"])


def _restricted(policy: Policy | None) -> bool:
    return policy is not None and policy.language != "off"


def _belongs(root: str, grant: RawGrant) -> bool:
    if not grant.module:
        return root == grant.name
    if grant.name == what_if.ALL:
        return root.rpartition(".")[0] == grant.module
    return root == f"{grant.module}.{grant.name}"


def _refused(
    draft: Draft, grant: RawGrant, hits: Hits, proof: Proof | None, answer: dict[str, Any]
) -> Finding:
    what = what_if.describe(grant)
    line = draft.text.module(grant.module, grant.name) if grant.module else None
    line = line if grant.module else draft.text.builtin(grant.name)
    said = f"The language layer does not support {what}, so the policy does not load. "
    if hits:
        said += f"As it is, it would lead a guest to {hits[0]['what']}.{_also(hits)}"
        if proof is not None and not proofs.holds(proof, hits[0]["told"]):
            proof = None
    elif _tried(grant, answer):
        said += "The search found no way out from it, but nobody has looked at it closely."
    else:
        said += "This Python has nothing of that name."
    return Finding(
        severity=Severity.HIGH,
        rule="grant-unsupported",
        path=hits[0]["path"] if hits else _spelled(grant),
        explanation=said,
        fix=_instead(grant),
        line=line,
        file=draft.file,
        proof=proof,
    )


def _tried(grant: RawGrant, answer: dict[str, Any]) -> bool:
    return any(_belongs(root, grant) for root in answer["roots"])


def _spelled(grant: RawGrant) -> str:
    return grant.name if not grant.module else f"{grant.module}.{grant.name}"


def _instead(grant: RawGrant) -> str:
    names, modules = supported()
    if not grant.module:
        return f"Remove {grant.name} from the builtins{_near(grant.name, names)}."
    if grant.module in modules:
        near = _near(grant.name, modules[grant.module])
        return f'Remove {grant.name} from {grant.module}{near}; "*" grants all that is supported.'
    return f"Remove the module {grant.module}{_near(grant.module, modules)}."


def _near(word: str, known: Iterable[str]) -> str:
    if hasattr(builtins, word) or word.partition(".")[0] in sys.stdlib_module_names:
        return ""  # spelled as it was meant
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.8)
    return f" (did you mean {near[0]}?)" if near else ""
