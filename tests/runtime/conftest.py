import pytest

from sandbox import Policy, Sandbox


@pytest.fixture(scope="session")
def strict():
    with Sandbox("strict") as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def native():
    with Sandbox("kernel-only") as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def serving():
    policy = Policy.load("strict").replaced(name="serving", services=True)
    with Sandbox(policy, workers=2) as sandbox:
        yield sandbox
