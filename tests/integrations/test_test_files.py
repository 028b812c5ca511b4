"""Rows whose tests are pytest files, in every place that takes rows of tests."""

import json
from pathlib import Path

import pytest

from sandbox import SandboxUnavailable, grade, load_reward
from sandbox.integrations import openrlhf, verl
from sandbox.integrations.ground_truth import read_ground_truth
from sandbox.integrations.trl import CodeReward

from .trl_rows import as_trl

pytestmark = pytest.mark.xdist_group("suites")
FILE = "import pytest\nfrom solution import add\n\n@pytest.mark.parametrize('n', [1, 2])\n"
FILE += "def test_add(n):\n    assert add(n, n) == 2 * n\n"
RIGHT = "```python\ndef add(a, b):\n    return a + b\n```"
WRONG = "```python\ndef add(a, b):\n    return 2\n```"


@pytest.fixture(autouse=True, scope="module")
def shown() -> None:
    """Skip these where a child cannot be shown pytest."""
    try:
        grade("def add(a, b): return a + b", {"test": FILE})
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")


@pytest.mark.parametrize("column", ["test", "test_code"])
def test_trl_finds_them_in_their_column(column: str) -> None:
    columns = {column: [FILE] * 2}
    assert as_trl([RIGHT, WRONG], columns, CodeReward()) == [1.0, 0.0]
    assert as_trl([RIGHT, WRONG], columns, CodeReward(partial=True)) == [1.0, 0.5]


def test_verl_and_openrlhf_take_them() -> None:
    truth = json.dumps({"test": FILE})
    scores = [verl.compute_score("kodcode", text, truth, {})["score"] for text in (RIGHT, WRONG)]
    assert scores == [1.0, 0.0]
    rated = openrlhf.rate([("Add." + text, "Add.", truth) for text in (RIGHT, WRONG)])
    assert rated["rewards"] == [1.0, 0.0]


def test_a_part_of_them_cannot_be_taken() -> None:
    with pytest.raises(ValueError, match="known as they run"):
        read_ground_truth({"test": FILE}, 1)


def test_a_contained_reward_takes_them(tmp_path: Path) -> None:
    source = tmp_path / "reward.py"
    source.write_text(
        "from sandbox import extract_code, grade\n\n"
        "def reward(completions, test, **kwargs):\n"
        "    rows = zip(completions, test)\n"
        "    return [grade(extract_code(c), {'test': t}).score for c, t in rows]\n"
    )
    reward = load_reward(source)
    assert as_trl([RIGHT, WRONG], {"test": [FILE] * 2}, reward) == [1.0, 0.0]
