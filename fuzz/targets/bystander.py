"""A process of ours that has nothing to do with any sandbox, and says what was done to it."""

import json
import os
import select
import subprocess
import sys
import time

_SECONDS = 5.0  # to answer; a stopped or dead bystander does not
_PROGRAM = """
import ctypes, json, os, resource, signal, sys
counted = []
for number in (signal.SIGUSR1, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT, signal.SIGALRM):
    signal.signal(number, lambda n, f: counted.append(n))
word = ctypes.create_string_buffer(os.environ["BYSTANDER_SECRET"].encode() + b"|untouched")
print(ctypes.addressof(word), flush=True)
while sys.stdin.readline():
    print(json.dumps({
        "word": word.value.decode(errors="replace"), "signals": len(counted),
        "nice": os.getpriority(os.PRIO_PROCESS, 0),
        "scheduler": os.sched_getscheduler(0), "affinity": len(os.sched_getaffinity(0)),
        "files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "oom": open("/proc/self/oom_score_adj").read().strip(),
        "tracer": [l for l in open("/proc/self/status") if l.startswith("TracerPid")],
        "group": os.getpgid(0) == os.getpid(), "uid": os.getresuid(),
    }), flush=True)
"""


class Bystander:
    """Started anew after it was changed or killed."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._start()

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def changes(self) -> list[str]:
        """Return what is no longer as it was; empty if no process touched it."""
        now = self._ask()
        if now == self._before:
            return []
        if not now:
            found = ["it was killed or stopped"]
        else:
            found = [f"{key} became {now[key]}" for key in now if now[key] != self._before[key]]
        self.close()
        self._start()
        return found

    def close(self) -> None:
        """End the bystander."""
        self._process.kill()
        self._process.communicate()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "BYSTANDER_SECRET": self._secret},
            start_new_session=True,
        )
        assert self._process.stdout is not None
        self.address = int(self._process.stdout.readline())
        self._before = self._ask()

    def _ask(self) -> dict[str, object]:
        try:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
            deadline = time.monotonic() + _SECONDS
            while not select.select([self._process.stdout], [], [], 0.2)[0]:
                if time.monotonic() > deadline or self._stopped():
                    return {}
            line = self._process.stdout.readline()
        except OSError:
            return {}
        answer: dict[str, object] = json.loads(line) if line else {}
        return answer

    def _stopped(self) -> bool:
        try:
            with open(f"/proc/{self._process.pid}/stat", encoding="utf-8") as stat:
                return stat.read().rpartition(")")[2].split()[0] in "TtZX"
        except OSError:
            return True
