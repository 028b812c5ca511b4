"""The collector: in order, capped, and bounded in memory."""

import subprocess
import sys
from pathlib import Path

import pytest
from listed import assert_as_in_cpython

from sandbox import restricted_execution
from sandbox.language.guest.collector import Collector, emptying


class Full(Exception):
    pass


def stop() -> None:
    raise Full


def test_small_writes_are_batched_and_flush_emits_them():
    emitted: list[bytes] = []
    collector = Collector(emptying(emitted.append), 1000, stop)
    assert collector.write("é") == 1
    collector.write_bytes(b"\xff")
    collector.send()
    collector.send()
    assert b"".join(emitted) == b"\xc3\xa9\xff"
    assert len(emitted) <= 2


def test_a_large_write_is_emitted_at_once():
    emitted: list[bytes] = []
    Collector(emptying(emitted.append), 1 << 20, stop).write("x" * (17 << 10))
    assert sum(map(len, emitted)) == 17 << 10


@pytest.mark.parametrize("text", ["x" * 11, "é" * 6])
def test_the_limit_is_exact_in_bytes(text):
    emitted: list[bytes] = []
    collector = Collector(emptying(emitted.append), 10, stop)
    with pytest.raises(Full):
        collector.write(text)
    assert b"".join(emitted) == text.encode()[:10]


def test_reaching_the_limit_is_allowed():
    emitted: list[bytes] = []
    collector = Collector(emptying(emitted.append), 10, stop)
    collector.write("x" * 10)
    collector.send()
    assert b"".join(emitted) == b"x" * 10


def test_empty_writes_take_no_memory_for_long():
    collector = Collector(list.clear, 10, stop)
    for _ in range(100_000):
        collector.write("")
    assert len(collector.pending) <= 4096


def test_a_lone_surrogate_is_refused_where_it_is_written():
    collector = Collector(list.clear, 10, stop)
    with pytest.raises(UnicodeEncodeError):
        collector.write("\ud800")
    with pytest.raises(TypeError):
        collector.write(b"x")  # type: ignore[arg-type]


def test_output_ends_at_the_cap(run):
    ran = run("while True: print('0123456789')", output_bytes=1005)
    assert ran.status == "OUTPUT_LIMIT"
    assert len(ran.output) == 1005


MISSING = """
for mode in ("r", "rb", "r+", "rt"):
    try:
        open("no such file", mode)
    except FileNotFoundError as error:
        print(error, error.errno, error.filename, type(error), repr(error))
"""


def test_a_file_that_is_not_there_is_not_found_and_one_that_is_made_is_in_memory(run):
    assert_as_in_cpython(MISSING, run(MISSING))
    assert run("open('x', 'w').write('y')\nprint(open('x').read())").output == "y\n"
    assert run("open('x')").status == "ERROR"
    assert not Path("x").exists()


def test_what_no_tree_in_memory_has_is_denied(run):
    caught = run(
        "try:\n    open('x', opener=1)\nexcept PermissionError as error:\n    print(error)"
    )
    assert caught.output == "[Errno 13] Permission denied: 'x'\n"
    for program in ("open('x', opener=1)", "open(0, 'w')", "import os\nos.symlink('a', 'b')"):
        assert run(program).status == "DENIED", program


OPENED = [
    "print(repr(open(0).read()))",
    "print(open(0).readlines())",
    "print(list(open('/dev/stdin')))",
    "print(repr(open(0, newline='').read()), 1)",
    "print(repr(open(0, newline='\\n').readline()))",
    "print(repr(open(0, 'r', -1, 'latin-1', None, '\\r').readline()))",
    "import sys\nsys.stdin = open(0)\nprint(repr(input()))",
    "import sys\nprint([line for line in sys.stdin])",
    "print(open(0, 'rb').read())",
    "print(repr(open(0, encoding='ascii', errors='replace').read()))",
]


@pytest.mark.parametrize("program", OPENED)
@pytest.mark.parametrize("data", [b"ab\r\ncd\r\n", b"x\ry\n", b"\xc3\xa9\n\n", b"\n"])
def test_what_is_opened_has_the_newlines_of_cpython(program, data):
    """Those of `sys.stdin` are the input's own, on Linux; `open` gives any newline as `\\n`."""
    made = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", program], input=data, capture_output=True
    )
    assert made.returncode == 0
    given, error = restricted_execution(program, data.decode(), policy="contest")
    assert (given.encode(), error) == (made.stdout, "")


@pytest.mark.parametrize("option", ["newline='x'", "newline=1", "encoding='none'", "encoding=2"])
def test_a_wrong_option_of_open_is_an_error(option):
    _, error = restricted_execution(f"open(0, {option})", "", policy="contest")
    kind = "LookupError" if "none" in option else "ValueError" if "x" in option else "TypeError"
    assert error.startswith(kind)
