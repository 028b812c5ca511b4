"""What the tests of the fuzzer share: the package, wherever it stands, and an arena."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # fuzz/ stands at the top of a checkout
sys.path.insert(0, str(Path(__file__).parent))

from fuzz.targets.arena import Arena  # noqa: E402
from sandbox import Policy  # noqa: E402

AS_ROOT = os.getuid() == 0


@pytest.fixture(scope="package")
def arena() -> Iterator[Arena]:
    with Arena() as made:
        yield made


@pytest.fixture(scope="session")
def contest() -> Policy:
    return Policy.load("contest")
