"""Undo: after any end of a cell but a good one, the state is the one before it."""

import pytest

from sandbox import Sandbox, Session, Status

# Each makes something that a cell can change in its own way: what it is, what changes it, and what
# tells its whole state as plain data.
PROGRAMS = {
    "names": ("x = 1", "x = 2\ny = 3\ndel x", "sorted(n for n in globals() if n in 'xy')"),
    "a list": ("x = [1, [2]]", "x[1].append(x)\nx.clear()", "x"),
    "a dict": ("x = {'a': {}}", "x['a']['b'] = 1\nx.pop('a')", "x"),
    "a set": ("x = {1}", "x.add(2)", "sorted(x)"),
    "a class": ("class A: n = 1", "A.n = 2\nA.m = 3", "[A.n, hasattr(A, 'm')]"),
    "an object": (
        "class A: pass\na = A()\na.n = 1",
        "a.n += 1\na.__class__ = type('B', (), {})",
        "[a.n, type(a).__name__]",
    ),
    "a closure": (
        "def f():\n    n = [0]\n    def g(k):\n        n[0] += k\n        return n[0]\n    return g"
        "\ng = f()",
        "g(5)",
        "g(0)",
    ),
    "a generator": (
        "g = iter(range(9)); next(g)\ng = (n for n in g)",
        "next(g); next(g)",
        "[type(g).__name__]",
    ),
    "an iterator": ("import itertools\nx = itertools.count(3)", "next(x)", "repr(x)"),
    "numbers": ("import random\nrandom.seed(1)", "random.random()", "hash(random.getstate())"),
    "a deque": ("import collections\nx = collections.deque([1], 3)", "x.extend('abcd')", "list(x)"),
    "a default": ("def f(a=[]): return a", "f().append(1)", "f()"),
    "a cache": (
        "import functools\n@functools.cache\ndef f(n): return n",
        "f(1); f(2)",
        "f.cache_info()[3]",
    ),
    "files": (
        "import os\nopen('a', 'w').write('x')",
        "open('a', 'a').write('y'); open('b', 'w').close()",
        "[open('a').read(), os.listdir()]",
    ),
    "an open file": (
        "f = open('a', 'w+'); f.write('x'); f.flush()",
        "f.write('y'); f.flush()",
        "[f.tell(), open('a').read()]",
    ),
    "modules": (
        "import sys",
        "import bisect\nsys.setrecursionlimit(500)",
        "[sys.getrecursionlimit()]",
    ),
    "streams": (
        "import io, sys\nold = sys.stdout",
        "sys.stdout = io.StringIO()",
        "sys.stdout is old",
    ),
    "the decimal context": ("import decimal\nc = decimal.getcontext()", "c.prec = 3", "c.prec"),
    "a builtin": ("x = len('ab')", "len = 5", "len('abc')"),
    "environment": (
        "import os\nos.environ['A'] = '1'",
        "os.environ['A'] = '2'",
        "os.environ.get('A')",
    ),
}
ENDS = {
    "an exception": ("raise ValueError", Status.ERROR),
    "CPU time": ("while True: pass", Status.CPU_LIMIT),
    "the clock": ("while True: pass", Status.WALL_LIMIT),
    "memory": ("[0] * 10**9", Status.MEMORY_LIMIT),
    "output": ("print('x' * 100_000)", Status.OUTPUT_LIMIT),
    "recursion": ("def deep(): deep()\ndeep()", Status.RECURSION_LIMIT),
    "a refusal": ("import ctypes", Status.DENIED),
}
TIGHT = {"cpu_seconds": 0.2, "output_kib": 64}


@pytest.fixture(scope="module")
def begun(contest: Sandbox) -> dict[str, Session]:
    """One session for each program, as it stands before any cell that goes wrong."""
    made = {}
    for name, (setup, _, _) in PROGRAMS.items():
        made[name] = contest.session()
        assert made[name].run(setup).ok, name
    return made


@pytest.mark.parametrize("end", ENDS)
def test_the_state_is_the_one_before_the_cell(begun: dict[str, Session], end: str) -> None:
    failing, status = ENDS[end]
    limits = {**TIGHT, "cpu_seconds": 9, "wall_seconds": 0.3} if end == "the clock" else TIGHT
    for name, (_, change, digest) in PROGRAMS.items():
        session = begun[name]
        before = session.run(digest, on_error="keep")
        assert before.ok, (name, before.error)
        result = session.run(f"{change}\n{failing}", **limits)
        expected = status
        if name == "streams" and end == "output":
            expected = Status.OK  # it prints into its own stream
            assert session.run("sys.stdout = old").ok
        else:
            assert result.undone, (name, result)
        assert result.status is expected, (name, result.status, result.error)
        assert session.run(digest).value == before.value, (name, end)


def test_a_change_that_goes_well_lasts(contest: Sandbox) -> None:
    """Else the test above would hold for a session that never changes."""
    for name, (setup, change, digest) in PROGRAMS.items():
        if name == "a generator":  # its digest says only what it is
            continue
        with contest.session() as session:
            session.run(setup)
            before = session.run(digest).value
            assert session.run(change).ok, name
            assert session.run(digest, on_error="keep").value != before, name
