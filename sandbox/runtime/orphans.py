"""Processes that an interrupt took from this one as it made them: nobody has a handle of theirs."""

import contextlib
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

_REAP_SECONDS, _PAUSE_SECONDS = 5.0, 0.01
_made = threading.Event()
_python: Any = subprocess  # remembers to reap them, but only when the next process is made
_left: "list[subprocess.Popen[bytes]]" = []  # made, and no more wanted


class _Maker:
    """Makes one process in a thread of its own, where no interrupt comes.

    In the main thread one may come between fork(2) and the moment that Python notes whom it made.
    """

    def __init__(self, make: "Callable[[], subprocess.Popen[bytes]]") -> None:
        self._make = make
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._error: BaseException | None = None
        self._is_wanted = True

    def made(self) -> "subprocess.Popen[bytes]":
        thread = threading.Thread(target=self._run, daemon=True)
        try:
            try:
                thread.start()
            except RuntimeError:  # there may be no thread, and so no process: let `make` say so
                return self._make()
            thread.join()
        except BaseException:
            self._is_wanted = False
            with self._lock:
                self._leave()
            raise
        if self._process is None:
            raise self._error or RuntimeError("no process was made")
        return self._process

    def _run(self) -> None:
        try:
            process = self._make()
        except BaseException as error:
            self._error = error
            return
        with self._lock:
            self._process = process
            self._leave()

    def _leave(self) -> None:
        if self._process is not None and not self._is_wanted:
            _left.append(self._process)
            self._process = None


def made(make: "Callable[[], subprocess.Popen[bytes]]") -> "subprocess.Popen[bytes]":
    """The process that `make` starts, which ends by itself when there is nobody to talk to.

    Whatever an interrupt keeps from the caller is left to `reap`.
    """
    with _noted():
        return _Maker(make).made()


@contextlib.contextmanager
def _noted() -> Iterator[None]:
    try:
        yield
    except BaseException:
        _made.set()
        raise


def reap() -> None:
    """Leave no zombie of them, if they end soon."""
    until = time.monotonic() + _REAP_SECONDS
    while _any_left() and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
    _made.clear()


def _any_left() -> bool:
    _python._cleanup()
    _left[:] = [process for process in _left if process.poll() is None]
    return _made.is_set() and bool(_left or _python._active)
