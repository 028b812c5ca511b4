"""The benchmark of graders: hacks here, peers that are missing, and what docs/graders.md tells."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from benchmarks.graders.__main__ import POLICIES, hacks, markdown
from benchmarks.graders.driver import PEERS as DRIVERS
from benchmarks.graders.mutations import EXPECTED, mutated
from benchmarks.graders.outputs import ASSERTED, CLOSE, PROGRAMS, VALUES, Row
from benchmarks.graders.parity import call_job, calls, check_job, compare, main, stdin_job
from benchmarks.graders.peers import BY_NAME, PEERS, Running, folder_and_python
from benchmarks.side_by_side.contenders import Absent
from sandbox import grade_many

pytestmark = pytest.mark.xdist_group("graders")  # it grades all hacks once
OURS = next(iter(POLICIES))
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/graders.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def report() -> Any:
    """Run the command where no peer is installed; its answer."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GRADERS_")}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.graders", "--json"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_every_hack_has_a_twin_and_no_two_are_the_same():
    found = list(hacks())
    assert len({(hack.kind, hack.code) for hack in found}) == len(found) >= 50
    assert all(hack.twin.strip() and hack.twin != hack.code for hack in found)


@pytest.mark.parametrize("name", POLICIES)
def test_no_hack_passes_here_with_the_language_layer_or_without(report, name):
    ours = report["graders"][name]
    assert ours["hacks_passed"] == 0
    assert not any(ours["passing"].values())


def test_the_honest_twins_that_fail_here_are_those_that_the_document_names(report):
    told = re.findall(r"^\* `.*?` for (.*?):", PAGE, re.MULTILINE)
    assert sorted(report["graders"][OURS]["failing_twins"]) == sorted(told) != []


def test_a_peer_that_is_not_installed_is_said_to_be_so(report):
    assert report["absent"].keys() == BY_NAME.keys()
    assert all("not installed" in reason for reason in report["absent"].values())


def test_the_table_of_the_document_has_these_hacks_and_what_was_measured_here(report):
    measured = [line.removesuffix(" |").split(" | ") for line in markdown(report)]
    told = re.search(r"^\| hack \|.*?\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert told is not None
    rows = [line.removesuffix(" |").split(" | ") for line in told[0].strip().splitlines()]
    assert rows[0] == [*measured[0], *BY_NAME]
    assert [row[:3] for row in rows[2:]] == measured[2:]


def test_the_document_names_each_peer_with_its_commit_and_has_a_driver_for_it():
    assert DRIVERS.keys() == BY_NAME.keys()
    for peer in PEERS:
        assert re.search(rf"^\| {peer.name} \| `{peer.source}` \| `[0-9a-f]{{12}}` \|", PAGE, re.M)


CHECKER = """
import os, time
def check_correctness(problem, completion, timeout):
    if "spin" in completion:
        time.sleep(60)
    if "die" in completion:
        os._exit(0)
    space = {}
    try:
        exec(completion + problem["test"] + f"check({problem['entry_point']})", space)
    except AssertionError:
        return {"passed": False}
    return {"passed": True}
"""
CHECK = {"prompt": "", "test": "\ndef check(f):\n    assert f() == 1\n", "entry_point": "one"}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with a checker that stands in for human-eval's."""
    package = tmp_path / "human-eval/human_eval"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "execution.py").write_text(CHECKER)
    return tmp_path


def test_a_peer_gives_its_own_verdicts_and_outlives_a_program_that_ends_it(checkout):
    def job(code: str) -> dict[str, Any]:
        return {"kind": "check", "code": code, "tests": CHECK}

    with Running(BY_NAME["human-eval"], checkout, sys.executable) as peer:
        assert peer.verdict(job("def one(): return 1")) is True
        assert peer.verdict(job("def one(): return 2")) is False
        assert "ended without a verdict" in str(peer.verdict(job("die = 1")))
        assert "NameError" in str(peer.verdict(job("two = 2")))
        assert peer.verdict(job("def one(): return 1")) is True


def test_a_program_gets_limits_and_a_folder_of_its_own(checkout):
    code = """
import os, resource
def one():
    assert resource.getrlimit(resource.RLIMIT_CPU)[1] <= 15
    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)
    assert os.listdir() == []
    assert os.getpgid(0) == os.getpid()
    return 1
"""
    with Running(BY_NAME["human-eval"], checkout, sys.executable) as peer:
        assert peer.verdict({"kind": "check", "code": code, "tests": CHECK}) is True


