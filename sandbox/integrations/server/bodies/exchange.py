"""Handing values to a helper and back by files in memory, as they may be long.

Through a pipe it would be copied six times on its way, and the event loop would wait for each.
"""

import asyncio
import mmap
import os
import pickle
import struct
from types import TracebackType
from typing import Any, BinaryIO, Self

_LENGTH = struct.Struct("<Q")


def memory_file() -> int:
    """Make a file in memory and return its descriptor. Raises OSError."""
    return os.memfd_create("helper", os.MFD_CLOEXEC)


def path_of(file: int) -> str:
    """Return the path for other processes of this user, until it is closed here. Raises OSError."""
    # As that file system counts processes, which may be that of another namespace.
    return f"/proc/{os.readlink('/proc/self')}/fd/{file}"


def read(path: str) -> Any:
    """Read the value that is in the file at `path`."""
    with open(path, "rb") as file:
        return _loaded(file.fileno())


def write(file: BinaryIO, value: Any) -> None:
    """Put `value` into `file`, and close it. Raises OSError if there is no room.

    The buffers in it (`pickle.PickleBuffer`) stand behind it, then their lengths, then how many
    there are, so that `_loaded` finds them without a copy.
    """
    with file:
        buffers: list[memoryview] = []
        pickle.dump(
            value,
            file,
            pickle.HIGHEST_PROTOCOL,
            buffer_callback=lambda buffer: buffers.append(buffer.raw()),
        )
        for buffer in buffers:
            file.write(buffer)
        for length in (*map(len, buffers), len(buffers)):
            file.write(_LENGTH.pack(length))


class Exchange:
    """Places for a value for a helper, for the one that it gives back, and for its last word, to a
    block's end.

    Raises OSError if there is no descriptor, or no /proc.
    """

    def __init__(self) -> None:
        self._files: list[int] = []
        try:
            for _ in range(3):
                self._files.append(memory_file())
            self.given, self.answer, self.last_word = map(path_of, self._files)
        except BaseException:
            self._close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._close()

    async def give(self, value: Any) -> None:
        """Put `value` there. The kernel does most of it, so that a thread lets others go on.

        Raises OSError if there is no memory, and what pickling raises.
        """
        file = os.fdopen(os.dup(self._files[0]), "wb")  # its own: it may outlast the block
        writing = asyncio.get_running_loop().run_in_executor(None, write, file, value)
        # Not cancelled with the task that waits: a thread that has not begun would leave the file
        # open.
        await asyncio.shield(writing)

    def answered(self) -> Any:
        """Read the value that the helper wrote to `answer`."""
        return _loaded(self._files[1])

    def had_last_word(self) -> bool:
        """Return True if the helper has said why it ends."""
        return os.fstat(self._files[2]).st_size > 0

    def _close(self) -> None:
        while self._files:
            os.close(self._files.pop())


def _loaded(file: int) -> Any:
    content = memoryview(mmap.mmap(file, 0, access=mmap.ACCESS_READ))
    (count,) = _LENGTH.unpack(content[-_LENGTH.size :])
    end = len(content) - _LENGTH.size * (count + 1)
    lengths = [length for (length,) in _LENGTH.iter_unpack(content[end : -_LENGTH.size])]
    start, buffers = end - sum(lengths), []
    for length in lengths:
        buffers.append(content[start : start + length])
        start += length
    return pickle.loads(content, buffers=buffers)  # which keep the memory, as long as they live
