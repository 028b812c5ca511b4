"""`Policy`: what a guest may use, how much of it, and which layers hold it. Immutable, checked."""

from collections.abc import Iterator
from functools import lru_cache
from os import PathLike
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from sandbox.policy import fields
from sandbox.policy.plan import (
    OFF,
    OPTIONAL,
    REQUIRED,
    VALUE_DEPTH,
    VALUE_ITEMS,
    Limits,
    Plan,
)
from sandbox.policy.problems import explain
from sandbox.policy.tighten import tighten


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BuiltinsGrant(_Table):
    """Some builtins and the reason that they are granted."""

    names: fields.BuiltinNames
    reason: fields.Reason


class ModuleGrant(_Table):
    """Some names of one module, `("*",)` for all supported ones, and the reason for them."""

    module: fields.ModuleName
    names: fields.ModuleNames
    reason: fields.Reason


class LimitsModel(_Table):
    """What one execution may use; the validated form of `sandbox.policy.plan.Limits`."""

    cpu_seconds: fields.CpuSeconds
    wall_seconds: fields.WallSeconds
    memory_mib: fields.MemoryMib
    output_kib: fields.OutputKib
    source_kib: fields.SourceKib
    stdin_kib: fields.StdinKib
    recursion_limit: fields.RecursionLimit
    value_items: fields.ValueItems = VALUE_ITEMS
    value_depth: fields.ValueDepth = VALUE_DEPTH

    def plain(self) -> Limits:
        """The dataclass that the runtime and `tighten` work on."""
        return Limits(**self.model_dump())


class LayersModel(_Table):
    """Each layer: required (the sandbox does not open without it), optional, or off."""

    language: fields.Strength = REQUIRED
    interpreter: fields.Strength = REQUIRED
    process: fields.Strength = REQUIRED
    rlimits: fields.Strength = REQUIRED
    descriptors: fields.Strength = REQUIRED
    privileges: fields.Strength = REQUIRED
    namespaces: fields.Strength = OPTIONAL
    landlock: fields.Strength = OPTIONAL
    seccomp: fields.Strength = REQUIRED
    cgroup: fields.Strength = OPTIONAL

    @model_validator(mode="before")
    @classmethod
    def _off_with_the_language(cls, data: Any) -> Any:
        """Unrestricted CPython has use for all that the layer takes away."""
        if isinstance(data, dict) and data.get("language") == OFF:
            return {**data, "interpreter": OFF}
        return data

    def plain(self) -> dict[str, str]:
        """`{layer: strength}`, in the order of `LAYERS`."""
        return dict(self.model_dump())


class Policy(_Table):
    """One policy, with what it extends already merged in.

    Equal by content, hashable, picklable. `testing` lets a test build a policy with
    `language="off"` and kernel layers switched off; everything else is refused as in a file.
    Raises PolicyError where a value, a grant or the whole does not hold together.
    """

    name: fields.Name
    description: fields.Description = ""
    language: fields.Language = "restricted"
    limits: LimitsModel
    layers: LayersModel = LayersModel()
    require_any: fields.RequireAny = ()
    builtins: tuple[BuiltinsGrant, ...] = ()
    modules: tuple[ModuleGrant, ...] = ()
    session: fields.Session = False
    deterministic: fields.Deterministic = False
    testing: fields.Testing = False

    def __init__(self, *, origin: str = "", **data: Any) -> None:
        """The fields by keyword; `origin` is the file that messages name."""
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise explain(error, origin or f"policy {data.get('name', '?')!r}") from None

    @model_validator(mode="after")
    def _holds_together(self) -> "Policy":
        from sandbox.policy.rules import problems

        if found := list(problems(self)):
            raise ValueError("\n".join(found))
        return self

    def __hash__(self) -> int:
        # Cheap, as every call with a Policy looks up its sandbox; equality compares it all.
        return hash((self.name, self.language, self.limits.cpu_seconds, self.limits.memory_mib))

    @staticmethod
    def load(policy: "str | PathLike[str] | Policy") -> "Policy":
        """A shipped policy by name, a policy from the path of a TOML file, or `policy` itself.

        Raises PolicyError that names the file, the key and the reason, one line per problem.
        """
        from sandbox.policy.loader import load

        return policy if isinstance(policy, Policy) else load(policy)

    @staticmethod
    def from_toml(text: str, *, origin: str = "<text>") -> "Policy":
        """A policy from the text of a TOML file; `origin` stands for the file in messages.

        A path in `extends` is relative to the working directory. Raises PolicyError.
        """
        from sandbox.policy.loader import from_text

        return from_text(text, origin)

    def to_toml(self) -> str:
        """This policy as the text of a file that extends nothing; `from_toml` gives it back."""
        from sandbox.policy.writer import to_toml

        return to_toml(self)

    def replaced(self, **changes: Any) -> "Policy":
        """A validated copy; `limits` and `layers` may be dicts of only the keys that change.

        For code that adjusts a policy, for example `policy.replaced(layers={"cgroup": "off"})`.
        Raises PolicyError.
        """
        data = {name: getattr(self, name) for name in type(self).model_fields}
        for name in ("limits", "layers"):
            if isinstance(changes.get(name), dict):
                changes[name] = {**data[name].model_dump(), **changes[name]}
        return Policy(**{**data, **changes})

    def model_copy(self, *, update: Any = None, deep: bool = False) -> "Policy":
        """As in pydantic, but what comes out is validated too."""
        return self.replaced(**(update or {}))

    def tightened(self, **limits: float) -> "Policy":
        """This policy with tighter limits. Raises PolicyError for a wider or an unknown one."""
        tight = tighten(self.limits.plain(), limits)
        return self.replaced(limits={name: getattr(tight, name) for name in limits})

    def plan(self) -> Plan:
        """What the supervisor needs of this policy, as plain data; made once."""
        return _plan(self)

    def granted_builtins(self) -> Iterator[str]:
        """Every builtin that is granted, in the order of the file."""
        return (name for grant in self.builtins for name in grant.names)


@lru_cache(maxsize=64)
def _plan(policy: Policy) -> Plan:
    from sandbox.policy.resolve import make_plan

    return make_plan(policy)
