"""An audit as text, JSON, SARIF and a page, and the command that makes them."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Console

from sandbox import PolicyError
from sandbox.audit.findings import (
    Audit,
    Edge,
    Finding,
    Graph,
    LayerRow,
    Node,
    Proof,
    Rule,
    Severity,
)
from sandbox.audit.policy.audit import audit_policy
from sandbox.audit.policy.diff import audit_diff
from sandbox.audit.report import html, sarif
from sandbox.audit.report import text as report_text
from sandbox.cli import FAULT_CODES

RULES = (
    Rule(id="escape-module", title="A guest reaches a real module", help="Why <it> matters."),
    Rule(id="limit-order", title="The clock decides", help="Because."),
)
NASTY = "</article><script>alert(1)</script>"
AUDIT = Audit(
    kind="policy",
    subject="mine",
    file="policies/mine.toml",
    rules=RULES,
    figures={"objects reached": 7},
    layers=(LayerRow(name="seccomp", strength="required", holds="system calls"),),
    graph=Graph(
        nodes=(
            Node(id="a", label="random", kind="grant"),
            Node(id="b", label=NASTY, kind="step"),
            Node(id="c", label="the real module os", kind="sink", severity=Severity.CRITICAL),
        ),
        edges=(
            Edge(source="a", target="b", label="._x"),
            Edge(source="b", target="c", label="._os"),
        ),
    ),
    findings=(
        Finding(severity=Severity.LOW, rule="limit-order", path="limits", explanation="e", fix="f"),
        Finding(
            severity=Severity.CRITICAL,
            rule="escape-module",
            path="random._os",
            explanation=NASTY,
            fix="Remove it.",
            line=12,
            column=3,
            file="policies/mine.toml",
            proof=Proof(program="print(1)\n", status="OK", output="reached: os", control="DENIED"),
        ),
    ),
)


def test_the_worst_finding_comes_first_and_the_rest_can_be_left_out():
    assert [finding.rule for finding in AUDIT.findings] == ["escape-module", "limit-order"]
    assert AUDIT.worst == Severity.CRITICAL
    assert len(AUDIT.at_least(Severity.LOW)) == 2
    assert len(AUDIT.at_least(Severity.HIGH)) == 1
    empty = Audit(kind="policy", subject="x", findings=(), rules=(), figures={})
    assert empty.worst is None


def test_a_finding_of_an_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="limit-order"):
        Audit(kind="policy", subject="x", findings=AUDIT.findings, rules=RULES[:1], figures={})


def test_json_has_all_of_it_in_plain_types():
    data = json.loads(AUDIT.to_json())
    assert data["worst"] == "critical"
    assert data["findings"][0]["proof"]["control"] == "DENIED"
    assert data["findings"][0]["severity"] == "critical"
    assert data["graph"]["nodes"][2]["severity"] == "critical"


@pytest.mark.parametrize("text", ["info", "LOW", "critical"])
def test_a_severity_is_read_from_its_label(text):
    assert Severity.parse(text).label == text.lower()


def test_a_severity_that_there_is_not_is_an_error():
    with pytest.raises(ValueError, match="low, medium"):
        Severity.parse("awful")


def test_sarif_has_what_the_schema_of_2_1_0_requires():
    """Required properties by the OASIS schema, sarif-schema-2.1.0.json."""
    log = json.loads(sarif.to_sarif([AUDIT, AUDIT]))
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "restricted-execution"
    assert driver["semanticVersion"]
    ids = [rule["id"] for rule in driver["rules"]]
    assert len(ids) == len(set(ids))
    for rule in driver["rules"]:
        assert rule["shortDescription"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
        assert 0.0 <= float(rule["properties"]["security-severity"]) <= 10.0
    assert len(run["results"]) == 4
    for result in run["results"]:
        assert result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        (location,) = result["locations"]
        place = location["physicalLocation"]
        assert place["artifactLocation"]["uri"] == "policies/mine.toml"
        assert place["region"]["startLine"] >= 1
        assert re.fullmatch("[0-9a-f]{64}", result["partialFingerprints"]["finding/v1"])
    worst = run["results"][0]
    assert (worst["level"], worst["locations"][0]["physicalLocation"]["region"]) == (
        "error",
        {"startLine": 12, "startColumn": 3},
    )


def test_sarif_of_a_policy_without_a_file_has_logical_places_only():
    bare = Audit(
        kind="policy",
        subject="strict",
        findings=AUDIT.findings[1:],
        rules=RULES,
        figures={},
    )
    (result,) = json.loads(sarif.to_sarif([bare]))["runs"][0]["results"]
    (location,) = result["locations"]
    assert location == {"logicalLocations": [{"fullyQualifiedName": "limits"}]}


class _Page(HTMLParser):
    """Collects tags and attributes, and checks that what opens is closed."""

    def __init__(self):
        super().__init__()
        self.tags, self.urls, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.urls += [v for n, v in attributes if n in ("src", "href", "xlink:href", "action")]
        assert not any(name.startswith("on") for name, _ in attributes)
        if tag not in ("meta", "path", "rect", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in ("path", "rect"):
            assert self.open.pop() == tag


def test_the_page_is_self_contained_and_says_everything():
    text = html.to_html([AUDIT])
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.urls == []  # nothing is loaded from anywhere
    assert not {"script", "link", "iframe", "object", "img"} & set(page.tags)
    assert "url(" not in text
    assert "@import" not in text
    assert "default-src 'none'" in text
    assert NASTY not in text
    for told in ("random._os", "Remove it.", "reached: os", "DENIED", "seccomp", "<svg"):
        assert told in text


def test_the_terminal_shows_the_fix_and_the_proof_and_counts_what_it_leaves_out():
    console = Console(width=100, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    report_text.show(AUDIT, console, lowest=Severity.HIGH)
    text = console.export_text()
    for told in ("random._os", "Remove it.", "print(1)", "reached: os", "policies/mine.toml:12:3"):
        assert told in text
    assert "limits" not in text
    assert "1 critical, 1 low (1 below high not shown)" in text


def test_two_policies_are_compared_by_what_they_reach(tmp_path):
    path = tmp_path / "more.toml"
    path.write_text(
        'extends = "strict"\nremove_builtins = ["memoryview"]\n[limits]\nmemory_mib = 512\n'
        '[layers]\nseccomp = "optional"\nnamespaces = "off"\n'
        '[[modules]]\nmodule = "bisect"\nnames = "*"\nreason = "Works on lists of the guest."\n'
    )
    audit = audit_diff("strict", path)
    told = {(f.rule, f.path): f for f in audit.findings}
    assert "bisect.insort" in told["diff-reach", "bisect"].explanation
    assert told["diff-layer", "layers.seccomp"].severity == Severity.HIGH
    assert told["diff-layer", "layers.namespaces"].severity == Severity.MEDIUM
    assert "512" in told["diff-limit", "limits.memory_mib"].explanation
    assert ("diff-lost", "memoryview") in told
    assert all(rule != "diff-reach" or path == "bisect" for rule, path in told)


def test_a_policy_compared_with_itself_shows_no_difference():
    assert audit_diff("strict", "strict").findings == ()


def test_switching_the_language_off_is_a_difference_that_is_high(quick):
    audit = audit_diff("strict", "kernel-only")
    assert ("diff-layer", "language") in {(f.rule, f.path) for f in audit.at_least(Severity.HIGH)}


def command(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "sandbox.cli", "audit", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(name="wrong", scope="module")
def _wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policies") / "wrong.toml"
    path.write_text(
        'extends = "strict"\n[[modules]]\nmodule = "json"\nnames = ["loads", "codecs"]\n'
        'reason = "Text to plain values and back."\n'
    )
    return path


def test_the_command_fails_a_build_from_the_severity_that_was_asked_for(wrong: Path) -> None:
    page, sarif = wrong.with_suffix(".html"), wrong.with_suffix(".sarif")
    done = command("policy", wrong, "--html", page, "--sarif", sarif)
    assert done.returncode == 1, done.stderr
    assert "json.codecs" in done.stdout
    assert "the real module codecs" in " ".join(done.stdout.split())
    assert "json.codecs" in page.read_text()
    results = json.loads(sarif.read_text())["runs"][0]["results"]
    assert any(
        result["locations"][0]["physicalLocation"]["region"]["startLine"] == 4
        for result in results
        if result["ruleId"] == "grant-unsupported"
    )
    assert command("policy", wrong, "--fail-on", "critical", "--no-proofs").returncode == 0


def test_the_command_prints_json_of_every_policy() -> None:
    done = command("policy", "strict", "kernel-only", "--json", "--no-proofs")
    assert done.returncode == 0, done.stderr
    assert [audit["subject"] for audit in json.loads(done.stdout)] == ["strict", "kernel-only"]
    done = command("diff", "kernel-only", "kernel-only", "--json")
    assert json.loads(done.stdout)[0]["findings"] == []


def test_a_wrong_command_line_and_a_policy_that_is_not_there_have_their_codes(tmp_path) -> None:
    assert command("policy", "strict", "--fail-on", "awful").returncode == 2
    done = command("policy", "no-such")
    assert done.returncode == FAULT_CODES[PolicyError]
    assert "no shipped policy" in done.stderr
    assert command("policy", "kernel-only", "--html", tmp_path / "no" / "x.html").returncode == 2


def test_an_audit_made_of_a_policy_object_has_no_file_and_no_lines(quick):
    from sandbox import Policy

    audit = audit_policy(Policy.load("strict").replaced(name="own"), prove=False)
    assert audit.subject == "own"
    assert audit.file is None
    assert {finding.line for finding in audit.findings} == {None}
