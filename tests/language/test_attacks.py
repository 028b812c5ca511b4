"""Every attack on the layer that we know. Each prints ESCAPED if it gets what it is after."""

from pathlib import Path

import pytest

_TEXT = (Path(__file__).parent / "attacks.txt").read_text()
ATTACKS = dict(part.split("\n", 1) for part in _TEXT.split("### ")[1:])


@pytest.mark.parametrize("title", ATTACKS)
def test_an_attack_gets_nothing_and_the_child_survives(run, title):
    ran = run(ATTACKS[title])
    assert "ESCAPED" not in ran.output, ran
    assert ran.status != "CRASHED", ran
