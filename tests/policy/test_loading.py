"""Finding, reading and extending policy files, and what a wrong one is told."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.errors import PolicyError
from sandbox.policy.files.document import parse
from sandbox.policy.files.problems import TOP_KEYS
from sandbox.policy.model import Policy

LIMITS = """
[limits]
cpu_seconds = 1
wall_seconds = 3
memory_mib = 64
output_kib = 64
source_kib = 64
stdin_kib = 64
recursion_limit = 1000
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(text: str) -> str:
    with pytest.raises(PolicyError) as caught:
        Policy.from_toml(text, origin="policies/mine.toml")
    return str(caught.value)


def test_a_shipped_policy_is_loaded_by_its_name() -> None:
    assert Policy.load("strict").name == "strict"


def test_a_policy_is_returned_as_it_is() -> None:
    policy = Policy.load("strict")
    assert Policy.load(policy) is policy


def test_a_file_is_loaded_by_path_and_by_string_and_takes_its_name_from_the_file(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "mine", LIMITS)
    assert Policy.load(path) == Policy.load(str(path))
    assert Policy.load(path).name == "mine"


def test_an_unknown_name_is_refused_with_the_nearest_shipped_one() -> None:
    with pytest.raises(PolicyError, match="'stict' \\(did you mean strict\\?\\)"):
        Policy.load("stict")


@pytest.mark.parametrize(
    ("content", "reason"),
    [(None, "cannot be read: No such file"), (b"name = '\xff'", "is not UTF-8")],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    path = tmp_path / "mine.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(PolicyError) as caught:
        Policy.load(path)
    assert str(caught.value).startswith(f"{path}: {reason}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[limits]\ncpu_second = 1", "limits.cpu_second: unknown key (did you mean cpu_seconds?)"),
        ("limitz = 1", "limitz: unknown key (did you mean limits?)"),
        ("[limits]\nmemory_mib = 0", "limits.memory_mib: must be greater than 0, not 0"),
        ("[limits]\nmemory_mib = 1.5", "limits.memory_mib: must be a valid integer, not 1.5"),
        ("[limits]\ncpu_seconds = inf", "limits.cpu_seconds: must be a finite number, not inf"),
        ("[limits]\ncpu_seconds = nan", "limits.cpu_seconds: must be a finite number, not nan"),
        ("[limits]\ncpu_seconds = true", "limits.cpu_seconds: must be a valid number, not True"),
        ("[limits]\ncpu_seconds = 1e9", "limits.cpu_seconds: must be less than or equal to 86400"),
        ("[layers]\nseccomp = 'on'", "layers.seccomp: must be 'required', 'optional' or 'off'"),
        ("[layers]\nsecomp = 'off'", "layers.secomp: unknown key (did you mean seccomp?)"),
        ("name = 'a b'", "name: must match pattern"),
        ("testing = 'yes'", "testing: must be a valid boolean, not 'yes'"),
        ("require_any = [[]]", "require_any[0]: is empty"),
        ("require_any = [['jail']]", "require_any[0][0]: must be 'language'"),
        ("[[builtins]]\nnames = ['abs']", "builtins[0].reason: is missing: every grant says why"),
        ("[[builtins]]\nnames = ['abs']\nreason = ' '", "builtins[0].reason: is blank"),
        ("[[builtins]]\nnames = []\nreason = 'r'", "builtins[0].names: is empty"),
        ("[[builtins]]\nnames = ['a', 'a']\nreason = 'r'", "builtins[0].names: a stands here"),
        ("[[builtins]]\nnames = ['a.b']\nreason = 'r'", "builtins[0].names[0]: 'a.b' is not an id"),
        ("[[builtins]]\nnames = ['if']\nreason = 'r'", "builtins[0].names[0]: 'if' is not an id"),
        ("[[builtins]]\nnames = ['ﬁ']\nreason = 'r'", "builtins[0].names[0]: 'ﬁ' is not an id"),
        ("[[modules]]\nmodule = 'm.'\nnames = '*'\nreason = 'r'", "modules[0].module: '' is not"),
        (
            "[[modules]]\nmodule = 'math'\nnames = ['*', 'pi']\nreason = 'r'",
            'modules[0].names: "*" means every name and stands alone',
        ),
        ("extends = 'strct'", "extends: no shipped policy is named 'strct' (did you mean strict?)"),
        ("remove_builtins = ['abs']" + LIMITS, "remove_builtins: has no meaning without extends"),
        ("extends = 'strict'\nremove_builtins = ['ab']", "remove_builtins: ab is not granted by"),
        ("", "limits: is missing"),
        ("a = ", "not TOML: Invalid value"),
        ("a = " + "[" * 9999, "not TOML"),
    ],
)
def test_a_mistake_is_named_by_file_key_and_reason(text: str, message: str) -> None:
    assert refusal(text).startswith(f"policies/mine.toml: {message}")


def test_every_mistake_of_a_file_is_listed() -> None:
    lines = refusal("wrong = 1\n[limits]\nmemory_mib = -1\nstdin = 2").splitlines()
    assert len(lines) == 3
    assert all(line.startswith("policies/mine.toml: ") for line in lines)


def test_a_child_overrides_single_limits_and_layers_and_keeps_the_rest() -> None:
    parent = Policy.load("strict")
    text = "extends = 'strict'\n[limits]\ncpu_seconds = 1\n[layers]\nlandlock = 'required'"
    child = Policy.from_toml(text)
    assert child.limits == parent.limits.model_copy(update={"cpu_seconds": 1.0})
    assert child.layers == parent.layers.model_copy(update={"landlock": "required"})
    assert child.builtins == parent.builtins


