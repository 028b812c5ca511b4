"""Each kernel layer holds for what it promises when every other one is switched off."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from attempts import attempt, reading

from sandbox import Result, Sandbox, SandboxUnavailable, Status

Native = Callable[..., Result]
Open = Callable[..., Sandbox]

ROOT = os.getuid() == 0


def test_with_no_layer_at_all_the_attacks_work(native: Native, only: Open, canary: Path) -> None:
    """The positive control: what the layers below stop is possible without them."""
    bare = only()
    assert "CANARY of the host" in native(reading(canary), sandbox=bare).output
    assert native(attempt("os.pipe()"), sandbox=bare).output.startswith("through")
    assert native(attempt("os.kill(os.getppid(), 0)"), sandbox=bare).output == "through None\n"
    assert native(attempt(f"os.kill({os.getpid()}, 0)"), sandbox=bare).output == "through None\n"
    forked = "pid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)\nprint('forked')"
    assert native(forked, sandbox=bare).output == "forked\n"


# -- rlimits

# The kernel does not count the processes of real root, and root may raise its limits again.
LIMITED = ("rlimits", "privileges") if ROOT else ("rlimits",)

EXHAUST = {
    "memory, in small pieces": ("l = []\nwhile True: l.append('x' * 1000)", Status.MEMORY_LIMIT),
    "memory, in one piece": ("x = bytearray(1 << 40)", Status.MEMORY_LIMIT),
    "the stack of C": (
        "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __init__(self): A()\nA()",
        Status.RECURSION_LIMIT,
    ),
    "descriptors": (
        "try:\n    while True: os.dup(4)\nexcept OSError as e: print(e.errno); 1/0",
        Status.ERROR,
    ),
}


@pytest.mark.parametrize("what", EXHAUST)
def test_rlimits_alone_end_the_guest_that_exhausts(native: Native, only: Open, what: str) -> None:
    code, status = EXHAUST[what]
    assert native(code, sandbox=only(*LIMITED, memory_mib=256)).status is status


def test_rlimits_alone_end_endless_work_even_when_the_timer_is_not_there(
    native: Native, only: Open
) -> None:
    sandbox = only(*LIMITED, cpu_seconds=1.0)
    result = native("while True: pass", sandbox=sandbox)
    assert (result.status, result.cpu_seconds < 1.5) == (Status.CPU_LIMIT, True)


def test_rlimits_alone_let_no_file_grow(native: Native, only: Open) -> None:
    code = "import resource as r\nprint([r.getrlimit(k) for k in (r.RLIMIT_FSIZE, r.RLIMIT_CORE)])"
    result = native(code, sandbox=only(*LIMITED))
    assert result.output == "[(0, 0), (0, 0)]\n"


def test_rlimits_stand_for_good(native: Native, only: Open) -> None:
    sandbox = only(*LIMITED)
    raised = attempt("__import__('resource').setrlimit(7, (64, 64))")
    assert native(raised.replace("64, 64", "65, 65"), sandbox=sandbox).output == "ValueError\n"
    assert native(attempt("os.fork()"), sandbox=sandbox).output == "BlockingIOError\n"


@pytest.mark.skipif(not ROOT, reason="for real root alone")
def test_limits_that_do_not_hold_for_root_are_found_by_the_probe(only: Open) -> None:
    with pytest.raises(SandboxUnavailable, match="a probe could fork") as refused:
        only("rlimits")
    assert refused.value.layer == "rlimits"


# -- descriptors

SEE_DESCRIPTORS = """
found = []
for number in range(1024):
    try:
        os.fstat(number)
    except OSError:
        continue
    found.append(number)
print(found)
"""


def test_descriptors_alone_leave_only_the_result_pipe_and_the_input(
    native: Native, only: Open
) -> None:
    assert native(SEE_DESCRIPTORS, sandbox=only("descriptors")).output == "[0, 4]\n"
    assert native(SEE_DESCRIPTORS, sandbox=only()).output != "[0, 4]\n"


def test_a_child_has_no_end_of_a_supervisors_pipe_whatever_layer_is_off(
    native: Native, only: Open
) -> None:
    """It would wait for itself, and for ever, if the supervisor was killed before it was fed."""
    pipes = "import stat\nprint([n for n in range(1024) if is_pipe(n)])\n"
    is_pipe = """
def is_pipe(number):
    try:
        return stat.S_ISFIFO(os.fstat(number).st_mode)
    except OSError:
        return False
