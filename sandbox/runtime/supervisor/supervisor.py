"""The supervisor: it orders children of its forker, lends them to callers, ends and reaps them.

It has one thread, no power but that over its own children, and no byte of any job.
"""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import marshal
import os
import select
import sys
import time
from collections import deque
from typing import Any, NoReturn

from sandbox.kernel import timers
from sandbox.runtime.caller.remedies import NO_PROCESS
from sandbox.runtime.keeper.starting import Keepers
from sandbox.runtime.supervisor import channels, probes, room
from sandbox.runtime.supervisor import jail as jails
from sandbox.runtime.supervisor.children import CPU_SIGNAL, Child, ChildPool
from sandbox.runtime.supervisor.forker_link import ForkerLost, Link
from sandbox.runtime.supervisor.start import Start
from sandbox.runtime.wire import protocol

_CONTROL_FD = 0
_RETRY_FORK_SECONDS, _FORK_FAILURES = 0.05, 100  # five seconds of a machine that cannot fork
_CONFINEMENT_FAILURES, _FORKS_IN_A_ROW = 5, 4
_FIRST_CHILD_SECONDS = 30
_MOST_POLL_SECONDS = 3600  # poll(2) takes milliseconds as an int


def main(config: dict[str, Any]) -> NoReturn:
    """Start, answer HELLO or FATAL on descriptor 0, serve until the caller is gone.

    The forker begins in here, too: what is in a variable of this frame, a child has.
    """
    server = _greeted(_started(config))
    try:
        server.serve()
    except ForkerLost:
        pass  # as if this process were lost: what it has begun is run again, on another
    finally:
        server.children.end_all()
        os._exit(0)


def _started(config: dict[str, Any]) -> Start:
    try:
        return Start(config)
    except jails.LayerMissing as error:
        _fatal(error.layer, error.reason)
    except BaseException as error:
        _fatal("process", f"{type(error).__name__}: {error}")


def _greeted(start: Start) -> Supervisor:
    try:
        server = Supervisor(start, Link(*start.split()))
        server.greet()
    except ForkerLost:
        _fatal(protocol.KILLED, "something outside killed its forker")
    except BlockingIOError as error:  # a fork met a limit
        _fatal("process", f"{error}: {NO_PROCESS}")
    except BaseException as error:
        _fatal("process", f"{type(error).__name__}: {error}")
    return server


def _fatal(layer: str, reason: str) -> NoReturn:
    os.write(_CONTROL_FD, protocol.FATAL + marshal.dumps((layer, reason[:2000])))
    os._exit(1)