def test_a_child_adds_grants_after_its_parents() -> None:
    text = "extends = 'strict'\n[[modules]]\nmodule = 'math'\nnames = ['sqrt']\nreason = 'pure'"
    child = Policy.from_toml(text)
    assert child.plan().modules == {"math": ("sqrt",)}
    assert set(child.plan().builtins) == set(Policy.load("strict").plan().builtins)


def test_a_child_takes_grants_away_by_builtin_module_and_name() -> None:
    text = (
        "extends = 'algorithms'\nremove_builtins = ['print']\n"
        "remove_modules = ['random', 'math.factorial']"
    )
    plan = Policy.from_toml(text).plan()
    assert "print" not in plan.builtins
    assert "random" not in plan.modules
    assert "factorial" not in plan.modules["math"]
    assert "sqrt" in plan.modules["math"]


def test_what_was_taken_away_can_be_granted_anew_for_another_reason() -> None:
    text = (
        "extends = 'algorithms'\nremove_modules = ['math']\n"
        "[[modules]]\nmodule = 'math'\nnames = ['pi']\nreason = 'a constant'"
    )
    assert Policy.from_toml(text).plan().modules["math"] == ("pi",)


def test_granting_again_what_the_parent_grants_is_refused() -> None:
    text = "extends = 'strict'\n[[builtins]]\nnames = ['abs']\nreason = 'again'"
    assert refusal(text) == "policies/mine.toml: builtins: abs is granted twice"


def test_a_path_in_extends_is_relative_to_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "nested"
    folder.mkdir()
    write(tmp_path, "base", LIMITS)
    path = write(folder, "mine", "extends = '../base.toml'\n[limits]\nmemory_mib = 32")
    assert Policy.load(path).limits.memory_mib == 32


def test_a_mistake_in_the_parent_is_told_of_the_parents_file(tmp_path: Path) -> None:
    base = write(tmp_path, "base", "wrong = 1")
    path = write(tmp_path, "mine", "extends = 'base.toml'")
    with pytest.raises(PolicyError) as caught:
        Policy.load(path)
    assert str(caught.value) == f"{base}: wrong: unknown key"


def test_extending_in_a_circle_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "a", "extends = 'b.toml'")
    write(tmp_path, "b", "extends = 'a.toml'")
    with pytest.raises(PolicyError, match=r"extends: goes in a circle: .*a.toml -> .*b.toml -> "):
        Policy.load(tmp_path / "a.toml")


@pytest.mark.parametrize(("files", "allowed"), [(8, True), (9, False)])
def test_a_chain_of_more_than_eight_files_is_refused(
    tmp_path: Path, files: int, allowed: bool
) -> None:
    write(tmp_path, "p1", LIMITS)
    for number in range(2, files + 1):
        write(tmp_path, f"p{number}", f"extends = 'p{number - 1}.toml'")
    top = tmp_path / f"p{files}.toml"
    if allowed:
        assert Policy.load(top).limits.memory_mib == 64
    else:
        with pytest.raises(PolicyError, match="deeper than 8 files"):
            Policy.load(top)


def test_testing_is_not_inherited(tmp_path: Path) -> None:
    off = "[layers]\nseccomp = 'off'"
    write(tmp_path, "base", f"extends = 'kernel-only'\ntesting = true\n{off}")
    assert Policy.load(tmp_path / "base.toml").layers.seccomp == "off"
    path = write(tmp_path, "mine", "extends = 'base.toml'")
    with pytest.raises(PolicyError, match=r"layers.seccomp: must be"):
        Policy.load(path)


VALUES = st.recursive(
    st.booleans() | st.integers(-5, 5) | st.sampled_from(["math", "abs", "*", "off", "", "é", "1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["names", "reason", "module", "cpu_seconds", "seccomp", "x"]), inner
        )
    ),
    max_leaves=6,
)
KEYS = st.sampled_from([*TOP_KEYS, "other"])


def inline(value: object) -> str:
    """A value as TOML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {inline(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)


def complaints(make: Callable[[], object]) -> list[str]:
    """The lines of the PolicyError that `make` raised, if it did; anything else passes through."""
    try:
        make()
    except PolicyError as error:
        return str(error).splitlines()
    return []


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_any_table_is_a_policy_or_a_policy_error(table: dict[str, object]) -> None:
    text = "\n".join(f"{key} = {inline(value)}" for key, value in table.items())
    lines = complaints(lambda: Policy.from_toml(text, origin="any.toml"))
    assert all(line.startswith("any.toml: ") for line in lines)


@given(st.text(max_size=60))
def test_any_text_is_a_document_or_a_policy_error(text: str) -> None:
    lines = complaints(lambda: parse(text, "any.toml"))
    assert all(line.startswith("any.toml: ") for line in lines)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a." * 101 + "b = 1", "more than 100 dots"),
        ("x = 1\n[" + "a." * 20_000 + "b]", "more than 100 dots"),
        ("# " + "x" * (1 << 18), "more than 262144 characters"),
        ("x = " + "[" * 100_000, "nested too deeply"),
    ],
    ids=["key", "table", "length", "depth"],
)
def test_what_would_take_long_to_read_is_refused(text: str, reason: str) -> None:
    with pytest.raises(PolicyError, match=reason):
        parse(text, "here")


def test_of_many_problems_some_are_told() -> None:
    with pytest.raises(PolicyError, match="and 950 more") as caught:
        parse("".join(f"x{number} = 1\n" for number in range(1000)), "here")
    assert len(str(caught.value).splitlines()) == 51
