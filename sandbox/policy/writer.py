"""A `Policy` as the text of a TOML file that extends nothing."""

import json
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from sandbox.policy.fields import ALL
from sandbox.policy.model import BuiltinsGrant, ModuleGrant, Policy

WIDTH = 96


def to_toml(policy: Policy) -> str:
    """The text; reading it gives an equal policy."""
    return "\n".join(_lines(policy))


def _lines(policy: Policy) -> Iterator[str]:
    yield f"name = {_value(policy.name)}"
    yield f"description = {_value(policy.description)}"
    yield f"language = {_value(policy.language)}"
    yield f"require_any = {_value(policy.require_any)}"
    if policy.session:
        yield "session = true"
    if policy.deterministic:
        yield "deterministic = true"
    if policy.testing:
        yield "testing = true"
    for table in ("limits", "layers"):
        yield from ("", f"[{table}]")
        yield from _keys(getattr(policy, table).model_dump())
    for table, grants in (("builtins", policy.builtins), ("modules", policy.modules)):
        for grant in grants:
            yield from ("", f"[[{table}]]")
            yield from _grant(grant)
    yield ""


def _keys(table: dict[str, Any]) -> Iterator[str]:
    return (f"{key} = {_value(value)}" for key, value in table.items())


def _grant(grant: BuiltinsGrant | ModuleGrant) -> Iterator[str]:
    if isinstance(grant, ModuleGrant):
        yield f"module = {_value(grant.module)}"
    yield f'names = "{ALL}"' if grant.names == (ALL,) else f"names = {_wrapped(grant.names)}"
    yield f"reason = {_value(grant.reason)}"


def _wrapped(names: Iterable[str]) -> str:
    """A list on one line, or on several where one is too long."""
    text = ", ".join(_value(name) for name in names)
    if len(text) <= WIDTH - len("names = []"):
        return f"[{text}]"
    lines = textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join(["[", *(f"    {line}" for line in lines), "]"])


def _value(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    if isinstance(value, str):
        # A basic string of TOML is one of JSON, but for the delete character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)
