"""The parsers that stand before untrusted bytes, each with what must hold whatever it is given."""

from collections.abc import Callable

from sandbox import Policy, PolicyError
from sandbox.policy.layers import OFF
from sandbox.policy.limits import Limits
from sandbox.result import Result, Status
from sandbox.runtime.executions.record import ExecutionRecord, Exit
from sandbox.runtime.executions.verdict import Setting, judge
from sandbox.runtime.wire import protocol
from sandbox.runtime.wire.protocol import Caps, FrameReader, ProtocolError
from sandbox.runtime.wire.trusted_json import read_plain
from sandbox.runtime.wire.untrusted_json import Bounds

from ..programs.hiding import Chooser

_CAPS = Caps(output=4096, final=2048)
_LIMITS = Limits(
    cpu_seconds=1,
    wall_seconds=2,
    memory_mib=64,
    output_kib=4,
    source_kib=64,
    stdin_kib=64,
    recursion_limit=1000,
)
_SETTING = Setting(policy="harness", layers=(), resident_bytes=0)
_HELD_BYTES = 8192  # the largest cap and one header, with room


class Broken(AssertionError):
    """A parser did what it must never do."""


def frames(data: bytes) -> None:
    """Check the frames that are read from whatever a child writes, in pieces.

    They are within their caps, and nothing comes after a final one.
    """
    reader, output, finals = FrameReader(_CAPS), 0, 0
    try:
        for at in range(0, len(data), 700):
            for kind, payload in reader.feed(data[at : at + 700]):
                finals += kind == protocol.FINAL
                output += len(payload) if kind == protocol.OUTPUT else 0
                if kind not in (protocol.OUTPUT, protocol.FINAL) or len(payload) > _CAPS.output:
                    raise Broken(f"a frame {kind!r} of {len(payload)} bytes was passed on")
            if not reader.finished and len(reader._buffer) > _HELD_BYTES:
                raise Broken(f"{len(reader._buffer)} bytes are held")
    except ProtocolError:
        return
    if output > _CAPS.output or finals > 1:
        raise Broken(f"{output} bytes of output and {finals} final frames were passed on")


def final(data: bytes) -> None:
    """Check that any final frame is a result that can be written, and never OK with a signal."""
    for status in (0, 31, 9 << 8):
        record = ExecutionRecord()
        record.final = data
        record.exit = Exit(protocol.BY_ITSELF, status, 0.1, 0)
        result = judge(record, _LIMITS, _SETTING, "harness")
        result.to_json().encode()
        f"{result.error}{result.traceback}{result.output}".encode()
        if result.ok and (status == 31 or result.error):
            raise Broken(f"OK with wait status {status}")
        if result.status not in set(Status) or not 0 <= result.cpu_seconds < 1e9:
            raise Broken(f"{result.status}, {result.cpu_seconds} s")


def value(data: bytes) -> None:
    """Check that the parser gives plain data or a ValueError."""
    try:
        read_plain(data, Bounds(1 << 20, 10_000, 200))
    except (ValueError, RecursionError):
        return


def policy(data: bytes) -> None:
    """Check that the parser gives a policy that keeps its kernel layers, or a PolicyError."""
    try:
        made = Policy.from_toml(data.decode("utf-8", "replace"))
    except PolicyError:
        return
    plan = made.plan()
    if not plan.language and not made.testing and plan.layers["seccomp"] == OFF:
        raise Broken("a policy without the language layer and without a filter")


def result(data: bytes) -> None:
    """Check that the parser gives a result or a ValueError."""
    try:
        Result.from_json(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return


HARNESSES: dict[str, Callable[[bytes], None]] = {
    "frames": frames,
    "final": final,
    "value": value,
    "policy": policy,
    "result": result,
}
_ROUNDS = {"policy": 100}  # it takes the longest
_USUAL_ROUNDS = 2000
_FINAL = b'{"status":"OK","cpu":0.1,"peak":1,"error":"","traceback":"","value":[1,"x"]}'
_FAILED = (
    b'{"status":"ERROR","cpu":0.1,"peak":1,"error":"ValueError: invalid literal for int()",'
    b'"traceback":"Traceback (most recent call last):\\n  File \\"program\\", line 1","value":null}'
)
_RESULT = b'{"output":"","error":"","status":"OK"}'
_POLICY = b'name = "x"\nlanguage = "off"\nextends = "kernel-only"\n[limits]\ncpu_seconds = 1\n'
_GRANTS = (
    b'name = "z"\nextends = "strict"\n[[builtins]]\nnames = ["abs"]\nreason = "r"\n'
    b'[[modules]]\nmodule = "math"\nnames = ["sin"]\nreason = "r"\n'
)
SEEDS: dict[str, tuple[bytes, ...]] = {
    "frames": (
        protocol.frame(protocol.OUTPUT, b"x" * 40) + protocol.frame(protocol.FINAL, _FINAL),
        protocol.frame(protocol.OUTPUT, b"") * 30 + protocol.frame(protocol.FINAL, b"{}") * 2,
        protocol.HEADER.pack(protocol.OUTPUT, 0xFFFFFFFF) + b"x" * 9000,
    ),
    "final": (_FINAL, _FAILED, _FINAL.replace(b"0.1", b"NaN"), _FINAL.replace(b'"OK"', b"[[]]")),
    "value": (b"[1,2,{}]", b"9" * 5000, b"[" * 2000, b'"\\ud800"'),
    "policy": (_POLICY, b'extends = "strict"\nname = "y"\n[layers]\nseccomp = "off"\n', _GRANTS),
    "result": (_RESULT, _RESULT.replace(b'"OK"', b"7")),
}
_PIECES = (b"\0", b"\xff", b"Z", b"O", b"{", b"[", b'"', b"\n", b"9" * 40, b"NaN", b"-", b"\\ud800")


def mutated(name: str, chooser: Chooser) -> bytes:
    """Return one of the seeds of a harness after a few random changes of bytes."""
    data = bytearray(chooser.choice(SEEDS[name]))
    for _ in range(chooser.randint(1, 6)):
        at = chooser.randint(0, max(len(data) - 1, 0))
        kind = chooser.randint(0, 3)
        if kind == 0 and data:
            data[at % len(data)] = chooser.randint(0, 255)
        elif kind == 1:
            data[at:at] = chooser.choice(_PIECES)
        elif kind == 2:
            del data[at : at + chooser.randint(1, 9)]
        else:
            data += data[at : at + 50]
    return bytes(data)


def broken(name: str, chooser: Chooser) -> tuple[int, str, str]:
    """Fuzz `name`; return how often it was tried, what input broke it, and what came of that."""
    rounds = _ROUNDS.get(name, _USUAL_ROUNDS)
    for number in range(rounds):
        data = mutated(name, chooser)
        try:
            HARNESSES[name](data)
        except Exception as error:
            return number, repr(data), f"{name}: {type(error).__name__}: {error}"
    return rounds, "", ""
