"""What a guest's end is called, and what is said of it."""

import sys
from dataclasses import replace

import pytest
from harness import LIMITS, world
from harness import run as run_in

MARKS_CALLS = sys.version_info >= (3, 13)  # carets under a call that is the whole line
TOO_DEEP = "SyntaxError: too many nested expressions or statements (line 1)"
ENDS = [
    ("print(1)", "OK", ""),
    ("import sys; sys.exit()", "OK", ""),
    ("raise SystemExit(0)", "OK", ""),
    ("import sys; sys.exit(False)", "OK", ""),
    ("import sys; sys.exit(512)", "OK", ""),
    ("import sys; sys.exit(-(1 << 63))", "OK", ""),
    ("import enum, sys\nclass E(enum.IntEnum):\n  OK = 0\nsys.exit(E.OK)", "OK", ""),
    ("import enum, sys\nclass E(enum.IntFlag):\n  A = 1\nsys.exit(E(0))", "OK", ""),
    ("class I(int):\n  def __and__(s, o): 1 / 0\nraise SystemExit(I(256))", "OK", ""),
    ("class I(int):\n  def __int__(s): return 0\nexit(I(4))", "ERROR", "SystemExit: 4 (line 3)"),
    ("import sys; sys.exit(1 << 64)", "ERROR", f"SystemExit: {1 << 64} (line 1)"),
    ("import sys; sys.exit(0.0)", "ERROR", "SystemExit: 0.0 (line 1)"),
    ("import sys\nsys.exit(3)", "ERROR", "SystemExit: 3 (line 2)"),
    ("import sys\nsys.exit('bye')", "ERROR", "SystemExit: bye (line 2)"),
    ("def f():\n  1/0\nf()", "ERROR", "ZeroDivisionError: division by zero (line 2)"),
    ("class E(Exception): pass\nraise E", "ERROR", "E (line 2)"),
    ("def f(n): return f(n + 1)\nf(0)", "RECURSION_LIMIT", None),
    ("raise RecursionError('mine')", "ERROR", "RecursionError: mine (line 1)"),
    ("[0] * (1 << 40)", "MEMORY_LIMIT", "MemoryError (line 1)"),
    ("raise MemoryError", "ERROR", "MemoryError (line 1)"),
    ("x = (", "SYNTAX", "SyntaxError: '(' was never closed (line 1)"),
    ("return", "SYNTAX", "SyntaxError: 'return' outside function (line 1)"),
    ("exec('x = (')", "ERROR", None),
    ("x = 1\0", "SYNTAX", None),
    ("x = '\ud800'", "SYNTAX", None),
    ("-" * 20_000 + "1", "SYNTAX", None),
    ("-" * 200_000 + "1", "SYNTAX", TOO_DEEP),
    ("if x: pass\n" + "elif x: pass\n" * 15_000, "SYNTAX", TOO_DEEP),
    ("x = " + "not " * 50_000 + "1", "SYNTAX", TOO_DEEP),
    ("exec('1 / 0')", "ERROR", "ZeroDivisionError: division by zero (line 1)"),
    ("\n\neval('1 +')", "ERROR", "SyntaxError: invalid syntax (line 3)"),
    ("raise SyntaxError", "ERROR", "SyntaxError: <no detail available> (line 1)"),
    ("raise KeyboardInterrupt('enough')", "ERROR", "KeyboardInterrupt: enough (line 1)"),
    ("unknown", "ERROR", "NameError: name 'unknown' is not defined (line 1)"),
    (
        "import xml.dom",
        "DENIED",
        "import of module 'xml.dom' is denied by policy 'widest' (line 1, column 1)",
    ),
    (
        "x = 1\nbreakpoint()",
        "DENIED",
        "builtin 'breakpoint' is denied by policy 'widest' (line 2, column 1)",
    ),
    (
        "import sys\nprint(sys.modules)",
        "DENIED",
        "'sys.modules' is denied by policy 'widest' (line 2, column 7)",
    ),
    ("import math\nmath.nothing", "ERROR", None),
    ("from math import nothing", "ERROR", None),
    (
        "a.gi_frame\nb.c.__code__",
        "DENIED",
        "attribute 'gi_frame' is denied by policy 'widest' (line 1, column 3); "
        "attribute '__code__' is denied by policy 'widest' (line 2, column 5)",
    ),
]


