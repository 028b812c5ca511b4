"""What a filter answers: classic BPF, read by an interpreter of its own."""

import struct

from sandbox.kernel.numbers import AUDIT_ARCH

ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000


def interpret(program: bytes, data: bytes) -> int:
    """Classic BPF as bpf(2) describes it: the operations that a seccomp filter may use."""
    code = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    accumulator = at = 0
    for _ in range(len(code)):
        operation, yes, no, k = code[at]
        at += 1
        if operation == 0x20:  # load a word
            assert k % 4 == 0
            accumulator = struct.unpack_from("<I", data, k)[0]
        elif operation == 0x54:  # and
            accumulator &= k
        elif operation == 0x15:  # jump if equal
            at += yes if accumulator == k else no
        elif operation == 0x35:  # jump if greater or equal
            at += yes if accumulator >= k else no
        elif operation == 0x06:  # return
            return int(k)
        else:
            raise AssertionError(f"operation {operation:#x} is not one of a filter's")
    raise AssertionError("ran past its end")


def answer(number: int, *arguments: int, arch: int = AUDIT_ARCH, program: bytes) -> int:
    padded = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    return interpret(program, struct.pack("<IIQ6Q", number & 0xFFFFFFFF, arch, 0, *padded))
