"""With the system call filter gone, a child can touch no sibling, supervisor or forker."""

import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psutil
import pytest

from sandbox import Job, Result, Sandbox, Status

Native = Callable[..., Result]

# Every way to name, signal, trace, limit, reschedule or read another process, by a pid.
TOUCH = """
import resource, signal
targets = [int(p) for p in input().split()]
iov = ctypes.create_string_buffer(struct.pack("<QQ", id(os), 8), 16)
WAYS = {
    "kill": lambda p: call(62, p, 0),
    "kill its group": lambda p: call(62, -p, 0),
    "stop": lambda p: call(62, p, 19),
    "tgkill": lambda p: call(234, p, p, 0),
    "tkill": lambda p: call(200, p, 0),
    "sigqueue": lambda p: call(129, p, 0, struct.pack("<iii", 0, 0, -1) + bytes(116)),
    "pidfd_open": lambda p: call(434, p, 0),
    "ptrace attach": lambda p: call(101, 16, p, 0, 0),
    "ptrace seize": lambda p: call(101, 0x4206, p, 0, 0),
    "process_vm_readv": lambda p: call(310, p, iov, 1, iov, 1, 0),
    "process_vm_writev": lambda p: call(311, p, iov, 1, iov, 1, 0),
    "prlimit": lambda p: call(302, p, 7, None, ctypes.create_string_buffer(16)),
    "sched_setaffinity": lambda p: call(203, p, 8, struct.pack("<Q", 1)),
    "sched_setscheduler": lambda p: call(144, p, 3, bytes(4)),
    "setpriority": lambda p: call(141, 0, p, 19),
    "ioprio_set": lambda p: call(251, 1, p, 3 << 13),
    "kcmp": lambda p: call(312, p, p, 1, 0, 0),
    "getpgid": lambda p: call(121, p),
    "its clock": lambda p: call(228, (~p << 3) | 2, ctypes.create_string_buffer(16)),
    "setns": lambda p: call(308, p, 0x20000000),
    "fcntl F_SETOWN": lambda p: call(72, 4, 8, p),
    "migrate_pages": lambda p: call(256, p, 8, bytes(8), bytes(8)),
}
for target in targets:
    for way, touch in WAYS.items():
        answer = touch(target)
        if answer >= 0:
            print(way)
"""


@dataclass
class Pair:
    """A sandbox in which one guest works on, and the pids of that guest and its supervisor."""

    sandbox: Sandbox
    supervisor: int
    victim: int
    thread: threading.Thread
    outcome: list[Result]


@pytest.fixture
def pair(without: Callable[..., Sandbox]) -> Iterator[Pair]:
    sandbox = without("seccomp", workers=2)
    if "namespaces" not in sandbox.layers:
        pytest.skip("this host has no namespaces: the filter keeps siblings apart here")
    outcome: list[Result] = []
    supervisor = psutil.Process(sandbox._pool.open().pid)
    work = "n = 0\nwhile n < 10**7: n += 1\nprint('undisturbed')"
    thread = threading.Thread(target=lambda: outcome.append(sandbox.run(work)))
    thread.start()
    yield Pair(sandbox, supervisor.pid, _busy_child(supervisor), thread, outcome)
    thread.join(30)


def _busy_child(supervisor: psutil.Process) -> int:
    while True:
        for child in supervisor.children():
            try:
                if child.cpu_times().user > 0.05:
                    return child.pid
            except psutil.NoSuchProcess:
                continue


def test_a_sibling_and_the_supervisor_cannot_be_touched_by_their_pids(
    pair: Pair, native: Native
) -> None:
    pids = pair.victim, pair.supervisor, pair.sandbox._pool.open().hello["forker"]
    processes = [psutil.Process(pid) for pid in pids]
    before = [_state(process) for process in processes]
    result = native(TOUCH, " ".join(map(str, (*pids, os.getpid()))), sandbox=pair.sandbox)
    assert (result.status, result.output) == (Status.OK, "")
    assert [_state(process) for process in processes] == before
    pair.thread.join(30)
    assert pair.outcome[0].output == "undisturbed\n"


def _state(process: psutil.Process) -> tuple[object, ...]:
    limits = tuple(process.rlimit(kind) for kind in (psutil.RLIMIT_AS, psutil.RLIMIT_NOFILE))
    return process.nice(), tuple(process.cpu_affinity()), limits, process.status() == "stopped"


