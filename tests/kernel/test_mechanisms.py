"""Each mechanism on the real kernel, in a forked process that ends with it."""

import ctypes
import os
import resource
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.kernel import landlock, limits, namespaces, privileges, seccomp, timers
from sandbox.kernel.libc import syscall
from sandbox.kernel.numbers import NUMBERS
from sandbox.kernel.seccomp import Rule
from sandbox.kernel.steps import carry_out, step

LISTED = ("write", "exit_group", "getpid", "rt_sigprocmask", "munmap", "brk", "futex", "mmap")


def in_a_fork(act: Callable[[], object]) -> str:
    """What `act` returned in a process of its own, or the exception or signal that ended it."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            signal.alarm(20)
            answer = str(act())
        except OSError as error:
            answer = f"OSError {error.errno}"
        except BaseException:
            answer = traceback.format_exc()
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with open(read) as stream:
        answer = stream.read()
    _, status = os.waitpid(pid, 0)
    return signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else answer


def filtered() -> None:
    program = seccomp.assemble([Rule(name, "a test") for name in LISTED], {})
    buffer = ctypes.create_string_buffer(program, len(program))
    carry_out([privileges.forbid_new_privileges(), seccomp.install(buffer)])


@pytest.mark.skipif(not NUMBERS, reason="no table for this machine")
def test_an_installed_filter_allows_and_kills() -> None:
    assert in_a_fork(lambda: (filtered(), os.getpid() > 0)) == "(None, True)"
    assert in_a_fork(lambda: (filtered(), os.getuid())) == "SIGSYS"
    assert in_a_fork(lambda: (filtered(), os.open("/", 0))) == "SIGSYS"


def restricted() -> None:
    rules = landlock.deny_all_ruleset(landlock.abi())
    carry_out([privileges.forbid_new_privileges(), landlock.restrict_self(rules)])


@pytest.mark.skipif(landlock.abi() < 1, reason="this kernel has no Landlock")
def test_a_landlock_domain_denies_every_file_and_what_its_abi_promises() -> None:
    assert in_a_fork(lambda: len(os.listdir("/")) > 0) == "True"
    assert in_a_fork(lambda: (restricted(), os.listdir("/"))) == "OSError 13"
    assert in_a_fork(lambda: (restricted(), os.open("/etc/passwd", 0))) == "OSError 13"
    if landlock.abi() >= 6:
        parent = os.getpid()
        assert in_a_fork(lambda: os.kill(parent, 0)) == "None"
        assert in_a_fork(lambda: (restricted(), os.kill(parent, 0))) == "OSError 1"


def test_no_rule_set_without_landlock() -> None:
    with pytest.raises(OSError, match="not available"):
        landlock.deny_all_ruleset(0)


def limited() -> None:
    carry_out(limits.give_up(cpu_seconds=1.0, memory_bounds=(1 << 30, 1 << 32)))


def test_limits_are_hard_and_as_given() -> None:
    def look() -> object:
        limited()
        names = ("RLIMIT_CPU", "RLIMIT_DATA", "RLIMIT_AS", "RLIMIT_FSIZE", "RLIMIT_NOFILE")
        return [resource.getrlimit(getattr(resource, name)) for name in names]

    wanted = [(3, 4), (1 << 30,) * 2, (1 << 32,) * 2, (0, 0), (0, 0)]
    assert in_a_fork(look) == str(wanted)
    assert in_a_fork(lambda: (limited(), os.pipe())) == "OSError 24"


def test_a_step_that_fails_or_works_against_its_will_raises() -> None:
    carry_out([step("getpid"), step("close", 0xFFFF, must=False), step("close", 0xFFFF, must=None)])
    with pytest.raises(OSError, match="close"):
        carry_out([step("close", 0xFFFF)])
    with pytest.raises(OSError, match="getpid: it worked"):
        carry_out([step("getpid", must=False)])
    with pytest.raises(OSError, match="no_such_call"):
        step("no_such_call")
    with pytest.raises(OSError, match="no_such_call"):
        syscall("no_such_call")


@pytest.mark.skipif(os.getuid() != 0, reason="an ordinary user has none to give up")
def test_capabilities_and_uids_given_up_do_not_come_back() -> None:
    def drop() -> object:
        carry_out([*privileges.become(65534, 65534), privileges.set_capabilities()])
        carry_out([privileges.forbid_new_privileges(), privileges.stay_dropped()])
        lines = Path("/proc/self/status").read_text().splitlines()
        return [row.split()[1] for row in lines if row.startswith(("CapPrm", "CapEff", "Uid"))]

    assert in_a_fork(drop) == str(["65534", "0" * 16, "0" * 16])
    assert in_a_fork(lambda: carry_out([privileges.stay_dropped()])) == "OSError 0"


def test_entered_namespaces_are_empty() -> None:
    def enter() -> object:
        namespaces.enter()
        return os.listdir("/"), os.getcwd()

    answer = in_a_fork(enter)
    if answer in ("OSError 1", "OSError 13", "OSError 28"):
        pytest.skip("this host refuses user namespaces")
    assert answer == "([], '/')"


def test_a_cpu_timer_counts_the_time_of_another_process() -> None:
    try:
        timers.CpuTimer(0, signal.SIGRTMIN, 0).delete()
    except OSError as error:
        pytest.skip(f"no timers on CPU clocks here: {error}")

    def watch() -> object:
        busy = os.fork()
        if busy == 0:
            while True:
                pass
        descriptor = timers.signal_descriptor({signal.SIGRTMIN})
        os.set_blocking(descriptor, True)
        timer = timers.CpuTimer(busy, signal.SIGRTMIN, 77)
        timer.arm(0.05, 1.0)
        fired = timers.read_signals(os.read(descriptor, 4096))
        timer.delete()
        os.kill(busy, signal.SIGKILL)
        _, _, usage = os.wait4(busy, 0)
        return fired == [(signal.SIGRTMIN, 77)], 0.05 <= usage.ru_utime + usage.ru_stime < 0.2

    assert in_a_fork(watch) == "(True, True)"


def test_a_child_forked_into_a_pid_namespace_is_its_first_process() -> None:
    def fork() -> object:
        namespaces.enter()
        read, write = os.pipe()
        pid = namespaces.fork(pid_namespace=True)
        if pid == 0:
            os.write(write, f"{os.getpid()} {os.getppid()}".encode())
            os._exit(0)
        os.waitpid(pid, 0)
        return os.read(read, 64).decode()

    answer = in_a_fork(fork)
    if answer.startswith("OSError"):
        pytest.skip("this host refuses user namespaces")
    assert answer == "1 0"
