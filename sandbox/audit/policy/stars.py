"""Grants of "*" against the recorded table of public names per Python version."""

import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from sys import version_info

from sandbox.audit.findings import Finding, Severity
from sandbox.audit.policy.checks import Subject, stars
from sandbox.policy.support import supported

HERE = f"{version_info[0]}.{version_info[1]}"
_SHOWN = 12

Table = dict[str, dict[str, frozenset[str]]]


@lru_cache(maxsize=1)
def recorded() -> Table:
    """Return `{version: {module: public names}}`, made by scripts/public_names.py."""
    text = (resources.files("sandbox.audit") / "public_names.json").read_text(encoding="utf-8")
    return {
        version: {module: frozenset(names.split()) for module, names in modules.items()}
        for version, modules in json.loads(text).items()
    }


def check(subject: Subject, public: dict[str, list[str]]) -> Iterator[Finding]:
    """Make findings for each module granted by "*"; `public` are its names in this Python."""
    for module in stars(subject.policy):
        yield from _by_version(subject, module)
        yield from _grown(subject, module, public.get(module))


def _by_version(subject: Subject, module: str) -> Iterator[Finding]:
    granted = supported()[1][module]
    has = {
        version: granted & names.get(module, frozenset()) for version, names in recorded().items()
    }
    everywhere = frozenset.intersection(*has.values())
    differing = {version: sorted(names - everywhere) for version, names in has.items()}
    if not any(differing.values()):
        return
    rows = "; ".join(f"{version} has {_some(n)}" for version, n in differing.items() if n)
    yield subject.finding(
        Severity.INFO,
        "star-grant",
        module,
        f'{module} is granted by "*", and what that gives depends on the Python: {rows}.',
        "Grant the names that all of your Pythons have, or run one version everywhere.",
    )


def _grown(subject: Subject, module: str, public: list[str] | None) -> Iterator[Finding]:
    known = recorded().get(HERE, {}).get(module)
    if public is None or known is None:
        return
    new = sorted(set(public) - known)
    if not new:
        return
    # What "*" means is our list of supported names: what a module gains is not granted by it.
    opened = sorted(set(new) & supported()[1][module])
    yield subject.finding(
        Severity.MEDIUM if opened else Severity.LOW,
        "star-grant",
        module,
        f"{module} has public names here that the record for Python {HERE} lacks: {_some(new)}. "
        + (f"Granted are {_some(opened)}." if opened else 'None of them is granted by "*".'),
        "Look at the new names, then run scripts/public_names.py.",
    )


def _some(names: list[str]) -> str:
    rest = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {rest} more" if rest > 0 else "")
