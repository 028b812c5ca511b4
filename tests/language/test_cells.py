"""Comprehensions whose variables functions capture, compiled with the right cells."""

import sys

import pytest

from sandbox.language.compile.cells import has_wrong_cells

PROGRAMS = {
    "a class that reads the outer variable": (
        """
def f():
    x = 1
    class C:
        y = [(lambda: x) for x in (7,)]
        z = x
        def m(self): return x
    return x, C.z, C().m(), C.y[0]()
print(f())
""",
        "(1, 1, 1, 7)",
    ),
    "a class that writes it": (
        """
def f():
    x = 1
    class C:
        nonlocal x
        y = [(lambda: x) for x in ()]
        z = x
    return C.z
print(f())
""",
        "1",
    ),
    "an inner function": (
        """
def f():
    x = 3
    def g():
        a = [(lambda: x) for x in (7, 8)]
        b = {x: (lambda x=x: x)() for x in (7, 8)}
        c = {(lambda: x)() for x in (7, 8) if (lambda: x > 7)()}
        d = [[(lambda: x + y)() for y in (1, 2)] for x in (10, 20)]
        e = [sum(x for _ in (1, 2)) for x in (5,)]
        return x, a[0](), b, c, d, e
    return g
print(f()())
""",
        "(3, 8, {7: 7, 8: 8}, {8}, [[11, 12], [21, 22]], [10])",
    ),
    "names of a class are not seen in its comprehensions": (
        """
def f(k):
    class C:
        k = 9
        v = [(lambda: k)() for j in (1,)]
        w = [(lambda: (k, q))() for q in (k,)]
        u = [(lambda: k)() for k in (3,)]
        def m(self): return k
    return C.v, C.w, C.u, C().m()
print(f(1))
""",
        "([1], [(1, 9)], [3], 1)",
    ),
    "a guarded attribute beside it": (
        """
def f(x):
    class C:
        y = [(lambda: (x, type(x).__name__)) for x in (x,)]
        z = x
    return C.y[0](), C.z
print(f(2))
exec('''def f(x):
    def g():
        return [(lambda: x)() for x in (5,)], x
    return g
print(f(2)())''')
""",
        "((2, 'int'), 2)\n([5], 2)",
    ),
}
BOUND = """
def f():
    x = 1
    def g():
        a = [(lambda: x, last := x) for x in (7,)]
        return x, last
    return g
print(f()())
"""

# What a float is would be taken for what a cell refers to: here an object that is there.
RECEIVERS = """
class A:
    def one(self, items):
        lambda: self
        return [super() for self in items]
    def nested(self, items):
        def inner(): return self
        return [[super() for self in items] for _ in (1,)]
    def private(__self, items, kind):
        lambda: __self
        __class__
        return {1: kind() for __self in items}
    def spelled(_A__self, items):
        lambda: _A__self
        return [super() for __self in items]
    alike = lambda self, items, kind: (lambda: self) and __class__ and [kind() for self in items]
    async def waiting(self, items):
        lambda: self
        return [super() for self in items]
    def running(self, items):
        lambda: self
        yield [super() for self in items]
a = A()
items = [id(a) * 5e-324]
for use in (a.one, a.nested, lambda i: a.private(i, super), a.spelled, lambda i: a.alike(i, super),
            lambda i: a.waiting(i).send(None), lambda i: next(a.running(i))):
    try:
        print(use(items))
    except (TypeError, RuntimeError):
        print("refused")
"""
BESIDE = """
class B:
    def g(self): return 1
class A(B):
    def f(self, n):
        def get(): return self
        return [super(A, get()).g() + self for self in range(n)], [super().g()], get()
a = A()
print(a.f(2)[:2], a.f(0)[2] is a)
"""
WAITING = """
class A:
    async def f(self, items):
        lambda: self
        return [await super() for self in items]
"""

# The compiler itself fails at it before 3.12.5.
IN_ITS_BODY = """
class B:
    def f(self): return 1
class A(B):
    y = [[super for a in (1, 2)] for b in (1,)]
    def f(self): return [super(A, self).f() for _ in (1,)][0] + 1
    z = {super.__name__: a for a in (3,)}
print(len(A.y[0]), A.z, A().f())
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_captured_variable_of_a_comprehension_is_no_other(run, name):
    source, expected = PROGRAMS[name]
    ran = run(source)
    assert (ran.status, ran.output.strip()) == ("OK", expected), ran


def test_comprehensions_of_a_class_may_name_it(run):
    assert run(IN_ITS_BODY).output == "2 {'super': 3} 2\n"


def test_what_cannot_be_made_right_is_refused(run):
    ran = run(BOUND)
    if has_wrong_cells(compile(BOUND, "text", "exec")):
        assert ran.status == "DENIED", ran
        assert "comprehension" in ran.error
    else:
        assert ran.output == "(1, 7)\n", ran


def test_no_comprehension_hides_the_first_parameter_from_super(run):
    """From CPython 3.12 on an item is taken for the cell, and what it holds for an object."""
    assert run(RECEIVERS).output == "refused\n" * 7
    assert run(BESIDE).output == "([1, 2], [1]) True\n"
    assert run(WAITING).status == ("OK" if sys.version_info < (3, 12) else "DENIED")


def test_the_code_shows_what_the_compiler_gets_wrong():
    wrong = [name for name, (text, _) in PROGRAMS.items() if has_wrong_cells(_compiled(text))]
    assert bool(wrong) is (sys.version_info >= (3, 12))
    right = "def f(x):\n    x = [(lambda: (x, y)) for y in (1,)]\n    return lambda: x\n"
    assert not has_wrong_cells(_compiled(right))


def _compiled(text):
    return compile(text, "text", "exec")
