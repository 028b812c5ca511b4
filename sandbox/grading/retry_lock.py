"""Many at once, or one alone: what ran out of time on a busy machine gets a quiet one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class RetryLock:
    """A lock that lets any number of threads in, or one while no other is in."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._waiting = 0  # threads that ask to be alone; until then no other is let in

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the lock beside other threads."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting)
            self._inside += 1
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock without other threads. A thread that holds it and asks waits for ever."""
        with self._changed:
            self._waiting += 1
            try:
                self._changed.wait_for(lambda: not self._inside)
                self._inside += 1
            finally:
                self._waiting -= 1
        try:
            yield
        finally:
            self._leave()

    def _leave(self) -> None:
        with self._changed:
            self._inside -= 1
            self._changed.notify_all()
