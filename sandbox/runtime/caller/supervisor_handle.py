"""Starting a supervisor from the caller: never a fork of it, which may hold threads and secrets."""

import contextlib
import errno
import marshal
import os
import socket
import subprocess
import sys
import sysconfig
import threading
import weakref
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sandbox.errors import SandboxError
from sandbox.kernel import cgroup
from sandbox.policy.layers import OFF
from sandbox.policy.packages import to_show
from sandbox.policy.plan import Plan
from sandbox.runtime.caller import capacity, orphans
from sandbox.runtime.caller.greeting import KilledError, await_greeting
from sandbox.runtime.caller.host import check_platform, interpreter_flags
from sandbox.runtime.caller.remedies import (
    NO_DESCRIPTOR,
    NO_PROCESS,
)
from sandbox.runtime.executions import pipes
from sandbox.runtime.executions.process_state import is_stopped
from sandbox.runtime.executions.starvation import STEP_SECONDS
from sandbox.runtime.wire import protocol

_SPARES_PER_WORKER = 2  # so that they can be forked a few at a time
_START_ATTEMPTS = 3
_STOP_SECONDS = 5.0
# With packages the heap is large: in huge pages a fork copies a five-hundredth of the page tables.
# It has to be glibc's for that, which is no slower then.
_IN_HUGE_PAGES = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
_KEPT = ("PYTHONHASHSEED", "LD_LIBRARY_PATH", "LC_CTYPE", *_IN_HUGE_PAGES)  # LC_CTYPE: its own
# The stack is laid out at exec, so its limit is raised before: by the shell, which starts in a
# tenth of an interpreter's time, or, should that fail, by the interpreter itself for a second exec.
# Some shells leave variables of their own behind: that too is mended by a second exec.
_SHELL = "/bin/sh"
_RAISE_STACK = 'ulimit -S -s {} 2>/dev/null; unset PWD OLDPWD SHLVL; exec "$0" "$@"'
# In CPython 3.14, and late releases of 3.13, `ctypes` imports `sysconfig`, for the sake of another
# system, and that `threading`, whose object of the first thread keeps the standard error it finds.
_WITHOUT_THREADS = 'sys.modules["sysconfig"] = sys' if (3, 13) <= sys.version_info < (3, 15) else ""
# Fixed text and the stack's size: a child can read its arguments.
_BOOT = f"""
import marshal, os, sys, _signal
_signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # it would be raised in a guest, who may catch it
try:
    import resource
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    want = int(sys.argv[1])
    want = want if hard == resource.RLIM_INFINITY else min(want, hard)
    keep = dict((k, v) for k, v in os.environ.items() if k in {_KEPT!r})
    if soft != want or len(keep) < len(os.environ):
        resource.setrlimit(resource.RLIMIT_STACK, (want, hard))
        os.execve(sys.executable, sys.orig_argv, keep)
    config = marshal.loads(os.read(0, 1 << 22))
    sys.path += config["path"]
    {_WITHOUT_THREADS}
    from sandbox.runtime.supervisor.supervisor import main
    sys.modules.pop("sysconfig", None)
except BaseException as error:
    os.write(0, b"!" + marshal.dumps(("process", f"{{type(error).__name__}}: {{error}}"[:2000])))
    os._exit(1)
main(config)
"""


@dataclass(slots=True, eq=False)
class SupervisorHandle:
    """A running supervisor, as the caller holds it."""

    process: "subprocess.Popen[bytes]"
    control: socket.socket
    hello: dict[str, Any]
    group: cgroup.Group | None
    lock: threading.Lock
    asked: deque[socket.socket] = field(default_factory=deque)  # channels for jobs yet to come
    served: int = 0
    leases: "weakref.WeakSet[Lease]" = field(default_factory=weakref.WeakSet)

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        return self.process.pid

    @property
    def pids(self) -> tuple[int, int]:
        """The process ids of the supervisor and of its forker."""
        return self.pid, self.hello["forker"]

    def request(
        self, cpu_seconds: float, less_bytes: int, *, session: bool = False
    ) -> socket.socket:
        """Ask for a child; returns this side of the job's channel. Raises OSError.

        Of a `session` it is the keeper.
        """
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            ours.setblocking(False)
            message = protocol.REQUEST.pack(cpu_seconds, less_bytes, session)
            with self.lock:
                pipes.send(self.control, message, theirs.fileno())
        except BaseException:
            ours.close()
            raise
        finally:
            theirs.close()
        return ours

    def abandon(self) -> None:
        """Let go, in a fork of the caller, of what belongs to the parent, without touching it."""
        self.control.close()
        while self.asked:
            self.asked.pop().close()
        self.process.returncode = 0  # not this process's child: nothing to wait for
        self.group = None

    def stop(self) -> None:
        """End the supervisor and its children and wait for it. Safe to call twice."""
        with contextlib.suppress(OSError):  # it is gone already
            self.control.shutdown(socket.SHUT_RDWR)
        self.control.close()
        while self.asked:
            self.asked.pop().close()
        self._wait_for_end()
        orphans.reap()
        if self.group is not None:
            self.group.remove()
            self.group = None

    def _wait_for_end(self) -> None:
        for _ in range(int(_STOP_SECONDS / STEP_SECONDS)):
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(STEP_SECONDS)
                return
            if is_stopped(self.pid):  # by something outside: it does not hear that it is to end
                break
        self.process.kill()
        self.process.wait()