"""
    assert native(is_pipe + pipes, sandbox=only()).output == "[4]\n"


def test_descriptors_alone_leave_nothing_to_read(native: Native, only: Open) -> None:
    sandbox = only("descriptors")
    assert native(attempt("os.read(4, 1)"), sandbox=sandbox).output == "OSError\n"
    assert native(attempt("os.read(3, 1)"), sandbox=sandbox).output == "OSError\n"


# -- privileges

STATUS_LINES = """
lines = dict(l.split(":", 1) for l in open("/proc/self/status").read().splitlines() if ":" in l)
print(*(lines[k].strip() for k in ("CapPrm", "CapEff", "CapInh", "CapAmb", "NoNewPrivs")))
print(0 in os.getresuid(), 0 in os.getresgid(), os.getgroups())
"""


def test_privileges_alone_leave_none(native: Native, only: Open) -> None:
    sandbox = only("privileges")
    dumpable = "call(157, 4, 1, 0, 0, 0)\n"  # so that it may read its own status
    zero = "0" * 16
    result = native(dumpable + STATUS_LINES, sandbox=sandbox)
    assert result.output == f"{zero} {zero} {zero} {zero} 1\nFalse False []\n"
    for expression in (
        "os.setresuid(0, 0, 0)",
        "os.setresgid(0, 0, 0)",
        "os.setgroups([0])",
        "os.chroot('/tmp')",
        "__import__('socket').socket(17, 3, 0)",
        "os.nice(-5)",
    ):
        result = native(attempt(expression), sandbox=sandbox)
        assert result.output in ("PermissionError\n", "OSError\n"), expression


def test_privileges_alone_stop_reading_and_tracing_the_supervisor(
    native: Native, only: Open
) -> None:
    sandbox = only("privileges")
    for expression in (
        "open(f'/proc/{os.getppid()}/mem')",
        "open(f'/proc/{os.getppid()}/maps').read(10)",
        "open(f'/proc/{os.getppid()}/environ').read(10)",
        "os.readlink(f'/proc/{os.getppid()}/fd/0')",
    ):
        assert native(attempt(expression), sandbox=sandbox).output == "PermissionError\n"
    traced = native("print(call(101, 16, os.getppid(), 0, 0))", sandbox=sandbox)
    assert traced.output == "-1\n"


# A user namespace of one's own needs no privilege, and begins with every capability in it.
IN_ONES_OWN = """
if call(272, 0x10000000) < 0: print("refused"); raise SystemExit
def tried(act):
    try: act()
    except (OSError, ValueError) as error: return type(error).__name__
    return "through"
import resource, socket, time
print(tried(lambda: os.setresuid(0, 0, 0)), tried(lambda: os.setgroups([0])))
print(tried(lambda: os.kill(caller, 0)), tried(lambda: open(f"/proc/{caller}/environ")))
print(tried(lambda: time.clock_settime(0, time.time())), tried(lambda: os.chown("/", 0, 0)))
print(tried(lambda: resource.prlimit(caller, 7)), tried(lambda: socket.sethostname("x")))
print("through" if call(165, text(b"none"), text(b"/"), text(b"tmpfs"), 0, None) >= 0 else "no")
"""


@pytest.mark.skipif(not ROOT, reason="the caller's uid is the guest's where it is no root")
def test_privileges_alone_give_no_capability_over_what_a_guest_did_not_make(
    native: Native, only: Open
) -> None:
    prefix = f"caller = {os.getpid()}\ntext = ctypes.c_char_p\n"
    result = native(prefix + IN_ONES_OWN, sandbox=only("privileges"))
    denied = "PermissionError"
    assert result.output in (
        f"OSError {denied}\n{denied} {denied}\n{denied} OSError\n{denied} {denied}\nno\n",
        "refused\n",  # as by Debian's or Ubuntu's settings
    )


# -- seccomp


def test_seccomp_alone_denies_all_of_it(native: Native, only: Open, canary: Path) -> None:
    sandbox = only("seccomp")
    for code in ("os.kill(os.getppid(), 0)", "os.setresuid(0, 0, 0)", "os.chroot('/')"):
        result = native(code, sandbox=sandbox)
        assert (result.status, result.exit_signal) == (Status.VIOLATION, 31), code
    for expression, raised in {
        f"os.open({str(canary)!r}, os.O_RDONLY)": "FileNotFoundError",
        f"os.open({str(canary)!r}, os.O_RDWR)": "PermissionError",
        f"os.stat({str(canary)!r})": "FileNotFoundError",
        f"os.chdir({str(canary.parent)!r})": "FileNotFoundError",
        f"os.unlink({str(canary)!r})": "PermissionError",
        "os.listdir('/')": "FileNotFoundError",
        "os.getcwd()": "FileNotFoundError",
        "os.fork()": "PermissionError",
        "os.execv('/bin/true', ['true'])": "PermissionError",
        "__import__('socket').socket()": "PermissionError",
        "os.write(0, b'x')": "PermissionError",  # the input is sealed
        "__import__('mmap').mmap(-1, 4096)": "PermissionError",
        "__import__('resource').setrlimit(7, (9, 9))": "ValueError",
        "__import__('_thread').start_new_thread(int, ())": "RuntimeError",
    }.items():
        assert native(attempt(expression), sandbox=sandbox).output == f"{raised}\n", expression
    assert canary.exists()
    assert native("print(sum(range(10)))", sandbox=sandbox).output == "45\n"


# -- process


POISON = """
import builtins, json, os, sys
builtins.planted = "CANARY of the job before"
json.planted = os.planted = builtins.planted
os.environ["PLANTED"] = builtins.planted
sys.path.append("planted")
builtins.abs = lambda _: 42
print("poisoned")
"""
LOOK = """
import builtins, json, os, sys
print(hasattr(builtins, "planted"), hasattr(json, "planted"), hasattr(os, "planted"))
print("PLANTED" in os.environ, "planted" in sys.path, abs(-7))
"""


def test_the_process_layer_alone_carries_no_state_to_the_next_job(
    native: Native, only: Open
) -> None:
    sandbox = only(workers=1)
    for _ in range(3):
        assert native(POISON, sandbox=sandbox).output == "poisoned\n"
        assert native(LOOK, sandbox=sandbox).output == "False False False\nFalse False 7\n"


def test_a_process_is_used_once(native: Native, only: Open) -> None:
    sandbox = only(workers=1)
    pids = [native("print(os.getpid())", sandbox=sandbox).output for _ in range(5)]
    assert len(set(pids)) == 5
    assert {native("print(sorted(os.environ))", sandbox=sandbox).output} <= {
        "['PYTHONHASHSEED']\n",
        "['LD_LIBRARY_PATH', 'PYTHONHASHSEED']\n",
        "['LC_CTYPE', 'PYTHONHASHSEED']\n",
        "['LC_CTYPE', 'LD_LIBRARY_PATH', 'PYTHONHASHSEED']\n",
    }
