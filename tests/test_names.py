"""What there is to import, and under which names."""

import importlib
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import sandbox as package


def test_the_public_names_are_these():
    assert sorted(package.__all__) == [
        "Audit",
        "CellResult",
        "ContainedReward",
        "Fault",
        "Finding",
        "Grade",
        "Job",
        "Policy",
        "PolicyError",
        "Result",
        "RewardError",
        "Sandbox",
        "SandboxClosed",
        "SandboxError",
        "SandboxUnavailable",
        "Session",
        "SessionLost",
        "Severity",
        "Status",
        "audit_policy",
        "audit_reward",
        "extract_code",
        "grade",
        "grade_many",
        "load_reward",
        "restricted_execution",
    ]
    assert all(getattr(package, name) is not None for name in package.__all__)


def test_all_public_names_are_shown_before_they_are_used():
    code = "import sandbox; print(*dir(sandbox)); print(sandbox.__version__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, version = done.stdout.splitlines()
    assert set(package.__all__) <= set(names.split())
    assert version.startswith("0.")
    for name in package.__all__:
        assert getattr(package, name).__doc__, name
    shown = pydoc.render_doc(package, renderer=pydoc.plaintext)
    assert all(name in shown for name in package.__all__)


def test_the_second_name_of_the_package_gives_the_same_objects():
    from restricted_execution.integrations.trl import CodeReward

    import restricted_execution as second
    from sandbox.integrations import trl

    assert all(getattr(second, name) is getattr(package, name) for name in package.__all__)
    assert set(package.__all__) <= set(dir(second))
    assert CodeReward is trl.CodeReward
    assert trl.__spec__.name == trl.__name__ == "sandbox.integrations.trl"
    with pytest.raises(AttributeError, match="'restricted_execution' has no attribute 'x'"):
        second.x  # noqa: B018
    with pytest.raises(ImportError, match="nothing"):
        importlib.import_module("restricted_execution.nothing")


def test_another_sandbox_that_is_there_already_is_told_with_where_it_is(tmp_path):
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "sandbox/__init__.py").write_text("")
    here = str(Path(package.__file__).parents[1])
    path = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {here!r}]; "
    for first, told in (("", "7"), ("import sandbox; ", f"{tmp_path}/sandbox/__init__.py, was")):
        code = f"{path}{first}import restricted_execution as r; print(r.Sandbox and 7)"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert told in done.stdout + done.stderr
