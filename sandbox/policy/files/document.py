"""A policy file as it is written: every key may be absent, and nothing is merged yet."""

import tomllib
from typing import TYPE_CHECKING, Annotated, Any, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from sandbox.errors import PolicyError, Problem
from sandbox.policy import layers, limits
from sandbox.policy.files import fields
from sandbox.policy.files.notices import renamed
from sandbox.policy.files.problems import explain, report
from sandbox.policy.files.tables import BuiltinsGrant, FilesGrant, ModuleGrant, PackageGrant

_MOST_CHARS, _MOST_DOTS = 1 << 18, 100
_CLOSED = ConfigDict(extra="forbid")


if TYPE_CHECKING:
    LimitsTable = dict[str, float]
    LayersTable = dict[str, str]
else:
    LimitsTable = TypedDict(
        "LimitsTable", {row.name: fields.of_limit(row) for row in limits.TABLE}, total=False
    )
    LimitsTable.__doc__ = (
        "What one execution may use. Zero is refused: it would mean none, never unlimited."
    )
    LayersTable = TypedDict(
        "LayersTable", {row.name: fields.of_layer(row) for row in layers.TABLE}, total=False
    )
    LayersTable.__doc__ = (
        "Each layer: required (the sandbox does not open without it), optional, or off."
    )
    LimitsTable.__pydantic_config__ = LayersTable.__pydantic_config__ = _CLOSED


class Document(TypedDict, total=False):
    """A policy of restricted-execution: limits, layers and grants, each grant with its reason."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]
    extends: Annotated[
        str,
        Field(
            min_length=1,
            description="A shipped policy's name, or the path of a file relative to this one. Its "
            "limits and layers hold where this file sets none; its grants come first.",
        ),
    ]
    name: fields.Name
    description: fields.Description
    language: fields.Language
    limits: LimitsTable
    layers: LayersTable
    require_any: fields.RequireAny
    builtins: Annotated[tuple[BuiltinsGrant, ...], Field(description="Builtins that are granted.")]
    modules: Annotated[tuple[ModuleGrant, ...], Field(description="Modules that are granted.")]
    remove_builtins: Annotated[
        fields.BuiltinNames, Field(description="Inherited builtins that are taken away.")
    ]
    remove_modules: Annotated[
        tuple[fields.ModuleName, ...],
        Field(description="Inherited modules (m) or single names (m.name) that are taken away."),
    ]
    packages: Annotated[
        tuple[PackageGrant, ...],
        Field(
            description="Installed packages whose files the guest may read. Only where "
            "language = off, and with the layer namespaces required; under the language layer "
            "numpy alone, of which no file is shown."
        ),
    ]
    remove_packages: Annotated[
        tuple[fields.PackageName, ...],
        Field(description="Inherited packages that are taken away."),
    ]
    threads: fields.Threads
    files: Annotated[
        FilesGrant,
        Field(
            description="A private scratch directory in memory, one per program. Only where "
            "language = off; there is none where namespaces are not active."
        ),
    ]
    remove_files: fields.RemoveFiles
    services: fields.Services
    session: Annotated[
        fields.Services,
        Field(deprecated=True, description="The old name of `services`, for one more release."),
    ]
    deterministic: fields.Deterministic
    testing: fields.Testing
    as_restricted: fields.AsRestricted


_DOCUMENT = TypeAdapter(Document)


def parse(text: str, origin: str) -> Document:
    """The keys of one file, under their new names. Raises PolicyError for what is no policy's.

    That is what is not TOML, or has a wrong key or value. A file has at most 256 Ki characters and
    100 dots a line: what `tomllib` does with a key grows with the third power of its parts.
    """
    if len(text) > _MOST_CHARS:
        raise _refused(origin, f"the file has more than {_MOST_CHARS} characters")
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise _refused(origin, f"a line has more than {_MOST_DOTS} dots")
    try:
        document = _DOCUMENT.validate_python(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise _refused(origin, f"not TOML: {error}") from None
    except RecursionError:
        raise _refused(origin, "not TOML: nested too deeply") from None
    except ValidationError as error:
        raise explain(error, origin) from None
    return cast(Document, renamed(document, origin, text))


def _refused(origin: str, reason: str) -> PolicyError:
    return report(origin, [Problem(reason=reason)])


def schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of a policy file, for editors that complete and check TOML."""
    made = _DOCUMENT.json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "restricted-execution policy",
        **{key: value for key, value in made.items() if key != "title"},
    }
