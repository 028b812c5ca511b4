"""Runs a data program without the language layer, and takes the report and the plot that it wrote.

    pip install 'restricted-execution[science]'
    python examples/callers/report_files.py

The program has a scratch directory in memory for itself: it reads the table that it was given,
writes files as it would anywhere, and keeps a database. With pandas and matplotlib it makes the
report by them; where they are not installed it does with the standard library, and makes no plot.
"""

from sandbox import Sandbox, SandboxUnavailable, Status

PROGRAM = """
import csv
import sqlite3

base = sqlite3.connect("sales.db")
base.execute("create table sales (city text, sold integer)")
with open("data/sales.csv", newline="") as table:
    rows = [(row["city"], int(row["sold"])) for row in csv.DictReader(table)]
with base:
    base.executemany("insert into sales values (?, ?)", rows)
query = "select city, sum(sold) as total from sales group by city order by city"
try:
    import pandas as pd
except ImportError:
    with open("report.csv", "w", newline="") as report:
        rows = [("city", "total"), *base.execute(query)]
        csv.writer(report, lineterminator="\\n").writerows(rows)
else:
    frame = pd.read_sql(query, base)
    frame.to_csv("report.csv", index=False)
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        pass
    else:
        plt.bar(frame["city"], frame["total"])
        plt.savefig("plot.png")
"""
TABLE = "city,sold\nRome,3\nOslo,1\nRome,2\n"


def opened() -> Sandbox:
    """Open `science`, or `kernel-only` where that cannot be had."""
    try:
        return Sandbox("science", workers=1)
    except SandboxUnavailable:
        return Sandbox("kernel-only", workers=1)


def main() -> None:
    """Run the program and print what came back."""
    with opened() as sandbox:
        files = {"data/sales.csv": TABLE}
        try:
            result = sandbox.run(PROGRAM, files=files, fetch=["*.csv", "*.png"])
        except SandboxUnavailable as error:
            print(f"skipped: {error.reason}")
            return
    assert result.status is Status.OK, result.error
    for name, content in result.files.items():
        kind = "a picture" if content[:4] == b"\x89PNG" else content.decode().rstrip()
        print(f"--- {name}\n{kind}")


if __name__ == "__main__":
    main()