@pytest.mark.parametrize(("source", "status", "error"), ENDS)
def test_an_end_has_its_status_and_its_message(run, source, status, error):
    ran = run(source)
    assert ran.status == status, ran
    assert error is None or ran.error == error


def test_a_denial_says_which_policy_would_allow_it():
    elsewhere = {"module os": ("open",), "builtin open": ("a", "b"), "math.sin": ("c",)}
    small = world(
        name="small", builtins=("print",), modules={"math": ("cos",)}, elsewhere=elsewhere
    )
    assert run_in(small, "import os").error == (
        "import of module 'os' is denied by policy 'small' (line 1, column 1),"
        " policy 'open' allows it"
    )
    assert run_in(small, "open(0)").error.endswith(", policy 'a' and policy 'b' allow it")
    assert run_in(small, "import math\nmath.sin(0)").error.endswith(", policy 'c' allows it")


def test_denials_can_be_caught_as_what_cpython_raises(run):
    source = """
for text in ("import numpy", "from sys import modules", "sys_exit_of_nowhere"):
    try: exec(text)
    except (ImportError, NameError) as error: print(type(error).__name__, error)
"""
    assert run(source).output == (
        "ModuleNotFoundError No module named 'numpy'\n"
        "ImportError cannot import name 'modules' from 'sys'\n"
        "NameError name 'sys_exit_of_nowhere' is not defined\n"
    )


def test_a_text_that_is_run_has_its_own_lines_and_not_those_of_the_program(run):
    line = r"exec('x = 1\ny = {}[0]')"
    marks = "    ~~~~".ljust(4 + len(line), "^") + "\n" if MARKS_CALLS else ""
    assert run(f"a = 1\nb = 2\n{line}").traceback == (
        'Traceback (most recent call last):\n  File "<program>", line 3, in <module>\n'
        f'    {line}\n{marks}  File "<string>", line 2, in <module>\nKeyError: 0\n'
    )
    source = "try: eval('1 +')\nexcept SyntaxError as e: print(e, e.filename, e.args[1][0])"
    assert run(source).output == "invalid syntax (<string>, line 1) <string> <string>\n"


def test_functions_of_a_text_that_is_run_are_the_programs_own(run):
    source = "exec('def f(): pass')\nf.x = 1\nf.__name__ = 'g'\nprint(f.__dict__, f.__name__)"
    assert run(source).output == "{'x': 1} g\n"


def test_no_suggestion_names_what_is_ours(run):
    source = (
        "class C:\n  def f(self):\n    self.a = 1; self.b = 2\n    print(guard_getattr)\nC().f()"
    )
    assert "guard:" not in run(source).traceback
    assert "guard:" not in run("guard_write").traceback


_THROWN = "def g(): yield\nx = g(); next(x)\nx.throw({})"
_ENDED = "def g(): yield\nx = g(); list(x)\nx.throw({})"
_UNSTARTED = "def g(): yield\ng().throw({})"
_AWAITED = "async def f(): yield\nf().athrow({}).send(None)"
_DELEGATED = "def g(): yield\ndef h(): yield from g()\nx = h(); next(x)\nlist(map(x.throw, [{}]))"
_OF_A_LIBRARY = (
    "from concurrent.futures import Future\nx = Future(); x.set_exception({})\nx.result()"
)
_WAYS = (_THROWN, _ENDED, _UNSTARTED, _AWAITED, _DELEGATED, _OF_A_LIBRARY, "raise {}")
_FORGED = (
    "MemoryError()",
    "RecursionError('maximum recursion depth exceeded')",
    "SystemError('x returned NULL without setting an exception')",
    "SystemError('error return without exception set')",
    "TypeError(\"cannot set 'x' attribute of immutable type 'Fraction'\")",
    "NameError('x', name='breakpoint')",
    "AttributeError('x', name='modules', obj=sys)",
    "SyntaxError('x', ('<program>', 1, 1, 'x'))",
)


