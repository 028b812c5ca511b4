"""A policy file as it is written: every key may be absent, and nothing is merged yet."""

import tomllib
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from sandbox.policy import fields
from sandbox.policy.model import BuiltinsGrant, ModuleGrant
from sandbox.policy.problems import explain, report

_MOST_CHARS, _MOST_DOTS = 1 << 18, 100
_CLOSED = ConfigDict(extra="forbid")


class LimitsTable(TypedDict, total=False):
    """What one execution may use. Zero is refused: it would mean none, never unlimited."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]
    cpu_seconds: fields.CpuSeconds
    wall_seconds: fields.WallSeconds
    memory_mib: fields.MemoryMib
    output_kib: fields.OutputKib
    source_kib: fields.SourceKib
    stdin_kib: fields.StdinKib
    recursion_limit: fields.RecursionLimit
    value_items: fields.ValueItems
    value_depth: fields.ValueDepth


class LayersTable(TypedDict, total=False):
    """Each layer: required (the sandbox does not open without it), optional, or off."""

    __pydantic_config__ = _CLOSED  # type: ignore[misc]
    language: Annotated[
        fields.Strength,
        Field(description="RestrictedPython in our dialect: only granted names exist."),
    ]
    interpreter: Annotated[
        fields.Strength,
        Field(
            description="No native power is left to reach, and what uses one ends the child; off"
            " where the language layer is."
        ),
    ]
    process: Annotated[
        fields.Strength,
        Field(description="A process of its own for each execution, from a fresh interpreter."),
    ]
    rlimits: Annotated[
        fields.Strength,
        Field(
            description="CPU, address space, stack, files, processes and descriptors are limited."
        ),
    ]
    descriptors: Annotated[
        fields.Strength, Field(description="Everything is closed but the result pipe.")
    ]
    privileges: Annotated[
        fields.Strength, Field(description="No new privileges, no capability, an unprivileged uid.")
    ]
    namespaces: Annotated[
        fields.Strength,
        Field(description="User, pid, mount, net, ipc, uts and cgroup; an empty root."),
    ]
    landlock: Annotated[
        fields.Strength,
        Field(description="Every right over files and TCP that the kernel knows is denied."),
    ]
    seccomp: Annotated[
        fields.Strength,
        Field(description="An allow-list of system calls; the rest kills the process."),
    ]
    cgroup: Annotated[
        fields.Strength,
        Field(description="Memory, pids and cpu of one sandbox, where the host delegates it."),
    ]


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
    session: fields.Session
    deterministic: fields.Deterministic
    testing: fields.Testing


_DOCUMENT = TypeAdapter(Document)


def parse(text: str, origin: str) -> Document:
    """The keys of one file. Raises PolicyError if it is not TOML or has a wrong key or value.

    A file has at most 256 Ki characters and 100 dots a line: what `tomllib` does with a key grows
    with the third power of its parts.
    """
    if len(text) > _MOST_CHARS:
        raise report(origin, [f"the file has more than {_MOST_CHARS} characters"])
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise report(origin, [f"a line has more than {_MOST_DOTS} dots"])
    try:
        return _DOCUMENT.validate_python(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise report(origin, [f"not TOML: {error}"]) from None
    except RecursionError:
        raise report(origin, ["not TOML: nested too deeply"]) from None
    except ValidationError as error:
        raise explain(error, origin) from None


def schema() -> dict[str, Any]:
    """The JSON schema (2020-12) of a policy file, for editors that complete and check TOML."""
    made = _DOCUMENT.json_schema()
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "restricted-execution policy",
        **{key: value for key, value in made.items() if key != "title"},
    }
