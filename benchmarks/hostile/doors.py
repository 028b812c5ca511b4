"""The doors by which data of a guest, a client or an author comes in, each as one function.

What is called here is what the caller's process runs; nothing of a child's is measured.
"""

import contextlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.audit.reward.reading.look import Look, parse
from sandbox.audit.reward.reading.static import check_tree
from sandbox.errors import PolicyError
from sandbox.grading.comparators import COMPARATORS
from sandbox.grading.extraction import extract_code
from sandbox.grading.formats import read_tests
from sandbox.grading.preambles import LCB, preamble
from sandbox.grading.tests import CallTests
from sandbox.grading.texts.harness import as_module, entry
from sandbox.integrations.openrlhf import completion
from sandbox.integrations.server.bodies.strict_json import pieces, read_json
from sandbox.policy.model import Policy
from sandbox.runtime.executions import services
from sandbox.runtime.executions.record import ExecutionRecord
from sandbox.runtime.executions.verdict import Setting, judge
from sandbox.runtime.wire import protocol
from sandbox.runtime.wire.protocol import Caps, FrameReader, ProtocolError
from sandbox.runtime.wire.untrusted_json import Bounds

_POLICY = Policy.load("contest")
_LIMITS = _POLICY.plan().limits
_MOST = Bounds(_LIMITS.output_kib << 10, _LIMITS.value_items, _LIMITS.value_depth)
_SETTING = Setting(policy="contest", layers=(), resident_bytes=0)
_FINAL = {"status": "OK", "cpu": 0.1, "peak": 1, "error": "", "traceback": ""}
_READ_BYTES = 1 << 18
_PREAMBLE = preamble(LCB, _POLICY)
# What each refuses with; anything else is a find of its own.
_REFUSED = (ValueError, TypeError, PolicyError, RecursionError, ProtocolError, SyntaxError)


def _bytes(text: str) -> bytes:
    """Return each character as the byte of its number: most of them are no UTF-8."""
    return text.encode("latin-1", "replace")


def _frames(text: str) -> None:
    """Read frames as long as the text's lines: many small ones, or few large ones."""
    parts = [protocol.frame(protocol.OUTPUT, line) for line in _bytes(text).split(b"\n")]
    stream, reader = b"".join(parts), FrameReader(Caps(output=1 << 24, final=1 << 20))
    for start in range(0, len(stream), _READ_BYTES):
        reader.feed(stream[start : start + _READ_BYTES])


def _dripped(text: str) -> None:
    """Read one frame that comes in very small parts."""
    stream = protocol.frame(protocol.OUTPUT, _bytes(text))
    reader = FrameReader(Caps(output=1 << 24, final=1 << 20))
    for start in range(0, len(stream), 16):
        reader.feed(stream[start : start + 16])


def _judged(output: bytes, value: bytes) -> None:
    final = json.dumps(_FINAL).encode()[:-1] + b', "value": ' + value + b"}"
    record = ExecutionRecord(final=final, fed=True)
    record.printed.add(output)
    record.wall_seconds = 0.1
    with contextlib.suppress(Exception):
        judge(record, _LIMITS, _SETTING, "job")


def _source(text: str) -> None:
    tree = parse(text)
    if tree is not None:
        check_tree(Look(tree))


def _compared(name: str, text: str) -> None:
    compare = COMPARATORS[name].text
    compare(text, text[:-1] + ("1" if text[-1:] != "1" else "2"))
    compare(text, text.swapcase() + " ")


def _entered(text: str) -> None:
    as_module(text)
    entry("f", text, _PREAMBLE(text, CallTests("f", ())))


Door = Callable[[str], Any]
DOORS: dict[str, Door] = {
    "frames of a guest": _frames,
    "a frame in small parts": _dripped,
    "output": lambda text: _judged(_bytes(text), b"null"),
    "returned values": lambda text: _judged(b"", _bytes(text)),
    "ASK requests": lambda text: services._parse(b'["f",[' + _bytes(text) + b"],{}]", _MOST),
    "tests: assertions": lambda text: read_tests({"test_list": [text]}),
    "tests: check": lambda text: read_tests({"test": text, "entry_point": "f"}),
    "tests: many": lambda text: read_tests({"test_list": text.split("\n")}),
    "tests: calls": lambda text: read_tests({"fn_name": "f", "inputs": [text], "outputs": ["1"]}),
    "tests: JSON": read_tests,
    "completions": extract_code,
    "completions: OpenRLHF": lambda text: completion("p" + text, "p"),
    "programs, made callable": _entered,
    **{f"comparator {name}": partial(_compared, name) for name in COMPARATORS},
    "reward functions": _source,
    "policies": lambda text: Policy.from_toml(text, origin="hostile"),
    "HTTP bodies": lambda text: read_json(text.encode("utf-8", "surrogatepass")),
    "HTTP answers": lambda text: sum(map(len, pieces([text, text.split(" ")]))),
}


def go_through(door: Door, text: str) -> None:
    """Give `text` to `door`; being refused is an answer."""
    with contextlib.suppress(*_REFUSED, MemoryError):
        door(text)
