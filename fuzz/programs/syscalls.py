"""System calls with hostile arguments, one child each, from a native guest."""

from sandbox.kernel.native_calls import rules
from sandbox.kernel.numbers import MACHINE, NUMBERS
from sandbox.kernel.scratch import calls

from ..engine import Program
from .hiding import Chooser

LAST_NUMBER = 480  # past the newest call of Linux 6.18
_X32_BIT = 0x40000000
# The kernel asks no filter about these, and ends a process that calls them (kernel/seccomp.c).
_BEYOND_ANY_FILTER = {335, 336}
# Refused by errno counts as allowed: the process goes on.
ALLOWED = {
    NUMBERS[rule.name]
    for files in (True, False)
    for rule in rules(files=files, threads=False, own=calls.RULES)
    if rule.name in NUMBERS
}
# What must not come true of an allowed call, whatever its arguments are.
_INTERESTING = (
    *(0, 1, 2, 3, 4, 5, -1, -2, -100, 7, 9, 0x21, 0x22, 4096, 1 << 12, 1 << 31, 1 << 32),
    *(0x7FFFFFFF, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, 0x100000004, 0x5401, 0xFFFFFFFFFFFFFFFF - 3),
)
_POINTERS = ("text", "zeros", "path", "filled", "None")
_BEFORE = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
zeros = ctypes.create_string_buffer(4096)
text = ctypes.create_string_buffer(b"@WITNESS@")
path = ctypes.create_string_buffer(b"@CANARY@")
filled = ctypes.create_string_buffer(b"\\x01" * 4096, 4096)
def a(value): return ctypes.c_long(value if value < 1 << 63 else value - (1 << 64))
"""


def usable() -> bool:
    """Say whether the numbers here are those of this machine."""
    return MACHINE == "x86_64"


def generate(chooser: Chooser) -> Program:
    """Write one call: half of all choices are of numbers that no filter rule names."""
    kind = chooser.randint(0, 9)
    if kind < 5:
        number = chooser.randint(0, LAST_NUMBER)
    elif kind < 9:
        number = chooser.choice(sorted(ALLOWED))
    else:
        number = chooser.randint(0, LAST_NUMBER) | _X32_BIT
    arguments = ", ".join(_argument(chooser) for _ in range(6))
    # Called without Python in between: what it breaks of the interpreter is its own affair.
    code = f"{_BEFORE}answer = libc.syscall(a({number}), {arguments})\n"
    if number not in ALLOWED and number not in _BEYOND_ANY_FILTER:
        code += "print('REACHED-@TOKEN@', answer)\n"
    return Program(id=f"syscall-{number}", code=code, means="syscall")


def _argument(chooser: Chooser) -> str:
    if chooser.randint(0, 3) == 0:
        return chooser.choice(_POINTERS)
    return f"a({chooser.choice(_INTERESTING)})"
