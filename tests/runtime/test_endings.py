"""How a program ends: what is then written, finalized and collected, and where its stack does."""

import sys

import pytest

from sandbox import Sandbox, Status


@pytest.mark.parametrize("language", [True, False])
def test_what_a_stream_of_the_programs_own_holds_back_is_written_at_the_end(native, language):
    own = "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint('held back')"
    broken = "import sys\nclass Own:\n    def write(self, text): pass\nsys.stdout = Own()"
    with Sandbox("contest", workers=1) as contest:
        sandbox = contest if language else native
        assert sandbox.run(own).stdout == "held back\n"
        assert sandbox.run(f"{own}\n1 / 0").stdout == "held back\n"
        result = sandbox.run(broken)  # the exit status of such a process of CPython's is 120
        assert result.status is Status.ERROR
        assert "AttributeError when sys.stdout was flushed at the end" in result.error
        result = sandbox.call(f"{broken}\ndef f(): return 1", "f")
        assert (result.status, result.value) == (Status.ERROR, None)


@pytest.mark.parametrize("name", ["exit", "quit"])
def test_unrestricted_programs_end_by_the_names_that_site_gives(native, name):
    results = [native.run(f"print(1)\n{name}({code})") for code in ("", "0", "3")]
    assert [(r.stdout, r.ok) for r in results] == [("1\n", True), ("1\n", True), ("1\n", False)]
    names = "credits.__class__, help.__class__, license, copyright"
    assert native.run(f"print(len(({names})))").output == "4\n"


# Each fills the memory with blocks so small that none is left for the least object.
HOGS = {
    "lists": "x = []\nwhile True: x = [x]",
    "tuples": "x = ()\nwhile True: x = (x, 1)",
    "instances": """
class Node:
    def __init__(self, n): self.n = n
x = None
while True: x = Node(x)
""",
    "generators": """
def g():
    while True: yield 1
d = {}
while True:
    d[len(d)] = made = g()
    next(made)
""",
    "again and again": """
def fill(n):
    x = []
    try:
        while True: x = [x]
    finally:
        if n: fill(n - 1)
fill(5)
""",
}


@pytest.mark.parametrize("language", [True, False])
@pytest.mark.parametrize("hog", HOGS)
def test_memory_that_is_full_to_the_last_byte_is_the_memory_limit(strict, native, language, hog):
    """To report it takes memory, which the child lets go of without a call that needs some."""
    sandbox = strict if language else native
    result = sandbox.run(f"print('begun')\n{HOGS[hog]}", memory_mib=64)
    # From 3.14 on lists inside of each other are freed on the stack, which cannot grow by then: the
    # handler of that has no memory either.
    printed = "" if hog == "again and again" and sys.version_info >= (3, 14) else "begun\n"
    assert (result.status, result.stdout) == (Status.MEMORY_LIMIT, printed), result


ENDS_WELL = """
x = None
held = []
def fill():
    global x
    size = 1 << 20
    while size >= 1024:
        try:
            while True: held.append(bytearray(size))
        except MemoryError:
            size >>= 1
    try:
        while True: x = (x,)
    except MemoryError: pass
print("begun")
fill()
"""


@pytest.mark.parametrize("language", [True, False])
def test_who_ends_well_with_no_memory_left_is_told_so(strict, native, language):
    result = (strict if language else native).run(ENDS_WELL, memory_mib=64)
    assert (result.status, result.stdout) == (Status.OK, "begun\n"), result


@pytest.mark.parametrize("end", ["", "1 / 0"])
def test_who_leaves_hardly_any_depth_is_told_how_it_ended(native, end):
    code = f"""
import sys
print("begun")
for limit in range(1, 100):
    try:
        sys.setrecursionlimit(limit)
        break
    except RecursionError:
        pass
{end}
"""
    result = native.run(code)
    assert result.stdout == "begun\n", result
    assert result.error.startswith("ZeroDivisionError" if end else "")
    assert result.status is (Status.ERROR if end else Status.OK), result


TOO_MUCH = """
big = "x" * (65 << 10)
def dive(n):
    if n:
        return dive(n - 1)
    print(big)
print("begun")
def deepest(n):
    global depth
    depth = n
    deepest(n + 1)
try:
    deepest(1)
except RecursionError:
    pass
for less in range(1, 60):
    try:
        dive(depth - less)
    except RecursionError:
        pass
print("goes on")
"""


@pytest.mark.parametrize("language", [True, False])
def test_too_much_output_where_the_stack_ends_is_the_output_limit(strict, native, language):
    """It cannot be said there; the program goes on, and no more of its output is taken twice."""
    result = (strict if language else native).run(TOO_MUCH, output_kib=64)
    assert result.status is Status.OUTPUT_LIMIT, result
    assert result.stdout.startswith("begun\nxxx")
    assert len(result.stdout) == 64 << 10