class Supervisor:
    """One policy, one jail, a few spare children, and the callers that wait for them."""

    def __init__(self, start: Start, link: Link) -> None:
        self._start, self._forker = start, link.pid
        self._room, self._spares_wanted = start.room, start.spares
        self._control = _socket.socket(fileno=_CONTROL_FD)
        self.children = ChildPool(start.plan, start.jail, link, start.forker.slots)
        self._waiting: deque[channels.Request] = deque()
        self._ready: deque[Child] = deque()
        self._unready: dict[int, Child] = {}  # by result pipe
        self._channels: dict[int, Child] = {}
        self._keepers = Keepers(self.children, self._hand_over)
        self._failures = 0
        self._fork_after = 0.0
        self._refilling = True
        self._poll = select.poll()
        self._handlers = {_CONTROL_FD: self._on_control, start.signals: self._on_signal}
        if start.caller is not None:
            self._handlers[start.caller] = self._on_caller_gone
        for descriptor in self._handlers:
            self._poll.register(descriptor, select.POLLIN)

    def greet(self) -> None:
        """Probe, fork the first child and tell the caller what was found; if there is none, end."""
        attempts, child = probes.tried(self._start.probes, self.children, self._fork_first)
        jail = self._start.jail
        hello = {
            "active": jail.active,
            "missing": jail.missing,
            "shown": jail.shown if jail.pid_namespaces else (),
            "child": child.pid,
            "forker": self._forker,
            "attempts": [tuple(attempt) for attempt in attempts],
            "stack_bytes": jail.stack_bytes,
            "uids": jail.child_uids > 0,
            "resident_bytes": room.OwnMemory.read(self._start.files.statm).resident_bytes,
        }
        self._control.send(protocol.HELLO + marshal.dumps(hello))

    def _fork_first(self) -> Child:
        """Fork the first spare: the caller looks at it from outside before it trusts the rest."""
        child = self.children.fork(protocol.RUN)
        poll = select.poll()
        poll.register(child.result, select.POLLIN)
        # Polls are counted, not seconds: those of a frozen machine do not count.
        if not any(poll.poll(1000) for _ in range(_FIRST_CHILD_SECONDS)):
            raise OSError(f"no child was confined within {_FIRST_CHILD_SECONDS} seconds")
        answer = os.read(child.result, 512)
        self.children.know(child)
        if not answer:
            _fatal(protocol.KILLED, "something outside killed its first child")
        if answer != protocol.READY:
            raise OSError(f"a child could not be confined: {answer[1:].decode(errors='replace')}")
        self._ready.append(child)
        return child

    def serve(self) -> None:
        """Serve until the caller closes the control socket or ends."""
        while True:
            for descriptor, event in self._poll.poll(self._timeout()):
                self._handle(descriptor, event)
            self._match()
            self._refill()

    def _timeout(self) -> float | None:
        """Return milliseconds until something is due without an event; None for never."""
        due = self.children.end_overdue()
        if self._failures or (self._waiting and not self._unready):
            due = min(due or _RETRY_FORK_SECONDS, _RETRY_FORK_SECONDS)
        return None if due is None else min(due, _MOST_POLL_SECONDS) * 1000

    def _handle(self, descriptor: int, event: int) -> None:
        if descriptor in self._handlers:
            self._handlers[descriptor](descriptor)
        elif descriptor in self._unready:
            self._on_ready(descriptor)
        elif descriptor in self._keepers:
            self._keepers.on_ready(descriptor, self._poll)
        elif descriptor in self._channels:
            self._on_channel(descriptor, event)

    # -- events

    def _on_caller_gone(self, _descriptor: int) -> None:
        sys.exit()

    def _on_control(self, _descriptor: int) -> None:
        request = channels.read_request(self._control)
        if request.session:
            self._keepers.begin(request, self._poll)
        else:
            self._waiting.append(request)

    def _on_signal(self, descriptor: int) -> None:
        for number, token in timers.read_signals(os.read(descriptor, 4096)):
            if number == CPU_SIGNAL:
                self.children.out_of_time(token)
        for child, status, usage in self.children.reap():
            self._after_death(child, status, usage)

    def _after_death(self, child: Child, status: int, usage: Any) -> None:
        if child.channel is None:
            if child.cause != protocol.BY_HANGUP:
                self._forget_spare(child)
            return
        descriptor = child.channel.fileno()
        self._poll.unregister(descriptor)
        del self._channels[descriptor]
        peak = usage.ru_maxrss * 1024
        times = usage.ru_utime, usage.ru_stime
        channels.tell(
            child.channel, protocol.EXITED.pack(protocol.EXIT, child.cause, status, *times, peak)
        )
        child.channel.close()

    def _forget_spare(self, child: Child) -> None:
        """Forget a spare that ended by itself: killed from outside, or it could not be confined."""
        if child in self._ready:
            self._ready.remove(child)
        if self._unready.pop(child.result, None) is not None:
            self._poll.unregister(child.result)
            self._failures += 1
        self._keepers.forget(child, self._poll)

    def _on_ready(self, descriptor: int) -> None:
        spare = self._unready[descriptor]
        try:
            answer = os.read(descriptor, 512)
        except BlockingIOError:
            return
        if answer[:1] == protocol.NOT_READY:
            self._refuse(f"a child could not be confined: {answer[1:].decode(errors='replace')}")
            return
        self._poll.unregister(descriptor)
        del self._unready[descriptor]
        try:
            self.children.know(spare)
        except OSError as error:
            self.children.discard(spare)
            self._fork_failed(error)
            return
        if answer == protocol.READY:
            self._ready.append(spare)
            self._failures = 0
        else:
            self._failures += 1

    def _fork_failed(self, error: OSError) -> None:
        if self._is_pausing():
            return  # ordered in a row with one that is counted: a row is one try
        self._failures += 1
        self._fork_after = time.monotonic() + _RETRY_FORK_SECONDS
        if self._failures > _FORK_FAILURES:
            self._refuse(f"the machine cannot fork: {error}")

    def _on_channel(self, descriptor: int, event: int) -> None:
        child = self._channels[descriptor]
        assert child.channel is not None
        if event & (select.POLLHUP | select.POLLERR) or not channels.wants_stop(child.channel):
            self._poll.unregister(descriptor)  # it would report the hang-up for ever
            del self._channels[descriptor]
            child.channel.close()
            child.channel = None
            child.cause = protocol.BY_HANGUP
            self.children.kill(child)
        else:
            self.children.stop(child, protocol.BY_STOP)

    # -- work

    def _match(self) -> None:
        """Hand ready children to waiting requests, oldest first."""
        while self._waiting and self._ready:
            self._hand_over(self._ready.popleft(), self._waiting.popleft())

    def _hand_over(self, spare: Child, request: channels.Request) -> None:
        channel, cpu, less, _ = request
        try:
            self.children.hand_over(spare, channel, cpu, less)
        except OSError as error:  # the caller gave up, or the machine has no room for a timer
            spare.cause = protocol.BY_HANGUP
            self.children.kill(spare)
            channels.refuse(channel, f"the child could not be handed over: {error}")
            spare.channel = None
            return
        self._channels[channel.fileno()] = spare
        self._poll.register(channel.fileno(), select.POLLIN)

    def _refill(self) -> None:
        """Order a few children in a row, once half of the spares are gone."""
        if self._failures >= _CONFINEMENT_FAILURES and not self._waiting:
            return  # try again when the caller needs a child
        children = len(self._ready) + len(self._unready)
        spare = children - len(self._waiting)
        if spare >= self._spares_wanted:
            self._refilling = False
        elif spare <= self._spares_wanted // 2:
            self._refilling = True
        if self._refilling and not self._is_pausing():
            room = min(_FORKS_IN_A_ROW, self._room - children)
            for _ in range(min(self._spares_wanted - spare, room)):
                if not self._fork_spare():
                    return

    def _is_pausing(self) -> bool:
        """Return True if the machine had no room to fork a moment ago."""
        return self._failures > 0 and time.monotonic() < self._fork_after

    def _fork_spare(self) -> bool:
        try:
            spare = self.children.fork(protocol.RUN if self._waiting else protocol.REHEARSE)
        except OSError as error:
            self._fork_failed(error)
            return False
        self._unready[spare.result] = spare
        self._poll.register(spare.result, select.POLLIN)
        return True

    def _refuse(self, reason: str) -> None:
        """Tell every caller that waits that there will be no child."""
        while self._waiting:
            channels.refuse(self._waiting.popleft().channel, reason)
        self._failures = 0
