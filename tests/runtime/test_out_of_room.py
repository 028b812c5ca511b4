"""Memory or stack that runs out inside of the sandbox's own code is the program's limit, too."""

import pytest

from sandbox import Job, Policy, Sandbox, Status

FILL = """
kept = []
try:
    while True:
        kept.append({block})
except MemoryError:
    pass
"""
LARGER = FILL.format(block="bytearray(3000)")
# The last block of these is as small as the first: a list that cannot grow leaves megabytes.
CHAIN = FILL.format(block="").replace("kept.append()", "kept = [kept]")
DIVE = "def dive(n): return 0 if n == 0 else 1 + dive(n - 1)\n"


@pytest.fixture(scope="module")
def contest():
    policy = Policy.load("contest").replaced(limits={"memory_mib": 64})
    with Sandbox(policy, workers=1, measure="kernel") as sandbox:
        yield sandbox


@pytest.mark.parametrize("language", [True, False])
def test_who_dives_without_memory_meets_the_memory_limit(contest, native, language):
    """CPython 3.11 aborts there, and what is called for that abort has no memory either."""
    sandbox = contest if language else native
    results = [sandbox.run(f"{CHAIN}{DIVE}dive(900)", memory_mib=64) for _ in range(4)]
    assert {result.status for result in results} == {Status.MEMORY_LIMIT}, results


@pytest.mark.parametrize("terms", [200, 2000])
def test_a_text_for_which_there_is_no_memory_is_no_syntax_error(contest, terms):
    code = f"""
text = "+".join(["1"] * {terms})
{LARGER}
try:
    eval(text)
except MemoryError:
    kept = None
    print("goes on", eval(text))
"""
    assert contest.run(code).output == f"goes on {terms}\n"


def test_a_text_that_nests_too_deeply_still_is_one(contest):
    code = """
try:
    eval("(" * 5000 + ")" * 5000)
except SyntaxError:
    print("too deep")
"""
    assert contest.run(code).output == "too deep\n"


# What asks the vault, or has the library do it.
ASKING = {
    "eval": "eval('1+1')",
    "exec": "exec('def g(): return 1')",
    "namedtuple": "namedtuple('P', 'x y', defaults=(1,))",
    "enum": "Enum('P', 'x y')",
    "dataclass": "dataclass(type('P', (), {'__annotations__': {'x': int}}))",
    "traceback": "formatted()",
    "globals": "globals(), locals()",
    "flush": "print('', end='', flush=True)",
    "collect": "gc.collect()",
}
RECURSION = """
import gc, traceback
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum
# RecursionError MemoryError
def formatted():
    try:
        1 / 0
    except Exception:
        traceback.format_exc()
def dive(n):
    {ask}
    return dive(n + 1)
"""


@pytest.mark.parametrize("name", ASKING)
def test_a_stack_that_ends_where_the_vault_is_asked_is_the_recursion_limit(contest, name):
    """Wherever it ends exactly: a few frames less are left from run to run."""
    code = RECURSION.format(ask=ASKING[name])
    before = "def at(n, *rest): return at(n - 1, *rest) if n else dive(0)\n"
    results = [contest.run(f"{code}{before}at({n})") for n in range(4)]
    assert {result.status for result in results} == {Status.RECURSION_LIMIT}, results


def test_memory_that_ends_where_the_vault_is_asked_is_the_memory_limit(contest):
    code = f"from dataclasses import dataclass\n{LARGER}@dataclass\nclass P:\n    x: int\n"
    result = contest.run(code)
    assert result.status is Status.MEMORY_LIMIT, result


def test_what_a_program_raises_itself_is_no_limit(contest):
    code = "import gc\nclass D:\n    pass\ngc.collect()\nraise RecursionError"
    assert contest.run(code).status is Status.ERROR


PRINTING = """
import sys
def dive(n):
    if n:
        return dive(n - 1)
    try:
        print("x" * 70_000)
    except RecursionError:
        sys.exit(0)
dive(int(input()))
"""


