"""The grant of a scratch directory: its keys, what it goes with, how it is inherited and told."""

from typing import Any

import pytest

from sandbox import Policy, PolicyError
from sandbox.audit.policy import shown
from sandbox.audit.policy.diff import audit_diff
from sandbox.policy.files.document import schema
from sandbox.policy.plan import Plan, Scratch
from sandbox.runtime.caller import capacity

GRANT = {"reason": "A test of it."}


def test_it_is_granted_by_the_policies_without_the_language_layer_alone() -> None:
    names = ("strict", "algorithms", "contest", "reward", "kernel-only", "science")
    plans = {name: Policy.load(name).plan() for name in names}
    assert {name for name, plan in plans.items() if plan.scratch} == {"kernel-only", "science"}
    assert (
        plans["science"].scratch == plans["kernel-only"].scratch == Scratch(kib=65536, count=10000)
    )


def test_it_crosses_to_a_supervisor_as_plain_data() -> None:
    for name in ("kernel-only", "strict"):
        plan = Policy.load(name).plan()
        assert Plan.from_dict(plan.to_dict()) == plan


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "files.reason"),
        ({"reason": " "}, "files.reason"),
        ({**GRANT, "scratch_kib": 0}, "files.scratch_kib"),
        ({**GRANT, "scratch_kib": 63}, "files.scratch_kib"),
        ({**GRANT, "scratch_kib": (1 << 20) + 1}, "files.scratch_kib"),
        ({**GRANT, "scratch_kib": 64.0}, "files.scratch_kib"),
        ({**GRANT, "scratch_kib": True}, "files.scratch_kib"),
        ({**GRANT, "scratch_count": 0}, "files.scratch_count"),
        ({**GRANT, "scratch_count": (1 << 20) + 1}, "files.scratch_count"),
        ({**GRANT, "scratch_mib": 1}, "unknown key"),
    ],
)
def test_a_wrong_value_is_refused_by_its_key(files: Any, said: str) -> None:
    with pytest.raises(PolicyError, match=said):
        Policy.load("kernel-only").replaced(files=files)


def test_it_needs_that_the_language_layer_is_off() -> None:
    with pytest.raises(PolicyError, match='files: need language = "off"'):
        Policy.load("contest").replaced(files=GRANT)


def test_a_program_that_is_as_restricted_has_none() -> None:
    policy = Policy.load("kernel-only").replaced(testing=True, as_restricted=True)
    assert policy.plan().scratch is None


def test_a_file_takes_it_over_changes_it_and_takes_it_away() -> None:
    assert Policy.from_toml('extends = "kernel-only"').files == Policy.load("kernel-only").files
    less = 'extends = "kernel-only"\n[files]\nscratch_kib = 128\nreason = "A little."\n'
    policy = Policy.from_toml(less)
    assert policy.plan().scratch == Scratch(kib=128, count=10000)
    assert Policy.from_toml(policy.to_toml()) == policy
    none = Policy.from_toml('extends = "kernel-only"\nremove_files = true')
    assert none.files is None
    assert "[files]" not in none.to_toml()
    with pytest.raises(PolicyError, match="remove_files: files are not granted by 'strict'"):
        Policy.from_toml('extends = "strict"\nremove_files = true')
    with pytest.raises(PolicyError, match="remove_files"):
        Policy.from_toml('extends = "kernel-only"\nremove_files = false')


def test_a_key_is_told_by_its_line() -> None:
    with pytest.raises(PolicyError) as caught:
        Policy.from_toml('extends = "kernel-only"\n\n[files]\nreason = "x"\nscratch_kb = 1\n')
    (problem,) = caught.value.problems
    assert (problem.line, problem.key) == (5, "files.scratch_kb")
    assert "did you mean scratch_kib" in problem.reason


def test_the_schema_has_it() -> None:
    made = schema()
    assert "remove_files" in made["properties"]
    assert set(made["$defs"]["FilesGrant"]["properties"]) == {
        "scratch_kib", "scratch_count", "reason",
    }  # fmt: skip


def test_the_memory_of_a_worker_counts_it() -> None:
    policy = Policy.load("kernel-only")
    without = capacity.child_bytes(policy.replaced(files=None).plan())
    more = capacity.child_bytes(policy.plan()) - without
    assert more == (65536 << 10) + 10000 * 2048


def test_the_audit_tells_of_it() -> None:
    policy = Policy.load("kernel-only")
    told = shown.figures(policy)
    assert told["scratch directory of each program"] == "65536 KiB, 10,000 files"
    without = policy.replaced(name="without", files=None)
    assert "scratch directory of each program" not in shown.figures(without)
    paths = [finding.path for finding in audit_diff(without, policy).findings]
    assert "files" in paths
    assert "files" not in [finding.path for finding in audit_diff(policy, without).findings]
    more = policy.replaced(name="more", files={**GRANT, "scratch_count": 20_000})
    assert "files" in [finding.path for finding in audit_diff(policy, more).findings]
