"""For whom something is graded: it may be ended from outside, and over at a time of the clock."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Block:
    """What is graded within a block is over with it, and with every block around that."""

    def __init__(self, deadline: float = math.inf) -> None:
        """Within the present block, until `deadline` of `time.monotonic` at the latest."""
        self._around = _present.get()
        self._ended = threading.Event()
        self.deadline: float = min(deadline, self._around.deadline if self._around else math.inf)

    def end(self) -> None:
        """Nobody waits for what is graded in here any more."""
        self._ended.set()

    def is_over(self) -> bool:
        """True after `end`, and when its time has passed."""
        over = self._ended.is_set() or self.left() <= 0
        return over or (self._around is not None and self._around.is_over())

    def left(self) -> float:
        """How many seconds are left; without end if there is no deadline."""
        return self.deadline - time.monotonic()


_present: ContextVar["Block | None"] = ContextVar("block", default=None)


@contextmanager
def ending(deadline: float = math.inf) -> Iterator[None]:
    """What is graded for this block, in threads that have its context as well, ends with it."""
    block = Block(deadline)
    token = _present.set(block)
    try:
        yield
    finally:
        block.end()
        _present.reset(token)


def ended() -> Callable[[], bool]:
    """What says, in any thread, whether the block of `ending` that this is called in is over."""
    block = _present.get()
    return block.is_over if block is not None else bool
