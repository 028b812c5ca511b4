import pytest

from sandbox import Sandbox


@pytest.fixture(scope="session")
def strict():
    with Sandbox("strict") as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def native():
    with Sandbox("kernel-only") as sandbox:
        yield sandbox
