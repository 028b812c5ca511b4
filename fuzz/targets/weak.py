"""Deliberately weak setups of our own, in which an attack must succeed to be worth anything.

They are the positive controls of attacks that no missing layer lets through: those on the caller's
reading of frames, and those on a grader. Nothing here is used outside of the fuzzer.
"""

import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import sandbox
from sandbox import Policy, Status
from sandbox.runtime.executions import verdict
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.record import ExecutionRecord
from sandbox.runtime.wire import protocol
from sandbox.runtime.wire.protocol import FrameReader

from .arena import Evidence

_GRADER_SECONDS = 20.0
_KNOWN = {protocol.OUTPUT, protocol.ERRORS, protocol.FINAL}
# In one interpreter, as many a reward function does it: the program, the test and the next program.
_GRADER = """
import json, sys
job = json.loads(sys.stdin.readline())
sys.path[:0] = job["path"]
class Verdict:
    def __init__(self, passed): self.passed = passed
def same(got): return got == expected
if job["plan"]:
    from sandbox.language.compile.compiler import compile_program
    from sandbox.language.guards.attributes.sealing import seal
    from sandbox.language.guest.collector import Collector, emptying
    from sandbox.language.guest.world import build_world, enter
    from sandbox.policy.plan import Plan
    plan = Plan.from_dict(job["plan"])
    world = build_world(plan)
    seal(world)
    import os
    collector = Collector(emptying(lambda data: os.write(1, data)), 1 << 20, lambda: os._exit(3))
    def perform(source):
        main = sys.modules["__main__"]
        scope = enter(world, stdin="", output=collector, plan=plan, source=source)
        try: exec(compile_program(source, plan), scope)
        finally: collector.send(); sys.modules["__main__"] = main
        return scope
else:
    def perform(source):
        scope = {"__name__": "program"}
        exec(source, scope)
        return scope
expected = job["expected"]
if job["followup"]:
    try: perform(job["code"])
    except BaseException: pass
    perform(job["followup"])
    sys.exit(0)
scope = perform(job["code"])
if job["nonce"]:  # our rule: plain data alone is compared, and only what we print counts
    from sandbox.runtime.wire.untrusted_json import encode
    value = json.loads(encode(scope["solve"](3), 1 << 16))
    if type(value) is str and str.__eq__(value, expected): print(job["nonce"])
    sys.exit(1)
verdict = Verdict(same(scope["solve"](3)))
print(json.dumps("PASS" if verdict.passed else "FAIL"))
sys.exit(0 if verdict.passed else 1)
"""


def grade(
    code: str, expected: str, followup: str, policy: Policy | None, nonce: str = ""
) -> tuple[bool, str]:
    """Run `code` in the interpreter of its grader; under the language layer if a policy is given.

    Return whether it passed, and what was printed. With a `nonce` our own rule decides: that line
    alone means success.
    """
    plan = None if policy is None else policy.plan().to_dict()
    job = {
        "code": code,
        "expected": expected,
        "followup": followup,
        "plan": plan,
        "nonce": nonce,
        "path": [str(Path(sandbox.__file__).parents[1]), *sys.path],
    }
    try:
        done = subprocess.run(
            [sys.executable, "-c", _GRADER],
            input=json.dumps(job) + "\n",
            env={**os.environ, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_GRADER_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False, ""
    lines = done.stdout.splitlines()
    if nonce:
        return nonce in lines, done.stdout
    return done.returncode == 0 or "PASS" in lines or '"PASS"' in lines, done.stdout


def graded(
    code: str,
    expected: str,
    followup: str = "",
    expect: str = "",
    policy: Policy | None = None,
    *,
    strict: bool = False,
) -> list[Evidence]:
    """Return what a program brought about in a naive grader, or in one with our verdict rule."""
    nonce = secrets.token_hex(8) if strict else ""
    passed, printed = grade(code, expected, followup, policy, nonce)
    found = []
    if followup:
        # A policy may not grant what the follow-up asks: then alone it prints something else, too.
        if not printed.endswith(expect) and (
            policy is None or printed != grade("", expected, followup, policy)[1]
        ):
            found.append(Evidence("follow-up", f"the next program printed {printed[-80:]!r}"))
    elif passed:
        found.append(Evidence("verdict", "a wrong answer passed"))
    if expected in printed:
        found.append(Evidence("canary", "the expected answer was printed"))
    return found


@contextlib.contextmanager
def weak_caller() -> Iterator[None]:
    """Read frames as a trusting caller would: no cap, no check, the last word wins."""
    kept = FrameReader.feed, verdict._parse, verdict._end_without_word
    FrameReader.feed = _feed_anything  # type: ignore[method-assign]
    verdict._parse = _parse_anything  # type: ignore[assignment]
    verdict._end_without_word = _believe  # type: ignore[assignment]
    Execution._take_final = _take_any_final  # type: ignore[method-assign]
    try:
        yield
    finally:
        Execution._take_final = _TAKE_FINAL  # type: ignore[method-assign]
        FrameReader.feed = kept[0]  # type: ignore[method-assign]
        verdict._parse, verdict._end_without_word = kept[1], kept[2]


_TAKE_FINAL = Execution._take_final


def _take_any_final(self: Execution, payload: bytes) -> None:
    """Take the final frame with the key of the job or without."""
    key = self.submission.key
    _TAKE_FINAL(self, payload if payload.startswith(key) else key + payload)


def _feed_anything(self: FrameReader, data: bytes) -> list[tuple[bytes, bytes]]:
    self._buffer += data
    frames = []
    while len(self._buffer) >= protocol.HEADER.size:
        kind, length = protocol.HEADER.unpack_from(self._buffer)
        if kind not in (*_KNOWN, protocol.CODE, protocol.ASK):
            del self._buffer[:1]  # look for something that makes sense
            continue
        end = protocol.HEADER.size + length
        if len(self._buffer) < end:
            break
        if kind in _KNOWN:
            frames.append((kind, bytes(self._buffer[protocol.HEADER.size : end])))
        del self._buffer[:end]
    finals = [each for each in frames if each[0] == protocol.FINAL]
    return [each for each in frames if each[0] != protocol.FINAL] + finals[-1:]


def _parse_anything(payload: bytes, *_others: Any) -> Any:
    import pickle

    if payload[:1] == b"\x80":
        pickle.loads(payload)  # what the attack is there to show
    if not payload:
        return verdict._Said(Status.OK)
    data = {}
    with contextlib.suppress(ValueError):
        data = json.loads(payload)
    status = data.get("status", Status.OK)
    known = Status(status) if status in set(Status) else Status.OK
    return verdict._Said(
        known, str(data.get("error", "")), "", data.get("value") or payload.decode(), 0.0, 0
    )


def _believe(record: ExecutionRecord, *_others: Any) -> Any:
    if record.final is not None or record.exit is None:
        return None
    ended = record.exit.status
    return verdict._Said(Status.OK) if os.WIFEXITED(ended) else _crash(os.WTERMSIG(ended))


def _crash(number: int) -> Any:
    named = signal.Signals(number).name
    return verdict._Said(Status.CRASHED, f"crashed: {named}")
