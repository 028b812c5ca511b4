"""Opens sandboxes in the situation that it was started in, and prints what held as JSON.

Run by test_situations.py in a process of its own: `guest_host.py FILTER...`. Each FILTER names a
group of system calls that this process first loses, as in a container or on an older kernel.
"""

import ctypes
import errno
import json
import os
import struct
import sys
from typing import Any

ALLOW, ERRNO = 0x7FFF0000, 0x00050000
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
NEW_NAMESPACES = 0x7E020000  # every CLONE_NEW* flag of clone(2)
KEYS = (248, 249, 250)  # add_key, request_key, keyctl
SYS_ADMIN = (165, 166, 155, 272, 308, 428, 429, 430, 431, 432, 442)  # mount, unshare, setns, ...

FILTERS = {  # name: (numbers that are refused, the errno, argument 0 of clone looked at)
    "container": ((*SYS_ADMIN, *KEYS), errno.EPERM),
    "clone3": ((435,), errno.ENOSYS),
    "no-landlock": ((444, 445, 446), errno.ENOSYS),
    "no-room-for-keys": ((250,), errno.EDQUOT),
    "no-timers": ((222,), errno.EPERM),
    "old-container": ((424, 434, 436, 438), errno.EPERM),  # pidfd_*, close_range
}


