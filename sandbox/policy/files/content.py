"""The keys of a policy, each checked by itself; `model.Policy` checks them as a whole."""

from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from sandbox.policy.files import fields
from sandbox.policy.files.notices import renamed
from sandbox.policy.files.problems import explain
from sandbox.policy.files.tables import (
    BuiltinsGrant,
    FilesGrant,
    LayersModel,
    LimitsModel,
    ModuleGrant,
    PackageGrant,
    Table,
)


class Content(Table):
    """The keys of one policy, with what it extends already merged in."""

    name: fields.Name
    description: fields.Description = ""
    language: fields.Language = "restricted"
    limits: LimitsModel
    layers: LayersModel = LayersModel()
    require_any: fields.RequireAny = ()
    builtins: tuple[BuiltinsGrant, ...] = ()
    modules: tuple[ModuleGrant, ...] = ()
    packages: tuple[PackageGrant, ...] = ()
    threads: fields.Threads = 0
    files: FilesGrant | None = None
    services: fields.Services = False
    deterministic: fields.Deterministic = False
    testing: fields.Testing = False
    as_restricted: fields.AsRestricted = False

    def __init__(self, *, origin: str = "", **data: Any) -> None:
        """The fields by keyword; `origin` is the file that messages name."""
        where = origin or f"policy {data.get('name', '?')!r}"
        try:
            super().__init__(**renamed(data, where))
        except ValidationError as error:
            raise explain(error, where) from None

    def granted_builtins(self) -> Iterator[str]:
        """Every builtin that is granted, in the order of the file."""
        return (name for grant in self.builtins for name in grant.names)
