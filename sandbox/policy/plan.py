"""`Plan`: a policy reduced to the plain data that the supervisor needs.

The caller validates a policy with pydantic; the supervisor, whose every import is copied into every
child, gets this instead. It crosses as a marshalled dict of built-in types.
"""

from dataclasses import asdict, dataclass
from typing import Any, Final, TypedDict

LAYERS = (
    "language",
    "interpreter",
    "process",
    "rlimits",
    "descriptors",
    "privileges",
    "namespaces",
    "landlock",
    "seccomp",
    "cgroup",
)
REQUIRED: Final = "required"
OPTIONAL: Final = "optional"
OFF: Final = "off"
VALUE_ITEMS: Final = 1_000_000  # two bytes of text each at least, 56 once they are parsed
# Deep recursion through C code needs much stack: 512 MiB for 100,000 calls of a `key=lambda`. Less
# than the least, and the interpreter itself has no room to compile and to end.
LEAST_STACK_MIB: Final = 16
MOST_STACK_MIB: Final = 512
VALUE_DEPTH: Final = 200  # which the recursive parser of CPython's json takes on any stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one execution may use. Zero means none, never unlimited."""

    cpu_seconds: float
    wall_seconds: float
    memory_mib: int  # on top of the interpreter and its stack, see `stack_bytes`
    output_kib: int
    source_kib: int
    stdin_kib: int
    recursion_limit: int  # the deepest that sys.setrecursionlimit may go; 1,000 at the start
    value_items: int = VALUE_ITEMS  # of a value that leaves the guest, at all levels together
    value_depth: int = VALUE_DEPTH  # containers within each other

    @property
    def stack_bytes(self) -> int:
        """How far the stack may grow: as far again as `memory_mib`, within a least and a most."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One policy, ready to be carried out."""

    name: str
    language: bool  # False: unrestricted CPython, only the kernel layers hold
    limits: Limits
    layers: dict[str, str]  # every one of LAYERS: required, optional or off
    require_any: tuple[tuple[str, ...], ...]  # of each group at least one must be active
    session: bool  # a call may offer services to the guest
    deterministic: bool  # no clock and no address of the machine is shown
    builtins: tuple[str, ...]
    modules: dict[str, tuple[str, ...]]  # dotted module name: granted public names
    elsewhere: dict[
        str, tuple[str, ...]
    ]  # "builtin x", "module m", "m.name": policies that grant it

    def to_dict(self) -> dict[str, Any]:
        """Built-in types only, for `marshal`."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Plan":
        """Read what `to_dict` wrote."""
        return cls(**{**data, "limits": Limits(**data["limits"])})
