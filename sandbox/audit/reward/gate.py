"""The gate for reward functions: accept or refuse a source without running it in the caller."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from os import PathLike
from typing import Any

from sandbox.audit.findings import Audit, Finding, Severity
from sandbox.audit.reward.jobs import ServedJobs
from sandbox.audit.reward.native.function import reasons_against
from sandbox.audit.reward.reading.entry import Entry, entries
from sandbox.audit.reward.reading.look import Look, declared_encoding, parse, printable
from sandbox.audit.reward.reading.static import check_tree
from sandbox.audit.reward.rules import FIXES, REJECTING, RULES
from sandbox.audit.reward.run import RewardTrial, TrialOutcome
from sandbox.audit.reward.samples import FORMATS, SHAPES, Case, cases, ordinary
from sandbox.errors import Problem, policy_error
from sandbox.policy.model import Policy
from sandbox.result import Result, Status
from sandbox.runtime.caller.defaults import default_sandbox
from sandbox.runtime.wire.trusted_json import copy_kwargs

__all__ = ["audit_reward", "is_accepted"]

NATIVE, CONTAINED, REFUSED = "native", "contained", "refused"
# The child that loaded the module has parsed it first. Where that went wrong, the caller does not
# try to parse it in its own process.
_NOT_PARSED = (Status.SYNTAX, Status.CRASHED, Status.MEMORY_LIMIT, Status.VIOLATION)
_LIMITS = (
    *(Status.CPU_LIMIT, Status.WALL_LIMIT, Status.MEMORY_LIMIT, Status.OUTPUT_LIMIT),
    Status.RECURSION_LIMIT,
)


def audit_reward(
    source: str,
    *,
    name: str | None = None,
    policy: "str | PathLike[str] | Policy" = "strict",
    rows: Sequence[Mapping[str, Any]] = (),
    cpu_seconds: float = 5.0,
    file: str | None = None,
) -> Audit:
    """Decide whether the reward functions in `source` may be used; nothing of it runs here.

    The source is first loaded in a child, then looked at, and where nothing refuses it, run in
    children over sample completions. `name` picks one function; by default every function with a
    parameter `completions` that no other uses. `policy` is what the programs run under that the
    function has executed. `rows` are rows of the data set, as plain data: its columns, and under
    `completion` a text if the samples are to be yours. `cpu_seconds` is what the function itself
    may use for all samples together, some 30 completions in each format. `file` is named in the
    findings.

    `Audit.verdict` says which of three it is. `refused`: it has a finding of severity high or
    worse, as it runs code in another way, or cannot run in the sandbox at all. `contained`: run it
    with `sandbox.load_reward`, which lets nothing of it out, whatever it does. `native`: it is so
    plain that it may also run in the trainer itself; all that kept it from that is a finding
    `not-native`. Only `native` says anything of what a function does when it is not contained.

    Raises PolicyError for a policy with services, ValueError for rows that are not plain data, and
    SandboxError if the sandbox itself fails.
    """
    executing, rows = Policy.load(policy), [copy_kwargs(row) for row in rows]
    if executing.services:
        reason = "a program that a reward function runs gets no services"
        raise policy_error(Problem(key="policy", reason=reason))
    jobs = ServedJobs(default_sandbox(executing))
    trial = RewardTrial(default_sandbox("reward"), jobs, source, cpu_seconds)
    findings: list[Finding] = []
    figures: dict[str, int | float | str] = {"functions": 0, "calls": 0}
    findings += _examine(source, name, rows, trial, figures)
    is_plain = not any(each.rule == "not-native" for each in findings)
    if jobs.exhausted:
        findings.append(_finding("over-budget", "restricted_execution", jobs.exhausted))
    figures["programs executed"] = jobs.programs
    return Audit(
        kind="reward",
        subject=name or file or "reward function",
        findings=tuple(findings),
        rules=RULES,
        file=file,
        figures=figures,
        verdict=_verdict(findings, is_plain),
    )


def is_accepted(audit: Audit) -> bool:
    """Return True if no finding of the audit refuses: the verdict is `contained` or `native`."""
    return not audit.at_least(REJECTING)


def _verdict(findings: Sequence[Finding], is_plain: bool) -> str:
    if any(finding.severity >= REJECTING for finding in findings):
        return REFUSED
    has_doubts = any(finding.severity >= Severity.MEDIUM for finding in findings)
    return NATIVE if is_plain and not has_doubts else CONTAINED


def _examine(
    source: str,
    name: str | None,
    rows: Sequence[Mapping[str, Any]],
    trial: RewardTrial,
    figures: dict[str, int | float | str],
) -> Iterator[Finding]:
    if len(source.encode("utf-8", "surrogatepass")) > trial.most_bytes:
        yield _finding("unreadable", "the module", f"more than {trial.most_bytes // 1024} KiB")
        return
    loaded = trial.load()
    if loaded.status in (*_NOT_PARSED, *_LIMITS):
        rule = "unreadable" if loaded.status in _NOT_PARSED else "over-budget"
        yield _finding(rule, "the module", f"{loaded.status}: {loaded.error}")
        return
    if encoding := declared_encoding(source):
        yield _finding("unreadable", f"coding: {encoding}", "as a file it would be other code")
        return
    tree = parse(source)
    if tree is None:
        yield _finding(
            "unreadable", "the module", "it is nested too deeply, or has too long a name"
        )
        return
    try:
        static = check_tree(Look(tree))
        found, doubts = entries(tree, name), reasons_against(tree)
    except RecursionError:  # of a caller that is deep in its own
        yield _finding("unreadable", "the module", "it is nested too deeply to be looked at here")
        return
    yield from static
    if any(finding.severity >= REJECTING for finding in static):
        return
    if not loaded.ok:
        rule = "refused" if loaded.status is Status.DENIED else "fails"
        yield _finding(rule, "the module", f"{loaded.status}: {loaded.error}")
        return
    if not found:
        wanted = f"no function '{name}'" if name else "no function with a parameter 'completions'"
        yield _finding("no-function", "the module", wanted)
    provide = any(finding.path == "restricted_execution" for finding in static)
    for line, reason in doubts:
        yield _finding("not-native", "the module", reason, severity=Severity.INFO, line=line)
    for entry in found:
        figures["functions"] = int(figures["functions"]) + 1
        yield from _try(entry, trial, rows, provide, figures)


def _try(
    entry: Entry,
    trial: RewardTrial,
    rows: Sequence[Mapping[str, Any]],
    provide: bool,
    figures: dict[str, int | float | str],
) -> Iterator[Finding]:
    if entry.parameters is not None:
        yield _finding(
            "contract",
            entry.name,
            "it does not take every keyword; TRL passes prompts, completion_ids and all columns",
            severity=Severity.LOW,
            line=entry.line,
        )
    shapes = range(1 if rows else SHAPES)
    tries = [ordinary(format, rows, shape) for format in FORMATS for shape in shapes]
    outcomes, result = trial.run(entry, tries, rows, provide=provide, is_needed=_is_open)
    yield from _ended(entry, tries, outcomes, result)
    if not result.ok:
        return
    chosen = _chosen(outcomes)
    if not chosen:
        first = outcomes[0] if outcomes else TrialOutcome(tries[0], "it was not called")
        yield _finding(first.rule or "fails", entry.name, first.problem, line=entry.line)
        return
    for format in FORMATS:
        if format not in chosen:
            what = "strings" if format == "text" else "conversations (lists of messages)"
            text = f"it does not take completions that are {what}"
            yield _finding("contract", entry.name, text, severity=Severity.INFO, line=entry.line)
    batch = [case for format, shape in chosen.items() for case in cases(format, rows, shape)]
    told, result = trial.run(entry, batch, rows, provide=provide)
    figures["calls"] = int(figures["calls"]) + len(outcomes) + len(told)
    yield from _ended(entry, batch, told, result)
    yield from _problems(entry, told)
    if result.ok:
        second, _ = trial.run(entry, batch, rows, provide=provide, later=True)
        figures["calls"] = int(figures["calls"]) + len(second)
        yield from _differences(entry, told, second)


def _is_open(case: Case, outcomes: Sequence[TrialOutcome]) -> bool:
    """Return False once a shape was found with which the function tells completions apart.

    The other format needs to be tried with that shape only: columns are the same in both.
    """
    telling = [each.case for each in outcomes if not each.problem and len(set(each.rewards)) > 1]
    return all(each.format != case.format and each.shape == case.shape for each in telling)


def _chosen(outcomes: Sequence[TrialOutcome]) -> dict[str, int]:
    """Return for each format the first shape of columns with which all went well.

    A format that gets by with no shape at all is not the function's; rewards that differ tell most.
    """
    chosen: dict[str, int] = {}
    for format in FORMATS:
        good = [each for each in outcomes if each.case.format == format and not each.problem]
        good.sort(key=lambda each: -len(set(each.rewards)))
        if good:
            chosen[format] = good[0].case.shape
    return chosen


def _ended(
    entry: Entry, batch: Sequence[Case], outcomes: Sequence[TrialOutcome], result: Result
) -> Iterator[Finding]:
    """Make a finding if the child itself ended badly."""
    if result.ok:
        return
    at = batch[len(outcomes)].label if len(outcomes) < len(batch) else "last"
    rule = "over-budget" if result.status in _LIMITS else "fails"
    if result.status is Status.DENIED:
        rule = "refused"
    text = f"on {at} completions: {result.status}: {result.error}"
    yield _finding(rule, entry.name, text, line=entry.line)


def _problems(entry: Entry, outcomes: Sequence[TrialOutcome]) -> Iterator[Finding]:
    said = set()
    for outcome in outcomes:
        label, required = outcome.case.label, outcome.case.required
        if outcome.problem and (label, required) not in said:
            said.add((label, required))
            rule = outcome.rule or ("fails" if label == "ordinary" else "fragile")
            severity = Severity.HIGH if required else Severity.MEDIUM
            text = f"on {label} completions ({outcome.case.format}): {outcome.problem}"
            yield _finding(rule, entry.name, text, severity=severity, line=entry.line)


def _differences(
    entry: Entry, first: Sequence[TrialOutcome], second: Sequence[TrialOutcome]
) -> Iterator[Finding]:
    for one, other in zip_longest(first, second):
        if other is None or (one.rewards, one.problem) != (other.rewards, other.problem):
            text = f"two runs on the same {one.case.label} completions gave different rewards"
            yield _finding("nondeterministic", entry.name, text, line=entry.line)
            return
    if any(outcome.kind == "tuple" for outcome in first):
        text = "it returns a tuple, not a list"
        yield _finding("contract", entry.name, text, severity=Severity.LOW, line=entry.line)


def _finding(
    rule: str,
    path: str,
    explanation: str,
    *,
    severity: Severity = Severity.HIGH,
    line: int | None = None,
) -> Finding:
    return Finding(
        severity=severity,
        rule=rule,
        path=printable(path),
        explanation=printable(explanation),
        fix=FIXES[rule],
        line=line,
    )
