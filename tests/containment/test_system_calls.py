"""The language layer is off: native code makes system calls, and the kernel alone holds it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox import Job, Policy, Result, Sandbox, Status
from sandbox.kernel.numbers import MACHINE, NUMBERS

Native = Callable[..., Result]

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")


@pytest.fixture
def kernel_only(without_files: Sandbox) -> Sandbox:
    """Give programs nothing to write to; `test_scratch.py` has the others."""
    return without_files


KILLED = (Status.VIOLATION, 31)
LAST_NUMBER = 480  # past the newest call of Linux 6.18
X32_BIT = 0x40000000

# The calls that an ordinary interpreter needs, kept here a second time: one more in the filter is
# a decision that this list must follow. `None`: allowed whatever the arguments.
ALLOWED_ARGUMENTS: dict[str, tuple[str, str] | None] = {
    # name: (arguments that pass, arguments that must kill)
    "close": None,
    "brk": None,
    "mmap": ("0, 4096, 3, 0x22, -1, 0", "0, 4096, 7, 0x22, -1, 0"),
    "munmap": None,
    "mremap": None,
    "mprotect": ("0, 0, 1", "0, 0, 4"),
    "madvise": ("0, 0, 4", "0, 0, 12"),
    "futex": ("0, 0x81, 0", "0, 1, 0"),
    "rt_sigaction": None,
    "rt_sigprocmask": None,
    "rt_sigreturn": None,
    "sigaltstack": None,
    "restart_syscall": None,
    "clock_gettime": ("1, None", "-14, None"),
    "clock_getres": ("1, None", "-14, None"),
    "gettimeofday": None,
    "time": None,
    "getrandom": None,
    "getrusage": ("0, None", "2, None"),
    "getpid": None,
    "gettid": None,
    "tgkill": ("_libc.getpid(), 0x7FFFFFFF, 6", "_libc.getpid(), 1, 9"),
    "sched_yield": None,
    "exit": None,
    "exit_group": None,
    "clock_nanosleep": ("1, 0, None", "-14, 0, None"),
    "nanosleep": None,
    "getppid": None,
    "getuid": None,
    "geteuid": None,
    "getgid": None,
    "getegid": None,
    "uname": None,
    "times": None,
}
# Of descriptors, signals and identities of its own: whatever the arguments are.
OWN = """
read write readv writev lseek pread64 preadv fstat dup dup2 dup3 pipe pipe2 poll ppoll select
pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd eventfd2 socketpair
sendto recvfrom getsockname getpeername shutdown getsockopt setsockopt fcntl pause alarm setitimer
getitimer rt_sigtimedwait rt_sigpending rt_sigsuspend getresuid getresgid getgroups getpgrp umask
getcpu sched_get_priority_max sched_get_priority_min sched_getaffinity close_range
"""
# Of files that are shown, or an error number where none are.
LOOKING = """
openat open newfstatat stat lstat access faccessat faccessat2 readlink readlinkat getdents64 getcwd
chdir fchdir
"""
# Refused by an error number.
ASKED = """
mkdir mkdirat rmdir unlink unlinkat rename renameat renameat2 link linkat symlink symlinkat mknod
mknodat creat truncate chmod fchmod fchmodat chown fchown lchown fchownat utime utimes utimensat
ftruncate fallocate flock fsync fdatasync sync getxattr lgetxattr fgetxattr listxattr llistxattr
flistxattr statfs fstatfs statx socket connect bind listen accept accept4 sendmsg recvmsg execve
fork vfork clone3 wait4 waitid pidfd_open memfd_create inotify_init1 timerfd_create signalfd4
sendfile copy_file_range fadvise64 mlock munlock mlock2 setrlimit setpgid setpriority getpgid getsid
getpriority sched_setaffinity sched_setparam sched_setscheduler sched_getparam sched_getscheduler
mbind set_mempolicy get_mempolicy membarrier sysinfo mincore msync getrlimit
"""
# Some arguments are answered, others kill: `test_native_calls.py` has them.
SOME = "clone ioctl prctl prlimit64"
ANSWERED = f"{OWN} {LOOKING} {ASKED} {SOME}".split()
ALLOWED_NUMBERS = {NUMBERS[name] for name in (*ALLOWED_ARGUMENTS, *ANSWERED)}
# uretprobe and uprobe: the kernel asks no filter about them (kernel/seccomp.c), and ends or ignores
# a process that calls them from anywhere but a trampoline that a tracer has put there.
BEYOND_ANY_FILTER = {335, 336}


def verdict(result: Result) -> tuple[Status, int | None]:
    return result.status, result.exit_signal


def sweep(sandbox: Sandbox, prelude: str, numbers: list[int]) -> list[tuple[int, Result]]:
    """One child for each number, called with arguments that name what is not the guest's."""
    arguments = "1, 1, 1, 1, 1, 1"
    jobs = [Job(f"{prelude}\ncall({number}, {arguments})\n") for number in numbers]
    return list(zip(numbers, sandbox.map(jobs), strict=True))


