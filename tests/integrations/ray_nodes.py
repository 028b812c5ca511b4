"""What runs on the nodes of a local Ray, as processes."""

import contextlib
import time

import psutil

NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DEDUP_LOGS": "0"}
ENDLESS = "while True: pass"
DEADLINE = 60.0


def until(true, what):
    end = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < end, what
        time.sleep(0.02)


def actors():
    """The processes of our actors, on every node that this process started."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "".join(process.cmdline()[:1]).startswith("ray::Node"):
                found.append(process)
    return found


def guests(actor):
    """Below an actor its supervisors, below those the guests."""
    try:
        return [each for each in actor.children(recursive=True) if each.ppid() != actor.pid]
    except psutil.NoSuchProcess:
        return []


def burning(actor):
    """True if a guest has run for longer than any but the one that is looked for."""
    for guest in guests(actor):
        try:
            if guest.cpu_times().user > 0.4:
                return True
        except psutil.NoSuchProcess:
            continue
    return False


def is_there(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
