"""What an honest library only asks for is refused by an error number, and its process lives on.

Each case is a call that succeeds, or asks the host something, where no layer holds it.
"""

import errno
from collections.abc import Callable

import pytest
from attempts import attempt

from sandbox import Policy, Result, Sandbox, Status
from sandbox.kernel.numbers import MACHINE

Native = Callable[..., Result]

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")


@pytest.fixture
def kernel_only(without_files: Sandbox) -> Sandbox:
    """Give programs nothing to write to; `test_scratch.py` has the others."""
    return without_files


RAW = {
    "open": ("call(2, b'/etc/passwd', 0)", errno.ENOENT),
    "openat": ("call(257, -100, b'/etc/passwd', 0)", errno.ENOENT),
    "openat to write": ("call(257, -100, b'/etc/passwd', 2)", errno.EACCES),
    "stat": ("call(4, b'/etc/passwd', ctypes.create_string_buffer(256))", errno.ENOENT),
    "readlink": ("call(89, b'/proc/self/exe', ctypes.create_string_buffer(9), 9)", errno.ENOENT),
    "unlink": ("call(87, b'/tmp/x')", errno.EACCES),
    "inotify": ("call(294, 0)", errno.EPERM),
    "socket": ("call(41, 2, 1, 0)", errno.EACCES),
    "a pair of datagram sockets": ("call(53, 1, 2, 0, bytes(8))", errno.EACCES),
    "connect": ("call(42, 4, struct.pack('<HH12x', 2, 80), 16)", errno.EACCES),
    "sendto on the result pipe": ("call(44, 4, b'x', 1, 0, 0, 0)", errno.ENOTSOCK),
    "sendmsg": ("call(46, 4, bytes(64), 0)", errno.EACCES),
    "fork": ("call(57)", errno.EPERM),
    "vfork": ("call(58)", errno.EPERM),
    "clone": ("call(56, 17, 0, 0, 0, 0)", errno.EPERM),
    "a thread": ("call(56, 0x3D0F00, 0, 0, 0, 0)", errno.EAGAIN),
    "clone3": ("call(435, struct.pack('<11Q', 0, 0, 0, 0, 17, *(0,) * 6), 88)", errno.ENOSYS),
    "execve": ("call(59, b'/bin/sh', None, None)", errno.EPERM),
    "pidfd_open": ("call(434, os.getppid() or 1, 0)", errno.EPERM),
    "prlimit of itself": ("call(302, 0, 7, struct.pack('<QQ', 9, 9), None)", errno.EPERM),
    "sched_setaffinity of another": ("call(203, 1, 8, bytes(8))", errno.EPERM),
    "memfd_create": ("call(319, b'x', 0)", errno.EPERM),
    "shared mapping": ("call(9, 0, 4096, 3, 0x21, -1, 0)", errno.EACCES),
    "file mapping": ("call(9, 0, 4096, 1, 0x02, 4, 0)", errno.EACCES),
    "file mapped as code": ("call(9, 0, 4096, 5, 0x02, 0, 0)", errno.EPERM),
    "F_SETOWN": ("call(72, 4, 8, os.getppid() or 1)", errno.EPERM),
    "F_SETPIPE_SZ": ("call(72, 4, 1031, 1 << 20)", errno.EPERM),
    "O_ASYNC": ("call(72, 4, 4, 0x2000)", errno.EPERM),
    "is it a terminal": ("call(16, 4, 0x5401, bytes(64))", errno.ENOTTY),
    "is it one, as later C libraries ask": ("call(16, 4, 0x802C542A, bytes(64))", errno.ENOTTY),
    "sysinfo": ("call(99, ctypes.create_string_buffer(112))", errno.ENOSYS),
    "mincore": ("call(27, 0, 4096, bytes(1))", errno.ENOSYS),
    "writing to the input": ("call(1, 0, b'x', 1)", errno.EFBIG),
}
ASKED = {
    "os.mkdir('x')": "PermissionError",
    "open('x')": "FileNotFoundError",
    "open('x', 'w')": "PermissionError",
    "os.listdir('/etc')": "FileNotFoundError",
    "os.listdir('/')": "PermissionError",
    "open('/proc/self/maps')": "FileNotFoundError",
    "open('/proc/self/mem', 'r+b')": "PermissionError",
    "__import__('socket').socket()": "PermissionError",
    "os.fork()": "PermissionError",
    "__import__('subprocess').run(['/bin/true'])": "PermissionError",
    "__import__('threading').Thread(target=int).start()": "RuntimeError",
    "__import__('multiprocessing').Pool(2)": "PermissionError",
    "__import__('tempfile').TemporaryFile()": "FileNotFoundError",
    "__import__('no_such_module')": "ModuleNotFoundError",
    "__import__('resource').setrlimit(3, (-1, -1))": "ValueError",
    "os.wait()": "ChildProcessError",
}
# What works, as it reaches nothing but what the process made.
OWN = """
import asyncio, select, signal, socket, sys, time
print(os.read(0, 3), sys.stdin.fileno(), sys.stdin.read(), open(0).read() == "")
read, write = os.pipe()
os.write(write, b"through a pipe")
print(select.select([read], [], [], 0)[0] == [read], os.read(read, 99))
one, two = socket.socketpair()
one.send(b"own")
print(two.recv(9), os.path.exists("/etc/passwd"), os.access("input.txt", os.R_OK), os.getcwd())
async def answer():
    await asyncio.sleep(0.001)
    return 42
print(asyncio.run(answer()), os.isatty(1))
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
time.sleep(0.1)
"""


