"""The assembled filter means what its rules say: read by an interpreter of its own."""

import errno
import itertools
from functools import partial

import bpf
import pytest
from bpf import ALLOW, ERROR, KILL
from hypothesis import given
from hypothesis import strategies as st

from sandbox.kernel import seccomp
from sandbox.kernel.numbers import AUDIT_ARCH, MACHINE, NUMBERS
from sandbox.kernel.seccomp import Check, Rule
from sandbox.kernel.syscall_sets import INTERPRETER, JOB_FD, RESULT_FD

pytestmark = pytest.mark.skipif(not NUMBERS, reason="no table for this machine")

PID = 0x1234567
RULES = INTERPRETER
PROGRAM = seccomp.assemble(RULES, {"pid": PID})
words = st.integers(0, 2**64 - 1)
answer = partial(bpf.answer, program=PROGRAM)


def expected(number: int, arguments: tuple[int, ...]) -> int:
    """What the rules say, without any program."""
    for rule in RULES:
        if NUMBERS.get(rule.name) == number and all(
            arguments[c.argument] & c.mask == (PID if c.value == "pid" else c.value) & c.mask
            for c in rule.checks
        ):
            return said_by(rule)
    return KILL


def said_by(rule: Rule) -> int:
    return ERROR | rule.error if rule.error else ALLOW


@given(st.integers(0, 600), st.tuples(*[words] * 6))
def test_any_call_gets_what_the_rules_say(number: int, arguments: tuple[int, ...]) -> None:
    assert answer(number, *arguments) == expected(number, arguments)


@given(st.sampled_from(RULES), st.data())
def test_a_call_that_meets_all_checks_but_one_bit_is_killed(
    rule: Rule, data: st.DataObject
) -> None:
    number = NUMBERS.get(rule.name)
    if number is None:
        return
    arguments = list(data.draw(st.tuples(*[words] * 6)))
    for check in rule.checks:
        value = PID if isinstance(check.value, str) else check.value
        arguments[check.argument] = arguments[check.argument] & ~check.mask | value & check.mask
    assert answer(number, *arguments) == said_by(rule)
    for check in rule.checks:
        bit = data.draw(st.sampled_from([b for b in range(64) if check.mask >> b & 1]))
        flipped = list(arguments)
        flipped[check.argument] ^= 1 << bit
        assert answer(number, *flipped) == expected(number, tuple(flipped))


@given(st.integers(0, 2**32 - 1).filter(lambda arch: arch != AUDIT_ARCH), st.sampled_from(RULES))
def test_no_other_architecture_is_let_through(arch: int, rule: Rule) -> None:
    assert answer(NUMBERS.get(rule.name, 0), arch=arch) == KILL


@pytest.mark.skipif(MACHINE != "x86_64", reason="x32 is a table of x86")
@given(st.sampled_from(RULES))
def test_no_x32_number_is_let_through(rule: Rule) -> None:
    assert answer(0x40000000 | NUMBERS[rule.name]) == KILL


def test_what_the_list_must_never_allow() -> None:
    assert answer(NUMBERS["write"], RESULT_FD) == ALLOW
    assert answer(NUMBERS["read"], JOB_FD) == ALLOW
    assert answer(NUMBERS["write"], 2) == ERROR | errno.EBADF
    for number in (0, 1, 5, 1 << 31, 0xFFFFFFFF):
        assert answer(NUMBERS["write"], number) == KILL
    executable, shared, anonymous_private = 4, 0x21, 0x22
    assert answer(NUMBERS["mmap"], 0, 4096, 3, anonymous_private) == ALLOW
    assert answer(NUMBERS["mmap"], 0, 4096, 3 | executable, anonymous_private) == KILL
    assert answer(NUMBERS["mmap"], 0, 4096, 3, shared) == KILL
    assert answer(NUMBERS["mprotect"], 0, 4096, executable) == KILL
    assert answer(NUMBERS["tgkill"], PID, PID, 6) == ALLOW
    assert answer(NUMBERS["tgkill"], PID, PID, 9) == KILL
    assert answer(NUMBERS["tgkill"], PID + 1, PID, 6) == KILL


def test_a_check_looks_at_both_halves_of_an_argument() -> None:
    program = seccomp.assemble([Rule("getpid", "a test", (Check(0, 7),))], {})
    number = NUMBERS["getpid"]
    assert answer(number, 7, program=program) == ALLOW
    assert answer(number, 7 | 1 << 32, program=program) == KILL
    assert answer(number, 7 | 1 << 63, program=program) == KILL


def test_a_call_that_always_fails_is_not_allowed() -> None:
    program = seccomp.assemble([Rule("getpid", "a test", error=errno.EPERM)], {})
    assert answer(NUMBERS["getpid"], 7, program=program) == ERROR | errno.EPERM


def test_every_rule_has_a_reason() -> None:
    assert [rule.name for rule in RULES if not rule.reason.strip()] == []


def test_alternatives_of_one_call_do_not_widen_each_other() -> None:
    program = seccomp.assemble(
        [
            Rule("getpid", "a test", (Check(0, 1), Check(1, 1))),
            Rule("getpid", "a test", (Check(0, 2), Check(1, 2))),
        ],
        {},
    )
    for first, second in itertools.product(range(4), repeat=2):
        wanted = ALLOW if (first, second) in ((1, 1), (2, 2)) else KILL
        assert answer(NUMBERS["getpid"], first, second, program=program) == wanted
