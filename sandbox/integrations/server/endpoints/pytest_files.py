"""Language `pytest` of `/run_code`: a file that pytest runs, with the program in it, in one child.

Program and tests share an interpreter, so that the program can decide what its tests say, as in
SandboxFusion. Rewards want rows with `test_code`, which `grade` runs in two processes.
"""

from collections.abc import Collection
from itertools import count

from sandbox.policy.model import Policy

_REASON = "A client asks for programs to be run by pytest, together with their tests."
# pytest imports its plugins at its first run, and compiles what it rewrites asserts with.
_WARM_UP = """
import pathlib

import pytest

source = "def test(capfd, tmp_path, monkeypatch):\\n    assert 1\\n"
pathlib.Path("test_first.py").write_text(source)
pytest.main(["-q", "-p", "no:cacheprovider", "test_first.py"])
"""
# The exit status is pytest's own: 0 if all tests passed, 5 if there was none.
_PROGRAM = """
import sys

import pytest

sys.exit(int(pytest.main(["-p", "no:cacheprovider", {name!r}])))
"""


def running_pytest(policy: Policy) -> Policy:
    """Make the policy for files that pytest runs, where programs run under `policy`.

    pytest needs CPython as it is: without a language layer `policy` keeps its grants, with one only
    its limits and packages, and the kernel's layers hold the program alone.
    """
    pytest = {"name": "pytest", "preload": ["pytest"], "warm_up": _WARM_UP, "reason": _REASON}
    limits = policy.plan().limits
    base = policy if policy.language == "off" else Policy.load("kernel-only")
    return base.replaced(
        name=f"{policy.name}-pytest",
        limits={name: getattr(limits, name) for name in ("cpu_seconds", "wall_seconds")}
        | {"memory_mib": limits.memory_mib, "output_kib": limits.output_kib},
        packages=(*policy.packages, pytest),
        layers={"namespaces": "required", "landlock": "required"},  # packages are shown by both
    )


def program_for(taken: Collection[str]) -> tuple[str, str]:
    """Return the program that runs a file by pytest, and the file's name, none of `taken`."""
    names = (f"test_code{number or ''}.py" for number in count())
    name = next(name for name in names if name not in taken)
    return _PROGRAM.format(name=name), name
