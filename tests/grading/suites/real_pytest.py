"""Run as a program: real pytest over each pair of a file, in a fork; prints outcomes as JSON."""

import contextlib
import io
import json
import os
import sys
import tempfile
import tomllib
from pathlib import Path

import pytest


class Outcomes:
    """Collect what pytest says of each test: `passed`, `failed` or `skipped`."""

    def __init__(self) -> None:
        self.of: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rpartition("/")[2]
        outcome = report.outcome
        if hasattr(report, "wasxfail"):
            outcome = "failed" if outcome == "failed" else "passed"
        worse = {"passed": 0, "skipped": 1, "failed": 2}
        if worse[outcome] >= worse[self.of.get(name, "passed")]:
            self.of[name] = outcome


def outcomes_of(program: str, test: str) -> dict[str, str]:
    """Run pytest over a pair in a folder and a process of its own."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            Path("solution.py").write_text(program)
            Path("test_solution.py").write_text(test)
            outcomes = Outcomes()
            sys.path.insert(0, folder)
            with contextlib.redirect_stdout(io.StringIO()):
                pytest.main(
                    ["-p", "no:cacheprovider", "-c", "/dev/null", "--rootdir", folder, folder],
                    plugins=[outcomes],
                )
            os.write(writer, json.dumps(outcomes.of).encode())
        os._exit(0)
    os.close(writer)
    with open(reader) as stream:
        said = stream.read()
    os.waitpid(pid, 0)
    return json.loads(said)


def main() -> None:
    """Read the file of pairs that is named, and print the outcomes of each."""
    pairs = tomllib.loads(Path(sys.argv[1]).read_text())["pair"]
    print(json.dumps({each["name"]: outcomes_of(each["program"], each["test"]) for each in pairs}))


if __name__ == "__main__":
    main()