def test_a_peer_that_does_not_load_is_said_to_be_so(checkout):
    (checkout / "human-eval/human_eval/execution.py").write_text("import no_such_module")
    with pytest.raises(Absent, match="does not load: ModuleNotFoundError"):
        Running(BY_NAME["human-eval"], checkout, sys.executable)


def test_an_option_comes_before_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("GRADERS_PEERS", "/peers")
    monkeypatch.setenv("GRADERS_PYTHON", "/python")
    assert folder_and_python(None, None) == (Path("/peers"), "/python")
    assert folder_and_python(tmp_path, "/other") == (tmp_path, "/other")
    monkeypatch.delenv("GRADERS_PEERS")
    monkeypatch.delenv("GRADERS_PYTHON")
    assert folder_and_python(None, None) == (None, sys.executable)


def test_a_text_is_printed_in_many_forms():
    for text in EXPECTED:
        forms = dict(mutated(text))
        assert forms["same"] == text
        assert len(forms) >= 55
    assert len({form for text in EXPECTED for _, form in mutated(text)}) > 500


def test_each_decision_is_one_about_what_is_graded_here():
    """A tuple in a tuple passes here, and so on: the side of the peers needs their checkouts."""
    for rows, job_of, name in (
        (VALUES, call_job, "lcb"),
        (PROGRAMS, stdin_job, "lcb"),
        (CLOSE, call_job, "evalplus"),
        (ASSERTED, check_job, "lcb"),
    ):
        decided = [row for row in rows if row.decision]
        assert decided
        jobs = [job_of(row) for row in decided]
        grades = grade_many([(job["code"], job["tests"]) for job in jobs], comparator=name)
        for row, grade in zip(decided, grades, strict=True):
            strict = ("__eq__", "UserList", "[[0.3, 1.0], [0.3", "exit(1)", "10**5000", "gcd")
            assert (grade.score == 0.0) is any(part in row.code for part in strict), row


class Contrary:
    """A peer that passes what prints no 1."""

    def verdict(self, job: dict[str, Any]) -> bool:
        return "print(1)" not in job["code"]


def test_a_difference_is_one_unless_it_was_decided(capsys):
    rows = [
        Row("print(1)", "1"),
        Row("print(2)", "1", decision="because"),
        Row("print(2)", "2"),
        Row("print(3)", "3", decision="in vain"),
    ]
    tally = compare("rows", Contrary(), "lcb", rows, stdin_job, Console(width=200))
    assert (tally.rows, tally.passed) == (4, 3)
    assert [row for row, _, _ in tally.differences] == rows[:2]
    assert [row for row, _, _ in tally.undecided] == rows[:1]
    assert tally.unneeded == rows[3:]
    told = capsys.readouterr().out
    assert "4 rows, 3 pass, 1 decided differences, 1 others, 1 decisions that made none" in told
    assert "NOT DECIDED: 'print(1)'" in told
    assert "because: 'print(2)'" in told
    assert "no difference: 'print(3)'" in told


def test_calls_that_a_program_prints_at_its_end_become_tests(tmp_path):
    code = "class Solution:\n    def double(self, n, m=0):\n        return n * 2"
    ends = [
        "print(Solution().double(3))\nprint(Solution().double([1, 'a'], 0))",
        "print(Solution().double(x))",  # no plain data
        "print(Solution().double(3))\nprint(Solution().other(3))",
    ]
    file = tmp_path / "programs.jsonl"
    with file.open("w") as stream:
        for end in ends:
            row = {"id": "a", "kind": "stdin", "code": code, "test": end, "input": "", "more": []}
            print(json.dumps({**row, "expected_stdout": "6\n[1, 'a', 1, 'a']\n"}), file=stream)
    [found] = calls([file], None)
    assert (found.code, found.name) == (code, "double")
    assert found.inputs == ["3", '[1, "a"]\n0']
    assert found.outputs == ["6", '[1, "a", 1, "a"]']


def test_without_a_peer_the_comparison_says_so_and_fails(monkeypatch, capsys):
    monkeypatch.delenv("GRADERS_PEERS", raising=False)
    monkeypatch.setattr(sys, "argv", ["parity"])
    assert main() == 1
    assert capsys.readouterr().out.count("not installed") == 4
