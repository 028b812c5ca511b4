"""Prints the public attributes of the host's types that nobody has looked at yet.

    python scripts/host_attributes.py python3.11 python3.12 python3.13 python3.14

Each Python builds the widest world there is and names what its types have beyond
`sandbox/language/guards/attributes/owned_names.py`, in the form of that file; each needs the
package and what it depends on. A new line belongs into the group whose reason holds for it, or into
none: then its names are refused on that type. Ends with status 1 if there is anything, 0 if not.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Run in each interpreter, with nothing imported but what a supervisor imports.
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import sandbox.runtime.supervisor.supervisor
from sandbox.language.compile import names
from sandbox.language.guards.attributes.owned_names import LEFT_OUT
from sandbox.language.guards.attributes.owners import looked_at, public_names
from sandbox.language.guest.world import build_world
from sandbox.policy.plan import Plan
world = build_world(Plan.from_dict(json.loads(sys.argv[2])))
names.UNLISTED.clear()
listed = looked_at()
found = {}
for _, called, public in public_names(world.kin.host):
    if new := public - listed.get(called, frozenset()) - LEFT_OUT:
        found.setdefault(called, []).extend(new)
print(json.dumps(found))
"""


def widest() -> dict[str, object]:
    """A policy that grants all that can be granted, in its plain form."""
    from sandbox import Policy
    from sandbox.language.stdlib.catalog import supported

    builtins, modules = supported()
    plan = Policy.load("contest").plan().to_dict()
    return {**plan, "builtins": builtins, "modules": modules}


def missing(interpreter: str, plan: dict[str, object]) -> dict[str, list[str]]:
    """By type, what `interpreter` has that is not listed."""
    command = [interpreter, "-c", PROGRAM, str(ROOT), json.dumps(plan)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = json.loads(answer.stdout)
    return found


def main(interpreters: list[str]) -> int:
    """Ask each interpreter; print what there is."""
    sys.path.insert(0, str(ROOT))
    plan, found = widest(), dict[str, set[str]]()
    for interpreter in interpreters:
        for called, new in missing(interpreter, plan).items():
            found.setdefault(called, set()).update(new)
    for called, new_names in sorted(found.items()):
        print(f"{called}: {' '.join(sorted(new_names))}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
