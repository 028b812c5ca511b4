"""The greeting of a supervisor that has started, or the reason why it has not."""

import marshal
import select
import socket
import subprocess
import time
from typing import Any

from sandbox.errors import SandboxError, SandboxUnavailable
from sandbox.runtime.caller.remedies import A_HOLE, UNCOUNTED, remedy_for
from sandbox.runtime.executions.process_state import Watch
from sandbox.runtime.executions.starvation import STEP_SECONDS
from sandbox.runtime.supervisor import proc_status
from sandbox.runtime.wire import protocol

_START_SECONDS = 60.0


class KilledError(SandboxError):
    """A signal ended or stopped a supervisor while it started."""


def await_greeting(control: socket.socket, process: "subprocess.Popen[bytes]") -> dict[str, Any]:
    """Return what a supervisor says of itself when it is jailed and has proven it.

    Raises KilledError, SandboxUnavailable and SandboxError.
    """
    poll = select.poll()
    poll.register(control, select.POLLIN)
    # Polls are counted, not seconds of a clock: a machine that stands still starts nothing.
    watch = Watch(process.pid)
    for _ in range(int(_START_SECONDS / STEP_SECONDS)):
        if poll.poll(STEP_SECONDS * 1000):
            break
        if watch.is_stopped(time.monotonic()):
            raise KilledError("something outside stopped the supervisor as it started")
    else:
        raise SandboxError(f"the supervisor did not start within {_START_SECONDS:.0f} seconds")
    try:
        message = control.recv(protocol.CONTROL_BYTES)
    except OSError:
        message = b""
    if message[:1] == protocol.HELLO:
        hello: dict[str, Any] = marshal.loads(message[1:])
        _check_layers(hello)
        return hello
    if message[:1] == protocol.FATAL:
        layer, reason = marshal.loads(message[1:])
        if layer == protocol.KILLED:
            raise KilledError(f"the supervisor failed to start: {reason}")
        if layer == "process":
            raise SandboxError(f"the supervisor failed to start: {reason}")
        raise SandboxUnavailable(layer, reason, remedy_for(layer))
    status = process.wait()
    kind = KilledError if status < 0 else SandboxError
    raise kind(f"the supervisor ended while it started (status {status})")


def _check_layers(hello: dict[str, Any]) -> None:
    """Raise if a layer says it is active and lets an attempt through: that is worse than none."""
    told = proc_status.read(hello["child"], hello["active"])
    for layer, attempt, answer, held in [*hello["attempts"], *told]:
        if not held:
            if answer == protocol.BY_KILL:
                raise KilledError(f"something outside killed the child that tried to {attempt}")
            raise SandboxUnavailable(
                layer,
                f"it is active, yet a probe could {attempt} ({answer})",
                UNCOUNTED if (layer, attempt) == ("rlimits", "fork") else A_HOLE,
            )
