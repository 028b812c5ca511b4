"""The rules beside reachability: what a policy says of limits, layers, grants and clocks."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psutil

from sandbox.audit.findings import Finding, Severity
from sandbox.audit.policy import cost_tables
from sandbox.policy.files.fields import ALL
from sandbox.policy.files.locate import Text
from sandbox.policy.files.merge import names_of
from sandbox.policy.files.rules import FILE_BARRIERS, KERNEL_BASE, has_file_barrier
from sandbox.policy.layers import BY_NAME, LAYERS, OFF, OPTIONAL
from sandbox.policy.model import Policy

_MIB = 1 << 20
_LARGE_OUTPUT_KIB = 256 << 10
_DEEP_RECURSION = 2_000_000
_WALL_PER_CPU = 2.0  # a machine at twice its load still lets CPU time decide
_SHOWN = 8  # names in one explanation
_EMPTY_WORDS = re.compile(r"\b(todo|tbd|fixme|xxx|needed|because|test|none|n/?a|see above)\b", re.I)


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject that a check looks at."""

    policy: Policy
    text: Text
    file: str | None

    @property
    def names(self) -> frozenset[str]:
        """Every granted builtin, and `module.name` for all that modules grant."""
        modules = (f"{g.module}.{name}" for g in self.policy.modules for name in names_of(g))
        return frozenset((*self.policy.granted_builtins(), *modules))

    def finding(self, severity: Severity, rule: str, path: str, said: str, fix: str) -> Finding:
        """Make a finding at the key or the grant `path`."""
        line = self.text.path(path) or self.text.grant(path)
        where: dict[str, Any] = {"line": line, "file": self.file if line else None}
        return Finding(severity=severity, rule=rule, path=path, explanation=said, fix=fix, **where)


def check(policy: Policy, text: Text, file: str | None) -> list[Finding]:
    """Return all findings that the rules below make of `policy`."""
    subject = Subject(policy, text, file)
    return [finding for rule in CHECKS for finding in rule(subject)]


def _reasons(subject: Subject) -> Iterator[Finding]:
    policy = subject.policy
    rows = [(grant.names[0], grant.reason.strip()) for grant in policy.builtins]
    rows += [(grant.module, grant.reason.strip()) for grant in policy.modules]
    for path, reason in rows:
        if len(reason.split()) < 3 or (_EMPTY_WORDS.search(reason) and len(reason) < 30):
            yield subject.finding(
                Severity.LOW,
                "grant-thin-reason",
                path,
                f"The reason is {reason!r}.",
                "Say why the grant is safe, or which limit or layer holds it.",
            )


def _limits(subject: Subject) -> Iterator[Finding]:
    limits = subject.policy.limits
    wall, cpu = limits.wall_seconds, limits.cpu_seconds
    if wall < cpu * _WALL_PER_CPU:
        yield subject.finding(
            Severity.MEDIUM if wall <= cpu else Severity.LOW,
            "limit-order",
            "limits.wall_seconds",
            f"wall_seconds is {wall:g} and cpu_seconds is {cpu:g}: on a busy machine the clock "
            "ends a run that CPU time would have let finish, so a verdict depends on the load.",
            f"Set wall_seconds to {cpu * 3:g} or more.",
        )
    if cpu > cost_tables.LONG_CPU_SECONDS * 5:
        yield subject.finding(
            Severity.MEDIUM,
            "limit-absurd",
            "limits.cpu_seconds",
            f"A program that never stops keeps a processor for {cpu:g} seconds; every worker can "
            "be taken up by such programs.",
            "Set it to what the slowest honest program needs, a few times over.",
        )
    yield from _sizes(subject)


def _sizes(subject: Subject) -> Iterator[Finding]:
    limits, host = subject.policy.limits, psutil.virtual_memory().total // _MIB
    if limits.memory_mib > host:
        yield subject.finding(
            Severity.MEDIUM,
            "limit-absurd",
            "limits.memory_mib",
            f"memory_mib is {limits.memory_mib} and this host has {host} MiB: a guest exhausts the "
            "host before it meets its limit.",
            f"Set it so that workers times memory fits: at most {host // 2} MiB for two workers.",
        )
    if limits.output_kib > _LARGE_OUTPUT_KIB:
        yield subject.finding(
            Severity.LOW,
            "limit-absurd",
            "limits.output_kib",
            f"The caller holds up to {limits.output_kib >> 10} MiB of what one program prints.",
            "Set it to the longest expected output, a few times over.",
        )
    if limits.recursion_limit > _DEEP_RECURSION:
        yield subject.finding(
            Severity.LOW,
            "limit-absurd",
            "limits.recursion_limit",
            "The stack ends long before that depth, so it is the stack that holds.",
            "Set it to 1,000,000 or less.",
        )


def _costs(subject: Subject) -> Iterator[Finding]:
    if subject.policy.language == "off":
        return
    limits = subject.policy.limits
    wide = {
        cost_tables.TIME: limits.cpu_seconds > cost_tables.LONG_CPU_SECONDS,
        cost_tables.MEMORY: limits.memory_mib > cost_tables.LARGE_MEMORY_MIB,
    }
    for limit, names in cost_tables.COSTS.items():
        found = sorted(names & subject.names)
        if found:
            yield subject.finding(
                Severity.LOW if wide.get(limit) else Severity.INFO,
                "unbounded-call",
                f"limits.{limit}",
                f"One call of {_some(found)} can take without end; {limit} = "
                f"{getattr(limits, limit):g} holds it: {cost_tables.HELD_BY[limit]}.",
                f"Keep {limit} near what honest programs need.",
            )


