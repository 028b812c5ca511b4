"""The promises of each layer: what it stops when it stands alone, by what an attack goes through.

A promise is a minimum: on many hosts a layer stops more. What is not promised here is not relied
on. `tests/fuzz` and every campaign hold each layer to its own.
"""

import os
from collections.abc import Iterator

from sandbox import Policy
from sandbox.kernel import landlock

from ..engine import Program
from ..programs.attacks import MEANS, Attack, select

_ALL = frozenset(MEANS) - {"pipe"}  # what is said on the result pipe is the caller's to judge
# The quickest to examine first.
PROMISES: dict[str, frozenset[str]] = {
    "descriptors": frozenset(("inherited",)),
    "privileges": frozenset(("privilege", "memory")),
    "rlimits": frozenset(("fork", "program", "network", "tcp", "memory")),
    "landlock": frozenset(("file", "program", "memory", "tcp")),
    "interpreter": _ALL,  # with a language layer before it that guards nothing
    "seccomp": _ALL,
    "namespaces": frozenset(
        (
            "file",
            "metadata",
            "program",
            "network",
            "tcp",
            "process",
            "watch",
            "memory",
            "supervisor",
        )
    ),
}


def programs(attack: Attack) -> Iterator[Program]:
    """Yield the programs to run of one attack."""
    for variant, code in attack.programs().items():
        yield Program(
            id=f"{attack.id}/{variant}",
            code=code,
            stdin=attack.stdin,
            followup=attack.followup,
            means=attack.means,
            entry=attack.entry,
            deep=attack.family == "recursion",
            origin=attack.id,
            goal=attack.goal,
            power=attack.power,
        )


def promised(layer: str) -> list[Attack]:
    """Return the attacks that `layer` alone must stop, on this host."""
    if layer == "language":
        return select("language")
    means = PROMISES.get(layer, frozenset())
    if layer == "landlock" and landlock.abi() < 4:
        means -= {"tcp"}
    if layer in ("privileges", "rlimits") and os.getuid() != 0:
        means -= {"memory"}
    return [a for a in select("native") if a.means in means]


def layers(policy: Policy) -> list[str]:
    """Return the layers of a policy that promise something, the cheapest to examine first."""
    on = {name for name, strength in policy.layers.plain().items() if strength != "off"}
    return [name for name in ("language", *PROMISES) if name in on]
