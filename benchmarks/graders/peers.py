"""Peers as they are found here: a checkout each, and a process of the peer's Python for each."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.side_by_side.contenders import Absent

PEERS_VARIABLE, PYTHON_VARIABLE = "GRADERS_PEERS", "GRADERS_PYTHON"
_DRIVER = Path(__file__).with_name("driver.py")


@dataclass(frozen=True, kw_only=True)
class Peer:
    """Where a checker is from and which kinds of tests it has."""

    name: str
    source: str
    what: str
    kinds: Sequence[str]


PEERS = (
    Peer(
        name="human-eval",
        source="openai/human-eval",
        what="human_eval/execution.py, check_correctness",
        kinds=("check",),
    ),
    Peer(
        name="LiveCodeBench",
        source="LiveCodeBench/LiveCodeBench",
        what="lcb_runner/evaluation/compute_code_generation_metrics.py, check_correctness",
        kinds=("stdin", "call"),
    ),
    Peer(
        name="evalplus",
        source="evalplus/evalplus",
        what="evalplus/eval/__init__.py, untrusted_check",
        kinds=("call",),
    ),
    Peer(
        name="verl",
        source="volcengine/verl",
        what="verl/utils/reward_score/prime_code/utils.py, check_correctness",
        kinds=("stdin", "call"),
    ),
    Peer(
        name="SandboxFusion",
        source="bytedance/SandboxFusion",
        what="sandbox/utils/testing.py, check_stdio_test_cases and check_auto_test_case",
        kinds=("stdin", "check"),
    ),
)
BY_NAME = {peer.name: peer for peer in PEERS}


class Running:
    """A peer's checker in a process of its own. A context manager; raises Absent."""

    def __init__(self, peer: Peer, folder: Path | None, python: str) -> None:
        checkout = (folder or Path(".")) / peer.name
        if folder is None or not checkout.is_dir():
            where = f"no {checkout}" if folder else f"--peers or {PEERS_VARIABLE} names no folder"
            raise Absent(f"not installed: {where}")
        self.commit = _commit(checkout)
        self._process = subprocess.Popen(
            [python, "-P", str(_DRIVER), peer.name, str(checkout)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                "PATH": os.environ.get("PATH", ""),
                "PYTHONHASHSEED": "0",
                "TMPDIR": tempfile.gettempdir(),
            },
        )
        if (reason := self._answer()) is not None:
            self.close()
            raise Absent(f"does not load: {reason}")

    def verdict(self, job: Mapping[str, Any]) -> bool | str:
        """Return what the checker says of a job, or why it says nothing."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        answer: bool | str = self._answer()
        return answer

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        return json.loads(line) if line else "its process ended"

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def __enter__(self) -> "Running":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _commit(checkout: Path) -> str:
    command = ["git", "-C", str(checkout), "rev-parse", "--short=12", "HEAD"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() or "no commit"


def folder_and_python(folder: Path | None, python: str | None) -> tuple[Path | None, str]:
    """Return where the peers are and what runs them: options, the environment, this Python."""
    named = os.environ.get(PEERS_VARIABLE)
    chosen = folder or (Path(named) if named else None)
    return chosen, python or os.environ.get(PYTHON_VARIABLE) or sys.executable
