"""What the gate knows of constants and names, and that a source cannot make it work without end."""

import ast

import pytest

from sandbox.audit.reward.reading.look import Look, declared_encoding, parse
from sandbox.audit.reward.reading.static import check_tree


def _constants(source):
    """What the argument of the call `ask(...)` in `source` may be."""
    look = Look(ast.parse(source))
    [call] = [
        node
        for node in ast.walk(look.tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "ask"
    ]
    return look.constants.of(call.args[0])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'sys' + 'tem'", "system"),
        ("'metsys'[::-1]", "system"),
        ("''.join(chr(n) for n in [111, 115])", "os"),
        ("''.join([c for c in 'os'])", "os"),
        ("'%s%s' % ('o', 's')", "os"),
        ("'{}{}'.format('o', 's')", "os"),
        ("f'{\"o\"}s'", "os"),
        ("{'a': ['x', 'os']}['a'][1]", "os"),
        ("bytes([111, 115]).decode()", "os"),
        ("bytes.fromhex('6f73').decode()", "os"),
        ("'OS'.lower().replace('x', '')", "os"),
        ("('os' if unknown else 'os')", "os"),
        ("chr(ord('n') + 1) + 's' * 1", "os"),
    ],
)
def test_constants_are_folded(expression, value):
    assert set(_constants(f"ask({expression})")) == {value}


@pytest.mark.parametrize(
    "source",
    [
        "ask(unknown)",
        "x = 'a'\nx += 'b'\nask(x)",
        "for x in unknown: ask(x)",
        "x = ['a']\nx.append('b')\nask(x[0])",
        "x = {'a': 'b'}\ny = x\ny['a'] = 'c'\nask(x['a'])",
        "def f(x='a'): ask(x)\nf(*unknown)",
        "def f(x='a'): ask(x)\ng = f",
        "class A:\n    x = 'a'\n    def f(self): ask(self.x)\nsetattr(A(), unknown, 'b')",
        "class A:\n    def __init__(self, x='a'): ask(x)\nclass B(A): pass\nB('b')",
        "@decorated\nclass A:\n    x: str = 'a'\n    def f(self): ask(self.x)",
        "'%1000000000d' % 1\nask('%1000000000d' % 1)",
        "ask('{:>1000000000}'.format(1))",
        "ask('a' * 10**10)",
        "ask(2 ** 10 ** 10)",
        "if 0: chr = None\nask(chr(1) if unknown else unknown)",
    ],
)
def test_what_may_be_something_else_is_unknown(source):
    assert _constants(source) is None


def test_every_binding_of_a_name_counts():
    assert set(_constants("x = 'a'\nif unknown: x = 'b'\nask(x)")) == {"a", "b"}
    assert set(_constants("def f(x='a'): ask(x)\nf('b')\nf(x='c')")) == {"a", "b", "c"}
    assert set(_constants("for x in ('a', 'b'): pass\nask(x)")) == {"a", "b"}
    body = "x = 'b'\nclass A:\n    if unknown: x = 'a'\n    ask(x)"
    assert set(_constants(body)) == {"a", "b"}


TANGLED = {
    "doubling": "x0 = a if c else b\n"
    + "".join(f"x{n} = x{n - 1} or x{n - 1}\n" for n in range(1, 60))
    + "x59.y",
    "nested comprehensions": f"L = {list(range(4000))}\n"
    "getattr(1, [[[chr(a + b + c) for a in L] for b in L] for c in L])",
    "one name everywhere": "x = ['a']\n" + "getattr(1, x[0])\n" * 1000,
    "long chains": "\n".join(f"x{n} = x{n + 1}" for n in range(5000)) + "\nx0.y",
    "products": "s = 'ab'\n" + "for x in s: pass\n" + "getattr(1, " + "+".join(["x"] * 40) + ")",
}


@pytest.mark.parametrize("title", TANGLED)
def test_a_tangled_source_is_refused_after_a_bounded_amount_of_work(title):
    tree = parse(TANGLED[title])
    look = Look(tree)
    rules = {finding.rule for finding in check_tree(look)}  # some would never end
    assert rules & {"unreadable", "undecided"}


def test_what_cannot_be_parsed_here_is_no_tree():
    assert parse("(" * 1000) is None
    assert parse("-" * 100_000 + "1") is None
    assert parse("x = '\0'") is None


@pytest.mark.parametrize(
    ("source", "encoding"),
    [
        ("x = 1", ""),
        ("# coding: utf-8\n", ""),
        ("# vim: set fileencoding=UTF_8 :\n", ""),
        ("#!/usr/bin/python\n# -*- coding: utf-7 -*-\n", "utf-7"),
        ("#\x1c\x0b\r# coding=rot13", "rot13"),
        ("\ufeff# coding: utf-16", "utf-16"),
        ("x\ny\n# coding: utf-7", ""),
    ],
)
def test_a_declared_encoding_is_seen_where_an_import_sees_it(source, encoding):
    assert declared_encoding(source) == encoding
