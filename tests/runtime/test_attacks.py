"""Attacks on verdicts from inside, and callers in odd states."""

import gc
import math
import os
import resource
import signal
import subprocess
import sys
import time

import pytest

from sandbox import Job, Sandbox, Status

EXITS = {
    "before the function is there": "raise SystemExit(0)",
    "in the function": "def f():\n    exit()",
    "in the function, with a code of success": "def f():\n    raise SystemExit(False)",
    "by a subclass": "class E(SystemExit): pass\ndef f():\n    raise E",
}


@pytest.mark.parametrize("where", EXITS)
def test_an_exit_is_no_value(strict, where):
    result = strict.call(EXITS[where], "f")
    assert (result.status, result.value) == (Status.ERROR, None)
    assert "before 'f' returned" in result.error


@pytest.fixture(scope="module")
def contest():
    with Sandbox("contest", workers=2) as sandbox:
        yield sandbox


REVERSED = """
class Same:
    def __eq__(self, other):
        next(turned)
class Counted(tuple):
    __getitem__ = tuple.count
turned = reversed(Counted([Same()]))
next(turned)
"""


def test_an_operator_is_ours_in_a_child_once_a_class_of_the_program_makes_it_unsafe(contest):
    """What of the interpreter's memory is written for that is in the vault's hands alone."""
    assert contest.run("print(*reversed((1, 2)))").output == "2 1\n"
    result = contest.run(REVERSED)
    assert result.error.startswith("ValueError: reversed already executing"), result


BIG = "import sys\nsys.set_int_max_str_digits(0)\ndef f(n): return [-(10**n), 10**n - 1]"


def test_how_long_an_integer_may_be_is_not_the_callers_setting(contest):
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        result = contest.call(BIG, "f", [4000])
    finally:
        sys.set_int_max_str_digits(before)
    assert result.status is Status.OK, result
    assert result.value == [-(10**4000), 10**4000 - 1]


def test_an_integer_that_is_too_long_is_the_guests_error_and_no_violation(contest):
    result = contest.call(BIG, "f", [4300])
    assert result.status is Status.ERROR
    assert "an integer of more than 4300 digits" in result.error


def test_a_forged_frame_with_a_million_digits_costs_the_caller_nothing(native):
    frame = '{"status":"OK","cpu":0,"peak":0,"error":"","traceback":"","value":%s}'
    source = (
        "import os, struct\n"
        f"text = ({frame!r} % ('9' * 900_000)).encode()\n"
        "data = struct.pack('<cI', b'Z', len(text)) + text\n"
        "while data: data = data[os.write(4, data):]\n"
        "os._exit(0)"
    )
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        started = time.process_time()
        assert native.run(source).status is Status.VIOLATION
        assert time.process_time() - started < 0.5
    finally:
        sys.set_int_max_str_digits(before)


def test_arguments_without_an_end_are_not_plain_data(strict):
    cycle: list[object] = []
    cycle.append(cycle)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (cycle, deep):
        with pytest.raises(ValueError, match="nested more than"):
            strict.call("def f(x): return 1", "f", [value])


HOSTILE = {
    "a list that lies": ("class L(list):\n def __iter__(s): return iter([9])\n"
                         " def __len__(s): return 9\ndef f(): return L([1, 2])", [1, 2]),
    "a dict that lies": ("class D(dict):\n def items(s): return [(1, 2)]\n"
                         "def f(): return D(a=1)", {"a": 1}),
    "a text that lies": ("class S(str):\n def __str__(s): return 'no'\n"
                         "def f(): return S('yes')", "yes"),
    "a number that injects": ("class F(float):\n def __repr__(s): return '1,\"status\":\"OK\"'\n"
                              "def f(): return F(1.5)", 1.5),
}  # fmt: skip


@pytest.mark.parametrize("title", HOSTILE)
def test_a_value_is_what_it_is_and_not_what_it_says(strict, title):
    source, value = HOSTILE[title]
    assert strict.call(source, "f").value == value


def test_numbers_that_json_lacks_come_back(strict):
    value = strict.call("def f(): return [float('nan'), -float('inf'), -0.0]", "f").value
    assert math.isnan(value[0])
    assert value[1] == -math.inf
    assert math.copysign(1, value[2]) == -1


EXCEPTIONS = {
    "its text raises": "class E(Exception):\n def __str__(s): raise ValueError\nraise E",
    "its text exits": "class E(Exception):\n def __str__(s): raise SystemExit(0)\nraise E",
    "its text recurses": "class E(Exception):\n def __str__(s): return str(s)\nraise E",
    "it says that it is an exit": "class E(Exception):\n def __getattribute__(s, n):\n"
    "  return SystemExit if n == '__class__' else super().__getattribute__(n)\nraise E",
    "an exit with a code that lies": "class E(SystemExit):\n @property\n"
    " def code(s): return 0\nraise E(3)",
    "an exit with a number that lies": "class I(int):\n def __and__(s, o): return 0\n"
    " def __eq__(s, o): return True\n __hash__ = int.__hash__\nraise SystemExit(I(5))",
    "a finalizer exits": "class D:\n def __del__(s): raise SystemExit(0)\nd = D()\n"
    "raise ValueError",
    "contexts in a circle": "a, b = ValueError(), KeyError()\na.__context__ = b\n"
    "b.__context__ = a\nraise a",
    "groups in groups": "e = ValueError()\n"
    "for _ in range(5000): e = ExceptionGroup('x', [e])\nraise e",
}


