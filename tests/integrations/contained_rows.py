"""Sources of reward functions that do more than reward, and a sandbox that fails meanwhile."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import psutil

from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.caller.defaults import default_sandbox

# Names are made as it runs, so that nothing refuses them before; MARK is a file's path.
STRIKE = """
import random

def strike():
    for way in (
        lambda: getattr(getattr(random, "_o" + "s"), "sys" + "tem")("touch MARK"),
        lambda: getattr(object, "__sub" + "classes__")(),
        lambda: getattr(strike, "__glob" + "als__")["__built" + "ins__"]["open"]("MARK", "w"),
        lambda: "{0.__globals__}".format(strike)["open"]("MARK", "w"),
    ):
        try:
            way()
        except Exception:
            pass
"""


def evasive(function: str, mark: Path) -> str:
    """A source that tries to make the file `mark` as it is loaded, and then has `function`."""
    return f"{STRIKE.replace('MARK', str(mark))}\nstrike()\n{function}"


@contextmanager
def failing(policy: str = "reward") -> Iterator[None]:
    """The shared sandbox of `policy` loses its supervisor, and each that takes over before it is
    asked anything, to the end of the block."""
    default_sandbox(policy).run("")
    lost, start = default_sandbox(policy)._pool._current, supervisor_handle.start
    assert lost is not None

    def start_lost(*args: Any, **options: Any) -> supervisor_handle.SupervisorHandle:
        supervisor = start(*args, **options)
        _end(supervisor.pid)
        return supervisor

    with mock.patch.object(supervisor_handle, "start", start_lost):
        _end(lost.pid)
        yield


def _end(pid: int) -> None:
    process = psutil.Process(pid)
    process.kill()
    process.wait(10)


@contextmanager
def losing(process: psutil.Process, others: Iterable[int] = ()) -> Iterator[None]:
    """`process` loses its children but for `others`, and each that it starts, to the end of the
    block."""
    over, kept = threading.Event(), set(others)

    def kill() -> None:
        for child in process.children():
            if child.pid not in kept:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child.pid, signal.SIGKILL)

    def kill_on() -> None:
        while not over.wait(0.01):
            kill()

    kill()  # what comes in the block has to wait for another one
    killing = threading.Thread(target=kill_on)
    killing.start()
    try:
        yield
    finally:
        over.set()
        killing.join()
