"""The examples end as they are expected to, and the benchmarks measure."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = [
    {
        "id": "sum",
        "kind": "stdin",
        "code": "print(sum(map(int, input().split())))",
        "test": "",
        "input": "1 2\n",
        "expected_stdout": "3\n",
        "more": [{"input": "4 5\n", "expected_stdout": "9\n"}],
    },
    {
        "id": "asserted",
        "kind": "assert",
        "code": "def double(x):\n    return 2 * x",
        "test": "assert double(2) == 4\nprint('passed')",
        "input": "",
        "expected_stdout": "passed\n",
        "more": [],
    },
    {
        "id": "differs",
        "kind": "doctest",
        "code": "print(1)",
        "test": "print('not run')",
        "input": "",
        "expected_stdout": "2\n",
        "more": [],
    },
    {
        "id": "refused",
        "kind": "doctest",
        "code": "import subprocess",
        "test": "",
        "input": "",
        "expected_stdout": "",
        "more": [],
    },
]


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


def test_the_project_of_several_files_leaves_its_report() -> None:
    done = run("examples/callers/project_files.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("--- out/report.txt\nx: 0.62 of 2\ny: 1.00 of 1\n")


def test_the_report_of_a_program_without_the_language_layer_comes_back() -> None:
    done = run("examples/callers/report_files.py")
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("skipped: "):
        pytest.skip(done.stdout)
    assert "--- report.csv\ncity,total\nOslo,1\nRome,5\n" in done.stdout
    assert ("--- plot.png\na picture\n" in done.stdout) == _has("matplotlib", "pandas")


def _has(*names: str) -> bool:
    return all(find_spec(name) is not None for name in names)


def test_every_example_ends_as_expected() -> None:
    done = run("examples/run_all.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all as expected" in done.stdout


def test_an_example_that_does_not_end_as_expected_is_told(tmp_path: Path) -> None:
    copy = tmp_path / "examples"
    shutil.copytree(ROOT / "examples", copy)
    (copy / "programs/right/algorithms/kruskal.out").write_text("something else\n")
    done = run(str(copy / "run_all.py"))
    assert done.returncode == 1
    assert "1 not as expected" in done.stdout


def test_the_compatibility_benchmark_counts_identical_outputs_and_causes(tmp_path: Path) -> None:
    file = tmp_path / "small.jsonl"
    file.write_text("".join(json.dumps(program) + "\n" for program in PROGRAMS))
    done = run("-m", "benchmarks.compat", str(file), "--json")
    (tally,) = json.loads(done.stdout)
    assert done.returncode == 0
    assert (tally["cases"], tally["accepted"], tally["identical"]) == (5, 4, 3)
    assert tally["statuses"] == {"OK": 4, "DENIED": 1}
    assert [name for name, *_ in tally["failures"]] == ["differs", "refused"]
    assert "another output" in run("-m", "benchmarks.compat", str(file)).stdout


def test_the_guest_benchmark_compiles_real_programs(tmp_path: Path) -> None:
    file = tmp_path / "small.jsonl"
    long = {**PROGRAMS[0], "code": PROGRAMS[0]["code"] + "\n" * 50}
    file.write_text("".join(json.dumps(program) + "\n" for program in [*PROGRAMS, long]))
    done = run("-m", "benchmarks.guest", "--compile", str(file))
    assert done.returncode == 0, done.stderr
    of_all, of_fifty = (line.split("│") for line in done.stdout.splitlines() if line[:1] == "│")
    assert [cell.strip() for cell in of_all[1:3]] == ["small", "5"]
    assert [cell.strip() for cell in of_fifty[1:3]] == ["of 40 to 60 lines", "1"]
    assert all(0.5 < float(cell) < 50 for cell in of_fifty[3:6])


def test_the_compatibility_benchmark_counts_apart_what_takes_cpython_too_long(
    tmp_path: Path,
) -> None:
    file, policy = tmp_path / "slow.jsonl", tmp_path / "quick.toml"
    endless = {**PROGRAMS[1], "code": "while True: pass"}
    file.write_text(json.dumps(endless) + "\n" + json.dumps(PROGRAMS[1]) + "\n")
    policy.write_text('name = "quick"\nextends = "contest"\n[limits]\ncpu_seconds = 0.5\n')
    done = run("-m", "benchmarks.compat", str(file), "--policy", str(policy), "--json")
    (tally,) = json.loads(done.stdout)
    assert tally["statuses"] == {"CPU_LIMIT": 1, "OK": 1}
    assert (tally["cases"], tally["identical"], tally["too_slow"]) == (2, 1, 1)


def test_the_speed_benchmark_measures_every_contender_that_is_there() -> None:
    report = json.loads(run("-m", "benchmarks.speed", "--seconds", "4", "--json").stdout)
    rows = report["contenders"]
    assert {"restricted-execution", "subprocess: python -I -S"} <= set(rows)
    assert all(row["nine lines"]["p50_ms"] > 0 for row in rows.values())
    assert report["shares"]["page_copy_us"] > 0
    assert len(report["aims"]) == 6