@dataclass(slots=True, eq=False, weakref_slot=True)
class Lease:
    """Held by the owner of an execution on `supervisor`, which does not end before.

    Known by weak references: what an interrupt took from its holder is no lease any more.
    """

    supervisor: SupervisorHandle


_Told = Callable[[SupervisorHandle], object]


def start(
    plan: Plan,
    *,
    spares: int,
    sessions: int = 0,
    begun: _Told = lambda _: None,
    accept: _Told = lambda _: None,
) -> SupervisorHandle:
    """Start a supervisor for `plan` and wait until it is jailed and has proven it.

    One that is killed meanwhile is started again. `begun` is told of each as soon as its process is
    there: the one told has to stop it, should an interrupt come amid all this. `accept` is told of
    one that has greeted, and raises what makes it useless.

    Raises SandboxUnavailable when a required layer is missing on this host and SandboxError when
    the supervisor cannot start.
    """
    check_platform()
    if not os.access(sys.executable or "", os.X_OK):
        raise SandboxError(
            f"the supervisor could not be started: {sys.executable!r} is no program;"
            " run under an installed interpreter"
        )
    for _ in range(_START_ATTEMPTS):
        try:
            return _started(plan, spares, sessions, begun, accept)
        except KilledError as error:  # as by the kernel, out of memory: not a matter of the policy
            last = error
        except OSError as error:  # no descriptor, no process, no memory
            what = {
                errno.EMFILE: NO_DESCRIPTOR,
                errno.ENFILE: NO_DESCRIPTOR,
                errno.EAGAIN: NO_PROCESS,
            }.get(error.errno or 0, str(error))
            raise SandboxError(f"the supervisor could not be started: {what}") from error
    raise SandboxError(str(last))


def _started(
    plan: Plan, spares: int, sessions: int, begun: _Told, accept: _Told
) -> SupervisorHandle:
    group = _cgroup(plan, spares)
    with orphans.noted() as outcome:
        process, control = _spawn(group, plan, outcome)
        supervisor = SupervisorHandle(process, control, {}, group, threading.Lock())
        begun(supervisor)
    try:
        if group is not None and not group.take(process.pid):
            group.remove()
            group = supervisor.group = None
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # its end says why
            pipes.send(control, marshal.dumps(_configuration(plan, spares, sessions, group)))
        supervisor.hello = await_greeting(control, process)
        accept(supervisor)
    except BaseException:
        supervisor.stop()
        raise
    return supervisor


def _spawn(
    group: cgroup.Group | None, plan: Plan, outcome: orphans.Outcome
) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """Start the process; return it and the caller's control socket. Leave nothing if it fails."""
    with contextlib.ExitStack() as undo:
        if group is not None:
            undo.callback(group.remove)
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        undo.callback(ours.close)
        with theirs:
            process = orphans.made(lambda: _popen(theirs.fileno(), plan), outcome)
        undo.pop_all()
        return process, ours


def _popen(control: int, plan: Plan) -> "subprocess.Popen[bytes]":
    null, command = subprocess.DEVNULL, _command(plan.limits.stack_bytes)
    environment = _environment() | (_IN_HUGE_PAGES if plan.packages else {})
    own: dict[str, Any] = {"env": environment, "cwd": "/", "start_new_session": True}
    return subprocess.Popen(command, stdin=control, stdout=null, stderr=null, **own)


def _command(stack_bytes: int) -> list[str]:
    shell = [_SHELL, "-c", _RAISE_STACK.format(stack_bytes >> 10)]
    python = [sys.executable, *interpreter_flags(), "-c", _BOOT, str(stack_bytes)]
    return [*shell, *python] if os.access(_SHELL, os.X_OK) else python


def _cgroup(plan: Plan, spares: int) -> cgroup.Group | None:
    """Make room for all guests that can run at once, and all processes that can be alive."""
    if plan.layers["cgroup"] == OFF:
        return None
    return cgroup.make(
        memory_bytes=(spares + 1) * capacity.child_bytes(plan),
        processes=(_SPARES_PER_WORKER + 3) * spares + 16,
        cpus=spares + 1,  # the supervisor's is the last
    )


def _environment() -> dict[str, str]:
    """Make a child's environment, with nothing of the caller's; the loader's path if it must."""
    environment = {"PYTHONHASHSEED": "0"}
    if sysconfig.get_config_var("Py_ENABLE_SHARED"):
        name = str(sysconfig.get_config_var("INSTSONAME"))
        own = str(sysconfig.get_config_var("LIBDIR"))
        # Where it was built to be, or where the caller's own loader found it.
        for folder in (own, *os.environ.get("LD_LIBRARY_PATH", "").split(":")):
            if folder and os.path.exists(os.path.join(folder, name)):
                environment["LD_LIBRARY_PATH"] = folder
                break
    return environment


def _configuration(
    plan: Plan, spares: int, sessions: int, group: cgroup.Group | None
) -> dict[str, Any]:
    found = find_spec("RestrictedPython")  # not imported: it is the supervisor's
    if found is None or found.origin is None:
        raise SandboxError("the supervisor could not be started: RestrictedPython is not installed")
    packages = (Path(__file__).parents[3], Path(found.origin).parents[1])
    return {
        "plan": plan.to_dict(),
        "workers": spares,
        "sessions": sessions,
        "spares": _SPARES_PER_WORKER * spares,
        "caller": os.getpid(),
        "cgroup": group.description if group else "",
        "path": list(dict.fromkeys(map(str, packages))),
        "show": to_show(plan),
    }
