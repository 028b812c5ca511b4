"""The gate for reward functions: honest ones pass, evasive ones do not."""

import re
from pathlib import Path

import pytest

from sandbox import PolicyError, SandboxError, audit_reward
from sandbox.audit.findings import Severity
from sandbox.audit.reward import jobs
from sandbox.audit.reward.gate import is_accepted


def _corpus(name):
    text = (Path(__file__).parent / name).read_text(encoding="utf-8")
    return dict(part.split("\n", 1) for part in text.split("### ")[1:])


HONEST, EVASIVE = _corpus("honest.txt"), _corpus("evasive.txt")
PLAIN = ("the plain form", "a lambda", "a length penalty", "json with a schema of keys")
# Found by running the function; all the rest must be seen without running it.
DYNAMIC = ("fails", "fragile", "bad-rewards", "over-budget", "refused", "unreadable", "no-function")


@pytest.mark.parametrize("title", HONEST)
def test_an_honest_function_passes_and_is_really_called(title):
    audit = audit_reward(HONEST[title])
    assert is_accepted(audit), audit.at_least(Severity.HIGH)
    assert audit.figures["calls"] > 40


def test_few_functions_are_plain_enough_to_run_in_the_trainer():
    verdicts = {title: audit_reward(HONEST[title]).verdict for title in PLAIN}
    assert set(verdicts.values()) == {"native"}, verdicts
    contained = audit_reward(HONEST["a dataclass"])
    assert contained.verdict == "contained"
    assert "not-native" in {finding.rule for finding in contained.findings}


@pytest.mark.parametrize(
    "line",
    [
        "text = text.strip()",
        "text = other.strip(); other = text.strip()",
        "text = text if text else text",
        "text = text + text.strip()",
    ],
)
def test_a_name_that_is_bound_to_itself_is_looked_at_once(line):
    source = f"def reward(completions, **kwargs):\n    text = other = 'a'\n    {line}\n"
    source += "    return [float(text.replace('a', 'b') in c) for c in completions]\n"
    assert audit_reward(source).verdict in ("contained", "native")


@pytest.mark.parametrize("title", EVASIVE)
def test_an_evasive_function_is_refused_for_what_it_does(title, monkeypatch):
    monkeypatch.setattr(jobs, "MOST_PROGRAMS", 200)
    monkeypatch.setattr(jobs, "MOST_CPU_SECONDS", 3.0)
    audit = audit_reward(EVASIVE[title], cpu_seconds=1.0)
    rules = {finding.rule for finding in audit.at_least(Severity.HIGH)}
    rule = title.partition(":")[0]
    assert rule in rules, audit.findings
    assert audit.verdict == "refused"
    if rule not in DYNAMIC and title != "nondeterministic: the clock":
        assert audit.figures["calls"] == 0


