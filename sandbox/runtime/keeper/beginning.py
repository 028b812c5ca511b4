"""The beginning of a session: a child becomes its keeper, and forks the first state."""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import os
import signal
from collections.abc import Callable
from typing import NoReturn

from sandbox.interpreter.vault import asking
from sandbox.kernel import namespaces, timers
from sandbox.kernel.sessions.states import MADE
from sandbox.kernel.steps import Step, carry_out
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.runtime.keeper.keeper import FIRST, Keeper
from sandbox.runtime.keeper.state import CPU_SIGNAL, State
from sandbox.runtime.wire import protocol


def keep(
    before: list[Step],
    own: list[Step],
    most_states: int,
    threads: bool,
    be_first: Callable[[], NoReturn],
    end: Callable[[int], NoReturn] = asking.end,
) -> NoReturn:
    """Be confined by `before`, fork the first state, be confined by `own`, serve; never return.

    `be_first` is what the first state does, which has its socket as the ends of both pipes. No
    caller gives `end`. Where a guest may have `threads`, the limit that bounds them is no bar to
    its own forks while a cell runs; these end with the cell.
    """
    try:
        carry_out(before)
        signals = timers.blocked_signals({signal.SIGCHLD, CPU_SIGNAL})
        ours, theirs = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        pid = namespaces.fork(pid_namespace=False)
        if pid == 0:
            ours.close()
            os.close(signals)
            os.dup2(theirs.fileno(), JOB_FD, inheritable=False)
            os.dup2(theirs.fileno(), RESULT_FD, inheritable=False)
            theirs.close()
            del ours, theirs  # of what a state has no frame has more
            be_first()
        theirs.close()
        carry_out(own)
        if ours.recv(1) != MADE:
            said = ours.recv(512).decode(errors="replace")
            raise OSError(f"the first state of a session could not be confined: {said}")
        ours.setblocking(False)
        os.set_blocking(RESULT_FD, False)
        keeper = Keeper(State(FIRST, ours, pid), most_states, signals, threads=threads)
        os.write(RESULT_FD, protocol.READY)
        keeper.serve()
    except BaseException as error:
        if not isinstance(error, SystemExit):
            _say_why(error)
    finally:
        end(1)


def _say_why(error: BaseException) -> None:
    try:
        os.write(RESULT_FD, protocol.NOT_READY + f"{error}".encode()[:500])
    except OSError:
        return
