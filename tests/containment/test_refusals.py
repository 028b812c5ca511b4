"""A sandbox that cannot hold does not open, and says which layer, why, and what to do."""

from pathlib import Path

import pytest

from sandbox import Policy, Sandbox, SandboxError, SandboxUnavailable
from sandbox.kernel import cgroup
from sandbox.runtime.caller import supervisor_handle


def test_a_missing_layer_is_named_with_reason_and_remedy() -> None:
    if cgroup.delegated() is not None:
        pytest.skip("this host delegates a cgroup")
    policy = Policy.load("strict").replaced(layers={"cgroup": "required"})
    with pytest.raises(SandboxUnavailable) as refused:
        Sandbox(policy, workers=1)
    error = refused.value
    assert error.layer == "cgroup"
    assert "no delegated cgroup" in error.reason
    assert "Delegate a cgroup" in error.remedy
    assert all(part in str(error) for part in (error.layer, error.reason, error.remedy))


def test_a_probe_that_gets_through_keeps_the_sandbox_shut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What the supervisor reports is looked at by the caller: one attempt that worked suffices."""
    genuine = supervisor_handle.marshal.loads

    def with_a_hole(data: bytes) -> object:
        hello = genuine(data)
        if isinstance(hello, dict) and "attempts" in hello:
            layer, attempt, _, _ = hello["attempts"][-1]
            hello["attempts"].append((layer, attempt, "it worked", False))
        return hello

    monkeypatch.setattr(supervisor_handle.marshal, "loads", with_a_hole)
    with pytest.raises(SandboxUnavailable, match="it is active, yet a probe could") as refused:
        Sandbox("strict", workers=1)
    assert refused.value.layer == "seccomp"
    assert "sandbox doctor" in refused.value.remedy


def test_a_supervisor_that_cannot_start_is_an_error_and_not_a_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(supervisor_handle.sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(SandboxError, match="could not be started"):
        Sandbox("strict", workers=1)


def test_what_is_active_was_tried() -> None:
    with Sandbox("kernel-only", workers=1) as sandbox:
        hello = sandbox._pool.open().hello
        tried = {attempt[0] for attempt in hello["attempts"]}
        kernel = set(sandbox.layers) - {"process", "cgroup", "language"}
        assert tried == kernel
        assert all(held for *_, held in hello["attempts"])


def test_a_policy_without_a_barrier_to_files_is_refused_unless_for_a_test() -> None:
    policy = Policy.load("kernel-only")
    with pytest.raises(SandboxError, match="namespaces or landlock"):
        policy.replaced(require_any=())
    with pytest.raises(SandboxError, match="seccomp"):
        policy.replaced(layers={"seccomp": "off"})
    policy.replaced(layers={"seccomp": "off"}, testing=True)
