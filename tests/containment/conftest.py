"""What the containment tests share: native guests, and sandboxes with layers switched off."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from sandbox import Policy, Result, Sandbox

sys.path.insert(0, str(Path(__file__).parent))  # for attempts.py

# Raw system calls and raw frames for a guest that has escaped the language layer.
PRELUDE = """
import ctypes, errno, gc, json, os, struct, sys
_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

def call(number, *arguments):
    slots = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    answer = _libc.syscall(ctypes.c_long(number), *slots)
    return -ctypes.get_errno() if answer == -1 else answer

def stolen_key():
    # What native control gives: it is in the closure of the vault's own functions.
    gc.unfreeze()
    for o in gc.get_objects():
        if type(o) is type(call) and o.__qualname__ == "open_ends.<locals>.final":
            return dict(zip(o.__code__.co_freevars, o.__closure__))["key"].cell_contents

def frame(kind, payload, length=None):
    payload = (stolen_key() if kind == b"Z" else b"") + payload
    return struct.pack("<cI", kind, len(payload) if length is None else length) + payload

def final(**changes):
    data = {"status": "OK", "cpu": 0.0, "peak": 0, "error": "", "traceback": "", "value": None}
    return frame(b"Z", json.dumps({**data, **changes}).encode())

"""

TEST_SECONDS = 60
OFF = dict.fromkeys(
    ("rlimits", "descriptors", "privileges", "namespaces", "landlock", "seccomp", "cgroup"), "off"
)


@pytest.fixture(autouse=True)
def _no_test_hangs() -> Iterator[None]:
    """A hang is a failure of the test, not of the whole run."""

    def expire(_number: int, _frame: FrameType | None) -> None:
        raise TimeoutError(f"a containment test took more than {TEST_SECONDS} s")

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(TEST_SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="package")
def kernel_only() -> Iterator[Sandbox]:
    """The shipped policy: the language layer is off, every kernel layer that the host has is on."""
    with Sandbox("kernel-only", workers=2) as sandbox:
        yield sandbox


@pytest.fixture(scope="package")
def without_files() -> Iterator[Sandbox]:
    """The shipped policy, but its programs have no scratch directory."""
    with Sandbox(_kernel_only(files=False), workers=2) as sandbox:
        yield sandbox


def _kernel_only(*, files: bool) -> Policy:
    policy = Policy.load("kernel-only")
    return policy if files else policy.replaced(name="without-files", files=None)


@pytest.fixture
def prelude() -> str:
    """What `native` puts before a guest's code."""
    return PRELUDE


Native = Callable[..., Result]


@pytest.fixture
def native(kernel_only: Sandbox) -> Native:
    """Run native guest code under `kernel-only`, or in the `sandbox` that is given."""

    def run(
        code: str, stdin: str = "", *, sandbox: Sandbox = kernel_only, **options: Any
    ) -> Result:
        return sandbox.run(PRELUDE + code, stdin, **options)

    return run


@pytest.fixture
def only() -> Iterator[Callable[..., Sandbox]]:
    """A sandbox in which nothing is active but the process layer and the named ones.

    With `files` its programs have a scratch directory, where namespaces are among them.
    """
    opened: list[Sandbox] = []

    def open_one(*layers: str, workers: int = 1, files: bool = False, **limits: float) -> Sandbox:
        wishes = {**OFF, **dict.fromkeys(layers, "required")}
        policy = _kernel_only(files=files).replaced(
            name="layers-apart", layers=wishes, require_any=(), limits=limits, testing=True
        )
        opened.append(Sandbox(policy, workers=workers))
        return opened[-1]

    yield open_one
    for sandbox in opened:
        sandbox.close()


@pytest.fixture
def without() -> Iterator[Callable[..., Sandbox]]:
    """A sandbox with everything that the host has but the named layers."""
    opened: list[Sandbox] = []

    def open_one(*layers: str, workers: int = 1, files: bool = False) -> Sandbox:
        policy = _kernel_only(files=files).replaced(
            name="layers-missing",
            layers=dict.fromkeys(layers, "off"),
            require_any=(),
            testing=True,
        )
        opened.append(Sandbox(policy, workers=workers))
        return opened[-1]

    yield open_one
    for sandbox in opened:
        sandbox.close()


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file of ours that everybody on the host may read."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        if folder != Path("/tmp") and folder.stat().st_uid == os.getuid():
            folder.chmod(0o755)
    path = tmp_path / "canary"
    path.write_text("CANARY of the host")
    path.chmod(0o644)
    return path
