"""The keyword arguments of every entry that grades, with their defaults: said here, once.

Entries and integrations hand `GradeOptions` on unchanged; `Settings.of` reads them at the end. A
new option is a key of `GradeOptions`, a field of `Settings` and its use.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, cast

from sandbox.errors import Problem, policy_error
from sandbox.grading.comparators import Comparator, Compare, comparator
from sandbox.grading.preambles import CALLS
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy
from sandbox.policy.tighten import did_you_mean, tighten

COMPARATOR, POLICY = "lcb", "contest"


class RowOptions(LimitOptions, total=False):
    """The options of grading a row: all of `GradeOptions` but the policy."""

    comparator: "str | Compare"
    early_stop: bool
    preamble: str


class GradeOptions(RowOptions, total=False):
    """The keyword arguments of every entry that grades: these, and limits for each test.

    `comparator`: a name of docs/grading.md, or a callable `(actual, expected) -> bool`; `"lcb"` by
    default.
    `early_stop`: end at the first test that fails, and skip the rest. True by default, everywhere:
    a score needs no further test after the first failure, and what a program brings about in a
    later one cannot mask it. `Grade.fraction` needs every test: give False for it, as rewards do
    that are made with `partial=True` (see `scored`). With True it is the least that it can be.
    `preamble`: what a program may rely on to have been imported: `"calls"`, the default, `"lcb"`,
    `""`, or a source of your own.
    `policy`: what programs run under: the name of a shipped policy, the path of a .toml file or a
    `Policy`; `"contest"` by default.

    Limits tighten the policy's (`cpu_seconds=2`, `memory_mib=64`), in the units of their names.

        grade(code, tests, comparator="exact", early_stop=True, cpu_seconds=2)
    """

    policy: "str | PathLike[str] | Policy"


LIMITS = tuple(LimitOptions.__annotations__)
OWN = tuple(name for name in GradeOptions.__annotations__ if name not in LIMITS)


@dataclass(frozen=True, slots=True)
class Settings:
    """`GradeOptions`, read and checked."""

    comparator: Comparator
    early_stop: bool
    preamble: str
    policy: Policy
    limits: Mapping[str, float]

    @classmethod
    def of(cls, options: "GradeOptions | Mapping[str, Any]") -> "Settings":
        """Read `options`, with defaults for what they leave out.

        Raises PolicyError for an unknown option and for a wrong policy or limit, ValueError for an
        unknown comparator, TypeError for a value of the wrong type. A preamble is tried later.
        """
        for name in options:
            if name not in GradeOptions.__annotations__:
                near = did_you_mean(name, GradeOptions.__annotations__)
                known = f"there are {', '.join(OWN)} and limits: {', '.join(LIMITS)}"
                raise policy_error(
                    Problem(key=name, reason=f"unknown option or limit{near}; {known}")
                )
        check_types(options)
        policy = Policy.load(options.get("policy", POLICY))
        limits = {name: value for name, value in options.items() if name in LIMITS}
        tighten(policy.plan().limits, limits)
        chosen = comparator(options.get("comparator", COMPARATOR))
        return cls(
            comparator=chosen,
            early_stop=options.get("early_stop", True),
            preamble=options.get("preamble", CALLS),
            policy=policy,
            limits=cast(Mapping[str, float], limits),
        )


def check_types(options: "GradeOptions | Mapping[str, Any]") -> None:
    """Raise TypeError for an option that is of another type than it can have."""
    early_stop, preamble = options.get("early_stop", True), options.get("preamble", "")
    if not isinstance(early_stop, bool):
        raise TypeError(f"early_stop is True or False, not {early_stop!r}")
    if not isinstance(preamble, str):
        raise TypeError(f"preamble is a str, not a {type(preamble).__name__}")


def scored(options: "GradeOptions | Mapping[str, Any]", *, partial: bool) -> GradeOptions:
    """Return `options` for a reward that is one number: checked, the policy loaded, once.

    Raises what `Settings.of` does.

    With `partial` the number is the share of tests passed, and all are run. Without, it is 1.0 or
    0.0: the first failure settles it, and `early_stop` is set if it was not given.
    """
    policy = Settings.of(options).policy
    return cast(GradeOptions, {"early_stop": not partial, **options, "policy": policy})


def without_policy(options: RowOptions) -> RowOptions:
    """Return `options` for what has its own policy. Raises TypeError if they name another."""
    if "policy" in options:
        raise TypeError("policy: programs run under the sandbox's own; open it with another")
    return options
