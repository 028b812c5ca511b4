"""What is told of a policy without a search: weak values, clocks, reasons, records."""

import pytest

from sandbox import Policy
from sandbox.audit.findings import Severity
from sandbox.audit.policy import checks, cost_tables, stars
from sandbox.audit.policy.rules import DIFF_RULES, POLICY_RULES
from sandbox.language.numpy import facade
from sandbox.policy.files.fields import CONSTANTS
from sandbox.policy.files.locate import Text
from sandbox.policy.support import supported

STRICT = Policy.load("strict")


def _rules(**changes):
    policy = STRICT.replaced(**changes)
    return {(f.rule, f.path): f.severity for f in checks.check(policy, Text(""), None)}


@pytest.mark.parametrize(
    ("changes", "finding", "severity"),
    [
        ({"limits": {"wall_seconds": 4.0}}, ("limit-order", "limits.wall_seconds"), "medium"),
        ({"limits": {"wall_seconds": 6.0}}, ("limit-order", "limits.wall_seconds"), "low"),
        (
            {"limits": {"cpu_seconds": 4000.0, "wall_seconds": 80000.0}},
            ("limit-absurd", "limits.cpu_seconds"),
            "medium",
        ),
        ({"limits": {"memory_mib": 1 << 20}}, ("limit-absurd", "limits.memory_mib"), "medium"),
        ({"limits": {"output_kib": 1 << 20}}, ("limit-absurd", "limits.output_kib"), "low"),
        (
            {"limits": {"recursion_limit": 9_000_000}},
            ("limit-absurd", "limits.recursion_limit"),
            "low",
        ),
        ({"layers": {"seccomp": "off"}}, ("layer-off", "layers.seccomp"), "high"),
        ({"layers": {"rlimits": "off"}}, ("layer-off", "layers.rlimits"), "high"),
        ({"layers": {"landlock": "off"}}, ("layer-off", "layers.landlock"), "low"),
        ({"layers": {"privileges": "optional"}}, ("layer-optional", "layers.privileges"), "medium"),
        ({"services": True}, ("services-open", "services"), "low"),
    ],
)
def test_a_weak_value_is_a_finding_and_the_shipped_one_is_not(changes, finding, severity):
    assert _rules(**changes)[finding] == Severity.parse(severity)
    assert finding not in _rules()


def test_language_off_says_which_layers_are_missing():
    policy = Policy.load("kernel-only")
    (told,) = (f for f in checks.check(policy, Text(""), None) if f.rule == "language-off")
    assert told.severity == Severity.MEDIUM
    assert "namespaces, landlock" in told.explanation
    strong = policy.replaced(layers={"namespaces": "required", "landlock": "required"})
    (told,) = (f for f in checks.check(strong, Text(""), None) if f.rule == "language-off")
    assert told.severity == Severity.INFO
    bare = policy.replaced(testing=True, layers={"seccomp": "off"})
    rules = {f.rule: f.severity for f in checks.check(bare, Text(""), None)}
    assert rules["language-off"] == rules["testing-policy"] == Severity.HIGH


def test_clocks_and_costs_are_told_with_what_holds_them():
    told = {f.rule: f for f in checks.check(Policy.load("contest"), Text(""), None)[::-1]}
    assert told["nondeterminism"].severity == Severity.LOW
    assert "run to run" in told["nondeterminism"].explanation
    assert "RLIMIT" in told["unbounded-call"].explanation


def _told(policy, rule):
    return [f for f in checks.check(policy, Text(""), None) if f.rule == rule]


def test_what_differs_from_run_to_run_is_told_until_the_policy_is_deterministic():
    contest = Policy.load("contest")
    assert {f.severity for f in _told(contest, "nondeterminism")} == {Severity.LOW, Severity.INFO}
    (told,) = _told(contest.replaced(deterministic=True), "nondeterminism")
    assert (told.severity, told.path) == (Severity.INFO, "deterministic")
    assert "where a limit ends a run" in told.explanation
    assert "services" not in told.explanation
    (told,) = _told(Policy.load("reward").replaced(deterministic=True), "nondeterminism")
    assert "what services answer" in told.explanation
    (told,) = _told(Policy.load("kernel-only"), "nondeterminism")
    assert "no kernel layer prevents" in told.explanation


def test_a_reason_that_says_nothing_is_told(written):
    text = "extends = 'strict'\n[[builtins]]\nnames = ['eval']\nreason = 'needed'\n"
    policy = Policy.load(written(text))
    assert ("grant-thin-reason", "eval") in {
        (f.rule, f.path) for f in checks.check(policy, Text(text), None)
    }
    assert "grant-thin-reason" not in {f.rule for f in checks.check(STRICT, Text(""), None)}


def test_a_public_name_that_the_record_lacks_is_told():
    policy = Policy.load("algorithms")
    subject = checks.Subject(policy, Text(""), None)
    known = sorted(stars.recorded()[stars.HERE]["math"])
    assert [f for f in stars.check(subject, {"math": known}) if "lacks" in f.explanation] == []
    (told,) = (
        f for f in stars.check(subject, {"math": [*known, "fresh"]}) if "lacks" in f.explanation
    )
    assert told.severity == Severity.LOW
    assert "fresh" in told.explanation


def test_the_record_has_every_python_that_we_support_and_every_module():
    # The names of numpy's modules are those of a facade of ours, whatever numpy has.
    modules = set(supported()[1]) - set(facade.names())
    assert set(stars.recorded()) == {"3.11", "3.12", "3.13"}
    for version, names in stars.recorded().items():
        assert modules - set(names) == {"sandbox"} & modules, version
        assert "gcd" in names["math"]


def test_the_tables_of_effects_name_only_what_can_be_granted():
    builtins, modules = supported()
    known = set(builtins) | {f"{module}.{n}" for module, names in modules.items() for n in names}
    tables = (
        *cost_tables.COSTS.values(),
        cost_tables.CLOCKS,
        cost_tables.ADDRESSES,
        cost_tables.COUNTS,
    )
    for table in (*tables, cost_tables.SEEDED):
        assert table - known - CONSTANTS == set()


def test_every_rule_has_one_meaning():
    ids = [rule.id for rule in POLICY_RULES]
    assert len(ids) == len(set(ids))
    assert all(rule.title and rule.help for rule in (*POLICY_RULES, *DIFF_RULES))
