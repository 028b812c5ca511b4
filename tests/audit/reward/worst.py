"""Sources that cost their reader most, of any size: one text for each way to be hard."""

from collections.abc import Iterator

HEAD = "def reward(completions, **kwargs):\n    return [0.0 for c in completions]\n"
MANY = {  # a beginning, and a line for each number
    "a name with many bindings": ("", "x = x"),
    "aliases of aliases": ("x0 = 1", "x{m} = x{n}"),
    "attributes by folded names": ("x = 'a'", "getattr(x, 'b' + 'c')"),
    "private attributes": ("x = foo", "x._y._z"),
    "a module that is imported often": ("", "import math\nmath.floor(1)"),
    "classes": ("", "class A{n}:\n def f(self): self.x = {n}"),
    "own attributes": ("class A:\n def f(self):\n  pass", "  self.x.y = self.z"),
    "classes compared": ("class A: pass", "type(1) == A"),
    "classes as values": ("class A:\n def f(self): pass", "x = A\nself.f.g = 1"),
    "programs executed": ("from sandbox import restricted_execution", "restricted_execution('1')"),
    "formats": ("x = '{}'", "x.format(1)"),
    "text annotations": ("", "x: 'List[int]' = 1"),
    "globals": ("def f():\n global x", " x = 1"),
    "a parameter that is given often": ("def f(a='x'):\n return getattr(a, a)", "f('y')"),
    "a parameter that is read often": ("def f(a='x'):\n f(a)", " getattr(a, a)\n f('y')"),
    "text that grows": ("x = 'a'\ndef f():\n return getattr(x, x)", "x = x + 'a'"),
    "text that doubles": ("x0 = 'a'", "x{m} = x{n} + x{n}\ngetattr(x0, x{m})"),
    "text that is replaced": ("x = 'a' * 4000", "getattr(x, x.replace('a', x))"),
    "text that is joined": ("x = 'a' * 4000", "getattr(x, x.join(list(x)))"),
    "text that is formatted": ("x = 'a' * 4000", "getattr(x, ('{{0}}' * 900).format(x))"),
    "text that is translated": ("x = 'a' * 4000", "getattr(x, x.translate({{97: x}}))"),
    "text of a pattern": ("x = 'a' * 4000", "getattr(x, ('%s' * 900) % ((x,) * 900))"),
    "lists of lists": ("x0 = []", "x{m} = [x{n}, x{n}]\ngetattr(x0, x{m}[0])"),
    "keys of a dict": ("x0 = (1,)", "x{m} = (x{n}, x{n})\ngetattr(x0, {{x{m}: 'a'}}['a'])"),
    "imports for checkers": ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:", " import os"),
    "chance": ("import random", "random.random()"),
    "columns": ("def g(completions, **kwargs):\n pass", " kwargs['a{n}']"),
    "factories": ("def g():\n def f(completions): pass\n return f", "x{n} = g()"),
    "wrapped functions": ("from functools import partial", "x{n} = partial(reward, {n})"),
    "names of a row": (
        "def g(completions, **kwargs):\n out = []\n for c in completions:",
        "  a{n} = c\n  if a{n}: b{n} = c",
    ),
    "constants that are read": (
        "T = [1]\ndef g(completions, **kwargs):\n out = []\n for c in completions:",
        "  a{n} = 1 in T",
    ),
    "stores to a list": ("def g():\n x = []", " x = []\n x[0] = 1"),
    "texts by themselves": ("def g():\n x = ''", " x = x.strip()\n y{n} = x.replace('a', 'b')"),
    "functions that are called": ("", "def f{n}(a): return a\nf{n}(1)"),
    "bases of bases": (
        "class A0: pass\nclass B0: pass",
        "class A{m}(A{n}, B{n}): pass\nclass B{m}(A{n}, B{n}): pass",
    ),
    "policies of policies": (
        "from sandbox import Sandbox\nx0 = 'strict'",
        "x{m} = x{n} or x{n}\nx{m} = x{n}\nx{m} = x{n}\nSandbox(x{m})",
    ),
    "format strings in format strings": ("", "('{{:' * {n} + '}}' * {n}).format(1)"),
}
WIDE = {  # a beginning, a part for each number, what is between them, an end
    "a long list": ("x = [", "1", ",", "]\ny = x[0]"),
    "a long dict": ("x = {", "'a{n}': 'b'", ",", "}\ngetattr(o, x['a1'])"),
    "a call of many arguments": ("f(", "a{n}=1", ",", ")"),
    "alternatives": ("x = ", "a", " or ", ""),
    "comparisons": ("x = ", "type(a)", " < ", ""),
    "a long format": ("x = f'", "{{a}}", "", "'"),
    "a chain over a long list": (f"x{'._a' * 90} = [", "1", ",", "]"),
    "a chain from a long list": ("x = [", "1", ",", f"]{'._a' * 90}"),
    "managers": ("with ", "a as b{n}", ", ", ": pass"),
    "a long name": ("x = ", "a", "", ""),
    "a long module": ("import ", "a", ".", ""),
}
DEEP = {
    "a sum of texts": ("x = ", "'a'+", "'a'"),
    "attributes of attributes": ("x = a", ".b", ""),
    "items of items": ("x = a", "[0]", ""),
    "calls of calls": ("x = a", ".f()", ""),
    "negations": ("x = ", "-", "1"),
    "denials": ("x = ", "not ", "1"),
    "branches": ("if a: pass\n", "elif b: pass\n", ""),
    "functions of functions": ("x = ", "lambda: ", "1"),
    "conditions": ("x = ", "1 if y else ", "2"),
}


def many(count: int) -> Iterator[tuple[str, str]]:
    """Each way with `count` lines, or parts of one."""
    for title, (before, line) in MANY.items():
        lines = [line.format(n=number, m=number + 1) for number in range(count)]
        yield title, "\n".join([HEAD + before, *lines, ""])
    for title, (before, part, between, end) in WIDE.items():
        parts = between.join(part.format(n=number) for number in range(count))
        yield title, f"{HEAD}{before}{parts}{end}\n"


def deep(count: int) -> Iterator[tuple[str, str]]:
    """Each way to nest, `count` levels deep."""
    for title, (before, level, end) in DEEP.items():
        yield title, f"{HEAD}{before}{level * count}{end}\n"
