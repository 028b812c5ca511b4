"""The two tables, of limits and of layers, and all that has to say the same."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_type_hints

import pytest

from sandbox import Policy
from sandbox.integrations.mcp_command import mcp_command
from sandbox.policy import layers, limits
from sandbox.policy.files.document import Document, schema
from sandbox.policy.files.tables import LayersModel, LimitsModel
from sandbox.runtime.caller.doctor import examine
from sandbox.runtime.caller.remedies import remedy_for

ROOT = Path(__file__).parents[2]
README, SECURITY, POLICIES, ARCHITECTURE = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "SECURITY.md", "docs/policies.md", "docs/architecture.md")
)


def rows(text: str, head: str) -> dict[str, list[str]]:
    """The table below the line that begins with `head`, by its first column."""
    lines = text[text.index(f"\n{head}") + 1 :].split("\n\n")[0].splitlines()[2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {first.strip("`"): rest for first, *rest in cells}


def bare(text: str) -> str:
    """`text` with links as what they show."""
    return re.sub(r"\[([^]]*)\](?:\([^)]*\)|\[[^]]*\])", r"\1", text)


# -- limits


def test_the_types_that_a_checker_reads_are_those_of_the_table() -> None:
    kinds = {limit.name: limit.kind for limit in limits.TABLE}
    assert list(get_type_hints(limits.LimitOptions).items()) == list(kinds.items())
    assert limits.LimitOptions.__total__ is False
    assert {field.name: field.type for field in fields(limits.Limits)} == kinds
    assert tuple(kinds) == limits.LIMITS


def test_a_limit_has_the_same_default_wherever_it_has_one() -> None:
    required = {limit.name: 1 for limit in limits.TABLE if limit.default is None}
    defaults = {limit.name: limit.default for limit in limits.TABLE if limit.default is not None}
    plain, model = limits.Limits(**required), LimitsModel(**required)
    assert {name: getattr(plain, name) for name in defaults} == defaults
    assert {name: getattr(model, name) for name in defaults} == defaults


@pytest.mark.parametrize("limit", limits.TABLE, ids=limits.LIMITS)
def test_the_bounds_of_a_limit_are_the_models(limit: limits.Limit) -> None:
    strict = Policy.load("strict")
    assert strict.replaced(limits={limit.name: limit.most}).limits.plain()
    for wrong in (0, -1, limit.most + 1, True, "1"):
        with pytest.raises(ValueError, match=limit.name):
            strict.replaced(limits={limit.name: wrong})


def test_the_schema_says_of_limits_and_layers_what_the_tables_say() -> None:
    made = schema()["$defs"]
    told = made["LimitsTable"]["properties"]
    assert tuple(told) == limits.LIMITS
    for limit in limits.TABLE:
        assert told[limit.name]["maximum"] == limit.most
        assert told[limit.name]["exclusiveMinimum"] == 0
        assert told[limit.name]["description"].startswith(limit.does)
    told = made["LayersTable"]["properties"]
    assert tuple(told) == layers.LAYERS
    for layer in layers.TABLE:
        assert told[layer.name]["enum"] == list(layers.STRENGTHS)
        assert told[layer.name]["description"].lower() == f"{layer.does}.".lower()
    group = schema()["properties"]["require_any"]["items"]["items"]
    assert tuple(group["enum"]) == layers.LAYERS
    assert set(Document.__annotations__) >= {"limits", "layers"}


def test_the_document_has_the_table_of_limits() -> None:
    told = rows(POLICIES, "| limit |")
    assert tuple(told) == limits.LIMITS
    for limit in limits.TABLE:
        default = "" if limit.default is None else f"{limit.default:,}"
        assert told[limit.name] == [
            limit.unit,
            "whole number" if limit.kind is int else "number",
            f"{limit.most:,}",
            default,
            limit.enforced_by,
            limit.does,
        ]


def test_help_names_every_limit() -> None:
    (option,) = mcp_command.__annotations__["limit"].__metadata__
    assert all(name in option.help for name in limits.LIMITS)


# -- layers


def test_a_layer_has_the_default_of_the_table() -> None:
    assert LayersModel().plain() == {layer.name: layer.default for layer in layers.TABLE}


@pytest.mark.parametrize("layer", layers.TABLE, ids=layers.LAYERS)
def test_the_documents_say_of_a_layer_what_the_table_says(layer: layers.Layer) -> None:
    does, holds = rows(README, "| layer | what it does |")[layer.name]
    assert [bare(does), bare(holds)] == [layer.does, layer.holds]
    assert bare(rows(SECURITY, "| layer | promise |")[layer.name][0]) == layer.promise
    default, probed, remedy = rows(POLICIES, "| layer | default |")[layer.name]
    assert default == layer.default
    assert probed == ("yes" if layer.probed else "")
    assert remedy == layer.remedy


@pytest.mark.parametrize(
    "head",
    ["| layer | what it does |", "| layer | promise |", "| layer | default |", "| layer | once,"],
)
def test_the_documents_have_no_other_layer(head: str) -> None:
    assert tuple(rows(README + SECURITY + POLICIES + ARCHITECTURE, head)) == layers.LAYERS


def test_doctor_has_a_row_for_each_layer_and_probes_where_the_table_says_so() -> None:
    report = examine("strict")
    assert tuple(layer.name for layer in report.layers) == layers.LAYERS
    for layer in report.layers:
        if layer.state == "active":
            assert bool(layer.probes) == layers.BY_NAME[layer.name].probed, layer.name


def test_a_group_of_layers_has_the_remedies_of_each() -> None:
    both = [layers.BY_NAME[name].remedy for name in ("namespaces", "landlock")]
    assert remedy_for("namespaces or landlock") == " Or: ".join(both)
    assert "sandbox doctor" in remedy_for("process")
