"""`Policy`: what a guest may use, how much of it, and which layers hold it. Immutable, checked."""

from functools import lru_cache
from itertools import islice
from os import PathLike
from typing import Any

from pydantic import model_validator

from sandbox.policy.files import loader, writer
from sandbox.policy.files.content import Content
from sandbox.policy.files.notices import renamed
from sandbox.policy.files.problems import MOST_TOLD, Disagreement
from sandbox.policy.files.rules import problems
from sandbox.policy.plan import Plan
from sandbox.policy.resolve import make_plan
from sandbox.policy.tighten import tighten


class Policy(Content):
    """One policy, with what it extends already merged in.

    Equal by content, hashable, picklable. `testing` lets a test build a policy with
    `language="off"` and kernel layers switched off; everything else is refused as in a file.
    Raises PolicyError where a value, a grant or the whole does not hold together.
    """

    @model_validator(mode="after")
    def _holds_together(self) -> "Policy":
        if found := tuple(islice(problems(self), MOST_TOLD)):
            raise Disagreement(found)
        return self

    def __hash__(self) -> int:
        # Cheap, as every call with a Policy looks up its sandbox; equality compares it all.
        return hash((self.name, self.language, self.limits.cpu_seconds, self.limits.memory_mib))

    @staticmethod
    def load(policy: "str | PathLike[str] | Policy") -> "Policy":
        """A shipped policy by name, a policy from the path of a TOML file, or `policy` itself.

        Raises PolicyError that names the file, the key and the reason, one line per problem.
        """
        return policy if isinstance(policy, Policy) else loader.load(Policy, policy)

    @staticmethod
    def from_toml(text: str, *, origin: str = "<text>") -> "Policy":
        """A policy from the text of a TOML file; `origin` stands for the file in messages.

        A path in `extends` is relative to the working directory. Raises PolicyError.
        """
        return loader.from_text(Policy, text, origin)

    def to_toml(self) -> str:
        """This policy as the text of a file that extends nothing; `from_toml` gives it back."""
        return writer.to_toml(self)

    def replaced(self, **changes: Any) -> "Policy":
        """A validated copy; `limits` and `layers` may be dicts of only the keys that change.

        For code that adjusts a policy, for example `policy.replaced(layers={"cgroup": "off"})`.
        Raises PolicyError.
        """
        data = {name: getattr(self, name) for name in type(self).model_fields}
        changes = renamed(changes, f"policy {self.name!r}")
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

    @property
    def session(self) -> bool:
        """The old name of `services`, for one more release."""
        return self.services

    def plan(self) -> Plan:
        """The plan that the supervisor carries out: plain data, made once."""
        return _plan(self)


@lru_cache(maxsize=64)
def _plan(policy: Policy) -> Plan:
    return make_plan(Policy, policy)