def test_both_functions_of_the_document_pass():
    text = (Path(__file__).resolve().parents[3] / "docs/grading.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    [source] = [block for block in blocks if "def batched(" in block]
    audit = audit_reward(source)
    assert is_accepted(audit), audit.at_least(Severity.HIGH)
    assert audit.figures["functions"] == 2


def test_the_corpus_is_large_and_has_every_rule():
    assert len(HONEST) >= 85
    assert len(EVASIVE) >= 279
    audit = audit_reward(HONEST["a lambda"])
    expected = {rule.id for rule in audit.rules} - {"contract", "not-native", "surprise"}
    assert {title.partition(":")[0] for title in EVASIVE} == expected


def test_a_finding_says_where_and_what_to_do():
    source = "import json\n\ndef reward(completions, **kwargs):\n    x = eval\n    return [0.0]\n"
    [finding] = audit_reward(source, file="mine.py").at_least(Severity.HIGH)
    assert (finding.rule, finding.line, finding.column) == ("code-execution", 4, 9)
    assert "restricted_execution" in finding.fix


def test_one_function_of_several_can_be_named():
    source = HONEST["several reward functions in one file"]
    assert audit_reward(source).figures["functions"] == 2
    assert audit_reward(source, name="int_reward").figures["functions"] == 1
    [finding] = audit_reward(source, name="missing").at_least(Severity.HIGH)
    assert finding.rule == "no-function"


def test_a_function_with_another_first_parameter_can_be_named():
    source = "def score(responses, **kwargs):\n    return [1.0 for r in responses]\n"
    assert not is_accepted(audit_reward(source))
    assert is_accepted(audit_reward(source, name="score"))


ROWS = [
    {"prompt": "2 + 2", "completion": "print(2 + 2)", "extra_data": {"deep": {"want": "4"}}},
    {"prompt": "7 * 6", "completion": "print(7 * 6)", "extra_data": {"deep": {"want": "42"}}},
]
DEEP = """
from sandbox import restricted_execution

def reward(completions, extra_data, **kwargs):
    out = [restricted_execution(c)[0].strip() for c in completions]
    return [1.0 if o == d["deep"]["want"] else 0.0 for o, d in zip(out, extra_data)]
"""


def test_columns_of_the_data_set_come_from_rows():
    assert not is_accepted(audit_reward(DEEP))
    assert is_accepted(audit_reward(DEEP, rows=ROWS))


def test_what_the_function_executes_runs_under_the_policy_of_the_caller():
    source = """
from sandbox import restricted_execution

def reward(completions, **kwargs):
    output, error = restricted_execution("import math\\nprint(math.pi)", policy="algorithms")
    if error:
        raise RuntimeError(error)
    return [0.0 for _ in completions]
"""
    [finding] = audit_reward(source).at_least(Severity.HIGH)
    assert "by policy 'strict'" in finding.explanation
    assert is_accepted(audit_reward(source, policy="algorithms"))


def test_a_policy_with_a_session_is_refused():
    with pytest.raises(PolicyError, match="no services"):
        audit_reward(DEEP, policy="reward")


def test_a_fault_of_the_sandbox_is_no_verdict_on_the_function(monkeypatch):
    def broken(self, fields, limits):
        raise SandboxError("no machine")

    monkeypatch.setattr(jobs.ServedJobs, "_run", broken)
    with pytest.raises(SandboxError, match="no machine"):
        audit_reward(HONEST["the plain form"])


def test_the_same_source_gives_the_same_audit():
    source = HONEST["both formats"] + EVASIVE["module-internals: a name in a loop variable"]
    assert audit_reward(source).to_json() == audit_reward(source).to_json()


def test_a_careless_function_is_told_so_and_passes():
    source = "def reward(completions):\n    return tuple(hash(c) % 7 for c in completions)\n"
    audit = audit_reward(source)
    assert is_accepted(audit)
    assert {finding.rule for finding in audit.findings} == {"contract", "not-native", "surprise"}


def test_numbers_that_break_arithmetic_are_a_finding_of_less_weight():
    source = """
def reward(completions, **kwargs):
    def number(text):
        try:
            return float(text)
        except ValueError:
            return 0.0
    return [number(c) for c in completions]
"""
    audit = audit_reward(source)
    assert is_accepted(audit)
    found = audit.at_least(Severity.MEDIUM)
    assert {(finding.rule, "not finite" in finding.explanation) for finding in found} == {
        ("bad-rewards", True)
    }


def test_a_source_over_the_size_of_the_policy_is_not_looked_at():
    source = HONEST["a lambda"] + "#" * (257 << 10)
    [finding] = audit_reward(source).at_least(Severity.HIGH)
    assert (finding.rule, finding.explanation) == ("unreadable", "more than 256 KiB")


def test_a_parser_bomb_ends_in_a_child():
    bomb = "def reward(completions, **kwargs):\n"
    depth = 25
    bomb += "".join("    " * (n + 1) + "try:\n" for n in range(depth))
    bomb += "    " * (depth + 1) + "pass\n"
    for n in reversed(range(depth)):
        bomb += "    " * (n + 1) + "finally:\n" + "    " * (n + 2) + "pass\n"
    [finding] = audit_reward(bomb, cpu_seconds=0.5).at_least(Severity.HIGH)
    assert finding.rule in ("unreadable", "over-budget")


def test_what_a_function_says_cannot_move_the_cursor_of_a_terminal():
    said = "x = getattr('', '\\x1b[2J__class__\\u202e')\n"
    raised = "def reward(completions, **kwargs):\n    raise ValueError('\\x1b[2J\\u202e\\n')\n"
    for source in (said, raised, "\x1b", "def reward(completions, **k): return \u202e"):
        for finding in audit_reward(source).findings:
            assert finding.explanation.isprintable()
            assert finding.path.isprintable()


def test_rows_are_plain_data():
    with pytest.raises(ValueError, match="not plain data"):
        audit_reward(DEEP, rows=[{"extra_data": object()}])


def test_the_document_names_every_rule_and_the_size_of_the_corpus():
    text = (Path(__file__).parents[3] / "docs/audit.md").read_text(encoding="utf-8")
    assert f"{len(HONEST)} honest functions and {len(EVASIVE)} evasive ones" in text
    for rule in audit_reward(HONEST["a lambda"]).rules:
        assert f"`{rule.id}`" in text, rule.id
