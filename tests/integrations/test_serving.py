"""The examples of the server and of the rewards run, and so does the benchmark, in short."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(name="has_server")
def _has_server() -> None:
    for name in ("fastapi", "uvicorn", "prometheus_client"):
        pytest.importorskip(name, reason=f"{name} is not installed (the extra 'server')")


@pytest.mark.usefixtures("has_server")
def test_the_example_of_a_client_gets_every_kind_of_answer() -> None:
    done = run("examples/callers/serve_client.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "run_code: Success 42",
        "run_code: Failed TimeLimitExceeded",
        "run_jupyter: Success 42",
        "execute: OK 42",
        "execute_batch: desserts reward",
        "get_reward: 1.0",
    ]


@pytest.mark.usefixtures("has_server")
def test_the_example_of_a_session_runs_cells_and_branches() -> None:
    done = run("examples/callers/session_client.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "value: [1, 2, 3]",
        "file: 55",
        "undone: True ZeroDivisionError: division by zero",
        "branch: [1, 4, 9, 16, 25, 0]",
        "branch: [1, 4, 9, 16, 25, 1]",
        "here: [1, 4, 9, 16, 25]",
        "closed: 410 closed",
    ]


def test_the_example_of_verls_reward_scores_each_row() -> None:
    done = run("examples/callers/verl_reward.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "right: 1, 2 of 2 tests",
        "half right: 0.5, 1 of 2 tests",
        "a function: 1, 2 of 2 tests",
        "leaves early: 0, 0 of 2 tests",
        "no tests: no verdict, 0 of 0 tests",
    ]
    assert "no verdict on a sample of apps" in done.stderr


def test_the_example_of_openrlhfs_reward_rewards_the_right_completion() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    done = run("examples/callers/openrlhf_reward.py")
    assert (done.returncode, done.stdout) == (0, "rewards: 1.0 0.0\n"), done.stderr


def test_without_the_extra_the_command_says_which_one_it_needs() -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from sandbox.cli import main; main()"
    done = run("-c", code, "serve")
    assert done.returncode == 2
    assert "restricted-execution[server]" in done.stderr


@pytest.mark.usefixtures("has_server")
def test_a_policy_that_is_wrong_has_its_own_exit_code() -> None:
    done = run("-m", "sandbox.cli", "serve", "--policy", "no-such-policy", "--port", "0")
    assert (done.returncode, "no-such-policy" in done.stderr) == (78, True)


@pytest.mark.usefixtures("has_server")
def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("-m", "sandbox.cli", "serve", "--port", str(taken.getsockname()[1]))
    assert done.returncode == 2
    assert "in use" in done.stderr


@pytest.mark.usefixtures("has_server")
def test_the_benchmark_of_the_server_counts_right_answers_only() -> None:
    done = run("-m", "benchmarks.serve", "--seconds", "2", "--connections", "32")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "right" in done.stdout
    assert "wrong" not in done.stdout
    assert "p99" in done.stdout


@pytest.mark.usefixtures("has_server")
def test_the_benchmark_fails_where_an_answer_is_wrong_or_lost() -> None:
    from benchmarks.serve import _judge, request

    data, expected = request(3)
    assert expected == "23757 3 2\n"
    assert b"POST /run_code" in data
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    said = b'{"status": "Success", "run_result": {"stdout": "%s"}}'
    assert _judge(head + said % b"23757 3 2\\n", expected) == "right"
    assert _judge(head + said % b"another's", expected) == "wrong: Success"
    assert _judge(b"HTTP/1.1 504 X\r\n\r\n{}", expected) == "lost: HTTP 504"
    assert _judge(b"", expected) == "lost: HTTP "
