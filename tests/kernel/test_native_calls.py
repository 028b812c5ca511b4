"""The filter of a child without the language layer: what it allows, refuses, and kills for."""

import errno
import hashlib
from typing import Any

import pytest
from bpf import ALLOW, ERROR, KILL, answer
from hypothesis import given
from hypothesis import strategies as st

from sandbox import Policy
from sandbox.kernel import native_calls, seccomp
from sandbox.kernel.numbers import MACHINE, NUMBERS
from sandbox.kernel.syscall_sets import INTERPRETER
from sandbox.runtime.supervisor import jail as jails

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")

PID = 0x1234567
WAYS = [(files, threads) for files in (False, True) for threads in (False, True)]
RULES = {way: native_calls.rules(files=way[0], threads=way[1]) for way in WAYS}
PROGRAMS = {way: seccomp.assemble(rules, {"pid": PID}) for way, rules in RULES.items()}
# Of the filter under a restricted policy, for pid 1: any change of it is a decision.
RESTRICTED = "a6b21c07d1641f0a5cd1ab7c4a0a324a67850b4ec86a972899bc67c2d2e318b0"
HOSTILE = """
ptrace process_vm_readv process_vm_writev bpf mount umount2 pivot_root unshare setns keyctl
add_key kexec_load init_module io_uring_setup perf_event_open userfaultfd kcmp personality
syslog open_by_handle_at pidfd_getfd pidfd_send_signal kill tkill setuid setresuid capset
seccomp landlock_create_ruleset clock_settime settimeofday reboot swapon acct quotactl chroot
"""
MORE = {
    "ptrace": 101,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "bpf": 321,
    "kexec_load": 246,
    "init_module": 175,
    "io_uring_setup": 425,
    "perf_event_open": 298,
    "userfaultfd": 323,
    "kcmp": 312,
    "personality": 135,
    "syslog": 103,
    "chroot": 161,
    "open_by_handle_at": 304,
    "pidfd_getfd": 438,
    "tkill": 200,
    "clock_settime": 227,
    "settimeofday": 164,
    "reboot": 169,
    "swapon": 167,
    "acct": 163,
    "quotactl": 179,
}


def said(way: tuple[bool, bool], name: str, *arguments: int) -> int:
    return answer(NUMBERS[name], *arguments, program=PROGRAMS[way])


@pytest.mark.parametrize("name", ["strict", "algorithms", "contest", "reward"])
def test_a_restricted_policy_keeps_its_filter_to_the_byte(name: str) -> None:
    rules = jails.rules(Policy.load(name).plan(), jails.Jail(pid_namespaces=True))
    assert rules is INTERPRETER
    assert hashlib.sha256(seccomp.assemble(rules, {"pid": 1})).hexdigest() == RESTRICTED


@given(st.sampled_from(WAYS), st.integers(0, 480), st.tuples(*[st.integers(0, 2**64 - 1)] * 6))
def test_any_call_gets_what_the_first_rule_that_holds_says(
    way: tuple[bool, bool], number: int, arguments: tuple[int, ...]
) -> None:
    wanted = KILL
    for rule in RULES[way]:
        if NUMBERS.get(rule.name) == number and all(
            arguments[c.argument] & c.mask == _number(c.value) & c.mask for c in rule.checks
        ):
            wanted = ERROR | rule.error if rule.error else ALLOW
            break
    assert answer(number, *arguments, program=PROGRAMS[way]) == wanted


