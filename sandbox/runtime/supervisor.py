"""The fork server: a fresh interpreter with one thread, no power and no byte of any job."""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import gc
import marshal
import os
import select
import signal
import struct
import sys
from collections import deque
from typing import Any, NoReturn

from sandbox.interpreter.disarm import Armories
from sandbox.kernel import descriptors, libc, limits, timers
from sandbox.kernel.steps import Step
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.language.guards.sealing import seal
from sandbox.policy.plan import Plan
from sandbox.runtime import channels, needs, preparation, probes, protocol
from sandbox.runtime import child as children
from sandbox.runtime import jail as jails
from sandbox.runtime.heap import fill_gaps
from sandbox.runtime.nursery import CPU_SIGNAL, Child, Nursery
from sandbox.runtime.reporter import stack_bounds

_RETRY_FORK_SECONDS = 0.05
_FORK_FAILURES = 100  # five seconds of a machine that cannot fork
_CONFINEMENT_FAILURES = 5
_FORKS_IN_A_ROW = 4
_FIRST_CHILD_SECONDS = 30


def main(config: dict[str, Any]) -> NoReturn:
    """Start, answer HELLO or FATAL on descriptor 0, serve until the caller is gone."""
    server = _started(config)
    server.greet()
    try:
        server.serve()
    finally:
        server.nursery.end_all()
        os._exit(0)


def _started(config: dict[str, Any]) -> Supervisor:
    """The supervisor; its socket is in no frame that lives on, and so in none of a child's."""
    control = _socket.socket(fileno=0)
    try:
        return Supervisor(control, config)
    except jails.LayerMissing as error:
        _fatal(control, error.layer, error.reason)
    except BaseException as error:
        _fatal(control, "process", f"{type(error).__name__}: {error}")


def _fatal(control: _socket.socket, layer: str, reason: str) -> NoReturn:
    control.send(protocol.FATAL + marshal.dumps((layer, reason[:2000])))
    os._exit(1)