@pytest.mark.parametrize("way", _WAYS)
@pytest.mark.parametrize("exception", _FORGED)
def test_an_exception_that_a_program_makes_is_an_error_however_it_is_raised(run, way, exception):
    ran = run("import sys\n" + way.format(exception))
    assert ran.status == "ERROR", ran


@pytest.mark.parametrize("kind", ["MemoryError", "RecursionError"])
def test_an_heir_of_a_limits_exception_is_an_error(run, kind):
    ran = run(f"class E({kind}): pass\ndef f(): raise E\nf()")
    assert ran.status == "ERROR", ran


def test_a_limit_inside_a_generator_or_a_coroutine_is_the_interpreters(run):
    deep = "def g(n):\n  yield from g(n + 1)\nlist(g(0))"
    assert run(deep).status == "RECURSION_LIMIT"
    deep = "async def f(n): await f(n + 1)\nf(0).send(None)"
    assert run(deep).status == "RECURSION_LIMIT"
    assert run("def g():\n  yield [0] * (1 << 40)\nnext(g())").status == "MEMORY_LIMIT"
    after = "def g():\n  try: yield\n  except ValueError: [0] * (1 << 40)\n"
    assert run(after + "x = g(); next(x)\nx.throw(ValueError())").status == "MEMORY_LIMIT"


def test_a_denial_is_one_that_was_made_by_the_policy(run):
    caught = "try: open('x', opener=1)\nexcept OSError as e: denial = e\n"
    made = "made = type(denial)('x')\nfor n in ('what', 'key', 'told'): made.__dict__[n] = 'y'\n"
    assert run(caught + made + "raise made").status == "ERROR"
    told = run(caught + "denial.what = denial.told = 'forged'\nraise denial")
    assert (told.status, "forged" in told.error) == ("DENIED", False)


HOSTILE = [
    "class E(Exception):\n  def __str__(self): raise SystemExit(0)\nraise E",
    "class E(Exception):\n  def __getattribute__(self, n): raise KeyboardInterrupt\nraise E",
    "class E(Exception):\n  def __dir__(self): return 1 / 0\nraise E",
    "class E(Exception):\n  def __str__(self): return '\\ud800' * 9\nraise E",
    "class S(str):\n  def __len__(self): return -1\nraise Exception(S('x'))",
    "class E(BaseException):\n  @property\n  def args(self): return 5\nraise E",
    "e = Exception('a')\ne.__cause__ = e\nraise e",
    "class M(type):\n  __name__ = property(lambda c: 1 / 0)\n"
    "class E(Exception, metaclass=M): pass\nraise E",
    "class E(SystemExit):\n  code = property(lambda s: 0)\nraise E(5)",
]


@pytest.mark.parametrize("source", HOSTILE)
def test_a_hostile_exception_is_an_error_like_any_other(run, source):
    assert run(source).status == "ERROR"


TELLING = {
    "an exception": "class E(Exception):\n  def __str__(s):\n    print('asked'); return 'told'\n"
    "raise E",
    "what it is made of": "class A:\n  def __str__(s):\n    print('asked'); return 'told'\n"
    "raise ValueError(A())",
    "its text is of a kind of its own": "class S(str):\n  def __str__(s): return 'lied'\n"
    "class E(Exception):\n  def __str__(s):\n    print('asked'); return S('told')\nraise E",
    "what an exit is given": "class A:\n  def __str__(s):\n    print('asked'); return 'told'\n"
    "raise SystemExit(A())",
    "the code of an exit": "class A:\n  def __str__(s):\n    print('asked'); return 'told'\n"
    "class E(SystemExit):\n  def __str__(s): print('an exit is not asked')\n"
    "e = E(1)\ne.code = A()\nraise e",
    "a name that is like another": "class E(NameError):\n  def __str__(s):\n"
    "    print('asked'); return 'told'\nasked = 1\nraise E(name='aske')",
    "what another comes of": "class E(Exception):\n  def __str__(s):\n    print('asked')\n"
    "    return 'before'\ntry:\n  raise E\nexcept E:\n  raise KeyError('told') from None",
}


