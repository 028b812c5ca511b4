"""`Plan`: a policy reduced to the plain data that the supervisor needs.

The caller validates a policy with pydantic; the supervisor, whose every import is copied into every
child, gets this instead. It crosses as a marshalled dict of built-in types.
"""

from dataclasses import asdict, dataclass
from typing import Any

from sandbox.policy.limits import Limits

PACKAGES = "packages"  # how a refusal names what is missing, where layers have their names


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One distribution whose files children see, and the modules that are imported before them."""

    name: str
    preload: tuple[str, ...]
    warm_up: str  # source that the supervisor runs after them
    optional: bool  # where it is not installed, it is not importable, and all else works


@dataclass(frozen=True, slots=True, kw_only=True)
class Scratch:
    """A file system in memory that each program has for itself."""

    kib: int  # the most of its files' content, in whole pages
    count: int  # the most files, directories and links


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One policy, ready to be carried out."""

    name: str
    language: bool  # False: unrestricted CPython, only the kernel layers hold
    limits: Limits
    layers: dict[str, str]  # every layer: required, optional or off
    require_any: tuple[tuple[str, ...], ...]  # of each group at least one must be active
    services: bool  # a call may offer services to the guest
    deterministic: bool  # no clock and no address of the machine is shown
    opens: bool  # a program has the calls, descriptors and files that only CPython itself uses
    threads: int  # so many beside the first; without the language layer alone
    packages: tuple[Package, ...]  # without the language layer alone
    scratch: Scratch | None = None  # without the language layer alone, and with a mount namespace
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
        packages = tuple(Package(**package) for package in data["packages"])
        scratch = Scratch(**data["scratch"]) if data.get("scratch") else None
        made = {"limits": Limits(**data["limits"]), "packages": packages, "scratch": scratch}
        return cls(**{**data, **made})