class Supervisor:
    """One policy, one jail, a few spare children, and the callers that wait for them."""

    def __init__(self, control: _socket.socket, config: dict[str, Any]) -> None:
        self._control = control
        self._plan = plan = Plan.from_dict(config["plan"])
        self._room: int = needs.descriptors(config["spares"], config["workers"])
        self._spares_wanted = min(config["spares"], self._room)
        limits.have_all_cpu_time()
        descriptors.occupy(JOB_FD, RESULT_FD)  # before anything else is open
        libc.buffer_standard_error()
        ready = preparation.prepare(plan, stack_bounds(limits.stack_bytes()))
        preparation.warm_up(ready, plan)
        caller = channels.watch(config["caller"])
        files = jails.OwnFiles.open()
        signals = timers.signal_descriptor({signal.SIGCHLD, CPU_SIGNAL})
        jail = jails.enter(plan, config["cgroup"])
        needs.cpu_timers(config["workers"])
        seal(ready.world)  # C code sets an attribute of each text file that is opened: none is now
        armories = Armories()

        def live(steps: list[Step], rehearse: bool) -> None:
            program = ready.program if rehearse else ""
            children.live(steps, plan, ready.world, program, armories.drop)

        self.nursery = Nursery(plan, jail, files, live, armories.drop)
        self._jail, self._statm = jail, files.statm
        attempts = preparation.give_up(plan, ready, armories, self, self.nursery)
        attempts += probes.run(jail, self.nursery.examine)
        fill_gaps()
        gc.freeze()
        gc.disable()
        self._waiting: deque[channels.Request] = deque()
        self._ready: deque[Child] = deque()
        self._unready: dict[int, Child] = {}  # by result pipe
        self._channels: dict[int, Child] = {}
        self._failures = 0
        self._refilling = True
        self._poll = select.poll()
        self._handlers = {control.fileno(): self._on_control, signals: self._on_signal}
        if caller is not None:
            self._handlers[caller] = self._on_caller_gone
        for descriptor in self._handlers:
            self._poll.register(descriptor, select.POLLIN)
        self._attempts = [tuple(attempt) for attempt in attempts]

    def greet(self) -> None:
        """Fork the first child and tell the caller what was found; if there is none, end."""
        try:
            child = self._fork_first()
        except BaseException as error:
            _fatal(self._control, "process", f"{type(error).__name__}: {error}")
        resident = jails.OwnMemory.read(self._statm).resident_bytes
        hello = {
            "active": self._jail.active,
            "missing": self._jail.missing,
            "child": child.pid,
            "attempts": self._attempts,
            "stack_bytes": self._jail.stack_bytes,
            "resident_bytes": resident,
        }
        self._control.send(protocol.HELLO + marshal.dumps(hello))

    def _fork_first(self) -> Child:
        """The first spare, ready: the caller looks at it from outside before it trusts the rest."""
        child = self.nursery.fork()
        poll = select.poll()
        poll.register(child.result, select.POLLIN)
        any(poll.poll(1000) for _ in range(_FIRST_CHILD_SECONDS))  # a frozen machine's do not count
        answer = os.read(child.result, 512)
        if not answer:
            _fatal(self._control, protocol.KILLED, "something outside killed its first child")
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
        """Milliseconds until something is due without an event; None for never."""
        due = self.nursery.end_overdue()
        if self._failures or (self._waiting and not self._unready):
            due = min(due or _RETRY_FORK_SECONDS, _RETRY_FORK_SECONDS)
        return None if due is None else due * 1000

    def _handle(self, descriptor: int, event: int) -> None:
        if descriptor in self._handlers:
            self._handlers[descriptor](descriptor)
        elif descriptor in self._unready:
            self._on_ready(descriptor)
        elif descriptor in self._channels:
            self._on_channel(descriptor, event)

    # -- events

    def _on_caller_gone(self, _descriptor: int) -> None:
        sys.exit()

    def _on_control(self, _descriptor: int) -> None:
        room = _socket.CMSG_SPACE(4)
        data, ancillary, _, _ = self._control.recvmsg(protocol.REQUEST.size, room)
        if not data:
            sys.exit()
        if len(data) != protocol.REQUEST.size or len(ancillary) != 1:
            sys.exit("a message on the control socket is not a request")
        (descriptor,) = struct.unpack("@i", ancillary[0][2][:4])
        channel = _socket.socket(fileno=descriptor)
        channel.setblocking(False)
        self._waiting.append(channels.Request(channel, *protocol.REQUEST.unpack(data)))

    def _on_signal(self, descriptor: int) -> None:
        for number, token in timers.read_signals(os.read(descriptor, 4096)):
            if number == CPU_SIGNAL:
                self.nursery.out_of_time(token)
        for child, status, usage in self.nursery.bury():
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
        """A spare ended by itself: killed from outside, or it could not be confined."""
        if child in self._ready:
            self._ready.remove(child)
        if self._unready.pop(child.result, None) is not None:
            self._poll.unregister(child.result)
            self._failures += 1

    def _on_ready(self, descriptor: int) -> None:
        spare = self._unready[descriptor]
        try:
            answer = os.read(descriptor, 512)
        except BlockingIOError:
            return
        if answer == protocol.READY:
            self._poll.unregister(descriptor)
            del self._unready[descriptor]
            self._ready.append(spare)
            self._failures = 0
        elif answer:
            self._refuse(f"a child could not be confined: {answer[1:].decode(errors='replace')}")
        else:
            self._poll.unregister(descriptor)
            del self._unready[descriptor]
            self._failures += 1

    def _on_channel(self, descriptor: int, event: int) -> None:
        child = self._channels[descriptor]
        assert child.channel is not None
        if event & (select.POLLHUP | select.POLLERR) or not channels.wants_stop(child.channel):
            self._poll.unregister(descriptor)  # it would report the hang-up for ever
            del self._channels[descriptor]
            child.channel.close()
            child.channel = None
            child.cause = protocol.BY_HANGUP
            self.nursery.kill(child)
        else:
            self.nursery.stop(child, protocol.BY_STOP)

    # -- work

    def _match(self) -> None:
        """Hand ready children to those who wait, oldest first."""
        while self._waiting and self._ready:
            request = self._waiting.popleft()
            spare = self._ready.popleft()
            try:
                self.nursery.hand_over(spare, *request)
            except OSError as error:  # the caller gave up, or the machine has no room for a timer
                spare.cause = protocol.BY_HANGUP
                self.nursery.kill(spare)
                channels.refuse(request.channel, f"the child could not be handed over: {error}")
                spare.channel = None
                continue
            descriptor = request.channel.fileno()
            self._channels[descriptor] = spare
            self._poll.register(descriptor, select.POLLIN)

    def _refill(self) -> None:
        """Fork a few children in a row, once half of the spares are gone.

        After a fork the supervisor's own pages are shared again and copied at the next write, so
        that forks in a row cost less than forks between other work.
        """
        if self._failures >= _CONFINEMENT_FAILURES and not self._waiting:
            return  # try again when somebody needs a child
        children = len(self._ready) + len(self._unready)
        spare = children - len(self._waiting)
        if spare >= self._spares_wanted:
            self._refilling = False
        elif spare <= self._spares_wanted // 2:
            self._refilling = True
        if self._refilling:
            room = min(_FORKS_IN_A_ROW, self._room - children)
            for _ in range(min(self._spares_wanted - spare, room)):
                if not self._fork_spare():
                    return

    def _fork_spare(self) -> bool:
        try:
            spare = self.nursery.fork(rehearse=not self._waiting)
        except OSError as error:
            self._failures += 1
            if self._failures > _FORK_FAILURES:
                self._refuse(f"the machine cannot fork: {error}")
            return False
        self._unready[spare.result] = spare
        self._poll.register(spare.result, select.POLLIN)
        return True

    def _refuse(self, reason: str) -> None:
        """Tell everybody who waits that there will be no child."""
        while self._waiting:
            channels.refuse(self._waiting.popleft().channel, reason)
        self._failures = 0