def install(numbers: tuple[int, ...], code: int, *, namespace_clones: bool) -> None:
    """Refuse `numbers` with `code`, for good: the tiniest filter, of the test's own."""
    program = [(LOAD, 0, 0, 0)]
    for number in numbers:
        program += [(EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | code)]
    if namespace_clones:  # clone(2), by its flags
        program += [(EQUAL, 0, 3, 56), (LOAD, 0, 0, 16), (ANY_BIT, 0, 1, NEW_NAMESPACES)]
        program += [(RETURN, 0, 0, ERRNO | code)]
    program.append((RETURN, 0, 0, ALLOW))
    packed = b"".join(struct.pack("<HBBI", *row) for row in program)
    buffer = ctypes.create_string_buffer(packed, len(packed))
    header = struct.pack("@HxxxxxxP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # no_new_privs
    if libc.syscall(317, 1, 0, ctypes.create_string_buffer(header, len(header))) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


HONEST = {
    "sum": ("print(sum(int(x) for x in input().split()))", "1 2 3"),
    "class": ("class A:\n    def f(self): return 'a' * 3\nprint(A().f(), end='')", ""),
    "error": ("x = 1\nprint(x)\n1 / 0", ""),
    "cpu": ("while True: pass", ""),
    "memory": ("x = []\nwhile True: x.append('y' * 10000)", ""),
    "output": ("while True: print('z' * 1000)", ""),
    "wall": ("import time\ntime.sleep(60)", ""),
}
ATTACKS = {
    "import": "import os",
    "walk": "print(().__class__.__base__.__subclasses__())",
    "open": "open('/etc/passwd')",
    "fork": "import os\nos.fork()",
    "kill": "import os\nos.kill(os.getppid() or 1, 9)",
    "socket": "import socket\nsocket.socket()",
    "exec": "import os\nos.execv('/bin/true', ['true'])",
    "trace": "import ctypes\nctypes.CDLL(None).ptrace(16, 1, 0, 0)",
    "clock": "import time\ntime.clock_gettime((~1 << 3) | 2)",
    "forge": "import os\nos.write(4, b'Z' + bytes(4))\nos._exit(0)",
    "silent": "import os\nos._exit(0)",
}
# Of what a policy without the language layer opens: files that are shown, and threads.
OPENED = {
    "late import": "import wave\nprint(wave.__name__)",
    "another file": "open('/etc/passwd')",
    "a name": "import os\nprint(os.path.exists('/etc'), os.path.exists('/etc/passwd'))",
    "a file of the library, to write": "import os\nopen(os.__file__, 'r+')",
    "a place in the library": "import os\nopen(os.path.dirname(os.__file__) + '/x', 'w')",
    "files of its own": "import os\nopen('x', 'w').write('own')\nfound = os.stat('x')\n"
    "print(open('x').read(), os.listdir('.'), os.getcwd(), found.st_uid == os.getuid(),"
    " oct(found.st_mode))",
    "places outside": "import os, sys\nfound = []\n"
    "places = ['/', '/x', '/box/..', '/tmp/..', '/aside', '/usr', '/etc', '/dev', '/proc', '/sys',"
    " '/var/tmp', '/run', '/dev/shm', os.path.dirname(os.__file__), '/proc/self', '/root']\n"
    "acts = [lambda p: open(p + '/planted', 'w'), lambda p: os.mkdir(p + '/planted'),\n"
    "    lambda p: os.symlink('a', p + '/planted'), lambda p: os.utime(p), lambda p: os.rmdir(p),\n"
    "    lambda p: os.chmod(p, 0o777), lambda p: os.rename(p, '/box/taken')]\n"
    "for place in places:\n    for number, act in enumerate(acts):\n        try: act(place)\n"
    "        except OSError: continue\n        found.append((place, number))\nprint(found)",
    "input": "import os\nprint(os.read(0, 9), os.listdir(os.path.dirname(os.__file__)) != [])",
    "threads": "from concurrent.futures import ThreadPoolExecutor as Pool\n"
    "with Pool(2) as pool: print(list(pool.map(abs, (-1, -2))))",
    "many threads": "import threading, time\nfor _ in range(2000):\n"
    "    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
    "a forbidden call in a thread": "import os, threading\n"
    "threading.Thread(target=os.kill, args=(1, 9)).start()",
}
LIMITS = {
    "cpu": {"cpu_seconds": 0.2},
    "memory": {"memory_mib": 64},
    "output": {"output_kib": 64},
    "wall": {"wall_seconds": 0.4},
}


def examine(policy: str) -> dict[str, object]:
    """What a sandbox under `policy` is made of here, and what came of each program in it."""
    from sandbox import Policy, Sandbox, SandboxError, SandboxUnavailable

    threads = 2 if policy == "kernel-only" else 0
    try:
        sandbox = Sandbox(Policy.load(policy).replaced(threads=threads), workers=1)
    except SandboxUnavailable as error:
        said = {"layer": error.layer, "reason": error.reason, "remedy": error.remedy}
        return {**said, "error": str(error)}
    except SandboxError as error:
        return {"error": str(error)}
    with sandbox:
        honest = {
            name: sandbox.run(code, stdin, **LIMITS.get(name, {}))
            for name, (code, stdin) in HONEST.items()
        }
        attacks = {name: sandbox.run(code) for name, code in ATTACKS.items()}
        opened = {name: sandbox.run(code, "in") for name, code in OPENED.items() if threads}
        told = {name: r.stdout or f"{r.status} {r.error}" for name, r in opened.items()}
        if threads:
            told["files in and out"] = exchanged(sandbox)
        return {
            "opened": told,
            "layers": sandbox.layers,
            "honest": {name: [r.status, r.output] for name, r in honest.items()},
            "attacks": {name: [r.status, r.stdout] for name, r in attacks.items()},
            "after": sandbox.run("print('well')").output,
        }


def exchanged(sandbox: Any) -> str:
    """Run a program that is given a file and writes another one; say what comes back."""
    from sandbox import SandboxUnavailable

    code = "open('/tmp/out', 'w').write(open('in').read() + 'y')"
    try:
        result = sandbox.run(code, files={"in": b"x"}, fetch=["*", "/tmp/*"])
    except SandboxUnavailable as error:
        return str(error)
    return str(result.files or result.error)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        install(*FILTERS[name], namespace_clones=name == "container")
    answer = {policy: examine(policy) for policy in ("strict", "kernel-only")}
    print(json.dumps({**answer, "uid": os.getuid()}))