def test_no_small_pid_is_anybody_but_the_guest_itself(pair: Pair, native: Native) -> None:
    code = "print([p for p in range(1, 40_000) if call(62, p, 0) >= 0 and p != os.getpid()])"
    assert native(code, sandbox=pair.sandbox).output == "[]\n"


def test_a_signal_to_everybody_reaches_nobody(pair: Pair, native: Native) -> None:
    result = native("print(call(62, -1, 9), call(62, 0, 0))", sandbox=pair.sandbox)
    assert result.output == f"{-3} 0\n"
    assert psutil.pid_exists(pair.victim)
    assert psutil.pid_exists(pair.supervisor)


def test_the_ways_do_work_where_nothing_stands_between(
    only: Callable[..., Sandbox], native: Native
) -> None:
    """The positive control: the same calls reach the supervisor when every layer is off."""
    sandbox = only()
    ways = {"kill", "pidfd_open", "prlimit", "sched_setaffinity", "setpriority", "its clock"}
    code = TOUCH.replace("input()", "str(os.getppid())")
    code = code.replace("in WAYS.items()", f"in ((w, WAYS[w]) for w in {sorted(ways)})")
    assert set(native(code, sandbox=sandbox).output.split("\n")) == {*ways, ""}


def test_a_guest_cannot_find_out_by_a_clock_which_processes_exist(native: Native) -> None:
    own = native("import time\nprint(time.process_time() > 0, time.clock_gettime(1) > 0)")
    assert own.output == "True True\n"
    result = native("call(228, (~int(input()) << 3) | 2, bytes(16))", f"{os.getpid()}\n")
    assert (result.status, result.exit_signal) == (Status.VIOLATION, 31)


# A futex without the private flag is keyed by the file behind the page: the same for all children.
MEET = "address = ctypes.cast(_libc.write, ctypes.c_void_p).value & ~3\n"


def test_siblings_cannot_meet_at_a_page_of_a_shared_library(
    native: Native, without: Callable[..., Sandbox]
) -> None:
    wake = MEET + "print(call(202, address, 1, 10))"
    assert native(wake).status is Status.VIOLATION
    open_one = without("seccomp", workers=2)
    wait = (
        MEET + "value = ctypes.c_uint.from_address(address).value\nprint('there', flush=True)\n"
        "print(call(202, address, 0, value, struct.pack('<QQ', 20, 0)))"
    )
    waited: list[Result] = []
    thread = threading.Thread(target=lambda: waited.append(native(wait, sandbox=open_one)))
    thread.start()
    while thread.is_alive():
        native(wake, sandbox=open_one)
    assert waited[0].output == "there\n0\n"  # woken: without the filter they do meet


def test_a_child_has_a_uid_of_its_own_where_the_supervisor_has_many(
    kernel_only: Sandbox,
) -> None:
    if "uids for children" not in kernel_only.layers.get("namespaces", ""):
        pytest.skip("one uid is all that this supervisor may map")
    results = list(kernel_only.map([Job("import os\nprint(os.getuid())")] * 6))
    assert {result.status for result in results} == {Status.OK}
    assert "0\n" not in {result.output for result in results}


TRACED = """
import signal
assert call(101, 0, 0, 0, 0) == 0  # PTRACE_TRACEME: by the parent, which is the supervisor
call(62, os.getpid(), signal.SIGUSR1)
print("went on")
"""


def test_a_guest_that_asks_its_supervisor_to_trace_it_leaves_no_process(
    without: Callable[..., Sandbox], native: Native
) -> None:
    """Where a signal comes it stops, and the kernel tells its supervisor, as of a death."""
    sandbox = without("seccomp")
    for _ in range(3):
        result = native(TRACED, sandbox=sandbox)
        assert (result.status, result.stdout) == (Status.VIOLATION, ""), result
        assert "stopped" in result.error
    supervisor = psutil.Process(sandbox._pool.open().pid)
    states = [child.status() for child in supervisor.children()]
    assert psutil.STATUS_TRACING_STOP not in states, states
    assert native("print('well')", sandbox=sandbox).output == "well\n"


def test_a_traced_guest_meets_its_limits(without: Callable[..., Sandbox], native: Native) -> None:
    begun = TRACED.partition("call(62")[0]
    sandbox = without("seccomp")
    result = native(f"{begun}\nwhile True: pass", sandbox=sandbox, cpu_seconds=0.2)
    assert result.status is Status.CPU_LIMIT, result
    result = native(f"{begun}\nimport time\ntime.sleep(60)", sandbox=sandbox, wall_seconds=0.3)
    assert result.status is Status.WALL_LIMIT, result
