"""Records the public names of every module that a policy can grant, for each Python given.

    python scripts/public_names.py python3.11 python3.12 python3.13 python3.14

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
import json, sys
sys.path.insert(0, sys.argv[1])
from sandbox.audit.walk.what_if import public_of
found = {name: " ".join(names) for name, names in public_of(json.loads(sys.argv[2])).items()}
print(json.dumps({"%d.%d" % sys.version_info[:2]: found}))
"""


def main(interpreters: list[str]) -> None:
    """Ask each interpreter and write the table."""
    sys.path.insert(0, str(ROOT))
    from sandbox.language.stdlib.catalog import supported

    # The guest's sandbox module is ours, whatever the Python.
    modules = json.dumps(sorted(supported()[1].keys() - {"sandbox"}))
    table = {}
    for interpreter in interpreters:
        command = [interpreter, "-I", "-c", PROGRAM, str(ROOT), modules]
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
        table.update(json.loads(answer.stdout))
    TABLE.write_text(json.dumps(table, sort_keys=True, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
