"""Puts the helpers next to the tests on the path, and packages of theirs where they are found."""

import sys
import tempfile
from pathlib import Path

import pytest

from sandbox.policy import packages

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of packages of the test's own, where everybody may read it."""
    folder = Path(tempfile.mkdtemp(prefix="packages-"))
    folder.chmod(0o755)
    monkeypatch.syspath_prepend(str(folder))
    packages._found.cache_clear()
    return folder
