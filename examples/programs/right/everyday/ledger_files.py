"""Keeps a ledger in files: one of JSON for each account, and a report in CSV.

Reads lines of account, amount and reason. The files are the program's own, in memory.
"""

import csv
import json
import sys
from pathlib import Path


def account(name: str) -> Path:
    return Path("accounts") / f"{name}.json"


def book(name: str, amount: int, reason: str) -> None:
    path = account(name)
    entries = json.loads(path.read_text()) if path.exists() else []
    entries.append({"amount": amount, "reason": reason})
    path.write_text(json.dumps(entries))


def report(path: Path) -> None:
    with path.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["account", "entries", "balance"])
        for each in sorted(Path("accounts").glob("*.json")):
            entries = json.loads(each.read_text())
            balance = sum(entry["amount"] for entry in entries)
            writer.writerow([each.stem, len(entries), balance])


def main() -> None:
    Path("accounts").mkdir()
    for line in sys.stdin:
        name, amount, reason = line.strip().split(maxsplit=2)
        book(name, int(amount), reason)
    report(Path("report.csv"))
    with open("report.csv", newline="") as file:
        for row in csv.DictReader(file):
            print(f"{row['account']:<8}{row['entries']:>3}{int(row['balance']):>8}")
    try:
        account("nobody").read_text()
    except FileNotFoundError as error:
        print(error.strerror, error.filename)


if __name__ == "__main__":
    main()
