"""A batch in parts: which rows go to which child, and whether they may be parted at all."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

WORTH_SECONDS = 0.04  # of work in one part: a child and its answer take a tenth of that
_PARTS_PER_WORKER = 4  # so that no worker ends much later than the others
_TRIED_AGAIN = 2  # times as many rows as before, and it is tried whether they are independent


def part_of(named: dict[str, Any], count: int, rows: slice) -> dict[str, Any]:
    """Return the columns of `named`, of `count` items, for some rows; all else as it is."""
    return {
        name: value[rows] if isinstance(value, (list, tuple)) and len(value) == count else value
        for name, value in named.items()
    }


def slices(count: int, parts: int) -> Iterator[slice]:
    """Divide `count` rows into so many parts of nearly the same size."""
    size = math.ceil(count / max(parts, 1))
    return (slice(start, min(start + size, count)) for start in range(0, count, size))


class Independence:
    """The knowledge whether a function's rewards depend on their own rows alone, as far as it goes.

    `verdict` is None until it has been tried on rewards that differ. `why` says it in words.
    """

    def __init__(self, whole: str, given: bool | None) -> None:
        self.verdict = given if given is not None else (False if whole else None)
        self.why = "as you said" if given is not None else whole or "not tried yet"
        self._given = given is not None
        self._tried, self._row_seconds = 0, 0.0

    def parts(self, count: int, workers: int) -> int:
        """Return in how many parts it is worth running `count` rows."""
        if not self.verdict or count < 2 or (not self._given and count >= self._again_at()):
            return 1
        worth = math.ceil(count * self._row_seconds / WORTH_SECONDS) if self._tried else count
        return max(1, min(worth, count, workers * _PARTS_PER_WORKER))

    def took(self, rows: int, seconds: float) -> None:
        """Learn what a row costs."""
        if rows:
            self._row_seconds = seconds / rows
            self._tried = max(self._tried, 1)

    def to_try(self, rewards: Sequence[float | None]) -> list[int]:
        """Return rows to run alone: those of the least and the greatest reward, if it is open."""
        told = [at for at, reward in enumerate(rewards) if reward is not None]
        if self._given or self.verdict is False or len(rewards) < self._again_at():
            return []
        least = min(told, key=lambda at: float(rewards[at] or 0.0), default=0)
        most = max(told, key=lambda at: float(rewards[at] or 0.0), default=0)
        return [least, most] if told and rewards[least] != rewards[most] else []

    def tried(self, count: int, *, same: bool) -> None:
        """Learn whether rows that ran alone had the rewards that they had among `count`."""
        self._tried = count
        self.verdict = same
        self.why = (
            f"rows of a batch of {count} had the same rewards alone"
            if same
            else f"a row of a batch of {count} had another reward alone"
        )

    def _again_at(self) -> int:
        return 2 if self.verdict is None else self._tried * _TRIED_AGAIN
