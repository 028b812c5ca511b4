"""Programs that turn CPython's C code against itself crash nothing, and read and write nothing."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from listed import listed

PROGRAMS = listed("memory_errors.txt")
_HERE = Path(__file__).parent
_RUN = """
import json, harness
from listed import listed
world = harness.world()
print(json.dumps({n: harness.run(world, s) for n, s in listed("memory_errors.txt").items()}))
"""
# Memory that is freed is filled with a pattern, and checked: what would go well by chance does not.
_LOUD = {**os.environ, "PYTHONMALLOC": "debug"}


@pytest.fixture(scope="module")
def ran() -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", _RUN],
        cwd=_HERE,
        env=_LOUD,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_breaks_cpython_is_harmless(ran, name):
    output, status, error, _ = ran[name]
    assert status in ("OK", "ERROR", "DENIED", "SYNTAX"), (output, error)
    assert "CHANGED" not in output
    assert "\udcdd" * 8 not in output
    assert "\xdd" * 8 not in output


def test_the_programs_do_break_cpython():
    """Most of them end by a signal, on any of the versions: the tests above can fail."""
    ended = [
        subprocess.run(
            [sys.executable, "-c", f"{_LIMIT}{source}"],
            env=_LOUD,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        ).returncode
        for name, source in PROGRAMS.items()
        if name in (_SINCE_3_14 if sys.version_info >= (3, 14) else _BEFORE_3_14)
    ]
    assert [code for code in ended if code >= 0] == []


_LIMIT = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (5, 5))\n"
_ALWAYS = (
    *("seqiter", "struct reinit", "array tofile", "flags of no context"),
    *("the function that lists a module goes while it runs",),
    "what was made and never initialised",
)
_SINCE_3_14 = (
    *(*_ALWAYS, "partial repr", "super of no class", "states of dates", "iterators let go of"),
    *("stop iteration without a value", "namespace replaced by a key"),
    *("a count that goes on while its number is added", "reversed lets go of its sequence"),
)
_BEFORE_3_14 = (
    *_ALWAYS,
    *("bytearray find", "bytearray contains", "bytearray hex", "memoryview hex", "memoryview hash"),
    *("unicodedecodeerror", "csv reader", "counter", "a dict of texts with a key that is none"),
    "print goes on with the stream that it is printing to",
)
