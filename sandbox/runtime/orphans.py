"""Processes that an interrupt took from this one as it made them: nobody has a handle of theirs."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

_REAP_SECONDS, _PAUSE_SECONDS = 5.0, 0.01
_made = threading.Event()
_python: Any = subprocess  # remembers to reap them, but only when the next process is made


@contextlib.contextmanager
def noted() -> Iterator[None]:
    """Around the making of a process that ends by itself when there is nobody to talk to."""
    try:
        yield
    except BaseException:
        _made.set()
        raise


def reap() -> None:
    """Leave no zombie of them, if they end soon."""
    until = time.monotonic() + _REAP_SECONDS
    _python._cleanup()
    while _made.is_set() and _python._active and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
        _python._cleanup()
    _made.clear()
