"""The filter of a child with a file system of its own: what it adds, pretends, still refuses."""

import errno

import pytest
from bpf import ALLOW, ERROR, KILL, answer

from sandbox import Policy
from sandbox.kernel import native_calls, seccomp
from sandbox.kernel.numbers import MACHINE, NUMBERS
from sandbox.kernel.scratch import calls
from sandbox.policy.plan import Scratch
from sandbox.runtime.supervisor import jail as jails
from sandbox.runtime.supervisor.scratch import Directory

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")

PROGRAMS = {
    threads: seccomp.assemble(
        native_calls.rules(files=True, threads=threads, own=calls.RULES), {"pid": 1}
    )
    for threads in (False, True)
}
PLAIN = seccomp.assemble(native_calls.rules(files=True, threads=False), {"pid": 1})
PRETENDED = ERROR  # with the number 0: the call returns 0


def said(name: str, *arguments: int, program: bytes = PROGRAMS[False]) -> int:
    return answer(NUMBERS[name], *arguments, program=program)


def test_only_a_child_with_a_scratch_directory_has_the_filter() -> None:
    plan = Policy.load("kernel-only").plan()
    assert plan.scratch is not None
    without = jails.rules(plan, jails.Jail(pid_namespaces=True))
    assert without == native_calls.rules(files=True, threads=False)
    bare = jails.rules(plan, jails.Jail())
    assert bare == native_calls.rules(files=False, threads=False)
    jail = jails.Jail(pid_namespaces=True, scratch=Directory(Scratch(kib=64, count=16)))
    assert jails.rules(plan, jail) == native_calls.rules(files=True, threads=False, own=calls.RULES)


@pytest.mark.parametrize("threads", [False, True])
def test_a_file_is_opened_to_write_and_nothing_stranger(threads: bool) -> None:
    program = PROGRAMS[threads]
    for flags in (0, 1, 2, 0x41, 0x42, 0xC1, 0x241, 0x441, 0x80241, 0xA00C2, 0x20042):
        assert said("openat", 3, 1, flags, program=program) == ALLOW, hex(flags)
        assert said("open", 1, flags, program=program) == ALLOW, hex(flags)
    # O_ACCMODE, O_ASYNC, O_DIRECT, O_NOATIME, O_PATH, O_TMPFILE, O_DSYNC, O_SYNC
    for flags in (3, 0x2001, 0x4001, 0x40000, 0x200000, 0x410002, 0x1001, 0x101001, 1 << 31):
        assert said("openat", 3, 1, flags, program=program) == ERROR | errno.EACCES, hex(flags)
        assert said("open", 1, flags, program=program) == ERROR | errno.EACCES, hex(flags)
    for name in ("openat2", "name_to_handle_at", "open_by_handle_at"):
        number = {"openat2": 437, "name_to_handle_at": 303, "open_by_handle_at": 304}[name]
        assert answer(number, 1, 1, 1, 1, program=program) == KILL


def test_what_could_reach_a_file_of_another_process_is_pretended() -> None:
    for name in ("fsync", "fdatasync", "flock", "msync"):
        assert said(name, 5, 1, 1) == PRETENDED, name
    for command in (6, 7):
        assert said("fcntl", 5, command, 1) == PRETENDED
    assert said("fcntl", 5, 5, 1) == ALLOW
    # F_SETOWN, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_OFD_SETLK, F_SET_RW_HINT
    for command in (8, 10, 1024, 1026, 1031, 37, 1036):
        assert said("fcntl", 5, command, 1) == ERROR | errno.EPERM, command
    assert said("sync") == ERROR | errno.EACCES


def test_a_mapping_is_of_a_file_and_never_code() -> None:
    shared, private = 1, 2
    for kind in (shared, private):
        assert said("mmap", 0, 1, 3, kind, 3) == ALLOW
        assert said("mmap", 0, 1, 5, kind, 3) == ERROR | errno.EPERM
        assert said("mmap", 0, 1, 7, kind, 3) == ERROR | errno.EPERM
    for kind in (0x21, 0x11, 0x2001, 0x8001, 0x101, 3, 0x40001):  # shared memory, MAP_LOCKED, ...
        assert said("mmap", 0, 1, 3, kind, 3) == ERROR | errno.EACCES, hex(kind)
    assert said("mmap", 0, 1, 7, 0x22) == KILL
    assert said("mprotect", 0, 1, 5) == KILL


def test_of_what_renames_links_and_reserves_the_plain_form_is_there() -> None:
    assert said("renameat2", 3, 1, 3, 1, 0) == said("renameat2", 3, 1, 3, 1, 1) == ALLOW
    for flags in (2, 4, 8, 1 << 31):  # RENAME_EXCHANGE, RENAME_WHITEOUT
        assert said("renameat2", 3, 1, 3, 1, flags) == ERROR | errno.EINVAL
    assert said("linkat", 3, 1, 3, 1, 0) == said("linkat", 3, 1, 3, 1, 0x400) == ALLOW
    assert said("linkat", 3, 1, 3, 1, 0x1000) == ERROR | errno.ENOENT  # AT_EMPTY_PATH
    assert said("fallocate", 3, 0, 0, 1) == ALLOW
    for mode in (1, 2, 3, 0x10):
        assert said("fallocate", 3, mode, 0, 1) == ERROR | errno.EOPNOTSUPP


REFUSED = """
mknod mknodat chown fchown lchown fchownat statfs fstatfs statx sendfile copy_file_range
memfd_create inotify_init1 execve fork socket bind connect sync
"""


@pytest.mark.parametrize("name", REFUSED.split())
def test_what_file_work_does_not_need_is_refused_as_before(name: str) -> None:
    arguments = (1, 1, 1, 1, 1, 1)
    plain = said(name, *arguments, program=PLAIN)
    assert plain & ~0xFFFF == ERROR
    assert said(name, *arguments) == plain


NAMES = {rule.name for rule in calls.RULES}


@pytest.mark.parametrize("number", range(480))
def test_nothing_is_answered_otherwise_but_what_the_table_names(number: int) -> None:
    named = {NUMBERS[name] for name in NAMES if name in NUMBERS}
    if number not in named:
        for arguments in ((1,) * 6, (0,) * 6, (3, 2, 0x41, 0, 4, 5)):
            plain = answer(number, *arguments, program=PLAIN)
            assert answer(number, *arguments, program=PROGRAMS[False]) == plain
