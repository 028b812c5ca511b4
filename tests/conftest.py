"""The order of the tests, and what Hypothesis asks of the machine: nothing, as it may be busy."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")

# What takes longest comes first: at the end of a run no process is left alone with it.
LONGEST = (
    "tests/fuzz/test_holes.py",
    "tests/audit/test_mutations.py",
    "tests/test_packaging.py",
    "tests/containment/test_situations.py",
    "tests/audit/",
    "tests/runtime/test_soak.py",
    "tests/language/test_chains.py",
    "tests/language/test_differential.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=_rank)


def _rank(item: pytest.Item) -> int:
    ranks = (rank for rank, start in enumerate(LONGEST) if item.nodeid.startswith(start))
    return next(ranks, len(LONGEST))
