"""`audit_policy`: shipped policies are clean, weak and faulty ones are told what is wrong."""

import pytest

from sandbox import Policy, PolicyError, audit_policy
from sandbox.audit import checks, drafts, effects, proofs, reach, stars
from sandbox.audit.findings import Severity
from sandbox.audit.locate import Text
from sandbox.audit.policy_rules import DIFF_RULES, POLICY_RULES
from sandbox.policy.fields import CONSTANTS
from sandbox.policy.loader import shipped
from sandbox.policy.support import supported

STRICT = Policy.load("strict")
MISTAKEN = """\
name = "mine"
extends = "strict"

[limits]
wall_seconds = 4.0
cpu_secnds = 9

[[builtins]]
names = ["eval", "compile"]

[[modules]]
module = "statistics"
names = ["mean", "random"]
reason = "Means of what the guest computed."

[[modules]]
module = "inspect"
names = "*"
reason = "To look at the program's own functions."
"""
CORRECTED = """\
name = "mine"
extends = "strict"
require_any = [["namespaces", "landlock"]]

[limits]
wall_seconds = 16.0
cpu_seconds = 5

[[builtins]]
names = ["eval"]
reason = "Guarded: the text is compiled under the policy."

[[modules]]
module = "statistics"
names = ["mean"]
reason = "Means of what the guest computed."
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name="mine.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def quick(monkeypatch):
    """Rules alone: no search."""
    nothing = {"hits": [], "objects": 0, "steps": 0, "refused": 0, "ends": [], "layers": []}
    nothing |= {"public": {}, "complete": True, "stepped_over": [], "per_grant": {}, "roots": []}
    monkeypatch.setattr(reach, "walk", lambda *_: nothing)


def found(audit, rule):
    return [finding for finding in audit.findings if finding.rule == rule]


@pytest.mark.parametrize("name", shipped())
def test_a_shipped_policy_is_clean_at_high(name):
    audit = audit_policy(name)
    assert audit.at_least(Severity.HIGH) == ()
    assert found(audit, "walk-incomplete") == []
    if Policy.load(name).language != "off":
        assert audit.figures["objects reached"] > 500


def test_a_policy_with_mistakes_is_told_each_with_its_line_and_a_proof(written):
    audit = audit_policy(written(MISTAKEN))
    told = {(f.rule, f.line) for f in audit.at_least(Severity.MEDIUM)}
    assert told == {
        ("policy-invalid", 6),
        ("grant-without-reason", 8),
        ("grant-unsupported", 9),
        ("grant-unsupported", 13),
        ("grant-unsupported", 17),
        ("limit-order", 5),
    }
    by_line = {f.line: f for f in found(audit, "grant-unsupported")}
    assert by_line[13].path == "statistics.random"
    assert "the real module random" in by_line[13].explanation
    proof = by_line[13].proof
    assert proof.status == "OK"
    assert proof.output.startswith("reached: <module 'random'")
    assert proof.control.startswith("DENIED") or proof.control.startswith("ERROR")
    assert by_line[17].path in ("inspect.os", "inspect.sys")
    assert any(node.kind == "sink" for node in audit.graph.nodes)
    assert audit.worst == Severity.HIGH


def test_the_same_policy_corrected_is_clean(written):
    path = written(CORRECTED)
    Policy.load(path)
    audit = audit_policy(path)
    assert audit.at_least(Severity.LOW) == ()


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("name = 'x'\nextends = 'strict'\n[limits\n", "policy-invalid", None),
        ("extends = 'nothing'\n", "policy-invalid", 1),
        ("extends = 'strict'\nremove_builtins = ['nope']\n", "policy-invalid", 2),
        ("extends = 'strict'\nmodulse = 1\n", "policy-invalid", 2),
        ("extends = 'strict'\n[limits]\ncpu_seconds = 'long'\n", "policy-invalid", 3),
        ("extends = 'strict'\n[layers]\nseccomp = 'maybe'\n", "policy-invalid", 3),
        ("extends = 'strict'\nlanguage = 'off'\n", "policy-invalid", None),
        ("extends = 'strict'\nbuiltins = 3\n", "policy-invalid", None),
        ("extends = 'strict'\n[[modules]]\nmodule = 3\n", "policy-invalid", 2),
        ("extends = 'strict'\n[[modules]]\nnames = '*'\nreason = 'r'\n", "policy-invalid", 2),
        (
            "extends = 'strict'\n[[builtins]]\nnames = ['len']\nreason = 'r'\nreasons = 1\n",
            "policy-invalid",
            2,
        ),
        ("name = 'x'\n", "policy-invalid", None),
        ("extends = 'strict'\n[[builtins]]\nnames = ['eval']\n", "grant-without-reason", 2),
        (
            "extends = 'strict'\n[[builtins]]\nnames = ['eval']\nreason = ' '\n",
            "grant-without-reason",
            2,
        ),
        (
            "extends = 'strict'\n[[modules]]\nmodule = 'os.path'\nnames = ['join']\n"
            "reason = 'Joins texts with a slash.'\n",
            "grant-unsupported",
            4,
        ),
    ],
)
def test_a_policy_that_does_not_load_gets_a_report_and_no_crash(text, rule, line, written, quick):
    path = written(text)
    with pytest.raises(PolicyError):
        Policy.load(path)
    audit = audit_policy(path, prove=False)
    told = found(audit, rule)
    assert told, audit.findings
    assert all(finding.severity >= Severity.HIGH for finding in told)
    assert line is None or line in {finding.line for finding in told}


def test_no_such_policy_is_an_error_of_the_caller():
    with pytest.raises(PolicyError, match="no shipped policy"):
        audit_policy("no-such")
    with pytest.raises(PolicyError, match="cannot be read"):
        audit_policy("/nowhere/x.toml")


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
        ({"session": True}, ("session-open", "session"), "low"),
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
    modules = set(supported()[1])
    assert set(stars.recorded()) == {"3.11", "3.12", "3.13"}
    for version, names in stars.recorded().items():
        assert modules - set(names) == {"sandbox"} & modules, version
        assert "gcd" in names["math"]


def test_the_tables_of_effects_name_only_what_can_be_granted():
    builtins, modules = supported()
    known = set(builtins) | {f"{module}.{n}" for module, names in modules.items() for n in names}
    tables = (*effects.COSTS.values(), effects.CLOCKS, effects.ADDRESSES, effects.COUNTS)
    for table in (*tables, effects.SEEDED):
        assert table - known - CONSTANTS == set()


def test_every_rule_has_one_meaning():
    ids = [rule.id for rule in POLICY_RULES]
    assert len(ids) == len(set(ids))
    assert all(rule.title and rule.help for rule in (*POLICY_RULES, *DIFF_RULES))


def test_a_path_in_a_policy_that_loads_is_critical_when_its_program_gets_there(monkeypatch):
    """The language layer has no hole to show, so the search is told one: a grant that is there."""
    hit = {"root": "math.pi", "rule": "escape-module", "what": "a planted thing", "told": "3.14"}
    hit |= {"path": "math.pi", "chain": ["math.pi"]}
    answer = reach.walk(STRICT.plan())
    monkeypatch.setattr(reach, "walk", lambda *_: {**answer, "hits": [hit], "public": {}})
    audit = audit_policy("algorithms")
    (told,) = audit.at_least(Severity.HIGH)
    assert told.severity == Severity.CRITICAL
    assert told.proof.output.startswith("reached: 3.14")
    assert told.proof.control.startswith("DENIED")
    monkeypatch.setattr(reach, "walk", lambda *_: {**answer, "hits": [{**hit, "told": "<os>"}]})
    (told,) = audit_policy("algorithms").at_least(Severity.HIGH)
    assert told.severity == Severity.HIGH  # the program did not get there: no proof


def test_a_proof_imports_what_its_path_names_and_brings_the_helpers_that_it_uses():
    modules = frozenset({"collections", "collections.abc", "json"})
    program = proofs.program_for("made(collections.abc.Set)", modules)
    assert program.startswith("import collections.abc\ndef made(base):")
    assert "class Spy" in proofs.program_for("shown(lambda spy: json.loads(spy))", modules)
    assert "import" not in proofs.program_for("abs", modules)


def test_lines_are_found_for_keys_and_grants():
    text = Text(MISTAKEN)
    assert text.path("limits.wall_seconds") == 5
    assert text.grant("statistics.random") == 13
    assert text.grant("statistics") == 12
    assert text.grant("eval") == 9
    assert text.path("modules[1].module") == 16
    assert text.grant("nothing") is None


def test_a_draft_keeps_what_is_sound(written):
    draft = drafts.read(written(MISTAKEN))
    assert set(draft.policy.granted_builtins()) - set(STRICT.granted_builtins()) == {"eval"}
    assert draft.policy.plan().modules == {"statistics": ("mean",)}
    assert draft.policy.limits.wall_seconds == 4.0
