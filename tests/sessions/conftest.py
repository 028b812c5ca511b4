"""What the tests of sessions share: one sandbox for each policy, and fresh sessions of it."""

from collections.abc import Callable, Iterator

import pytest

from sandbox import Policy, Sandbox, Session

Begin = Callable[..., Session]


@pytest.fixture(scope="session", params=["strict", "contest", "kernel-only"])
def any_policy(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with Sandbox(request.param, workers=1) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def contest() -> Iterator[Sandbox]:
    policy = Policy.load("contest").replaced(name="contest", services=True)
    with Sandbox(policy, workers=1) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def native() -> Iterator[Sandbox]:
    with Sandbox("kernel-only", workers=1) as sandbox:
        yield sandbox


@pytest.fixture
def session(contest: Sandbox) -> Iterator[Session]:
    with contest.session() as begun:
        yield begun
