"""The processes that use the sandbox's doors, and what is done to them at random moments."""

import contextlib
import json
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil

_ROOT = Path(__file__).resolve().parents[2]
_OPENING_SECONDS, _ENDING_SECONDS = 120, 120
_FREEZE_SECONDS = (0.3, 3.0)
# What tells the processes below a user apart: words of their command lines.
_SUPERVISOR, _HELPER, _NODE = (
    "sandbox.runtime.supervisor.supervisor",
    "anyio.to_process",
    "ray::Node",
)


class User:
    """The process that uses one door, and what it has said."""

    def __init__(self, door: str, seed: int) -> None:
        self.door, self.last, self.chance = door, dict[str, Any](), random.Random(seed)
        self.faults = Counter[str]()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.chaos.use", door, str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=_ROOT,
        )
        self.itself = psutil.Process(self.process.pid)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.last = json.loads(line)

    def wait_until_open(self) -> None:
        """Wait until the first batch is done. Raises SystemExit if it never is."""
        deadline = time.monotonic() + _OPENING_SECONDS
        while not self.last:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise SystemExit(f"{self.door}: no batch without a fault came to its end")
            time.sleep(0.05)

    def supervisors(self) -> list[psutil.Process]:
        """List the supervisors that serve it now, its own and those of its server or nodes."""
        return self._sandboxes(is_guest=False)

    def children(self) -> list[psutil.Process]:
        """List the processes of guests, spare ones too."""
        return self._sandboxes(is_guest=True)

    def helpers(self) -> list[psutil.Process]:
        """List the processes in which its server reads what is dear to read."""
        return [process for process in self._below() if _has(process, _HELPER)]

    def nodes(self) -> list[psutil.Process]:
        """List the processes that hold a sandbox on its cluster's nodes."""
        return [process for process in self._below() if _has(process, _NODE)]

    def _below(self) -> list[psutil.Process]:
        return self.itself.children(recursive=True)

    def _sandboxes(self, *, is_guest: bool) -> list[psutil.Process]:
        """List guests or supervisors.

        Guests are forked by supervisors, and have their command line.
        """
        ours = {process.pid: process for process in self._below() if _has(process, _SUPERVISOR)}
        return [each for each in ours.values() if (each.ppid() in ours) is is_guest]

    def end(self) -> None:
        """Let it finish. Raises nothing: one that does not end is killed, and counted."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write("\n")
            self.process.stdin.close()
        try:
            self.process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self._reader.join(5)


def _has(process: psutil.Process, word: str) -> bool:
    try:
        return word in " ".join(process.cmdline())
    except psutil.Error:  # it has gone
        return False


# -- the faults


def kill_supervisor(user: User) -> None:
    """Kill a supervisor by SIGKILL, as the kernel does it when memory is out."""
    user.chance.choice(user.supervisors()).kill()


def kill_child(user: User) -> None:
    """Kill one guest's process by SIGKILL."""
    user.chance.choice(user.children()).kill()


def stop_supervisor(user: User) -> None:
    """Stop a supervisor for a while, and then continue it."""
    with _stopped([user.chance.choice(user.supervisors())]):
        time.sleep(user.chance.uniform(*_FREEZE_SECONDS))


def stop_child(user: User) -> None:
    """Stop one guest's process for a while, and then continue it."""
    with _stopped([user.chance.choice(user.children())]):
        time.sleep(user.chance.uniform(*_FREEZE_SECONDS) / 2)


def freeze(user: User) -> None:
    """Stop all processes of `user` for a while, as in a container that is paused."""
    with _stopped([user.itself, *user.itself.children(recursive=True)]):
        time.sleep(user.chance.uniform(*_FREEZE_SECONDS) * 2)


def interrupt(user: User) -> None:
    """Interrupt the process of `user` as Ctrl-C does."""
    user.process.send_signal(signal.SIGINT)


def fork(user: User) -> None:
    """Make the caller fork, and use the sandbox in both processes."""
    user.process.send_signal(signal.SIGUSR1)


def fill_pipes(user: User) -> None:
    """Make the caller read nothing for a while."""
    user.process.send_signal(signal.SIGUSR2)


def starve(user: User) -> None:
    """Let a supervisor open no descriptor more, for a while."""
    process = user.chance.choice(user.supervisors())
    soft, hard = process.rlimit(resource.RLIMIT_NOFILE)
    process.rlimit(resource.RLIMIT_NOFILE, (min(process.num_fds(), hard), hard))
    time.sleep(user.chance.uniform(*_FREEZE_SECONDS))
    process.rlimit(resource.RLIMIT_NOFILE, (soft, hard))


def kill_helper(user: User) -> None:
    """Kill one of the server's own processes, which reads a body."""
    user.chance.choice(user.helpers()).kill()


def kill_node(user: User) -> None:
    """Kill an actor of the cluster, with all that runs there."""
    user.chance.choice(user.nodes()).kill()


_Fault = Callable[[User], None]
_EVERYWHERE: tuple[_Fault, ...] = (
    *(kill_supervisor, kill_child, stop_supervisor, stop_child, freeze),
    *(interrupt, fill_pipes, starve),
)
_OF_ONE_DOOR: dict[str, tuple[_Fault, ...]] = {"server": (kill_helper,), "ray": (kill_node,)}


def faults_of(door: str) -> tuple[_Fault, ...]:
    """Return the faults that a user of `door` may meet."""
    return _EVERYWHERE + _OF_ONE_DOOR.get(door, (fork,))


@contextlib.contextmanager
def _stopped(processes: list[psutil.Process]) -> Iterator[None]:
    try:
        for process in processes:
            with contextlib.suppress(psutil.Error):
                process.suspend()
        yield
    finally:
        for process in reversed(processes):
            with contextlib.suppress(psutil.Error):
                process.resume()
