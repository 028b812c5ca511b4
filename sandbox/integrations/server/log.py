"""The server's log, which a thread writes: a pipe without a reader fills up, and blocks."""

import contextlib
import logging
import os
import queue
import threading

_MOST_LINES = 1000  # that wait; what comes then is dropped
_STDERR = 2


class Log(logging.Handler):
    """Writes records to standard error, and keeps no caller waiting, at the end neither."""

    def __init__(self, descriptor: int = _STDERR) -> None:
        """Begin. `descriptor` is the file that the thread writes to, standard error by default."""
        super().__init__()
        self._descriptor = descriptor
        self._waiting: queue.Queue[str] = queue.Queue(_MOST_LINES)
        threading.Thread(target=self._write, name="log", daemon=True).start()

    def emit(self, record: logging.LogRecord) -> None:
        """Have the thread write `record`, or drop it."""
        with contextlib.suppress(queue.Full):
            self._waiting.put_nowait(self.format(record) + "\n")

    def _write(self) -> None:
        while True:
            data = self._waiting.get().encode("utf-8", "backslashreplace")
            with contextlib.suppress(OSError):
                while data:
                    data = data[os.write(self._descriptor, data) :]