@pytest.mark.parametrize("title", EXCEPTIONS)
def test_a_hostile_exception_is_an_error(strict, title):
    assert strict.run(EXCEPTIONS[title]).status is Status.ERROR


CALLERS = {
    "without descriptors 0 to 2": "for fd in range(3): os.close(fd)",
    "that ignores SIGCHLD": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "that reaps every child": """
def reap():
    while True:
        try: os.waitpid(-1, 0)
        except ChildProcessError: time.sleep(0.005)
threading.Thread(target=reap, daemon=True).start()
""",
    "that blocks every signal": "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())",
    "that ignores every signal": """
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    try: signal.signal(number, signal.SIG_IGN)
    except OSError: pass
""",
    # Imports come first, and "" leaves the path: CPython 3.13.0 can import nothing at all there.
    "in a directory that is gone": """
from sandbox.runtime.caller import client, defaults
sys.path[:] = filter(None, sys.path)
d = tempfile.mkdtemp(); os.chdir(d); os.rmdir(d)
""",
    "with descriptors over 1024": """
resource.setrlimit(resource.RLIMIT_NOFILE, (2048, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
kept = [os.open("/dev/null", 0) for _ in range(1100)]
""",
    "with few descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))",
    "with a umask of nothing": "os.umask(0o777)",
    "with descriptors to inherit": """
r, w = os.pipe()
os.dup2(w, 77, inheritable=True)
""",
}

_CALLER = """
import os, resource, signal, sys, tempfile, threading, time
report = os.open(sys.argv[1], os.O_WRONLY)
os.dup2(report, 99); report = 99
{state}
from sandbox import Sandbox
with Sandbox("strict", workers=1) as s, Sandbox("kernel-only", workers=1) as native:
    seen = [
        s.run("print(input())", "hello").stdout,
        s.run("while True: pass", cpu_seconds=0.2).status.value,
        native.run("import os; os.abort()").status.value,
        native.run("import os\\nfor fd in range(100):\\n try: os.write(fd, b'x')\\n"
                   " except OSError: pass\\nprint('ran')").status.value,
    ]
    os.write(report, repr(seen).encode())
"""


@pytest.mark.parametrize("state", CALLERS)
def test_a_caller(state, tmp_path):
    report = tmp_path / "report"
    report.touch()
    program = _CALLER.format(state=CALLERS[state])
    ended = subprocess.run(
        [sys.executable, "-c", program, str(report)], capture_output=True, timeout=60, check=False
    )
    assert ended.returncode == 0, ended
    assert report.read_text() == repr(["hello\n", "CPU_LIMIT", "CRASHED", "VIOLATION"]), ended


@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_hard_limit_of_the_callers_that_is_too_low_is_named(limit):
    def lower() -> None:
        resource.setrlimit(getattr(resource, limit), (200 << 20, 200 << 20))

    ended = subprocess.run(
        [sys.executable, "-c", "from sandbox import Sandbox; Sandbox('strict')"],
        capture_output=True,
        text=True,
        preexec_fn=lower,
        timeout=60,
        check=False,
    )
    assert "SandboxUnavailable: layer 'rlimits' is not available" in ended.stderr
    assert f"the caller's hard limit {limit} is 200 MiB" in ended.stderr


def test_an_interrupted_caller_can_go_on_and_leaks_little(contest):
    hits, waiting = 0, False

    def interrupt(*_: object) -> None:
        if waiting:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    open_before = len(os.listdir("/proc/self/fd"))
    try:
        for attempt in range(120):
            waiting = True
            try:
                # Again after a while: CPython drops what is raised inside a finalizer.
                signal.setitimer(signal.ITIMER_REAL, 0.0001 + attempt % 40 * 0.0001, 0.25)
                contest.run("while True: pass")
            except KeyboardInterrupt:
                waiting = False
                hits += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    gc.collect()
    assert hits == 120
    assert len(os.listdir("/proc/self/fd")) - open_before < 12
    assert [contest.run("print(1)").status for _ in range(4)] == [Status.OK] * 4


def test_what_is_abandoned_is_killed(contest):
    open_before = len(os.listdir("/proc/self/fd"))
    results = contest.map([Job("print(1)"), *[Job("while True: pass")] * 5])
    assert next(results).status is Status.OK
    results.close()
    results = contest.map([Job("print(1)")] * 5)
    next(results)
    with pytest.raises(KeyError):
        results.throw(KeyError())
    del results
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= open_before + 2
    assert contest.run("print(1)").status is Status.OK
