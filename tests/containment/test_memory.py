"""What a guest can have resident, whatever kind of memory it takes."""

import errno
import os
from collections.abc import Callable

import pytest

from sandbox import Result, Sandbox, Status
from sandbox.kernel.numbers import MACHINE
from sandbox.runtime.caller import capacity

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")

Native = Callable[..., Result]
Open = Callable[..., Sandbox]

LIMITED = ("rlimits", "privileges") if os.getuid() == 0 else ("rlimits",)
MIB = 1 << 20
MEMORY_MIB = 64

PRIVATE, SHARED, GROWSDOWN, STACK = 0x22, 0x21, 0x122, 0x20022
# Takes memory of each kind in turn, a MiB and then a page at a time, and writes to all of it.
TAKE = """
import resource
kinds, pages = [int(kind) for kind in input().split()], [1 << 20, 4096]
resource.setrlimit(resource.RLIMIT_STACK, resource.getrlimit(resource.RLIMIT_STACK))
for kind in kinds:
    for size in pages:
        while (address := call(9, 0, size, 3, kind, -1, 0)) > 0:
            ctypes.memset(address, 1, size)
print("full", flush=True)
"""
# Grows one mapping downward as far as it goes: its limit is the stack's, which a guest may raise.
GROW = """
import resource
hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
resource.setrlimit(resource.RLIMIT_STACK, (hard, hard))
address = call(9, 0x200000000000, 4096, 3, 0x122, -1, 0)
print("growing", flush=True)
while True:
    address -= 4096
    ctypes.memset(address, 1, 4096)
"""
# Fills the stack itself, from below what is in use, as deep recursion through C code does.
DESCEND = """
address = ctypes.c_void_p.in_dll(_libc, "__libc_stack_end").value - (1 << 20) & ~4095
print("deep", flush=True)
while True:
    address -= 4096
    ctypes.memset(address, 1, 4096)
"""
TAKES = {
    "private": [PRIVATE],
    "shared": [SHARED],
    "growing downward": [GROWSDOWN],
    "of every kind": [PRIVATE, SHARED, GROWSDOWN, STACK],
}


def most(sandbox: Sandbox) -> int:
    return capacity.child_bytes(sandbox.policy.plan())


@pytest.mark.parametrize("kind", TAKES)
def test_rlimits_alone_bound_every_kind_of_memory(native: Native, only: Open, kind: str) -> None:
    sandbox = only(*LIMITED, memory_mib=MEMORY_MIB)
    kinds = " ".join(map(str, TAKES[kind]))
    result = native(TAKE, kinds, sandbox=sandbox)
    assert "full" in result.stdout or result.status is Status.MEMORY_LIMIT
    assert MEMORY_MIB * MIB // 2 < result.peak_memory_bytes < most(sandbox)


@pytest.mark.parametrize("code", [GROW, DESCEND])
def test_rlimits_alone_bound_what_grows_downward(native: Native, only: Open, code: str) -> None:
    sandbox = only(*LIMITED, memory_mib=MEMORY_MIB)
    result = native(code, sandbox=sandbox)
    assert result.stdout
    assert not result.ok
    assert MEMORY_MIB * MIB // 2 < result.peak_memory_bytes < most(sandbox)


def test_memory_that_a_call_tightens_is_tightened_for_the_stack(native: Native, only: Open) -> None:
    sandbox = only(*LIMITED, memory_mib=512)
    wide = native(DESCEND, sandbox=sandbox)
    tight = native(DESCEND, sandbox=sandbox, memory_mib=32)
    assert (wide.status, tight.status) == (Status.RECURSION_LIMIT, Status.RECURSION_LIMIT)
    assert tight.peak_memory_bytes < 128 * MIB < wide.peak_memory_bytes
    taken = native(TAKE, f"{PRIVATE} {SHARED} {GROWSDOWN}", sandbox=sandbox, memory_mib=32)
    assert taken.peak_memory_bytes < (32 + 32 + 48) * MIB


def test_seccomp_alone_maps_nothing_that_the_heaps_limit_does_not_count(
    native: Native, only: Open
) -> None:
    sandbox = only("seccomp")
    for kind in (SHARED, GROWSDOWN):
        result = native(f"print(call(9, 0, 4096, 3, {kind}, -1, 0))", sandbox=sandbox)
        assert result.output == f"{-errno.EACCES}\n"
    result = native(f"print(call(9, 0, 4096, 3, {STACK}, -1, 0) > 0)", sandbox=sandbox)
    assert result.output == "True\n"


def test_without_the_limits_a_guest_takes_more(native: Native, only: Open) -> None:
    """The positive control."""
    code = TAKE.replace(
        "while (address", "while resource.getrusage(0).ru_maxrss < 3 << 17 and (address"
    )
    result = native(code, f"{SHARED}", sandbox=only(memory_mib=MEMORY_MIB))
    assert result.peak_memory_bytes > 256 * MIB
