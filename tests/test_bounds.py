"""What reads text of a guest, a client or an author takes time in proportion to it.

For each of these doors Hypothesis looks for the text that costs most for its length, in CPU time of
a fork. What is asserted of the worst is no time: that twice as much of it costs about twice.
"""

import pytest
from hypothesis import Phase, given, seed, settings, target
from hypothesis import strategies as st

pytest.importorskip("fastapi", reason="fastapi is not installed (the extra 'server')")

from benchmarks.hostile import search
from benchmarks.hostile.doors import DOORS, Door
from benchmarks.hostile.search import BASE_CHARS, Cost, Find, cost, grown
from benchmarks.hostile.shapes import SEEDS, WORDS, Shape

EXAMPLES, TRIES = 20, 3
ENOUGH_SECONDS = 0.03  # of CPU time, to be compared
_parts = st.lists(st.sampled_from(WORDS), max_size=3).map("".join)
_shapes = st.one_of(
    st.sampled_from(SEEDS),
    st.builds(Shape, _parts.filter(bool), _parts, _parts, _parts, _parts),
)


def dearest(door: Door) -> Shape:
    """The shape that costs most per byte, of those that were tried."""
    known: dict[Shape, float] = {}

    @seed(0)
    @settings(max_examples=EXAMPLES, database=None, phases=[Phase.generate, Phase.target])
    @given(_shapes)
    def look(shape: Shape) -> None:
        if shape not in known:
            known[shape] = cost(door, shape.text(BASE_CHARS)).per_byte
        target(known[shape])

    look()
    return max(known, key=known.__getitem__)


def is_superlinear(name: str, door: Door, shape: Shape) -> bool:
    """In each of some tries: the machine may be busy in one."""
    tries = (Find(name, shape, grown(door, shape, ENOUGH_SECONDS), 0) for _ in range(TRIES))
    return all(find.is_superlinear for find in tries)


@pytest.mark.parametrize("name", DOORS)
def test_twice_as_much_of_the_worst_text_costs_about_twice(name: str) -> None:
    shape = dearest(DOORS[name])
    assert not is_superlinear(name, DOORS[name], shape), shape


def test_a_door_that_is_quadratic_is_found() -> None:
    def quadratic(text: str) -> None:
        for _ in range(len(text) >> 9):
            text.count("nowhere")

    assert is_superlinear("a door", quadratic, dearest(quadratic))


def test_a_door_that_never_ends_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "CPU_SECONDS", 1)

    def endless(_text: str) -> None:
        while True:
            pass

    cut_off = Cost(1, 0, 1)
    assert cost(endless, "1") == cut_off
    assert Find("a door", SEEDS[0], (cut_off, cut_off), 0).is_superlinear
