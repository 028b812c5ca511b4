"""The policies that come with the package, and the schema of their files."""

from itertools import pairwise
from pathlib import Path

import pytest

from sandbox.errors import PolicyError
from sandbox.policy.files import problems
from sandbox.policy.files.document import Document, schema
from sandbox.policy.files.loader import shipped
from sandbox.policy.layers import LAYERS
from sandbox.policy.model import Policy

RESTRICTED = ("strict", "algorithms", "contest", "reward")
LARGER_AND_LARGER = ("strict", "algorithms", "contest")
BASE = ("language", "interpreter", "process", "rlimits", "descriptors", "privileges", "seccomp")
COMMON = (
    "sum min max abs round sorted len str int float list dict range enumerate zip map filter "
    "bool tuple set frozenset bytes any all reversed iter next isinstance issubclass repr chr "
    "ord bin hex oct divmod pow hash slice callable complex print input Exception ValueError "
    "KeyError "
)
DANGEROUS = "eval exec compile globals locals open __import__ breakpoint help __loader__ "


def test_eight_policies_are_shipped() -> None:
    assert shipped() == (
        *("algorithms", "algorithms-numpy", "contest", "contest-numpy"),
        *("kernel-only", "reward", "science", "strict"),
    )


def test_only_reward_grants_services_and_what_they_serve() -> None:
    plans = {name: Policy.load(name).plan() for name in shipped()}
    assert [name for name, plan in plans.items() if plan.services] == ["reward"]
    assert [name for name, plan in plans.items() if "sandbox" in plan.modules] == ["reward"]


def test_a_policy_without_services_cannot_grant_the_package_itself() -> None:
    with pytest.raises(PolicyError, match="needs services = true"):
        Policy.load("reward").replaced(services=False)


def test_no_message_sends_a_program_to_a_policy_with_services() -> None:
    elsewhere = Policy.load("strict").plan().elsewhere
    assert elsewhere["module math"] == ("algorithms", "contest")
    assert "module sandbox" not in elsewhere


@pytest.mark.parametrize("name", shipped())
def test_each_is_named_as_its_file_and_described(name: str) -> None:
    policy = Policy.load(name)
    assert policy.name == name
    assert policy.description


@pytest.mark.parametrize("name", RESTRICTED)
def test_the_restricted_ones_require_every_layer_that_any_host_can_give(name: str) -> None:
    layers = Policy.load(name).plan().layers
    assert {layer for layer in LAYERS if layers[layer] == "required"} == set(BASE)
    assert {layers[layer] for layer in LAYERS if layer not in BASE} == {"optional"}


def test_kernel_only_requires_a_closed_file_system_and_grants_nothing() -> None:
    plan = Policy.load("kernel-only").plan()
    assert plan.require_any == (("namespaces", "landlock"),)
    assert not plan.language
    assert (plan.builtins, plan.modules) == ((), {})


def test_science_requires_both_barriers_before_files_and_needs_no_package() -> None:
    plan = Policy.load("science").plan()
    assert (plan.layers["namespaces"], plan.layers["landlock"]) == ("required", "required")
    assert all(package.optional for package in plan.packages)
    names = {package.name for package in plan.packages}
    assert names >= {"numpy", "pandas", "scipy", "sympy", "networkx", "scikit-learn", "matplotlib"}


def test_only_science_shows_packages_and_nobody_has_threads() -> None:
    plans = {name: Policy.load(name).plan() for name in shipped()}
    shown = [name for name, plan in plans.items() if plan.packages and plan.opens]
    assert shown == ["science"]
    assert {plan.threads for plan in plans.values()} == {0}


def test_strict_has_the_common_builtins_and_no_module() -> None:
    plan = Policy.load("strict").plan()
    assert set(COMMON.split()) <= set(plan.builtins)
    assert not plan.modules


@pytest.mark.parametrize("name", ["strict", "algorithms", "reward"])
@pytest.mark.parametrize("builtin", DANGEROUS.split())
def test_dangerous_builtins_are_absent(name: str, builtin: str) -> None:
    granted = builtin in Policy.load(name).plan().builtins
    assert granted == ((name, builtin) == ("algorithms", "open"))  # of files in memory alone


def test_each_restricted_policy_grants_all_that_the_one_before_it_does() -> None:
    plans = [Policy.load(name).plan() for name in LARGER_AND_LARGER]
    for smaller, larger in pairwise(plans):
        assert set(smaller.builtins) <= set(larger.builtins)
        assert all(set(names) <= set(larger.modules[m]) for m, names in smaller.modules.items())


@pytest.mark.parametrize("name", ["algorithms", "reward"])
def test_the_pure_modules_are_granted_and_nothing_of_the_system(name: str) -> None:
    modules = Policy.load(name).plan().modules
    assert {"math", "itertools", "collections", "re", "heapq", "dataclasses"} <= set(modules)
    assert not {"subprocess", "gc", "builtins", "threading"} & set(modules)
    assert ("os" in modules) == ("importlib" in modules) == (name == "algorithms")
    assert not {"system", "fork", "_exit", "read", "write"} & set(modules.get("os", ()))
    assert "maxsize" in modules["sys"]
    assert not {"stdin", "modules", "_getframe"} & set(modules["sys"])
    assert ("time" in modules) == (name == "reward")


def test_contest_reads_standard_input_through_sys() -> None:
    names = Policy.load("contest").plan().modules["sys"]
    assert {"stdin", "stdout", "setrecursionlimit", "exit", "maxsize"} <= set(names)
    assert not {"modules", "_getframe", "settrace", "meta_path"} & set(names)


@pytest.mark.parametrize("name", shipped())
def test_the_cpu_decides_long_before_the_clock(name: str) -> None:
    limits = Policy.load(name).limits
    assert limits.wall_seconds >= 3 * limits.cpu_seconds


def test_the_shipped_files_stand_in_the_checkout() -> None:
    folder = Path(__file__).parents[2] / "policies"
    assert {path.stem for path in folder.glob("*.toml")} == set(shipped())


def test_the_schema_refuses_unknown_keys_and_describes_every_key() -> None:
    made = schema()
    assert made["$schema"].endswith("2020-12/schema")
    tables = [made, *made["$defs"].values()]
    assert all(table["additionalProperties"] is False for table in tables)
    assert all("description" in key or "$ref" in key for key in made["properties"].values())
    layers = made["$defs"]["LayersTable"]["properties"]
    assert tuple(layers) == LAYERS
    assert all(layer["description"] for layer in layers.values())
    assert "required" not in made
    assert made["$defs"]["ModuleGrant"]["required"] == ["module", "names", "reason"]


def test_suggestions_know_every_key_of_a_file() -> None:
    assert set(problems.TOP_KEYS) == set(Document.__annotations__)
