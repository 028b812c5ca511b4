"""A request's body as it comes in: a long one is never one object of the event loop's process.

To make, to copy or to give back sixteen megabytes takes some ten milliseconds each, in which no
other is served. So it goes to a file in memory, part by part, and a helper reads that.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from sandbox.integrations.server.bodies.exchange import memory_file, path_of
from sandbox.integrations.server.bodies.strict_json import read_json

BODY = "sandbox.body"  # in the scope of a request: its `Received`
READ_HERE_BYTES = 1 << 16  # some milliseconds of the event loop; what is larger has a helper


class Received:
    """The bytes that have come so far."""

    def __init__(self) -> None:
        self.size = 0
        self.short = bytearray()  # all of it, unless it `is_long`
        self._file = -1

    @property
    def is_long(self) -> bool:
        """True if a helper has to read it."""
        return self._file >= 0

    def add(self, part: bytes) -> None:
        """Take the next part. Raises OSError if there is no descriptor or no memory for it."""
        count = len(part)
        if self._file < 0 and self.size + count <= READ_HERE_BYTES:
            self.short += part
        else:
            if self._file < 0:
                self._file = memory_file()
                part = bytes(self.short) + part
                self.short.clear()
            _write(self._file, part)
        self.size += count

    def path(self) -> str:
        """Return the path of a long body, where a helper finds it for `read_file`."""
        return path_of(self._file)

    def content(self) -> bytes:
        """Return all of it. For threads: a long one takes milliseconds."""
        if not self.is_long:
            return bytes(self.short)
        with open(self.path(), "rb") as file:
            return file.read()

    def close(self) -> None:
        """Let go of the body. Safe to call twice."""
        self.short.clear()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


@contextlib.contextmanager
def received() -> Iterator[Received]:
    """Make a body yet to come, closed at the end of the block."""
    body = Received()
    try:
        yield body
    finally:
        body.close()


def read_file(path: str) -> Any:
    """Read the body at `path` as `read_json` does, in a helper."""
    with open(path, "rb") as file:
        return read_json(file.read())


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
