"""A process that is prepared once, and does each job in a fork of it.

To build a world and to seal it takes much longer than an ordinary program does. What is prepared
there, a weakness that was planted, say, leaves no trace in the process that asks.
"""

import contextlib
import faulthandler
import functools
import gc
import marshal
import os
import select
import signal
import struct
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

from sandbox.kernel import namespaces

_LENGTH = struct.Struct("<Q")
_CHUNK_BYTES = 1 << 16
_MOST_BYTES = 1 << 23

# Does one job and writes what came of it to a descriptor. Called in the fork, which ends after it.
Perform = Callable[[Any, int], None]


class Ended(NamedTuple):
    """The end of a fork: what it wrote, and its wait status."""

    data: bytes
    status: int

    @property
    def signal(self) -> signal.Signals | None:
        """The signal that ended it, if one did."""
        number = os.WTERMSIG(self.status) if os.WIFSIGNALED(self.status) else 0
        return signal.Signals(number) if number else None


class TemplateError(Exception):
    """The process could not be prepared, or it is gone."""


class Template:
    """A process in which `prepare` was called, and a fork of it for each job.

    It ends when it is closed, and with the process that made it, however that ends. A job may take
    `wall_seconds`. Raises TemplateError with the traceback if `prepare` raises.
    """

    def __init__(self, prepare: Callable[[], Perform], wall_seconds: float) -> None:
        asks, self._asks = os.pipe()
        self._tells, tells = os.pipe()
        self._owner, self._pid = os.getpid(), os.fork()
        if self._pid == 0:
            try:
                _close_all_but(asks, tells)
                _serve(prepare, wall_seconds, asks, tells)
            finally:
                os._exit(1)
        os.close(asks)
        os.close(tells)
        if failed := _receive(self._tells, "it ended before it was prepared"):
            self.close()
            raise TemplateError(failed)

    def run(self, job: Any) -> Ended:
        """Do `job`, of types that `marshal` knows."""
        with contextlib.suppress(BrokenPipeError):  # it says so below
            _send(self._asks, job)
        if (answer := _receive(self._tells)) is None:
            raise TemplateError("it ended")
        return Ended(*answer)

    def close(self) -> None:
        """End the process. In a fork of the one that made it, this does nothing."""
        if os.getpid() != self._owner:
            return
        os.close(self._asks)
        os.close(self._tells)
        os.waitpid(self._pid, 0)


def in_a_fork(work: Callable[[int], None], wall_seconds: float) -> Ended:
    """Call `work` with a descriptor to write to, in a fork of this process, which has one thread.

    The fork is killed if it takes longer than `wall_seconds`.
    """
    reading, writing = os.pipe()
    pid = namespaces.fork(pid_namespace=False)  # as a supervisor does it: no hook runs after it
    if pid == 0:
        try:
            os.close(reading)
            work(writing)
        finally:
            os._exit(0)
    os.close(writing)
    data = _all_of(reading, pid, wall_seconds)
    os.close(reading)
    return Ended(data, os.waitpid(pid, 0)[1])


def _serve(prepare: Callable[[], Perform], wall_seconds: float, asks: int, tells: int) -> None:
    faulthandler.disable()  # its descriptor is closed, and another has the number by now
    gc.disable()
    gc.unfreeze()  # to seal is to look at every object that the collector knows
    try:
        perform = prepare()
    except Exception:
        _send(tells, traceback.format_exc())
        return
    gc.freeze()  # as in the supervisor: what there is does not change when garbage is found
    _send(tells, "")
    while (job := _receive(asks)) is not None:
        _send(tells, tuple(in_a_fork(functools.partial(perform, job), wall_seconds)))


def _close_all_but(*kept: int) -> None:
    """Close what else the process had that was forked: another may wait for its last copy to go."""
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2 and number not in kept:
            with contextlib.suppress(OSError):  # that of the folder itself
                os.close(number)


def _send(descriptor: int, value: Any) -> None:
    data = marshal.dumps(value)
    data = _LENGTH.pack(len(data)) + data
    while data:
        data = data[os.write(descriptor, data) :]


def _receive(descriptor: int, otherwise: Any = None) -> Any:
    """Read one message; `otherwise` if the other side is gone. Without a file: seals close them."""
    data, wanted = bytearray(), _LENGTH.size
    while len(data) < wanted:
        chunk = os.read(descriptor, wanted - len(data))
        if not chunk:
            return otherwise
        data += chunk
        if wanted == len(data) == _LENGTH.size:
            wanted += _LENGTH.unpack(data)[0]
    return marshal.loads(data[_LENGTH.size :])


def _all_of(reading: int, pid: int, wall_seconds: float) -> bytes:
    data, until = bytearray(), time.monotonic() + wall_seconds
    while select.select([reading], [], [], max(until - time.monotonic(), 0))[0]:
        chunk = os.read(reading, _CHUNK_BYTES)
        if not chunk:
            break
        data += chunk[: _MOST_BYTES - len(data)]
    else:
        os.kill(pid, signal.SIGKILL)
    return bytes(data)
