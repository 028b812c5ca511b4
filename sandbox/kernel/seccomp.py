"""Seccomp filters: an allow-list of system calls, assembled to classic BPF. seccomp(2), bpf(2)."""

import ctypes
import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sandbox.kernel.libc import buffer, prctl
from sandbox.kernel.numbers import AUDIT_ARCH, MACHINE, NUMBERS
from sandbox.kernel.steps import Step, step

_SECCOMP_SET_MODE_FILTER = 1
_PR_GET_SECCOMP = 21
_ALLOW = 0x7FFF0000
_KILL_PROCESS = 0x80000000
_ERRNO = 0x00050000
# Classic BPF operations: load word, jump if equal, jump if greater or equal, and, return.
_LD, _JEQ, _JGE, _AND, _RET = 0x20, 0x15, 0x35, 0x54, 0x06
_NR, _ARCH, _ARGS = 0, 4, 16  # offsets in struct seccomp_data
_OPERATION_BYTES = 8
_X32_BIT = 0x40000000  # the x32 table shares the architecture's value


@dataclass(frozen=True, slots=True)
class Check:
    """`argument & mask` must equal `value`; a str value is filled in when the filter is made."""

    argument: int
    value: int | str
    mask: int = 0xFFFFFFFF_FFFFFFFF


@dataclass(frozen=True, slots=True)
class Rule:
    """One system call, the checks that all must hold, and why it is here.

    It is allowed, or fails with `error`, a number of errno, where that is not zero. Where it
    `pretends`, it returns 0 and the kernel does nothing.
    """

    name: str
    reason: str
    checks: tuple[Check, ...] = ()
    error: int = 0
    pretends: bool = False


def available() -> bool:
    """Say whether this kernel and machine can install a filter of ours."""
    try:
        prctl(_PR_GET_SECCOMP)
    except OSError:
        return False
    return bool(NUMBERS)


def assemble(rules: Iterable[Rule], values: Mapping[str, int]) -> bytes:
    """Assemble the program that answers as `rules` say and kills the process on all else."""
    blocks: dict[int, list[bytes]] = {}
    for rule in rules:
        number = NUMBERS.get(rule.name)
        if number is not None:  # a call that this machine lacks needs no rule
            blocks.setdefault(number, []).append(_checks(rule, values))
    program = [
        _op(_LD, _ARCH),
        _op(_JEQ, AUDIT_ARCH, 1, 0),
        _op(_RET, _KILL_PROCESS),
        _op(_LD, _NR),
    ]
    if MACHINE == "x86_64":
        program += [_op(_JGE, _X32_BIT, 0, 1), _op(_RET, _KILL_PROCESS)]
    for number, alternatives in blocks.items():
        body = _first_that_holds(alternatives)
        program += [_op(_JEQ, number, 0, len(body) // _OPERATION_BYTES), body]
    return b"".join([*program, _op(_RET, _KILL_PROCESS)])


def install(program: "ctypes.Array[ctypes.c_char]") -> Step:
    """Put `program` over this thread, for good. Needs no_new_privs."""
    header = struct.pack("@HxxxxxxP", len(program) // _OPERATION_BYTES, ctypes.addressof(program))
    return step("seccomp", _SECCOMP_SET_MODE_FILTER, 0, buffer(header, 16))


def _op(code: int, k: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", code, yes, no, k)


def _first_that_holds(alternatives: list[bytes]) -> bytes:
    """Join the rules of one call; behind one without checks no other is asked, else it kills."""
    body = b""
    for block in alternatives:
        body += block
        if len(block) == _OPERATION_BYTES:
            return body
    return body + _op(_RET, _KILL_PROCESS)


def _checks(rule: Rule, values: Mapping[str, int]) -> bytes:
    """Make the instructions that return the answer if every check holds and fall through if not."""
    block = _op(_RET, _ERRNO | rule.error if rule.error or rule.pretends else _ALLOW)
    for check in reversed(rule.checks):
        value = values[check.value] if isinstance(check.value, str) else check.value
        offset = _ARGS + 8 * check.argument
        # Both halves: the kernel takes 64 bits of some arguments, and a filter that looked at the
        # lower half alone would pass what differs above it.
        for shift, at in ((32, offset + 4), (0, offset)):
            mask = check.mask >> shift & 0xFFFFFFFF
            if not mask:
                continue
            want = value >> shift & mask
            narrow = b"" if mask == 0xFFFFFFFF else _op(_AND, mask)
            block = (
                _op(_LD, at) + narrow + _op(_JEQ, want, 0, len(block) // _OPERATION_BYTES) + block
            )
    return block