def test_the_end_of_what_a_text_of_exec_has_made_is_noticed():
    made = """
exec("class Own:\\n    def __de" + "l__(self): print('gone')\\nown = Own()")
exec("def g():\\n    try:\\n        yie" + "ld 1\\n    fina" + "lly:\\n        print('closed')")
suspended = g()
next(suspended)
print("end")
"""
    with Sandbox("contest", workers=1) as contest:
        assert sorted(contest.run(made).stdout.split()) == ["closed", "end", "gone"]


@pytest.mark.parametrize("language", [True, False])
def test_garbage_that_refers_to_itself_is_collected(strict, native, language):
    code = """
class Node:
    def __init__(self):
        self.parent, self.load = self, bytearray(100_000)
for _ in range(6_000): Node()
print("done")
"""
    result = (strict if language else native).run(code)
    assert (result.status, result.output) == (Status.OK, "done\n"), result.error


@pytest.mark.parametrize("memory_mib", [64, 256])
@pytest.mark.parametrize("limit", [10**6, 10**9])
def test_recursion_through_c_until_the_stack_is_full_is_the_recursion_limit(
    native, memory_mib, limit
):
    code = f"import sys\nsys.setrecursionlimit({limit})\nclass A:\n    def __init__(self): A()\nA()"
    result = native.run(code, memory_mib=memory_mib)
    assert result.status in (Status.RECURSION_LIMIT, Status.MEMORY_LIMIT), result
    assert result.cpu_seconds < 8


@pytest.mark.parametrize("language", [True, False])
def test_a_value_is_not_walked_under_the_programs_recursion_limit(strict, native, language):
    code = """
import sys
def f():
    value = 1
    for _ in range(100):
        value = [value]
    return value
"""
    code = code if not language else code.replace("import sys\n", "")
    result = (strict if language else native).call(code, "f", recursion_limit=60)
    assert result.status is Status.OK, result


def test_what_a_program_registers_for_its_end_is_called_in_the_order_of_cpython(native):
    code = """
import atexit, sys
class Dying:
    def __del__(self): print("finalized")
kept = Dying()
atexit.register(print, "first registered")
@atexit.register
def last():
    print("last registered")
    1 / 0
print("ends")
"""
    lines = ["ends", "last registered", "first registered", "finalized", ""]
    assert native.run(code).output.split("\n") == lines
    result = native.run(f"{code}\nraise SystemExit(3)")
    assert (result.status, result.stdout.split("\n")) == (Status.ERROR, lines)


@pytest.mark.parametrize("language", [True, False])
def test_what_was_printed_is_not_lost_where_the_stack_ends(strict, native, language):
    """Though the print that comes to the end of it fails, what was printed before is there."""
    code = """
def dive(n, then):
    if n:
        return dive(n - 1, then)
    then()
def much():
    print("x" * 16500)
depth = 0
def measure(n):
    global depth
    depth = n
    measure(n + 1)
try:
    measure(0)
except RecursionError:
    pass
for less in range(30, -3, -1):
    print("before", less)
    try:
        dive(depth - less, much)
    except RecursionError:
        print("too deep", less)
"""
    result = (strict if language else native).run(code)
    lines = result.stdout.split("\n")
    assert result.status is Status.OK, result
    assert [line for line in lines if line.startswith("before")] == [
        f"before {less}" for less in range(30, -3, -1)
    ]
    assert any(line.startswith("too deep") for line in lines)


RAISING = """
class Own(Exception):
    def __init__(self):
        pass
def dive(n):
    if n == {depth}:
        raise Own
    return dive(n + 1)
dive(0)
"""


def test_a_raise_that_finds_no_room_for_its_exception_is_a_limit(strict):
    """CPython makes it, and calls its `__init__`, in the same instruction."""
    ended = [strict.run(RAISING.format(depth=depth)).status for depth in range(985, 1000)]
    assert ended[0] == "ERROR"
    assert ended == sorted(ended)
    assert ended[-1] == "RECURSION_LIMIT"
    by_the_end = [strict.run(RAISING.format(depth=depth)) for depth in range(985, 1000)]
    assert {r.status for r in by_the_end if "maximum recursion" in r.error} == {"RECURSION_LIMIT"}


@pytest.mark.parametrize("kind", ["RecursionError", "MemoryError"])
def test_who_says_it_met_a_limit_has_met_none(strict, kind):
    assert strict.run(f"raise {kind}").status == "ERROR"
