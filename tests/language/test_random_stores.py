"""Random stores do to every object what they do in CPython, whatever questions are spared."""

import contextlib
import io

import harness
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PRELUDE = """
class Own:
    made = []
    def __init__(self):
        self.log = []
        Own.made.append(self)
    def __repr__(self): return f"<{Own.made.index(self)}>"
    def __enter__(self): return Own()
    def __exit__(self, *error): return True
    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        if name != "log": self.log.append((name, value))
class Sly(Own):
    def __add__(self, other):
        rebind()
        return 5
def rebind():
    global a, b
    a, b = b, Own()
def some(n=2): return [Own() for _ in range(n)]
a, b, c = Own(), Own(), Sly()
"""
SHOW = """
for number, own in enumerate(Own.made):
    print(number, own.log)
"""
# `@` is a variable, `#` a number.
SIMPLE = """
@.x = #
@.y = @.z = #
@.x, @.y = #, #
@.n = 1; @.n += #
@.n = c + 1
@ = Own()
@ = @
@, @ = @, @
(@ := Own()).x = #
[@.x for @ in some()]
list(@ for @ in some())
[(@ := o) for o in some()]
(lambda @: setattr(@, 'x', #))(Own())
rebind()
exec('global a; a = Own()')
exec('global b; b = Own()')
import math as a; a = Own()
import math as b; b = Own()
del @; @ = Own()
for @.x in range(2): pass
with Own() as @: @.x = #
with Own() as @.x: @.y = #
[*@.x, @] = some(3)
""".strip().split("\n")
BLOCKS = """
for @ in some():
for @, o in zip(some(), some()):
for i in range(2):
if #:
while len(Own.made) < 9 and (i := Own()):
with @ as o:
def inner(@=@):
def inner():
class Inner:
try:
match @:
""".strip().split("\n")
DECLARED = ("", "global a", "global a, b", "nonlocal a", "nonlocal b, a")


@st.composite
def programs(draw) -> str:
    def line(template: str) -> str:
        parts = [draw(st.sampled_from("aab")) if c == "@" else c for c in template]
        return "".join(str(draw(st.integers(0, 9))) if c == "#" else c for c in parts)

    def block(depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(draw(st.integers(1, 4))):
            if depth and draw(st.integers(0, 2)) == 0:
                lines += compound(depth - 1)
            else:
                lines.append(line(draw(st.sampled_from(SIMPLE))))
        return lines

    def compound(depth: int) -> list[str]:
        head = line(draw(st.sampled_from(BLOCKS)))
        body = block(depth)
        if head.startswith("match"):
            return [head, " case Own(made=_) as a:", *("  " + text for text in body)]
        if head.startswith("def"):
            body.insert(0, draw(st.sampled_from(DECLARED)))
        after = {"def": ["inner()"], "try": ["except NameError as a: pass", "finally: b = Own()"]}
        inner = [" " + text for text in body if text]
        return [head, *inner, *after.get(head[:3], [])]

    body = block(3)
    if draw(st.booleans()):
        first = draw(st.sampled_from(["a, b = Own(), Own()", "global a", "a = Own()", ""]))
        body = ["def f(b=Own()):", *(" " + text for text in [first, *body] if text), "f()"]
    return PRELUDE + "\n".join(body) + SHOW


def in_cpython(source: str) -> tuple[str, str]:
    printed, end = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(source, "<program>", "exec", dont_inherit=True), {"__name__": "__main__"})
        except Exception as error:
            end = type(error).__name__
    return printed.getvalue(), end


def test_random_stores_do_what_they_do_in_cpython(widest):
    ended = []

    @settings(
        max_examples=100,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(programs())
    def each(source: str) -> None:
        expected, end = in_cpython(source)
        ran = harness.run(widest, source)
        ended.append(end)
        assert (ran.output, ran.error.split(":")[0]) == (expected, end), source

    each()
    assert ended.count("") > len(ended) // 3
