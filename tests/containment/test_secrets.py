"""No secret of the caller or of another job is anywhere in a guest's address space.

The attacker is stronger than any guest: the layers that hide /proc/self/maps are off, so that it
reads every page that it has. Needles are put together in the guest, whose own source must not hold
them.
"""

import errno
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox import Result, Sandbox, Status

Native = Callable[..., Result]

# Reads everything readable; a page that holds the needle because the scan itself put it there is
# told apart: the needle's own buffers are known by their address.
SCAN = """
import re
halves = [line.split() for line in input().split(";")]
ends = {}
for name, left, right in halves:
    ends.setdefault((left, right), name)

def found():
    seen = set()
    memory = os.open("/proc/self/mem", os.O_RDONLY)
    for line in open("/proc/self/maps").read().splitlines():
        span, rights = line.split()[:2]
        if "r" not in rights or line.endswith(("[vvar]", "[vsyscall]", "[vvar_vclock]")):
            continue
        low, high = (int(part, 16) for part in span.split("-"))
        at = low
        while at < high:
            try:
                piece = os.pread(memory, min(high - at, 1 << 22) + 64, at)
            except OSError:
                break
            for (left, right), name in ends.items():
                start = piece.find(left.encode())
                while start >= 0:
                    if piece[start + len(left) : start + len(left) + len(right)] == right.encode():
                        seen.add(name)
                    start = piece.find(left.encode(), start + 1)
            at += 1 << 22
    return sorted(seen)
"""
LEAKY = ("seccomp", "landlock", "namespaces", "privileges", "rlimits")


def halves(**canaries: str) -> str:
    """Standard input for SCAN: the two halves of each canary, never next to each other."""
    return ";".join(f"{n} {c[: len(c) // 2]} {c[len(c) // 2 :]}" for n, c in canaries.items())


def canary() -> str:
    return f"CANARY{secrets.token_hex(16)}"


def test_the_scan_finds_what_is_there(without: Callable[..., Sandbox], native: Native) -> None:
    own = canary()
    planted = f"kept = bytes.fromhex({own.encode().hex()!r})\nprint(found())"
    result = native(SCAN + planted, halves(own=own), sandbox=without(*LEAKY))
    assert (result.status, result.output) == (Status.OK, "['own']\n")


def test_nothing_of_a_job_is_in_a_later_one(
    without: Callable[..., Sandbox], native: Native
) -> None:
    source, stdin, printed = canary(), canary(), canary()
    sandbox = without(*LEAKY)
    for _ in range(3):
        before = sandbox.run(
            f"x = {source!r} * 1000\ny = input() * 1000\nprint({printed!r})", stdin
        )
        assert before.status is Status.OK
    needles = halves(source=source, stdin=stdin, printed=printed)
    result = native(SCAN + "print(found())", needles, sandbox=sandbox)
    assert (result.status, result.output) == (Status.OK, "[]\n")


CALLER = """
import json, os, sys
sys.path[:0] = json.loads(sys.argv[2])
in_memory = sys.stdin.readline().strip()
path = sys.stdin.readline().strip()
job = sys.stdin.read()
in_file = open(path)
os.set_inheritable(in_file.fileno(), True)
text = in_file.read()
duplicate = os.open(path, os.O_RDONLY)
os.set_inheritable(duplicate, True)
os.dup2(duplicate, 3)
from sandbox import Policy, Sandbox
code, stdin = json.loads(job)
off = dict.fromkeys(sys.argv[3].split(), "off")
policy = Policy.load("kernel-only").replaced(layers=off, require_any=(), testing=True)
with Sandbox(policy, workers=1) as sandbox:
    hello = sandbox.run("print(1)")
    print(sandbox.run(code, stdin).to_json())
"""


@pytest.mark.parametrize("off", [" ".join(LEAKY), " ".join((*LEAKY, "descriptors"))])
def test_nothing_of_the_caller_is_in_a_guest(tmp_path: Path, off: str, prelude: str) -> None:
    """Environment, arguments, memory and open files, inheritable ones too."""
    kept = {name: canary() for name in ("environment", "arguments", "memory", "file")}
    path = tmp_path / "secret"
    path.write_text(kept["file"])
    inherited = """
for number in range(1, 64):
    try:
        data = os.pread(number, 4096, 0)
    except OSError:
        continue
    if b"CANARY" in data:
        print("read", number)
print(sorted(os.environ), sys.argv, [a for a in sys.orig_argv if "CANARY" in a])
print(b"CANARY" in open("/proc/self/environ", "rb").read())
print(b"CANARY" in open("/proc/self/cmdline", "rb").read())
print(found())
"""
    job = json.dumps([prelude + SCAN + inherited, halves(**kept)])
    done = subprocess.run(
        [sys.executable, "-c", CALLER, kept["arguments"], json.dumps(sys.path), off],
        input=f"{kept['memory']}\n{path}\n{job}",
        env={**os.environ, "SECRET": kept["environment"]},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    result = Result.from_json(done.stdout)
    assert result.status is Status.OK, result.error
    names, *answers = result.output.splitlines()
    assert answers == ["False", "False", "[]"]
    assert "SECRET" not in names
    assert names.endswith("[]")


def test_a_guest_under_every_layer_cannot_even_look(native: Native) -> None:
    for code in ("open('/proc/self/maps')", "open('/proc/self/mem')"):
        assert native(code).error.startswith("FileNotFoundError")
    assert native("print(call(27, 0, 4096, bytes(1)))").output == f"{-errno.ENOSYS}\n"
