"""Records the public names of every module that a policy can grant, for each Python given.

    python scripts/public_names.py python3.11 python3.12 python3.13

Writes sandbox/audit/public_names.json: {version: {module: "names …"}}. The policy audit compares
grants of "*" against it, see docs/audit.md.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "sandbox/audit/public_names.json"
# Run in each interpreter: modules that it does not have are left out.
PROGRAM = """
import importlib, json, sys
found = {}
for name in json.loads(sys.argv[1]):
    try:
        module = importlib.import_module(name)
    except ImportError:
        continue
    names = sorted(n for n in vars(module) if n[:1] != "_" and n.isidentifier())
    found[name] = " ".join(names)
print(json.dumps({"%d.%d" % sys.version_info[:2]: found}))
"""


def main(interpreters: list[str]) -> None:
    """Ask each interpreter and write the table."""
    sys.path.insert(0, str(ROOT))
    from sandbox.language.catalog import supported

    modules = json.dumps(sorted(supported()[1]))
    table = {}
    for interpreter in interpreters:
        command = [interpreter, "-I", "-c", PROGRAM, modules]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        table.update(json.loads(answer.stdout))
    TABLE.write_text(json.dumps(table, sort_keys=True, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
