"""`sandbox audit reward`, as a shell sees it."""

import json
import os
import subprocess
import sys

import pytest

GOOD = "def reward(completions, **kwargs):\n    return [float(len(c) > 3) for c in completions]\n"
BAD = "import os\n" + GOOD


def sandbox(*arguments, stdin=""):
    return subprocess.run(
        [sys.executable, "-m", "sandbox.cli", "audit", "reward", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )


def test_an_accepted_function_exits_with_0_and_a_refused_one_with_1(tmp_path):
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(GOOD)
    bad.write_text(BAD)
    assert sandbox(good).returncode == 0
    done = sandbox(bad)
    assert done.returncode == 1
    assert "process" in done.stdout
    assert "bad.py" in done.stdout
    assert sandbox(bad, "--fail-on", "never").returncode == 0


def test_a_source_on_standard_input_is_reported_as_json():
    done = sandbox("-", "--json", stdin=BAD)
    [audit] = json.loads(done.stdout)
    assert done.returncode == 1
    assert audit["kind"] == "reward"
    assert [finding["rule"] for finding in audit["findings"]] == ["process"]


def test_rows_of_the_data_set_are_json_objects_one_per_line(tmp_path):
    source, rows = tmp_path / "reward.py", tmp_path / "rows.jsonl"
    source.write_text(
        "def reward(completions, odd, **kwargs):\n    return [float(o['a']['b']) for o in odd]\n"
    )
    rows.write_text('{"prompt": "p", "odd": {"a": {"b": 1}}}\n\n{"odd": {"a": {"b": 2}}}\n')
    assert sandbox(source).returncode == 1
    assert sandbox(source, "--rows", rows).returncode == 0


@pytest.mark.parametrize("text", ["[1]\n", "{", ""])
def test_rows_that_are_none_are_a_wrong_command_line(tmp_path, text):
    rows = tmp_path / "rows.jsonl"
    rows.write_text(text)
    done = sandbox("-", "--rows", rows, stdin=GOOD)
    assert done.returncode == 2
    assert "--rows" in done.stderr


def test_findings_are_written_for_code_hosts_and_as_a_page(tmp_path):
    source = tmp_path / "bad.py"
    source.write_text(BAD)
    sarif, page = tmp_path / "out.sarif", tmp_path / "out.html"
    assert sandbox(source, "--sarif", sarif, "--html", page).returncode == 1
    [run] = json.loads(sarif.read_text())["runs"]
    [result] = run["results"]
    assert result["ruleId"].endswith("process")
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1
    assert "import os" in page.read_text()