@pytest.mark.parametrize("name", RAW)
def test_a_call_that_only_asks_is_refused_by_its_number(native: Native, name: str) -> None:
    code, error = RAW[name]
    assert native(f"print({code})", "input").output == f"{-error}\n"


@pytest.mark.parametrize("expression", ASKED)
def test_python_raises_what_it_raises_where_it_may_not(native: Native, expression: str) -> None:
    assert native(attempt(expression)).output == f"{ASKED[expression]}\n"


def test_what_a_process_does_with_itself_works(native: Native) -> None:
    result = native(OWN, "an input")
    assert result.status is Status.OK, result.error
    assert result.stdout.splitlines() == [
        "b'an ' 0 input True",
        "True b'through a pipe'",
        "b'own' False False /",
        "42 False",
        "alarm",
    ]


def test_the_input_is_whole_and_can_be_written_by_nobody(native: Native) -> None:
    text = "x" * 70_000 + "\udcff\n"
    code = """
import fcntl, resource, sys
print(len(sys.stdin.read()), os.fstat(0).st_size, resource.getrlimit(resource.RLIMIT_FSIZE))
for act in (lambda: os.write(0, b"x"), lambda: os.ftruncate(0, 0)):
    try: act()
    except OSError as error: print(error.errno)
print(fcntl.fcntl(0, 1034))
"""
    result = native(code, text)
    assert result.stdout.splitlines() == ["70002 70004 (0, 0)", "27", "13", "15"]


def test_descriptors_are_bounded(native: Native) -> None:
    code = "n = 0\ntry:\n    while True: os.pipe(); n += 1\nexcept OSError as e: print(e.errno, n)"
    assert native(code).output == f"{errno.EMFILE} 31\n"


@pytest.fixture
def threaded() -> Sandbox:
    policy = Policy.load("kernel-only").replaced(name="t", threads=4, files=None)
    with Sandbox(policy, workers=1) as sandbox:
        if "namespaces" not in sandbox.layers:
            pytest.skip("threads are counted in a user namespace, which this host has not")
        yield sandbox


def test_threads_work_and_are_bounded(native: Native, threaded: Sandbox) -> None:
    code = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, range(-50, 50))))
time.sleep(0.05)
n = 0
try:
    for _ in range(1000): threading.Thread(target=time.sleep, args=(0.5,)).start(); n += 1
except RuntimeError as error: print(error, n < 1000)
"""
    result = native(code, sandbox=threaded)
    assert result.output == "2500\ncan't start new thread True\n"


def test_limits_hold_for_all_threads_together(native: Native, threaded: Sandbox) -> None:
    begin = "import threading\ndef f():\n    {body}\nfor _ in range(4): "
    start = "threading.Thread(target=f{daemon}).start()\nf()"
    spin = (begin + start).format(body="while True: pass", daemon=", daemon=True")
    result = native(spin, sandbox=threaded, cpu_seconds=0.3)
    assert (result.status, result.cpu_seconds < 0.6) == (Status.CPU_LIMIT, True)
    body = "l = []\n    while True: l.append('x' * 100000)"
    result = native((begin + start).format(body=body, daemon=""), sandbox=threaded)
    assert result.status in (Status.MEMORY_LIMIT, Status.ERROR)
    assert result.peak_memory_bytes < 1 << 30


def test_a_thread_has_the_filter_of_its_process(native: Native, threaded: Sandbox) -> None:
    code = (
        "import threading\nt = threading.Thread(target=call, args=(62, 1, 9))\nt.start(); t.join()"
    )
    assert native(code, sandbox=threaded).status is Status.VIOLATION
    asked = "import threading\nthreading.Thread(target=lambda: print(call(57))).start()"
    assert native(asked, sandbox=threaded).output == "-1\n"


def test_a_thread_that_lives_on_keeps_no_child(native: Native, threaded: Sandbox) -> None:
    code = "import threading, time\nthreading.Thread(target=time.sleep, args=(50,), daemon=True)"
    result = native(f"{code}.start()\nprint('end')", sandbox=threaded)
    assert (result.status, result.output) == (Status.OK, "end\n")


def test_the_first_pipe_can_be_written_to(native: Native) -> None:
    """Its ends have the lowest free numbers, 1 and 2, to which other children cannot write."""
    result = native("read, write = os.pipe()\nos.write(write, b'x')\nprint(os.read(read, 9))")
    assert result.output == "b'x'\n"


def test_messages_out_of_band_and_pipes_of_packets_are_refused(native: Native) -> None:
    code = (
        "import socket\none, two = socket.socketpair()\n"
        "for act in (lambda: one.send(b'x', socket.MSG_OOB), lambda: two.recv(1, socket.MSG_OOB),\n"
        "            lambda: os.pipe2(os.O_DIRECT)):\n"
        "    try: act(); print('did')\n"
        "    except OSError as error: print(errno.errorcode[error.errno])"
    )
    assert native(code).output == "EACCES\nEINVAL\nEINVAL\n"
