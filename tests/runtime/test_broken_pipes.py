"""A caller that SIGPIPE would end, as it ends `sandbox run ... | head`, is ended by no guest."""

import signal
import subprocess
import sys

import pytest

from sandbox.runtime.executions import pipes

_CALLER = """
import signal, time
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
from sandbox import Policy, Sandbox
policy = Policy.load({policy!r}).replaced(name="broken", {changes})
with Sandbox(policy, workers=1, measure={measure!r}) as sandbox:
    for _ in range(3):
        result = sandbox.run({code!r}, {options})
    print(result.status.value)
"""
CALLS = {
    "a job for which there is no room": (
        {"policy": "strict", "changes": "limits={'memory_mib': 16, 'stdin_kib': 1 << 17}"},
        {"code": "1", "options": "'x' * (100 << 20)"},
        "MEMORY_LIMIT",
    ),
    "an answer for which there is no room": (
        {"policy": "strict", "changes": "services=True, limits={'memory_mib': 32}"},
        {"code": "print(len(much()))", "options": "services={'much': lambda: 'y' * (100 << 20)}"},
        "MEMORY_LIMIT",
    ),
    "an answer that nobody reads": (
        {"policy": "kernel-only", "changes": "services=True"},
        {
            "code": "import os, struct\nos.close(3)\nasked = b'[\"f\", [], {}]'\n"
            "os.write(4, struct.pack('<cI', b'Q', len(asked)) + asked)\n"
            "import time\ntime.sleep(0.5)",
            "options": "services={'f': lambda: 'y' * (1 << 20)}",
        },
        "OK",
    ),
}


@pytest.mark.parametrize("measure", ["child", "kernel"])
@pytest.mark.parametrize("call", CALLS)
def test_a_guest_that_reads_no_more_ends_no_caller(call, measure):
    of_policy, of_run, status = CALLS[call]
    program = _CALLER.format(measure=measure, **of_policy, **of_run)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, f"{status}\n"), ended


@pytest.mark.parametrize("blocked", [False, True])
def test_what_the_caller_has_set_for_the_signal_stays(blocked):
    program = f"""
import os, signal
from sandbox.runtime.executions import pipes
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_SETMASK, [signal.SIGPIPE] * {blocked})
before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
r, w = os.pipe()
assert pipes.write(w, b"abc") == 3
os.close(r)
try:
    pipes.write(w, b"abc")
except BrokenPipeError:
    print(signal.sigpending(), signal.pthread_sigmask(signal.SIG_BLOCK, ()) == before)
if {blocked}:
    os.kill(os.getpid(), signal.SIGPIPE)
    try:
        pipes.write(w, b"abc")
    except BrokenPipeError:
        print(signal.SIGPIPE in signal.sigpending())
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended
    assert ended.stdout == "set() True\n" + "True\n" * blocked


def test_pythons_own_setting_is_left_alone(monkeypatch):
    monkeypatch.setattr(signal, "pthread_sigmask", None)
    with open("/dev/null", "wb") as sink:
        assert pipes.write(sink.fileno(), memoryview(b"abc")) == 3
