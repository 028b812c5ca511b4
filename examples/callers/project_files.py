"""Runs a project of several files on data, and takes what it made.

    python examples/callers/project_files.py

The program imports a module that was sent with it, reads a table and leaves a report. Nothing is
written on this machine: the caller decides what becomes of the content that comes back.
"""

from sandbox import Sandbox, Status

MAIN = """
import csv
import os

from stats.summary import summarize

os.makedirs("out", exist_ok=True)
with open("data/scores.csv", newline="") as table:
    rows = list(csv.DictReader(table))
with open("out/report.txt", "w") as report:
    for line in summarize(rows):
        print(line, file=report)
print(len(rows), "rows")
"""
FILES = {
    "stats/__init__.py": "",
    "stats/summary.py": """
from statistics import mean


def summarize(rows):
    for name in sorted({row["name"] for row in rows}):
        scores = [float(row["score"]) for row in rows if row["name"] == name]
        yield f"{name}: {mean(scores):.2f} of {len(scores)}"
""",
    "data/scores.csv": "name,score\nx,0.5\ny,1\nx,0.75\n",
}


def main() -> None:
    """Run the project and print what came back."""
    with Sandbox("algorithms", workers=1) as sandbox:
        result = sandbox.run(MAIN, files=FILES, fetch=["out/*.txt"], files_kib=64)
    assert result.status is Status.OK, result.error
    print(result.output, end="")
    for name, content in result.files.items():
        print(f"--- {name}")
        print(content.decode(), end="")


if __name__ == "__main__":
    main()
