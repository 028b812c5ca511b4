"""Blocks of the caller's code that grade: another thread may end one, and its deadline does."""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class Block:
    """A block ends all grading that began within it, as does every block around it."""

    def __init__(self, deadline: float = math.inf) -> None:
        """Begin in the present block, until `deadline` of `time.monotonic` at the latest."""
        self._around = _present.get()
        self._ended = threading.Event()
        self.deadline: float = min(deadline, self._around.deadline if self._around else math.inf)

    def end(self) -> None:
        """End the block: the caller does not wait any more for what is graded in here."""
        self._ended.set()

    def is_over(self) -> bool:
        """Return True after `end`, and when the block's time has passed."""
        over = self._ended.is_set() or self.left() <= 0
        return over or (self._around is not None and self._around.is_over())

    def left(self) -> float:
        """Return how many seconds are left; infinity if there is no deadline."""
        return self.deadline - time.monotonic()


_present: ContextVar["Block | None"] = ContextVar("block", default=None)


@contextmanager
def ending(deadline: float = math.inf) -> Iterator[None]:
    """End with this block what is graded for it, in threads that have its context as well."""
    block = Block(deadline)
    token = _present.set(block)
    try:
        yield
    finally:
        block.end()
        _present.reset(token)


def ended() -> Callable[[], bool]:
    """Return what says, in any thread, whether the block of `ending` of this call is over."""
    block = _present.get()
    return block.is_over if block is not None else bool