def _number(value: Any) -> int:
    return PID if value == "pid" else int(value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", HOSTILE.split())
def test_what_no_honest_library_calls_kills(way: tuple[bool, bool], name: str) -> None:
    assert answer({**MORE, **NUMBERS}[name], 1, 1, 1, 1, 1, 1, program=PROGRAMS[way]) == KILL


@pytest.mark.parametrize("way", WAYS)
def test_a_file_is_opened_for_reading_alone(way: tuple[bool, bool]) -> None:
    reading = ALLOW if way[0] else ERROR | errno.ENOENT
    for flags in (0, 0x80000, 0x90000, 0x20000, 0x800):  # O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, ...
        assert said(way, "openat", 3, 1, flags) == reading
    # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_DIRECT, O_ASYNC, O_NOATIME, O_PATH, O_TMPFILE
    for flags in (1, 2, 3, 0x40, 0x200, 0x400, 0x4000, 0x2000, 0x40000, 0x200000, 0x410000):
        assert said(way, "openat", 3, 1, flags) == ERROR | errno.EACCES, hex(flags)
        assert said(way, "open", 1, flags) == ERROR | errno.EACCES, hex(flags)
    assert said(way, "openat", 3, 1, 1 << 31) == ERROR | errno.EACCES


@pytest.mark.parametrize("way", WAYS)
def test_nothing_becomes_code(way: tuple[bool, bool]) -> None:
    private, anonymous, shared = 2, 0x22, 1
    assert said(way, "mmap", 0, 1, 5, private, 3) == ERROR | errno.EPERM
    assert said(way, "mmap", 0, 1, 1, private, 3) == ERROR | errno.EACCES
    assert said(way, "mmap", 0, 1, 3, shared | 0x20) == ERROR | errno.EACCES
    assert said(way, "mmap", 0, 1, 7, anonymous) == KILL
    assert said(way, "mprotect", 0, 1, 5) == KILL
    assert said(way, "mmap", 0, 1, 3, anonymous) == ALLOW


@pytest.mark.parametrize("way", WAYS)
def test_a_thread_has_exactly_the_flags_of_one(way: tuple[bool, bool]) -> None:
    thread = ALLOW if way[1] else ERROR | errno.EAGAIN
    assert said(way, "clone", 0x3D0F00) == thread
    assert said(way, "clone3") == ERROR | errno.ENOSYS
    assert said(way, "clone", 17) == said(way, "fork") == ERROR | errno.EPERM
    assert said(way, "clone", 0x4111) == ERROR | errno.EPERM  # CLONE_VM, CLONE_VFORK
    for power in (0x8000, 0x2000, 0x20000000, 0x10000000, 0x40000000, 0x00020000, 0x80):
        assert said(way, "clone", 17 | power) == KILL, hex(power)
        assert said(way, "clone", 0x3D0F00 | power) == KILL, hex(power)
    for missing in (0x100, 0x10000, 0x800):  # CLONE_VM, CLONE_THREAD, CLONE_SIGHAND
        assert said(way, "clone", 0x3D0F00 ^ missing) == ERROR | errno.EPERM


@pytest.mark.parametrize("way", WAYS)
def test_a_socket_leads_to_its_own_other_end_alone(way: tuple[bool, bool]) -> None:
    assert said(way, "socketpair", 1, 1 | 0x80000) == ALLOW
    for family, kind in ((2, 1), (1, 2), (1, 5), (16, 3)):
        assert said(way, "socketpair", family, kind) == ERROR | errno.EACCES
    assert said(way, "sendto", 5, 1, 1, 0, 0) == ALLOW
    assert said(way, "sendto", 5, 1, 1, 0, 4096) == ERROR | errno.EACCES
    for name in ("socket", "connect", "bind", "listen", "accept4", "sendmsg", "recvmsg"):
        assert said(way, name, 2, 1) == ERROR | errno.EACCES
    assert said(way, "setsockopt", 5, 1, 26) == ERROR | errno.EACCES  # SO_ATTACH_FILTER


@pytest.mark.parametrize("way", WAYS)
def test_a_descriptor_cannot_be_made_to_signal_or_grow(way: tuple[bool, bool]) -> None:
    assert said(way, "fcntl", 5, 4, 0x802) == ALLOW
    for command, value in ((4, 0x2000), (4, 0x4000), (8, 1), (10, 9), (15, 0), (1031, 1 << 20)):
        assert said(way, "fcntl", 5, command, value) == ERROR | errno.EPERM
    assert said(way, "ioctl", 5, 0x5421) == ALLOW
    assert said(way, "ioctl", 0, 0x5401) == ERROR | errno.ENOTTY
    assert said(way, "ioctl", 0, 0x802C542A) == ERROR | errno.ENOTTY  # TCGETS2
    assert said(way, "ioctl", 0, 0x5412) == KILL  # TIOCSTI
    assert said(way, "prlimit64", 0, 7, 0) == ALLOW
    assert said(way, "prlimit64", 0, 7, 4096) == ERROR | errno.EPERM
    assert said(way, "prlimit64", 1234, 7, 0) == KILL
