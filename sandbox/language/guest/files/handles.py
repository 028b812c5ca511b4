"""Open files, as the kernel has them: a node, a position, and what may be done. None is handed out.

`Handle` is a file descriptor; `Buffer` is what a stream of Python keeps on top of one.
"""

import errno
from collections.abc import Callable
from typing import Any

from sandbox.language.guest.files.content import cut, read_at, size_of, write_at
from sandbox.language.guest.files.paths import fail
from sandbox.language.guest.files.tree import Node, Tree

FIRST_NUMBER = 3  # the three before are the standard streams
_SEEKS = (0, 1, 2)


class Handle:
    """One open file. `number` is its descriptor, -1 once it is closed."""

    __slots__ = ("appending", "node", "number", "position", "readable", "tree", "writable")

    def __init__(self, tree: Tree, node: Node, modes: str) -> None:
        self.tree, self.node = tree, node
        self.readable = "r" in modes or "+" in modes
        self.writable = modes != "r"
        self.appending = "a" in modes
        self.position, self.number = 0, -1

    def read(self, size: int) -> bytes:
        """Read up to `size` bytes, all that are left if it is negative."""
        if size < 0:
            size = max(size_of(self.node) - self.position, 0)
        data = read_at(self.node, self.position, size)
        self.position += len(data)
        return data

    def write(self, data: Any) -> None:
        """Write exact bytes, at the end if the file is appended to."""
        if self.appending:
            self.position = size_of(self.node)
        write_at(self.tree, self.node, self.position, data)
        self.position += len(data)

    def seek(self, offset: int, whence: int) -> int:
        """Move to another position and return it."""
        base = (0, self.position, size_of(self.node))[whence] if whence in _SEEKS else -1
        if base < 0 or not 0 <= base + offset < 1 << 63:
            fail(errno.EINVAL)
        self.position = base + offset
        return self.position

    def truncate(self, size: int) -> None:
        """Make the file `size` bytes long; the position stays."""
        if size < 0:
            fail(errno.EINVAL)
        cut(self.tree, self.node, size)


class Descriptors:
    """The descriptors of one program: the least number that is free is the next."""

    __slots__ = ("_open",)

    def __init__(self) -> None:
        self._open: dict[int, Handle] = {}

    def add(self, handle: Handle) -> int:
        """Give `handle` a number."""
        number = FIRST_NUMBER
        while number in self._open:
            number += 1
        self._open[number] = handle
        handle.number = number
        return number

    def get(self, number: int) -> Handle:
        """Return an open file. Raises OSError for a number that is none's."""
        handle = self._open.get(number)
        return handle if handle is not None else fail(errno.EBADF)

    def close(self, handle: Handle) -> None:
        """Let go of a number."""
        self._open.pop(handle.number, None)
        handle.number = -1


class Buffer:
    """Keeps for a binary stream its file, and the bytes that are written and not yet there."""

    __slots__ = (
        "closed",
        "closes",
        "descriptors",
        "handle",
        "mode",
        "name",
        "on_close",
        "pending",
        "size",
    )

    def __init__(
        self, descriptors: Descriptors, handle: Handle, name: Any, mode: str, size: int
    ) -> None:
        self.descriptors, self.handle = descriptors, handle
        self.name, self.mode, self.size = name, mode, size
        self.pending = bytearray()
        self.closed, self.closes = False, True
        self.on_close: Callable[[], None] | None = None  # of ours

    def flush(self) -> None:
        """Write what is pending."""
        if self.pending:
            data, self.pending = self.pending, bytearray()
            self.handle.write(data)

    def write(self, data: Any) -> None:
        """Take exact bytes, and write them once there are as many as the buffer holds."""
        if len(self.pending) + len(data) <= self.size:
            self.pending += data
            return
        self.flush()
        if len(data) > self.size:
            self.handle.write(data)
        else:
            self.pending += data

    def tell(self) -> int:
        """Return the position, counting what is pending."""
        return self.handle.position + len(self.pending)

    def close(self) -> None:
        """Write what is pending and let go of the file."""
        if self.closed:
            return
        try:
            self.flush()
        finally:
            self.closed = True
            if self.closes:
                self.descriptors.close(self.handle)
            if self.on_close is not None:
                self.on_close()
