"""Sandboxes with numpy under the language layer; skipped where numpy is not installed."""

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from sandbox import Policy, Sandbox, SandboxUnavailable
from sandbox.policy.layers import LAYERS, OFF


def _opened(policy: Policy) -> Sandbox:
    if find_spec("numpy") is None:
        pytest.skip("numpy is not installed")
    try:
        return Sandbox(policy, workers=1)
    except SandboxUnavailable as error:
        if error.layer in ("packages", "interpreter"):
            raise
        pytest.skip(f"the policy needs what this host does not have: {error.reason}")


@pytest.fixture(scope="session")
def contest() -> Iterator[Sandbox]:
    with _opened(Policy.load("contest-numpy")) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def alone() -> Iterator[Sandbox]:
    """With no layer but the language layer."""
    off = dict.fromkeys((name for name in LAYERS if name not in ("language", "process")), OFF)
    policy = Policy.load("contest-numpy")
    with _opened(policy.replaced(testing=True, require_any=(), layers=off)) as sandbox:
        yield sandbox