SHORT = """
import ctypes
_libc = ctypes.CDLL(None)
def call(number, *arguments):
    return _libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
"""


def test_every_system_call_that_is_not_on_the_list_kills(kernel_only: Sandbox) -> None:
    numbers = [n for n in range(LAST_NUMBER) if n not in ALLOWED_NUMBERS | BEYOND_ANY_FILTER]
    through = [(n, r.status) for n, r in sweep(kernel_only, SHORT, numbers) if verdict(r) != KILLED]
    assert through == []


def test_of_a_restricted_program_every_other_call_kills() -> None:
    """The filter that holds a guest which broke the language layer."""
    policy = Policy.load("kernel-only").replaced(name="r", testing=True, as_restricted=True)
    own = {NUMBERS[name] for name in (*ALLOWED_ARGUMENTS, "read", "write")}
    with Sandbox(policy, workers=2) as sandbox:
        numbers = [n for n in range(LAST_NUMBER) if n not in own | BEYOND_ANY_FILTER]
        through = [(n, r.status) for n, r in sweep(sandbox, SHORT, numbers) if verdict(r) != KILLED]
        assert through == []
        assert verdict(sandbox.run(f"{SHORT}call({NUMBERS['write']}, 1, 0, 0)")) == KILLED
        assert verdict(sandbox.run(f"{SHORT}call({NUMBERS['read']}, 0, 0, 0)")) == KILLED


def test_no_x32_number_is_let_through(kernel_only: Sandbox) -> None:
    numbers = [X32_BIT | n for n in (*range(0, 470, 7), *sorted(ALLOWED_NUMBERS), *range(512, 548))]
    through = [n for n, r in sweep(kernel_only, SHORT, numbers) if verdict(r) != KILLED]
    assert through == []


def test_numbers_that_no_table_has_kill(kernel_only: Sandbox) -> None:
    numbers = [1000, 0x7FFFFFFF, -1, -2, 1 << 31]
    through = [n for n, r in sweep(kernel_only, SHORT, numbers) if verdict(r) != KILLED]
    assert through == []


@pytest.mark.parametrize("name", [n for n, row in ALLOWED_ARGUMENTS.items() if row])
def test_an_allowed_call_is_allowed_only_with_its_arguments(native: Native, name: str) -> None:
    row = ALLOWED_ARGUMENTS[name]
    assert row is not None
    passing, killing = row
    number = NUMBERS[name]
    assert native(f"call({number}, {passing})\nprint('alive')").output == "alive\n"
    assert verdict(native(f"call({number}, {killing})")) == KILLED