@pytest.mark.parametrize("name", TELLING)
def test_what_ends_a_program_is_asked_for_its_text_once(run, name):
    """What that prints, a program prints once; the message and the traceback say the same."""
    ran = run(TELLING[name])
    assert ran.output == ("asked\n" if "another comes" not in name else ""), ran
    assert ran.error.partition(" (line")[0].rpartition(": ")[2].strip("'") == "told"
    assert ran.traceback.splitlines()[-1].partition("told")[1] == "told"


def test_an_exit_shows_what_it_comes_of(run):
    ran = run("try:\n  1 / 0\nexcept ZeroDivisionError:\n  raise SystemExit('enough')")
    assert "ZeroDivisionError: division by zero" in ran.traceback
    assert ran.traceback.endswith("SystemExit: enough\n")
    ran = run("try:\n  1 / 0\nexcept ZeroDivisionError:\n  raise SystemExit('enough') from None")
    assert "ZeroDivisionError" not in ran.traceback


def test_messages_and_tracebacks_are_capped(run):
    ran = run("def f(n):\n  if n: f(n - 1)\n  raise ValueError('x' * 1000000)\nf(500)")
    assert len(ran.error) <= 4096
    assert ran.error.endswith("(line 3)")
    assert len(ran.traceback) <= 16 << 10


def test_a_traceback_shows_the_guest_and_nobody_else(run):
    ran = run("def f(x):\n    return getattr(x, 'gi_frame')\nsorted([1], key=f)")
    assert ran.traceback.count('File "<program>"') == 2
    assert "sandbox" not in ran.traceback
    assert "return getattr(x, 'gi_frame')" in ran.traceback


def test_the_smallest_recursion_limit_lets_a_program_without_calls_run():
    smallest = world(limits=replace(LIMITS, recursion_limit=1))
    ran = run_in(smallest, "import math\nclass A: pass\nprint(len([x for x in (1,)]), A.__name__)")
    assert (ran.status, ran.output) == ("OK", "1 A\n")
    assert run_in(smallest, "def f(n): f(n - 1) if n else 0\nf(99)").status == "RECURSION_LIMIT"
    deep = "import sys\ndef f(n):\n  if n: f(n - 1)\n  else: sys.setrecursionlimit(5)\nf(99)"
    assert run_in(smallest, deep).status == "RECURSION_LIMIT"
    ran = run_in(world(), deep)
    assert "cannot set the recursion limit to 5 here: the limit is too low" in ran.error


def test_threads_that_wait_for_one_another_end_the_program_and_print_nothing_wrong(run):
    source = (
        "import queue, threading\nq = queue.Queue()\n"
        "t = threading.Thread(target=lambda: print(q.get()))\nt.start()\nq.put(1)\nt.join()"
    )
    ran = run(source)
    assert ran.status == "DENIED"
    assert "one thread would wait for ever" in ran.error
    caught = "import queue\ntry: queue.Queue().get()\nexcept RuntimeError as e: print(e)"
    assert "wait for ever" in run(caught).output


def test_a_call_that_does_not_fit_says_nothing_of_our_modules(run):
    for call in ("print(*5)", "print(x=1)", "input(1, 2)", "getattr()", "exit(1, 2)", "vars(1, 2)"):
        ran = run(call)
        assert (ran.status, "sandbox" in ran.error, "<locals>" in ran.error) == (
            "ERROR",
            False,
            False,
        )
