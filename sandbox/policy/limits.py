"""The limits of one execution, in one table. Plain data: the supervisor imports it.

Policies, their JSON schema, `tighten`, the help of commands and the table of docs/policies.md are
made of these rows or held against them. A type checker needs the names themselves, in `Limits` and
`LimitOptions`: `tests/policy/test_tables.py` holds both against the table.
"""

from dataclasses import dataclass
from typing import Final, TypedDict

_DAY: Final = 86_400
_GIB_IN_KIB: Final = 1 << 20
_TIB_IN_MIB: Final = 1 << 20
VALUE_ITEMS: Final = 1_000_000  # two bytes of text each at least, 56 once they are parsed
FILES_KIB: Final = 16_384
FILES_COUNT: Final = 1_000
BRANCHES: Final = 16
VALUE_DEPTH: Final = 200  # which the recursive parser of CPython's json takes on any stack
# Deep recursion through C code needs much stack: 512 MiB for 100,000 calls of a `key=lambda`. Less
# than the least, and the interpreter itself has no room to compile and to end.
LEAST_STACK_MIB: Final = 16
MOST_STACK_MIB: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit: greater than zero and at most `most`, in `unit`; `default` None: a policy says it.

    `enforced_by` is who ends the program, or refuses it; `does` is the sentence for people.
    """

    name: str
    unit: str
    kind: type[int] | type[float]
    most: int
    default: int | None = None
    enforced_by: str
    does: str


TABLE: Final = (
    Limit(
        name="cpu_seconds",
        unit="s",
        kind=float,
        most=_DAY,
        enforced_by="a timer of the supervisor's on the child's CPU clock; RLIMIT_CPU behind it",
        does="CPU time of one execution: it decides.",
    ),
    Limit(
        name="wall_seconds",
        unit="s",
        kind=float,
        most=_DAY,
        enforced_by="the caller, which has the child killed",
        does="Time on the clock of one execution: the backstop. Keep it well above cpu_seconds, or"
        " verdicts change with the load of the machine.",
    ),
    Limit(
        name="memory_mib",
        unit="MiB",
        kind=int,
        most=_TIB_IN_MIB,
        enforced_by="RLIMIT_DATA and RLIMIT_AS of the child",
        does="Memory on top of the interpreter and its stack. The stack may take as much again: at"
        f" least {LEAST_STACK_MIB} MiB, at most {MOST_STACK_MIB}.",
    ),
    Limit(
        name="output_kib",
        unit="KiB",
        kind=int,
        most=_GIB_IN_KIB,
        enforced_by="the child as it prints, the caller as it reads",
        does="Encoded output that is kept; more ends the run.",
    ),
    Limit(
        name="source_kib",
        unit="KiB",
        kind=int,
        most=65_536,
        enforced_by="the caller, before a child starts",
        does="Largest program accepted, in UTF-8.",
    ),
    Limit(
        name="stdin_kib",
        unit="KiB",
        kind=int,
        most=_GIB_IN_KIB,
        enforced_by="the caller, before a child starts",
        does="Largest standard input accepted, in UTF-8.",
    ),
    Limit(
        name="recursion_limit",
        unit="calls",
        kind=int,
        most=10_000_000,
        enforced_by="the child's interpreter",
        does="The deepest that sys.setrecursionlimit may go; a run starts at 1,000.",
    ),
    Limit(
        name="value_items",
        unit="items",
        kind=int,
        most=1 << 24,
        default=VALUE_ITEMS,
        enforced_by="the child, and the caller before it parses the value",
        does="Most items of a value that a call returns or a service is given: those of all its"
        " lists, tuples and dicts together, an empty one counting as one.",
    ),
    Limit(
        name="value_depth",
        unit="levels",
        kind=int,
        most=VALUE_DEPTH,
        default=VALUE_DEPTH,
        enforced_by="the child, and the caller before it parses the value",
        does="Most containers within each other in a value that a call returns or a service is"
        " given.",
    ),
    Limit(
        name="files_kib",
        unit="KiB",
        kind=int,
        most=_GIB_IN_KIB,
        default=FILES_KIB,
        enforced_by="the caller, before a child starts and as it reads; the child at its end",
        does="Most bytes of all files that a job is given, and of all that come back.",
    ),
    Limit(
        name="files_count",
        unit="files",
        kind=int,
        most=1 << 16,
        default=FILES_COUNT,
        enforced_by="the caller, before a child starts and as it reads; the child at its end",
        does="Most files that a job is given, and most that come back.",
    ),
    Limit(
        name="branches",
        unit="states",
        kind=int,
        most=1 << 10,
        default=BRANCHES,
        enforced_by="the keeper of a session, which has no more forked; RLIMIT_NPROC behind it",
        does="Most states that a session keeps at a time: its branches and its checkpoints.",
    ),
)
LIMITS: Final = tuple(limit.name for limit in TABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one execution. Zero means none, never unlimited."""

    cpu_seconds: float
    wall_seconds: float
    memory_mib: int  # on top of the interpreter and its stack, see `stack_bytes`
    output_kib: int
    source_kib: int
    stdin_kib: int
    recursion_limit: int
    value_items: int = VALUE_ITEMS
    value_depth: int = VALUE_DEPTH
    files_kib: int = FILES_KIB
    files_count: int = FILES_COUNT
    branches: int = BRANCHES

    @property
    def output_bytes(self) -> int:
        """The most bytes that may be printed, and characters of a returned value as text."""
        return self.output_kib << 10

    @property
    def stack_bytes(self) -> int:
        """The most bytes of stack: as many as `memory_mib` has, within a least and a most."""
        return min(max(self.memory_mib, LEAST_STACK_MIB), MOST_STACK_MIB) << 20


class LimitOptions(TypedDict, total=False):
    """Limits of one call by keyword, tighter than the policy's: the fields of `Limits`."""

    cpu_seconds: float
    wall_seconds: float
    memory_mib: int
    output_kib: int
    source_kib: int
    stdin_kib: int
    recursion_limit: int
    value_items: int
    value_depth: int
    files_kib: int
    files_count: int
    branches: int
