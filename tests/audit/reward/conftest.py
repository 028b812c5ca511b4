"""Fixtures of the stand-in for `sandbox`: a sandbox that executes, and a guest that asks it."""

import pytest

from sandbox import Sandbox
from sandbox.audit.reward.jobs import ServedJobs


@pytest.fixture(scope="module")
def executing():
    with Sandbox("strict", workers=1) as sandbox:
        yield sandbox


@pytest.fixture
def jobs(executing):
    return ServedJobs(executing)


@pytest.fixture(scope="module")
def guests():
    with Sandbox("reward", workers=1) as sandbox:
        yield sandbox
