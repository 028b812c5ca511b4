"""What a `PolicyError` says as data, and what is told of keys that have a new name."""

import ast
import difflib
import pickle
import warnings
from pathlib import Path

import pytest

from sandbox import Policy, PolicyError, Sandbox, audit_policy
from sandbox.audit.findings import Severity
from sandbox.audit.policy import lenient_reader
from sandbox.errors import Problem, policy_error
from sandbox.integrations.ray.node import portable
from sandbox.policy import tighten
from sandbox.policy.files.notices import PolicyNotice, gathered

ROOT = Path(__file__).parents[2]
WRONG = """extends = "strict"
wrong = 1

[limits]
cpu_seconds = 1
memory_mib = 0

[[builtins]]
names = ["abs"]
"""
OLD = "extends = 'strict'\n\nsession = true\n"


def refusal(text: str) -> PolicyError:
    with pytest.raises(PolicyError) as caught:
        Policy.from_toml(text, origin="mine.toml")
    return caught.value


def test_a_problem_names_file_line_key_and_reason() -> None:
    error = refusal(WRONG)
    assert [(p.file, p.line, p.key) for p in error.problems] == [
        ("mine.toml", 6, "limits.memory_mib"),
        ("mine.toml", 8, "builtins[0].reason"),
        ("mine.toml", 2, "wrong"),
    ]
    assert error.problems[2].reason == "unknown key"


def test_the_message_is_made_of_the_problems_one_line_each() -> None:
    error = refusal(WRONG)
    assert str(error).splitlines() == [str(problem) for problem in error.problems]
    assert str(error.problems[2]) == "mine.toml: wrong: unknown key"
    assert len(str(refusal('"a\\nb" = 1')).splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("extends = 'strct'", "extends"),
        ("extends = 'strict'\nremove_builtins = ['nothing']", "remove_builtins"),
        ("extends = 'strict'\n[layers]\nprocess = 'off'", "layers.process"),
        ("extends = 'kernel-only'\ndeterministic = true", "deterministic"),
        ("extends = 'strict'\n[[builtins]]\nnames=['abs']\nreason='again'", "builtins"),
        ("a = ", ""),
    ],
)
def test_a_mistake_of_any_kind_is_one_problem_of_its_key(text: str, key: str) -> None:
    (problem,) = refusal(text).problems
    assert (problem.file, problem.key) == ("mine.toml", key)
    assert problem.reason
    assert (problem.line is None) == (key == "" or key == "builtins")


def test_a_mistake_in_the_parent_has_the_parents_file_and_line(tmp_path: Path) -> None:
    base = tmp_path / "base.toml"
    base.write_text("\n\nwrong = 1")
    (tmp_path / "mine.toml").write_text("extends = 'base.toml'")
    with pytest.raises(PolicyError) as caught:
        Policy.load(tmp_path / "mine.toml")
    assert Problem(file=str(base), line=3, key="wrong", reason="unknown key") in (
        caught.value.problems
    )


def test_a_wider_limit_and_a_policy_that_is_not_there_are_problems_too() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.load("strict").tightened(cpu_seconds=1e9)
    assert [problem.key for problem in caught.value.problems] == ["cpu_seconds"]
    with pytest.raises(PolicyError) as caught:
        Policy.load("stict")
    assert caught.value.problems


def test_problems_cross_processes_and_machines() -> None:
    error = refusal(WRONG)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.problems) == (str(error), error.problems)
    far = portable(error, " (Ray node n)")
    assert isinstance(far, PolicyError)
    assert [p.key for p in far.problems] == [p.key for p in error.problems]
    assert all(p.reason.endswith("(Ray node n)") for p in far.problems)


