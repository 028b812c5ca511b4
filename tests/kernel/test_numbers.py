"""The tables of system call numbers are those of the C headers."""

import re
from pathlib import Path

import pytest

from sandbox.kernel import numbers
from sandbox.kernel.native_calls import rules
from sandbox.kernel.scratch import calls
from sandbox.kernel.syscall_sets import INTERPRETER

HEADERS = {
    "x86_64": (
        "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
        "/usr/include/asm/unistd_64.h",
    ),
    "aarch64": ("/usr/include/asm-generic/unistd.h",),
}
RENAMED = {"umount2": ("umount2", "umount"), "prlimit64": ("prlimit64", "prlimit")}


@pytest.mark.parametrize("machine", HEADERS)
def test_every_number_is_that_of_the_header(machine: str) -> None:
    path = next((Path(p) for p in HEADERS[machine] if Path(p).exists()), None)
    if path is None:
        pytest.skip("the kernel's headers are not installed")
    text = path.read_text()
    # The generic header calls a few of them by the name for machines of 64 bits: __NR3264_x.
    found = {
        name: int(value) for name, value in re.findall(r"#define __NR(?:3264)?_(\w+) (\d+)", text)
    }
    _, table = numbers._MACHINES[machine]
    known = {name: table[name] for name in table if name in found}
    assert known == {name: found[name] for name in known}
    assert len(known) > 0.8 * len(table)


@pytest.mark.parametrize("machine", HEADERS)
def test_no_number_stands_twice(machine: str) -> None:
    _, table = numbers._MACHINES[machine]
    assert len(set(table.values())) == len(table)


EVERY_RULE = [
    *INTERPRETER,
    *(r for f in (True, False) for t in (True, False) for r in rules(files=f, threads=t)),
    *calls.RULES,
]
# Calls that newer machines never had: their work is done by another of the list.
OLD = """
time open stat lstat poll access pipe select dup2 pause alarm fork vfork rename mkdir rmdir
creat link unlink symlink readlink chmod chown lchown getpgrp utime mknod epoll_create
epoll_wait utimes eventfd
"""


def test_an_x86_filter_has_a_number_for_every_rule() -> None:
    _, table = numbers._MACHINES["x86_64"]
    assert [rule.name for rule in EVERY_RULE if rule.name not in table] == []


def test_an_arm_filter_lacks_only_what_that_machine_lacks() -> None:
    _, table = numbers._MACHINES["aarch64"]
    assert {rule.name for rule in EVERY_RULE if rule.name not in table} == set(OLD.split())


def test_every_rule_has_its_reason() -> None:
    assert [rule.name for rule in EVERY_RULE if not rule.reason] == []
