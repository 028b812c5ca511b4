"""The floor: what fork, _exit and wait of a bare interpreter with RestrictedPython loaded cost.

Run as a script in a fresh interpreter (`python -S -E -s -P floor.py PATH...`), with the import path
as arguments. Each line of standard input is a command and is answered with one line of JSON.
"""

import json
import mmap
import os
import sys
import time
from collections.abc import Callable

sys.path += sys.argv[1:]

import RestrictedPython  # noqa: F401 (its size is what is measured)

PAGE = mmap.PAGESIZE


def once() -> float:
    started = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return time.perf_counter() - started


def fork(count: int) -> list[float]:
    """Measure the seconds of each of `count` rounds."""
    return [once() for _ in range(count)]


def rate(milliseconds: int) -> float:
    """Return the rounds per second."""
    started, count = time.perf_counter(), 0
    while time.perf_counter() - started < milliseconds / 1000:
        once()
        count += 1
    return count / (time.perf_counter() - started)


def page_copy(pages: int) -> float:
    """Return the seconds that a child's first write to an inherited page costs over a later one."""
    with mmap.mmap(-1, pages * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as region:
        region.madvise(mmap.MADV_NOHUGEPAGE)
        offsets = range(0, pages * PAGE, PAGE)
        _touch(region, offsets)
        answer, report = os.pipe()
        pid = os.fork()
        if pid == 0:
            first, again = _touch(region, offsets), _touch(region, offsets)
            os.write(report, str((first - again) / pages).encode())
            os._exit(0)
        os.close(report)
        with open(answer) as stream:
            seconds = float(stream.read())
        os.waitpid(pid, 0)
    return seconds


def _touch(region: mmap.mmap, offsets: range) -> float:
    started = time.perf_counter()
    for offset in offsets:
        region[offset] = 1
    return time.perf_counter() - started


def resident(_: int) -> int:
    """Return the bytes of this process in memory."""
    with open("/proc/self/statm") as stream:
        return int(stream.read().split()[1]) * PAGE


COMMANDS: dict[str, Callable[[int], object]] = {
    "fork": fork,
    "rate": rate,
    "page_copy": page_copy,
    "resident": resident,
}

if __name__ == "__main__":
    for line in sys.stdin:
        name, argument = line.split()
        print(json.dumps(COMMANDS[name](int(argument))), flush=True)
