"""The policy as a value: equality, round trip, limits for a call, and the rules across keys."""

import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import PolicyError
from sandbox.policy.files.loader import shipped
from sandbox.policy.layers import LAYERS
from sandbox.policy.limits import Limits
from sandbox.policy.model import Policy
from sandbox.policy.plan import Plan
from sandbox.policy.support import supported
from sandbox.policy.tighten import tighten

STRICT = Policy.load("strict")
KERNEL = Policy.load("kernel-only")

REASONS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40).filter(
    lambda text: bool(text.strip())
)
NAMES = st.lists(
    st.sampled_from(sorted(STRICT.granted_builtins())), unique=True, min_size=1, max_size=30
)
POLICIES = st.builds(
    lambda name, description, cpu, memory, names, reason, math_names, flags: STRICT.replaced(
        name=name,
        description=description,
        limits={"cpu_seconds": cpu, "memory_mib": memory},
        builtins=({"names": tuple(names), "reason": reason},),
        modules=({"module": "math", "names": math_names, "reason": reason},),
        require_any=(("namespaces", "landlock"),),
        **dict.fromkeys(flags, True),
    ),
    st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9_.-]{0,20}\Z"),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
    st.floats(0.001, 1000.0),
    st.integers(1, 100_000),
    NAMES,
    REASONS,
    st.just("*") | st.just(("sqrt", "pi")),
    st.sets(st.sampled_from(("services", "deterministic", "testing"))),
)


@given(POLICIES)
def test_a_policy_written_as_toml_is_read_back_equal(policy: Policy) -> None:
    again = Policy.from_toml(policy.to_toml())
    assert again == policy
    assert hash(again) == hash(policy)


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_policy_written_as_toml_is_read_back_equal(name: str) -> None:
    policy = Policy.load(name)
    assert Policy.from_toml(policy.to_toml()) == policy


def test_policies_are_equal_by_content_and_keys_of_a_dict() -> None:
    twin = Policy.from_toml(STRICT.to_toml())
    assert {STRICT: 1}[twin] == 1
    assert twin != STRICT.replaced(limits={"stdin_kib": 1})


def test_a_policy_survives_pickling() -> None:
    STRICT.plan()
    assert pickle.loads(pickle.dumps(STRICT)) == STRICT


def test_a_policy_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        STRICT.name = "other"  # type: ignore[misc]


def test_a_copy_with_changes_is_checked_and_has_its_own_plan() -> None:
    assert STRICT.plan().limits.memory_mib == 256
    copy = STRICT.model_copy(update={"limits": {"memory_mib": 64}})
    assert copy.plan().limits.memory_mib == 64
    with pytest.raises(PolicyError, match=r"policy 'strict': limits.memory_mib: must be"):
        STRICT.model_copy(update={"limits": {"memory_mib": -1}})


def test_a_wrong_policy_made_in_code_is_a_policy_error() -> None:
    with pytest.raises(PolicyError, match="policy 'mine': limits: is missing"):
        Policy(name="mine")


LIMITS = STRICT.plan().limits


def test_limits_can_be_tightened() -> None:
    tight = tighten(LIMITS, {"cpu_seconds": 0.5, "memory_mib": 64})
    assert (tight.cpu_seconds, tight.memory_mib) == (0.5, 64)
    assert tight.wall_seconds == LIMITS.wall_seconds
    assert tighten(LIMITS, {"cpu_seconds": LIMITS.cpu_seconds}) == LIMITS
    assert tighten(LIMITS, {}) is LIMITS


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"cpu_seconds": 6}, "cpu_seconds: 6 is more than the policy's 5.0"),
        ({"cpu_seconds": math.inf}, "cpu_seconds: inf is more"),
        ({"cpu_seconds": math.nan}, "cpu_seconds: must be greater than 0, not nan"),
        ({"cpu_seconds": 0}, "cpu_seconds: must be greater than 0, not 0"),
        ({"memory_mib": -1}, "memory_mib: must be greater than 0, not -1"),
        ({"memory_mib": 1.5}, "memory_mib: must be a whole number, not 1.5"),
        ({"cpu_seconds": True}, "cpu_seconds: must be a number, not True"),
        ({"cpu_seconds": None}, "cpu_seconds: must be a number, not None"),
        ({"cpu_second": 1}, "cpu_second: unknown limit \\(did you mean cpu_seconds\\?\\)"),
        ({"__class__": 1}, "__class__: unknown limit"),
    ],
)
def test_limits_are_never_widened_or_made_up(overrides: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError, match=f"^{message}"):
        tighten(LIMITS, overrides)