def _layers(subject: Subject) -> Iterator[Finding]:
    for layer in LAYERS:
        strength = getattr(subject.policy.layers, layer)
        if layer == "language" or (layer == "interpreter" and subject.policy.language == OFF):
            continue
        left = BY_NAME[layer].without
        if strength == OFF:
            barrier = layer in KERNEL_BASE
            yield subject.finding(
                Severity.HIGH if barrier else Severity.LOW,
                "layer-off",
                f"layers.{layer}",
                f"{layer} is off: {left}.",
                f'Set layers.{layer} = "{"required" if barrier else OPTIONAL}".',
            )
        elif strength == OPTIONAL:
            serious = layer in KERNEL_BASE
            yield subject.finding(
                Severity.MEDIUM if serious else Severity.INFO,
                "layer-optional",
                f"layers.{layer}",
                f"Where the host lacks {layer}: {left}.",
                f'Set layers.{layer} = "required" if every host of yours has it.',
            )
    if not has_file_barrier(subject.policy):
        yield subject.finding(
            Severity.INFO,
            "no-file-barrier",
            "require_any",
            "On a host with neither namespaces nor Landlock, seccomp alone stands between a guest "
            "that breaks the language layer and the file system.",
            'Add require_any = [["namespaces", "landlock"]].',
        )


def _language(subject: Subject) -> Iterator[Finding]:
    policy = subject.policy
    if policy.testing:
        yield subject.finding(
            Severity.HIGH,
            "testing-policy",
            "testing",
            "testing = true: kernel layers may be missing under language = off.",
            "Remove it from a policy that serves guests that matter.",
        )
    if policy.language != "off":
        return
    weak = [
        layer
        for layer in LAYERS
        if layer not in ("language", "interpreter", "cgroup")
        and getattr(policy.layers, layer) != "required"
    ]
    bare = bool(set(weak) - FILE_BARRIERS) or not has_file_barrier(policy)
    said = "The guest has all of Python; nothing can be said about what it reaches inside."
    if weak:
        said += f" Not required: {', '.join(weak)}."
    yield subject.finding(
        Severity.HIGH if bare else Severity.MEDIUM if weak else Severity.INFO,
        "language-off",
        "language",
        said,
        'Use language = "restricted", or set every kernel layer to "required".',
    )


def _clocks(subject: Subject) -> Iterator[Finding]:
    if subject.policy.deterministic or subject.policy.language == "off":
        yield _in_every_run(subject)
        return
    rows = (
        (Severity.LOW, cost_tables.CLOCKS, "read a clock: output can differ from run to run"),
        (
            Severity.INFO,
            cost_tables.COUNTS,
            "tell of the interpreter or the process, and may differ",
        ),
        (
            Severity.INFO,
            cost_tables.ADDRESSES,
            "can show an address: id, the printed form of an object without a __repr__, and the "
            "order of a set of such objects; addresses differ from run to run, hashes of text do "
            "not, as PYTHONHASHSEED is 0",
        ),
        (
            Severity.INFO,
            cost_tables.SEEDED,
            "are random, and seeded the same in every run: same program, same output",
        ),
    )
    for severity, table, effect in rows:
        found = sorted(table & subject.names)
        if found:
            yield subject.finding(
                severity,
                "nondeterminism",
                found[0],
                f"{_some(found)} {effect}. A reward that compares output may change with it.",
                "Set deterministic = true, or compare values, not addresses."
                if severity < Severity.LOW
                else "Set deterministic = true, or remove them (remove_modules).",
            )


def _in_every_run(subject: Subject) -> Finding:
    """Name what differs under `deterministic`, or that without the language nothing is promised."""
    if subject.policy.deterministic:
        rest = ["where a limit ends a run, or raises MemoryError"]
        rest += ["what services answer"] if subject.policy.services else []
        return subject.finding(
            Severity.INFO,
            "nondeterminism",
            "deterministic",
            f"The same program gives the same bytes. What remains: {', and '.join(rest)}.",
            "Nothing; keep limits well above what honest programs use.",
        )
    return subject.finding(
        Severity.INFO,
        "nondeterminism",
        "language",
        "Output may differ by clocks, addresses and chance, which no kernel layer prevents.",
        'Use language = "restricted" with deterministic = true where runs are replayed.',
    )


def _session(subject: Subject) -> Iterator[Finding]:
    if subject.policy.services:
        yield subject.finding(
            Severity.LOW,
            "services-open",
            "services",
            "What a guest passes to a service is untrusted and reaches functions of yours while "
            "the guest still runs; its seccomp filter keeps one read descriptor.",
            "Grant services only where calls offer some, and check what they are given.",
        )


def _some(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")


def stars(policy: Policy) -> list[str]:
    """Return the modules that are granted by "*"."""
    return sorted(grant.module for grant in policy.modules if grant.names == (ALL,))


CHECKS: tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    _language,
    _layers,
    _limits,
    _costs,
    _reasons,
    _clocks,
    _session,
)
