"""`audit_policy`: shipped policies are clean, weak and faulty ones are told what is wrong."""

import pytest

from sandbox import Policy, PolicyError, audit_policy
from sandbox.audit.findings import Severity
from sandbox.audit.policy import lenient_reader, proofs
from sandbox.audit.walk import reach
from sandbox.policy.files.loader import shipped
from sandbox.policy.files.locate import Text
from sandbox.runtime.caller import supervisor_handle

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
module = "linecache"
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
def planting(monkeypatch):
    """A supervisor that keeps a native function where no list of modules shows it."""
    planted = supervisor_handle._BOOT.replace(
        "main(config)\n", "sys.left = (os.getpid,)\nmain(config)\n"
    )
    monkeypatch.setattr(supervisor_handle, "_BOOT", planted)


def found(audit, rule):
    return [finding for finding in audit.findings if finding.rule == rule]


def test_contest_grants_all_that_algorithms_does():
    small, large = Policy.load("algorithms").plan(), Policy.load("contest").plan()
    assert set(small.builtins) <= set(large.builtins)
    assert all(set(names) <= set(large.modules[m]) for m, names in small.modules.items())


# What the search finds under `algorithms` it finds under `contest`, which takes long enough; and
# the widest policy that there can be, which has all that `reward` has, is walked in `test_walk`.
NAMES = sorted(set(shipped()) - {"algorithms", "reward"})


@pytest.mark.parametrize("name", [*NAMES, pytest.param("reward", marks=pytest.mark.long)])
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
    assert by_line[17].path in ("linecache.os", "linecache.sys")
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
            "extends = 'strict'\n[[modules]]\nmodule = 'xml.dom'\nnames = ['join']\n"
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


def test_a_path_in_a_policy_that_loads_is_critical_when_its_program_gets_there(monkeypatch, quick):
    """The language layer has no hole to show, so the search is told one: a grant that is there."""
    hit = {"root": "math.pi", "rule": "escape-module", "what": "a planted thing", "told": "3.14"}
    hit |= {"path": "math.pi", "chain": ["math.pi"]}
    monkeypatch.setattr(reach, "walk", lambda *_: {**quick, "hits": [hit]})
    audit = audit_policy("algorithms")
    (told,) = audit.at_least(Severity.HIGH)
    assert told.severity == Severity.CRITICAL
    assert told.proof.output.startswith("reached: 3.14")
    assert told.proof.control.startswith("DENIED")
    monkeypatch.setattr(reach, "walk", lambda *_: {**quick, "hits": [{**hit, "told": "<os>"}]})
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
    draft = lenient_reader.read(written(MISTAKEN))
    assert set(draft.policy.granted_builtins()) - set(STRICT.granted_builtins()) == {"eval"}
    assert draft.policy.plan().modules == {"statistics": ("mean",)}
    assert draft.policy.limits.wall_seconds == 4.0


def test_what_is_left_behind_the_guards_is_counted(quick):
    audit = audit_policy(STRICT)
    assert " among " in audit.figures["native functions and types in a child"]
    assert not found(audit, "native-left")
    without = audit_policy(STRICT.replaced(layers={"interpreter": "off"}))
    assert "native functions and types in a child" not in without.figures


def test_a_native_function_that_is_on_no_list_is_told(quick, planting):
    (left,) = found(audit_policy(STRICT), "native-left")
    assert "posix.getpid" in left.explanation