def test_a_policy_that_is_wrong_throughout_is_told_at_a_bounded_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each unknown name that is told is looked up among all others, and no other one is."""
    looked_up = []
    look_up = difflib.get_close_matches
    monkeypatch.setattr(
        tighten.difflib,
        "get_close_matches",
        lambda word, *rest, **more: looked_up.append(word) or look_up(word, *rest, **more),
    )
    grants = "".join(f"[[builtins]]\nnames = ['q{n}']\nreason = 'r'\n" for n in range(4000))
    assert len(refusal(f"extends = 'strict'\n{grants}").problems) == 50
    assert len(looked_up) <= 51
    removed = ", ".join(f"'q{n}'" for n in range(20_000))
    assert len(refusal(f"extends = 'strict'\nremove_builtins = [{removed}]").problems) == 50
    assert len(looked_up) <= 102
    assert len(refusal("".join(f"q{n} = 1\n" for n in range(10_000))).problems) == 51
    assert len(looked_up) <= 153


def test_a_problem_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Problem(reason="r").key = "k"  # type: ignore[misc]
    assert str(policy_error(Problem(reason="r"))) == "r"


# Within the guest, and in the supervisor, whose words reach the caller as text.
BARE = {"sandbox/language/stdlib/served/sandbox.py", "sandbox/language/guest/world.py"}


def test_nobody_raises_a_policy_error_without_its_problems() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "sandbox").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "PolicyError"
    }
    assert found == BARE | {"sandbox/errors.py"}


# -- keys that have a new name


def test_services_is_what_a_policy_says_and_nobody_is_told_anything() -> None:
    with gathered() as notices:
        policy = Policy.from_toml("extends = 'strict'\nservices = true")
        assert Policy.load("strict").replaced(services=True).services
    assert policy.services
    assert policy.plan().services
    assert "services = true" in policy.to_toml()
    assert notices == []


def test_the_old_name_of_services_is_taken_with_a_notice() -> None:
    with gathered() as notices:
        policy = Policy.from_toml(OLD, origin="mine.toml")
    assert policy == Policy.from_toml(OLD.replace("session", "services"))
    assert [(n.file, n.line, n.key) for n in notices] == [("mine.toml", 3, "session")]
    assert "services" in notices[0].reason


def test_code_that_has_the_old_name_goes_on_with_a_warning() -> None:
    strict = Policy.load("strict")
    with pytest.warns(PolicyNotice, match="session: is called services now"):
        policy = strict.replaced(session=True)
    assert policy == strict.replaced(services=True)
    assert policy.session is True
    assert strict.session is False
    with pytest.warns(DeprecationWarning, match="session"):
        assert not policy.replaced(session=False).services


def test_a_policy_by_its_old_key_serves_a_program() -> None:
    with pytest.warns(PolicyNotice):
        policy = Policy.from_toml(OLD)
    with Sandbox(policy, workers=1) as sandbox:
        assert sandbox.run("print(double(4))", services={"double": lambda n: 2 * n}).output == "8\n"
    with Sandbox("strict", workers=1) as sandbox, pytest.raises(PolicyError, match="services"):
        sandbox.run("double(4)", services={"double": lambda n: 2 * n})


def test_both_names_at_once_are_refused() -> None:
    (problem,) = refusal(OLD + "services = false").problems
    assert (problem.key, problem.line) == ("session", 3)


def test_other_warnings_pass_while_notices_are_gathered() -> None:
    with pytest.warns(UserWarning, match="mine"), gathered() as notices:
        warnings.warn("mine", stacklevel=1)
    assert notices == []


def test_the_audit_tells_of_an_old_key_and_reads_on(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OLD)
    (finding,) = lenient_reader.read(path).findings
    assert (finding.rule, finding.path, finding.line) == ("deprecated-key", "session", 3)
    assert finding.severity is Severity.LOW
    path.write_text(OLD + "wrong = 1\n")
    draft = lenient_reader.read(path)
    assert {each.rule for each in draft.findings} == {"deprecated-key", "policy-invalid"}
    assert draft.policy is not None
    assert draft.policy.services
    path.write_text(OLD + "services = true\n")
    assert {each.path for each in lenient_reader.read(path).findings} == {"session"}


def test_the_whole_audit_knows_the_rule(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("extends = 'kernel-only'\nsession = true\n")
    rules = {finding.rule for finding in audit_policy(path, prove=False).findings}
    assert {"deprecated-key", "services-open"} <= rules
