"""What leads out of numpy, tried with no layer but the language layer: nothing is got."""

from pathlib import Path

import pytest

from sandbox import Sandbox, Status

_TEXT = (Path(__file__).parent / "attacks.txt").read_text(encoding="utf-8")
ATTACKS = [part.split("\n", 1) for part in _TEXT.split("### ")[1:]]


def test_there_are_enough_of_them() -> None:
    assert len(ATTACKS) >= 80
    assert len({title for title, _ in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize(("title", "code"), ATTACKS, ids=[title for title, _ in ATTACKS])
def test_an_attack_gets_nothing_and_runs_to_its_end(alone: Sandbox, title: str, code: str) -> None:
    result = alone.run(code)
    assert "ESCAPED" not in result.stdout, result
    assert result.status is Status.OK, result


def test_an_attack_says_so_where_it_gets_what_it_is_after(alone: Sandbox) -> None:
    """The mark is one that a program can print."""
    result = alone.run("import numpy as np\ntry: print('ESCAPED', np.sum)\nexcept Exception: pass")
    assert "ESCAPED" in result.stdout