def test_no_output_is_cut_without_a_word_where_the_stack_ends(contest):
    limits = {"output_kib": 64}
    results = [contest.run(PRINTING, str(n), **limits) for n in range(960, 1000)]
    cut = [result for result in results if result.stdout]
    assert len(cut) > 20
    assert {result.status for result in cut} == {Status.OUTPUT_LIMIT}
    refused = {result.status for result in results if not result.stdout}
    assert refused <= {Status.OK, Status.RECURSION_LIMIT}


LARGE = {
    "input": lambda sandbox, mib: sandbox.run("", stdin="x" * 20_000_000, memory_mib=mib),
    "arguments": lambda sandbox, mib: sandbox.call(
        "def f(x): return 1", "f", (["a"] * 3_000_000,), memory_mib=mib
    ),
}


@pytest.mark.parametrize("measure", ["child", "kernel"])
@pytest.mark.parametrize("what", LARGE)
def test_a_job_that_does_not_fit_into_its_memory_is_the_memory_limit(measure, what):
    """It ends before the program begins, and with no figure that only an attacker would send."""
    with Sandbox("contest", workers=1, measure=measure) as sandbox:
        small, large = LARGE[what](sandbox, 32), LARGE[what](sandbox, 256)
    assert small.status is Status.MEMORY_LIMIT, small
    assert small.error == "memory limit: no room for the job"
    assert large.status is Status.OK, large


# Printed where the stack is full, so that it is kept for later, and then there is no room for it.
KEPT = """
filler, met = [], []
def fill():
    for i in range(3000000): print("", end="")
    for i in range(70000): print("a", end="")
    size = 1 << 24
    while size > 4096:
        try:
            while True: filler.append(bytearray(size))
        except MemoryError: size >>= 1
def deep():
    try: deep()
    except RecursionError:
        met.append(1)
        if len(met) < UP: raise
    if len(met) == UP:
        met.append(1)
        fill()
deep()
"""


def test_no_program_succeeded_whose_last_output_had_no_room():
    with Sandbox("strict", workers=2) as sandbox:
        ended = list(sandbox.map(Job(KEPT.replace("UP", str(up))) for up in range(1, 9)))
    lost = [result for result in ended if result.ok and result.stdout.count("a") not in (0, 70_000)]
    assert not lost
    for result in ended:
        if result.peak_memory_bytes > 200 << 20:  # it was full
            assert result.status is not Status.OK or result.stdout


# CPython from 3.12 on gives up the code of a function twice where it finds no memory for it.
FREED_CODE = f"""
def make():
    return lambda a: [{",".join(f"a + {n}" for n in range(150))}]
kept, places = [None] * 400_000, list(range(400_000))
hog, at = [None] * 4000, 0
for size in [1 << n for n in range(24, 8, -1)]:
    try:
        while True:
            hog[at] = bytes(size)
            at += 1
    except MemoryError: pass
try:
    for place in places: kept[place] = make()
except MemoryError: pass
for most in places:
    if kept[most] is None: break
for place in places:
    if place > most: break
    try: make()
    except MemoryError: pass
hog = None
junk = [bytes([65]) * size for size in range(600, 12000, 16) for _ in range(3)]
print(kept[3](1)[:3])
"""


@pytest.mark.parametrize("policy", ["strict", "contest"])
def test_the_code_of_a_function_outlives_the_want_of_memory_for_it(policy):
    with Sandbox(policy, workers=1) as sandbox:
        results = [sandbox.run(FREED_CODE, memory_mib=64) for _ in range(3)]
    assert {result.stdout for result in results} == {"[1, 2, 3]\n"}, results


def test_code_that_was_compiled_elsewhere_outlives_it_too(contest):
    results = contest.run_many(FREED_CODE, ["", "", ""])
    assert {result.stdout for result in results} == {"[1, 2, 3]\n"}, results


def test_no_program_goes_on_after_the_compiler_ran_out_of_memory(contest):
    """It may have written beyond what it had no room for."""
    code = """
print("before")
text = "[" + "x<" * 30_000 + "x]"  # dense: it takes more than what is looked for
hog = []
try:
    while True: hog.append(bytes(1 << 20))
except MemoryError:
    del hog[-20:]
try:
    eval(text)
    print("fits")
except MemoryError: print("goes on")
"""
    result = contest.run(code)
    assert (result.status, result.stdout) == (Status.MEMORY_LIMIT, "before\n"), result
