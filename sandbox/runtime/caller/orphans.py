"""Processes that an interrupt took from this one as it made them: no code has their handle."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

Process = subprocess.Popen[bytes]
Outcome = list[Process | BaseException]  # empty until the process is there, or could not be made

_REAP_SECONDS, _PAUSE_SECONDS = 5.0, 0.01
_python: Any = subprocess  # remembers to reap them, but only when the next process is made
_lost: list[Outcome] = []


@contextlib.contextmanager
def noted() -> Iterator[Outcome]:
    """Give a list for the process of `made`; an exception in the block leaves it to `reap`."""
    outcome: Outcome = []
    try:
        yield outcome
    except BaseException:
        _lost.append(outcome)
        raise


def made(make: Callable[[], Process], outcome: Outcome) -> Process:
    """Start a process by `make` in a thread of its own, where no interrupt comes.

    In the main thread one may come between fork(2) and the moment that Python notes the process.
    """

    def run() -> None:
        try:
            outcome.append(make())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # there may be no thread, and so no process: let `make` say so
        run()
    else:
        thread.join()
    [process] = outcome
    if isinstance(process, BaseException):
        raise process
    return process


def reap() -> None:
    """Reap lost processes that end soon, or they stay zombies: the caller uses them no more."""
    _python._cleanup()
    until = time.monotonic() + _REAP_SECONDS
    waiting = list(_lost)
    while any(map(_is_left, waiting)) and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
    for outcome in waiting:
        with contextlib.suppress(ValueError):  # another thread was here as well
            _lost.remove(outcome)


def _is_left(outcome: Outcome) -> bool:
    if not outcome:  # its thread is still at it
        return True
    [process] = outcome
    return isinstance(process, subprocess.Popen) and process.poll() is None
