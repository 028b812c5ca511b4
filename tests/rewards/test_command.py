"""`sandbox reward run`: a file of completions, scored by a contained function."""

import json
import subprocess
import sys

import pytest

FUNCTIONS = """
def lengths(completions, **kwargs):
    return [float(len(c)) for c in completions]

def right(completions, answer, **kwargs):
    return [None if a is None else float(a in c) for c, a in zip(completions, answer)]
"""
ROWS = [
    {"completion": "42", "prompt": "p", "answer": "42"},
    {"completion": "four", "answer": "42"},
    {"completion": "", "answer": None},
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "reward.py").write_text(FUNCTIONS, encoding="utf-8")
    rows = "".join(json.dumps(row) + "\n" for row in ROWS)
    (tmp_path / "rows.jsonl").write_text(rows, encoding="utf-8")
    return tmp_path


def command(folder, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "sandbox.cli", "reward", "run", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_every_function_of_a_file_scores_all_rows(files):
    ran = command(files, "reward.py", "--rows", "rows.jsonl", "--json", "--out", "scored.jsonl")
    assert ran.returncode == 0, ran.stderr
    one, other = json.loads(ran.stdout)
    assert (one["function"], one["mean"], one["masked"], one["rows"]) == ("lengths", 2.0, 0, 3)
    assert (other["function"], other["mean"], other["masked"]) == ("right", 0.5, 1)
    assert (one["least"], one["greatest"], other["spread"]) == (0.0, 4.0, 0.5)
    lines = [json.loads(line) for line in (files / "scored.jsonl").read_text().splitlines()]
    assert [line["rewards"] for line in lines] == [
        {"lengths": 2.0, "right": 1.0},
        {"lengths": 4.0, "right": 0.0},
        {"lengths": 0.0, "right": None},
    ]
    assert lines[1]["completion"] == "four"


def test_a_table_says_mean_spread_masks_and_time(files):
    ran = command(files, "reward.py", "--rows", "rows.jsonl", "--name", "right", "--batch", "2")
    assert ran.returncode == 0, ran.stderr
    for word in ("mean", "spread", "masked", "ms per row", "right", "0.500"):
        assert word in ran.stdout
    assert "lengths" not in ran.stdout


def test_a_function_that_raises_ends_it_with_1_and_its_lines(files):
    (files / "bad.py").write_text("def f(completions):\n    raise ValueError('\\x1b[2J')\n")
    ran = command(files, "bad.py", "--rows", "rows.jsonl")
    assert ran.returncode == 1
    assert "ValueError: \\x1b[2J" in ran.stderr
    assert "line 2" in ran.stderr
    assert "\x1b" not in ran.stderr


@pytest.mark.parametrize(
    ("source", "rows", "message"),
    [
        ("x = 1", '{"completion": "a"}', "no function with a parameter 'completions'"),
        (FUNCTIONS, '{"answer": "a"}', "every row needs a completion"),
        (FUNCTIONS, "nonsense", "not JSON"),
    ],
)
def test_what_cannot_be_scored_is_a_wrong_command_line(files, source, rows, message):
    (files / "reward.py").write_text(source, encoding="utf-8")
    (files / "rows.jsonl").write_text(rows, encoding="utf-8")
    ran = command(files, "reward.py", "--rows", "rows.jsonl")
    assert ran.returncode == 2
    assert message in " ".join(ran.stderr.replace("│", " ").split())
