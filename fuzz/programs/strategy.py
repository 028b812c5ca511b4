"""The generator as a Hypothesis strategy, which shrinks by itself. Needs the extra `fuzz`."""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import strategies as st

from .generator import generate

T = TypeVar("T")


class _Drawn:
    """A chooser whose choices Hypothesis makes and remembers: the first option is the simplest."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def choice(self, options: Sequence[T]) -> T:
        return self._draw(st.sampled_from(options))

    def randint(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))


@st.composite
def programs(draw: st.DrawFn, modules: Sequence[str] = ()) -> tuple[str, str]:
    """Draw `(power, source)`: a program after a power, which may import `modules`."""
    return generate(_Drawn(draw), modules)