# What an attacker would do first, each by its own name, with arguments that would work outside.
ATTACKS = {
    "openat2": "call(437, -100, b'/etc/passwd', struct.pack('<QQQ', 0, 0, 0), 24)",
    "open_by_handle_at": "call(304, -100, bytes(16), 0)",
    "clone with CLONE_PARENT": "call(56, 0x8000 | 17, 0, 0, 0, 0)",
    "execveat": "call(322, -100, b'/bin/sh', None, None, 0)",
    "ptrace traceme": "call(101, 0, 0, 0, 0)",
    "ptrace the supervisor": "call(101, 16, os.getppid(), 0, 0)",
    "kill the supervisor": "call(62, os.getppid(), 9)",
    "kill everybody in reach": "call(62, -1, 0)",
    "kill itself": "call(62, os.getpid(), 9)",
    "tkill": "call(200, os.getpid(), 9)",
    "rt_sigqueueinfo": "call(129, os.getppid(), 9, bytes(128))",
    "pidfd_send_signal": "call(424, 4, 9, None, 0)",
    "pidfd_getfd": "call(438, 4, 0, 0)",
    "process_vm_readv": "call(310, os.getppid() or 1, None, 0, None, 0, 0)",
    "process_vm_writev": "call(311, os.getppid() or 1, None, 0, None, 0, 0)",
    "process_madvise": "call(440, 4, None, 0, 4, 0)",
    "kcmp": "call(312, os.getpid(), os.getppid() or 1, 0, 4, 4)",
    "prlimit of another": "call(302, os.getppid() or 1, 7, None, None)",
    "mount": "call(165, b'none', b'/', b'tmpfs', 0, b'')",
    "fsopen": "call(430, b'tmpfs', 0)",
    "unshare": "call(272, 0x10000000)",
    "setns": "call(308, 4, 0)",
    "pivot_root": "call(155, b'.', b'.')",
    "chroot": "call(161, b'/')",
    "bpf": "call(321, 0, None, 0)",
    "perf_event_open": "call(298, bytes(128), 0, -1, -1, 0)",
    "io_uring_setup": "call(425, 8, ctypes.create_string_buffer(120))",
    "io_setup": "call(206, 8, ctypes.create_string_buffer(8))",
    "memfd_secret": "call(447, 0)",
    "userfaultfd": "call(323, 0)",
    "keyctl": "call(250, 0, -3, 1, 0, 0)",
    "add_key": "call(248, b'user', b'x', b'y', 1, -3)",
    "personality: writable is executable": "call(135, 0x0400000)",
    "prctl: dumpable again": "call(157, 4, 1, 0, 0, 0)",
    "prctl: no parent-death signal": "call(157, 1, 0, 0, 0, 0)",
    "arch_prctl": "call(158, 0x1001, 0)",
    "another seccomp filter": "call(317, 1, 0, None)",
    "seccomp listener": "call(317, 1, 8, None)",
    "executable mapping": "call(9, 0, 4096, 7, 0x22, -1, 0)",
    "mapping made executable": "call(10, call(9, 0, 4096, 3, 0x22, -1, 0), 4096, 5)",
    "pkey_mprotect": "call(329, call(9, 0, 4096, 3, 0x22, -1, 0), 4096, 5, -1)",
    "shared memory, System V": "call(29, 0, 4096, 0o1600)",
    "message queue": "call(240, b'x', 0x40, 0o600, None)",
    "timer_create on another's clock": "call(222, -14, None, ctypes.create_string_buffer(4))",
    "another process's clock": "call(228, ~(os.getppid() or 2) << 3 | 2, bytes(16))",
    "splice": "call(275, 3, None, 4, None, 10, 0)",
    "vmsplice": "call(278, 4, None, 0, 0)",
    "setuid": "call(105, 0)",
    "setresuid": "call(117, 0, 0, 0)",
    "setgroups": "call(116, 0, None)",
    "capset": "call(126, bytes(8), bytes(24))",
    "setsid": "call(112)",
    "reboot": "call(169, 0, 0, 0, None)",
    "kexec_load": "call(246, 0, 0, None, 0)",
    "init_module": "call(175, None, 0, b'')",
    "syslog": "call(103, 3, None, 0)",
    "swapoff": "call(168, b'/x')",
    "settimeofday": "call(164, bytes(16), None)",
    "sethostname": "call(170, b'x', 1)",
    "modify_ldt": "call(154, 1, bytes(16), 16)",
    "rseq": "call(334, None, 0, 0, 0)",
    "set_robust_list": "call(273, None, 24)",
    "landlock_create_ruleset": "call(444, None, 0, 1)",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_native_attack_is_killed(native: Native, attack: str) -> None:
    result = native(f"{ATTACKS[attack]}\nprint('through')")
    assert (verdict(result), result.stdout) == (KILLED, "")


def test_what_the_attacks_are_made_of_works_otherwise(native: Native) -> None:
    code = f"print(call({NUMBERS['getpid']}) == os.getpid(), call({NUMBERS['write']}, 4, b'', 0))"
    result = native(code)
    assert (result.status, result.output) == (Status.OK, "True 0\n")


def _offset_of_a_software_interrupt() -> int | None:
    """Where `int 0x80` stands in this interpreter's own code, relative to one of its functions."""
    import ctypes

    anchor = ctypes.cast(ctypes.pythonapi.PyLong_FromLong, ctypes.c_void_p).value or 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        low, high = (int(part, 16) for part in line.split()[0].split("-"))
        if low <= anchor < high:
            found = re.search(b"\xcd\x80", ctypes.string_at(low, high - low))
            return None if found is None else low + found.start() - anchor
    return None


# One floating-point argument: the C calling convention then has 1 in the register that int 0x80
# takes the number from, and 1 is `exit` in the table of 32 bits.
INTERRUPT = """
anchor = ctypes.cast(ctypes.pythonapi.PyLong_FromLong, ctypes.c_void_p).value
function = ctypes.cast(anchor + int(input()), ctypes.c_void_p).value
prototype = ctypes.CFUNCTYPE(None, ctypes.c_double)
prototype(function)(1.0)
"""


def test_the_32_bit_table_is_not_reached_by_a_software_interrupt(
    native: Native, only: Callable[..., Sandbox]
) -> None:
    offset = _offset_of_a_software_interrupt()
    if offset is None:
        pytest.skip("this interpreter has no byte pair that means int 0x80")
    unfiltered = native(INTERRUPT, f"{offset}\n", sandbox=only())
    if unfiltered.exit_signal is not None:
        pytest.skip("this kernel has no table of 32 bits")
    assert unfiltered.error.startswith("exit:")
    assert verdict(native(INTERRUPT, f"{offset}\n")) == KILLED


def test_threads_of_python_that_block_every_signal_do_not_escape_the_clock(native: Native) -> None:
    code = "import signal\nsignal.pthread_sigmask(0, range(1, 65))\nwhile True: pass"
    result = native(code, cpu_seconds=0.3)
    assert result.status is Status.CPU_LIMIT
    assert result.cpu_seconds < 0.5


def test_the_sandbox_is_whole_after_all_of_this(kernel_only: Sandbox) -> None:
    assert kernel_only.run("print(6 * 7)").output == "42\n"
