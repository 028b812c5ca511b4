"""The system calls that sessions add: those of a state, which forks when it is told to, and the
keeper's own.

A state is a process with a guest in it. Beside what every child may do it may read its socket with
a descriptor that comes along, give that descriptor the numbers of its two ends, and fork with
exactly the flags of its keeper's. RLIMIT_NPROC, which its keeper raises for an order alone, and the
PID namespace bound what it forks; nothing else of it is a power. A keeper runs no guest's code, and
hears of guests only bytes that it hands on.
"""

import errno
from collections.abc import Iterable

from sandbox.kernel.namespaces import SIBLING_FLAGS
from sandbox.kernel.seccomp import Check, Rule
from sandbox.kernel.syscall_sets import INTERPRETER, JOB_FD, RESULT_FD

_INT = 0xFFFFFFFF
_AF_UNIX, _SOCK_STREAM, _SOCK_FLAGS = 1, 1, 0x80800  # SOCK_CLOEXEC, SOCK_NONBLOCK
_SOL_SOCKET, _SO_PASSCRED = 1, 16
_ITIMER_PROF = 2

_STATE = (
    Rule("recvmsg", "orders, with a descriptor for a fork", (Check(0, JOB_FD, _INT),)),
    Rule("dup3", "the fork's own socket", (Check(1, JOB_FD, _INT), Check(2, 0, _INT))),
    Rule("dup3", "the fork's own socket", (Check(1, RESULT_FD, _INT), Check(2, 0, _INT))),
    Rule(
        "clone",
        "a fork of this process alone, in its namespaces, as a child of its keeper's;"
        " RLIMIT_NPROC bounds how many there are",
        (Check(0, SIBLING_FLAGS, _INT), Check(1, 0)),
    ),
    Rule(
        "setitimer",
        "a fork has no timer, and is to look for garbage as this process does",
        (Check(0, _ITIMER_PROF, _INT),),
    ),
)

# abort(3) names the process: in a state it is not 1, and it may end no other. It traps instead.
_NO_ABORT = Rule("tgkill", "abort() goes on without it", error=errno.EPERM)

_KEEPER = (
    Rule("read", "commands, states' bytes, signals"),
    Rule("write", "bytes of states, answers"),
    Rule("recvmsg", "bytes of states"),
    Rule("recvfrom", "bytes of states"),
    Rule("sendmsg", "cells, and the sockets of forks"),
    Rule("sendto", "cells"),
    Rule(
        "socketpair",
        "for each state one, connected to nothing else",
        (Check(0, _AF_UNIX, _INT), Check(1, _SOCK_STREAM, _INT & ~_SOCK_FLAGS), Check(2, 0, _INT)),
    ),
    Rule(
        "setsockopt",
        "the kernel says which process a state is",
        (Check(1, _SOL_SOCKET, _INT), Check(2, _SO_PASSCRED, _INT)),
    ),
    Rule("poll", "waiting"),
    Rule("ppoll", "waiting"),
    Rule("fcntl", "descriptors that do not block", (Check(1, 3, _INT),)),
    Rule("fcntl", "descriptors that do not block", (Check(1, 4, _INT),)),
    Rule("ioctl", "FIONBIO", (Check(1, 0x5421, _INT),)),
    Rule("ioctl", "FIOCLEX", (Check(1, 0x5451, _INT),)),
    Rule("fstat", "CPython looks at each socket's descriptor"),
    Rule("getsockname", "CPython asks each socket for its kind"),
    Rule("getsockopt", "CPython asks each socket for its kind", (Check(1, _SOL_SOCKET, _INT),)),
    Rule("wait4", "reaping states"),
    Rule("waitid", "whether a state is a child of its own, and lives"),
    Rule("kill", "ending states: there is no other process in its namespace, nor in its domain"),
    Rule("prlimit64", "whether a state may fork: RLIMIT_NPROC", (Check(1, 6, _INT),)),
    Rule("setpgid", "each state has a process group, which ends with it"),
    Rule("timer_create", "a timer on a state's CPU clock"),
    Rule("timer_settime", "a timer on a state's CPU clock"),
    Rule("timer_delete", "a timer on a state's CPU clock"),
    Rule("clock_gettime", "a state's CPU clock"),
)


def of_state(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules of a state; `rules` are those of a child under the same policy."""
    usual = [_NO_ABORT if rule.name == "tgkill" else rule for rule in rules]
    return (*_STATE, *usual)


def of_keeper() -> tuple[Rule, ...]:
    """Return the rules of a keeper, which is forked from a finished interpreter as a child is."""
    own = {rule.name for rule in _KEEPER}
    usual = [rule for rule in INTERPRETER if rule.name not in own]
    return (*_KEEPER, *usual)