@given(st.sampled_from(Limits.__slots__), st.floats() | st.integers())
def test_no_override_comes_out_greater_than_the_policy(name: str, value: float) -> None:
    try:
        tight = tighten(LIMITS, {name: value})
    except PolicyError:
        return
    assert 0 < getattr(tight, name) <= getattr(LIMITS, name)


def test_a_whole_policy_can_be_tightened() -> None:
    assert STRICT.tightened(cpu_seconds=1).limits.cpu_seconds == 1.0
    with pytest.raises(PolicyError, match="memory_mib: 257 is more"):
        STRICT.tightened(memory_mib=257)


def broken(policy: Policy, **changes: Any) -> str:
    with pytest.raises(PolicyError) as caught:
        policy.replaced(**changes)
    return str(caught.value)


@pytest.mark.parametrize("layer", ["rlimits", "descriptors", "privileges", "seccomp"])
@pytest.mark.parametrize("strength", ["optional", "off"])
def test_without_the_language_layer_every_base_layer_is_required(layer: str, strength: str) -> None:
    assert f"layers.{layer}: must be" in broken(KERNEL, layers={layer: strength})
    assert KERNEL.replaced(layers={layer: strength}, testing=True).testing


def test_without_the_language_layer_the_file_system_must_be_closed() -> None:
    assert "needs namespaces or landlock" in broken(KERNEL, require_any=())
    assert KERNEL.replaced(require_any=(), layers={"landlock": "required"})
    assert KERNEL.replaced(require_any=(), testing=True)


def test_the_process_layer_can_never_be_off() -> None:
    assert "layers.process: must be" in broken(KERNEL, layers={"process": "off"}, testing=True)
    assert "layers.process: must be" in broken(STRICT, layers={"process": "optional"})


def test_the_language_and_its_layer_say_the_same() -> None:
    assert "layers.language: must be" in broken(STRICT, layers={"language": "off"})
    assert "layers.language: must be" in broken(KERNEL, layers={"language": "required"})


def test_grants_without_the_language_layer_are_refused() -> None:
    assert "grants have no meaning" in broken(KERNEL, builtins=STRICT.builtins)


def test_a_group_of_layers_that_are_all_off_is_refused() -> None:
    layers = {"namespaces": "off", "landlock": "off"}
    assert "so none can be active" in broken(KERNEL, layers=layers, testing=True)
    assert KERNEL.replaced(layers={"namespaces": "off"}).require_any


@pytest.mark.parametrize(
    ("grants", "message"),
    [
        ({"builtins": ({"names": ["prin"], "reason": "r"},)}, "prin is not supported by the"),
        (
            {"modules": ({"module": "math", "names": ["sqr"], "reason": "r"},)},
            "math.sqr is not supported by the language layer",
        ),
    ],
)
def test_a_name_outside_the_language_layer_is_refused(grants: Any, message: str) -> None:
    text = broken(STRICT, **grants)
    assert message in text
    assert "did you mean" in text


def test_all_names_of_a_module_are_those_that_the_language_layer_supports() -> None:
    grant = {"module": "math", "names": "*", "reason": "pure"}
    names = STRICT.replaced(modules=(grant,)).plan().modules["math"]
    assert set(names) == supported()[1]["math"]


def test_a_plan_survives_marshalling_as_plain_data() -> None:
    import marshal

    plan = Policy.load("algorithms").plan()
    again = Plan.from_dict(marshal.loads(marshal.dumps(plan.to_dict())))
    assert again == plan
    assert tuple(plan.layers) == LAYERS


def test_the_plan_says_which_other_policies_grant_what_is_missing_here() -> None:
    elsewhere = STRICT.plan().elsewhere
    assert elsewhere["module math"] == ("algorithms", "contest")
    assert elsewhere["module time"] == ("contest",)
    assert elsewhere["builtin open"] == ("algorithms", "contest")
    assert "builtin print" not in elsewhere
    assert not any(key.startswith("math.") for key in elsewhere)


def test_a_name_missing_from_a_granted_module_is_found_elsewhere_too() -> None:
    text = "extends = 'algorithms'\nname = 'mine'\nremove_modules = ['math.factorial']"
    elsewhere = Policy.from_toml(text).plan().elsewhere
    assert elsewhere["sys.stdin"] == ("contest",)
    assert elsewhere["math.factorial"] == ("algorithms", "contest")
