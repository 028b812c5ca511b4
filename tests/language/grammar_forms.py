"""The forms of expressions and statements that `grammar` puts together."""

from __future__ import annotations

import sys
from collections.abc import Callable
from textwrap import indent
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grammar import Grammar

INTS = ("0", "1", "-3", "7", "2.5", "True", "10**18", "0x1f", "1_000", "1e400", "3j", "len(b)")
STRINGS = ("''", "'ab'", '"é\\n"', "r'\\d'", "'%s-%s'", "'{} {x}'", "b", "str(c)", "b'raw'")
VARIABLES = ("a", "b", "c", "d", "p", "q", "t")
ATTRIBUTES = ("left", "right", "value", "_value", "count", "ghost", "obj", "more", "absent", "mro")
EXPRESSIONS: list[Callable[[Grammar, Callable[[], str]], str]] = [
    lambda g, e: g.one_of(INTS),
    lambda g, e: g.one_of(STRINGS),
    lambda g, e: g.one_of(VARIABLES),
    lambda g, e: f"({e()} {g.one_of(['+', '-', '/', '//', '%', '&', '|', '^', '@'])} {e()})",
    lambda g, e: f"(few({e()}) {g.one_of(['*', '**', '<<', '>>'])} few({e()}))",
    lambda g, e: f"({g.one_of(['-', '+', '~', 'not '])}{e()})",
    lambda g, e: f"({e()} {g.one_of(['and', 'or'])} {e()})",
    lambda g, e: f"({e()} {g.one_of(COMPARISONS)} {e()} {g.one_of(COMPARISONS)} {e()})",
    lambda g, e: f"({e()} if {e()} else {e()})",
    lambda g, e: f"[{e()}, *{g.one_of(['c', 't', 'p', 'b'])}]",
    lambda g, e: f"({e()}, {e()})",
    lambda g, e: f"{{{e()}: {e()}, **d}}",
    lambda g, e: f"sorted({{1, {g.number(9)}, *range({g.number(3)})}})",
    lambda g, e: f"{g.one_of(VARIABLES)}[{e()}]",
    lambda g, e: f"{g.one_of('bct')}[{g.number(3)}:{g.one_of(['', '-1', '9'])}:{g.one_of('12')}]",
    lambda g, e: f"{g.one_of(VARIABLES)}.{g.one_of(ATTRIBUTES)}",
    lambda g, e: f"getattr({g.one_of(VARIABLES)}, {g.one_of(ATTRIBUTES)!r}, {e()})",
    lambda g, e: f"hasattr({e()}, {g.one_of(ATTRIBUTES)!r})",
    lambda g, e: f"[{e()} for x in {g.one_of(['c', 't', 'd', 'range(3)', 'p'])} if {e()}]",
    lambda g, e: f"{{x: y for x, y in {g.one_of(['d.items()', 'zip(c, b)', '[(1, 2)]'])}}}",
    lambda g, e: f"len({{few(x) for x in {g.one_of(['c', 't', 'range(5)'])}}})",
    lambda g, e: f"sum(x * y for x in range({g.number(4)}) for y in (x, {g.number(5)}))",
    lambda g, e: f"(lambda x, *y, z={e()}: (x, y, z))({e()}, *t)",
    lambda g, e: f"Box.fixed({e()}, {g.one_of(['b', 'c', 'd'])}={e()})",
    lambda g, e: f"{g.one_of(['Pair', 'Box', 'Crate'])}({e()})",
    lambda g, e: f"{g.one_of(['q.hidden', 'Box.made', 'p', 'Crate.made'])}({e()})",
    lambda g, e: f"(a := {e()})",
    lambda g, e: f"f'{{{g.one_of(VARIABLES)}!r}} {{{g.one_of('abct')}:>{g.number(9)}}} {{a=}}'",
    lambda g, e: f"f'{{{{{{c[{g.number(3)}]:{{a}}}}}}}} {{len(b) + {g.number(9)}!s:^9}}'",
    lambda g, e: f"'{{0}} {{0!r}} {{x.left}} {{x[1]}}'.format({e()}, x=p)",
    lambda g, e: f"({g.one_of(STRINGS)}).format({e()}, x={e()})",
    lambda g, e: f"'{{k}}|{{left}}'.format_map({{'k': {e()}, 'left': 1}})",
    lambda g, e: f"('%s %5.1f %r' % ({e()}, {g.number(9)}, {e()}))",
    lambda g, e: f"{g.one_of(['str', 'repr', 'len', 'bool', 'list', 'abs', 'int'])}({e()})",
    lambda g, e: f"{g.one_of(['sum', 'max', 'sorted', 'tuple'])}({g.one_of('cbtdp')})",
    lambda g, e: f"sorted(c, key=lambda x: ({e()}, x))",
    lambda g, e: f"b.{g.one_of(['upper', 'split', 'strip', 'isdigit', 'title'])}()",
    lambda g, e: f"'-'.join(map(str, {g.one_of('cbtd')}))",
    lambda g, e: f"list(zip(c, {g.one_of('bct')}, strict={g.one_of(['True', 'False'])}))",
    lambda g, e: f"type({e()}).__name__",
    lambda g, e: f"isinstance({e()}, {g.one_of(['int', '(str, list)', 'Pair', 'int | str'])})",
    lambda g, e: f"type({g.one_of(VARIABLES)}) is {g.one_of(['int', 'Pair', 'str'])}",
    lambda g, e: f"{g.one_of(VARIABLES)}.__class__.__name__",
    lambda g, e: f"sorted(vars({g.one_of(VARIABLES)}))",
    lambda g, e: f"eval({e()!r})",
    lambda g, e: f"d.get({e()}, {e()})",
    lambda g, e: f"({e()}, *({e()},), *[])[{g.number(2)}]",
    lambda g, e: f"dict(d, x={e()}, **{{'y': {e()}}}).get('x')",
    lambda g, e: f"next((x for x in {g.one_of('cbtd')} if {e()}), {e()})",
    lambda g, e: f"[x for x in c if x > 1 if not {e()} for y in range(x % 3)]",
    lambda g, e: f"(lambda: (yield {e()}))().send(None)",
    lambda g, e: f"f'{{{e()!r}!a:>{{5 + {g.number(9)}}}}}|{{p:{{b[:2]}}}}'",
    lambda g, e: f"type('Made', ({g.one_of(['Pair', 'Box', 'dict'])},), {{'x': {e()}}}).x",
    lambda g, e: f"list(map(lambda x, y=1: (x, y), {g.one_of('cbt')}, c))",
    lambda g, e: f"print({e()}, end='|')",
    lambda g, e: f"[{g.one_of(['p', 'q, p', 'a'])} for {g.one_of(['p', 'q'])} in ({e()}, 1)]",
    lambda g, e: f"(lambda {g.one_of('pqa')}: ({g.one_of('pqa')}, swap()))({e()})",
    lambda g, e: f"c.{g.one_of(['index', 'count', 'remove', 'append'])}({e()})",
    lambda g, e: f"(p.__add__({e()}), q.__dict__, Pair.__doc__, p.__eq__({e()}))",
]
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=", "in", "not in", "is", "is not")
OPERATORS = ("+=", "-=", "//=", "%=", "|=", "^=", "/=", "&=")
TARGETS = (
    *("a", "b", "c", "d", "p.left", "q.value", "q._value", "c[0]", "d['k']", "c[1:2]", "p[1]"),
    *("Box.count", "q.more", "d[a]", "b.x", "a.real", "q.obj", "p.absent", "t[0]"),
)


def _template(g: Grammar, e: Callable[[], str]) -> str:
    name = g.one_of(VARIABLES)
    text = f"t'{{{name}!r}} {{{e()}:>{g.number(9)}}}|{{{name}=}}'"
    read = g.one_of(
        ["strings", "values", "interpolations[1].value", "interpolations[0].conversion"]
    )
    return f"({text}.{read})"


if sys.version_info >= (3, 14):
    EXPRESSIONS.append(_template)


Form = Callable[["Grammar", Callable[[], str], int], str]
SIMPLE: list[Form] = [
    lambda g, e, n: f"print({e()}, {e()}, sep={g.one_of(['None', '', '', '-'])!r})",
    lambda g, e, n: f"print({e()})",
    lambda g, e, n: f"{g.one_of(TARGETS)} = {e()}",
    lambda g, e, n: f"{g.one_of(TARGETS)} {g.one_of(OPERATORS)} {e()}",
    lambda g, e, n: f"c {g.one_of(['*=', '+='])} few({e()}); c = few(c)",
    lambda g, e, n: f"a {g.one_of(['**=', '<<=', '>>=', '@='])} few({e()}); a = few(a)",
    lambda g, e, n: f"{g.one_of(TARGETS)} = {g.one_of(TARGETS)} = {e()}",
    lambda g, e, n: f"{g.one_of(TARGETS)}, *c, {g.one_of(TARGETS)} = {e()}, *{g.one_of('btcp')}",
    lambda g, e, n: f"(a, [b, *t]), c = ({e()}, {e()}), [{e()}]",
    lambda g, e, n: f"{g.one_of(['a', 'p.left', 'q.value', 'd[1]'])}: {e()} = {e()}",
    lambda g, e, n: f"del {g.one_of(['c[0]', 'c[:1]', 'd[2]', 'q.value', 'p.left', 'q.absent'])}",
    lambda g, e, n: f"x = {e()}; del x",
    lambda g, e, n: f"assert {e()}, {e()}",
    lambda g, e, n: f"raise {g.one_of(RAISED)}",
    lambda g, e, n: f"raise Oops({e()}) from KeyError({e()})",
    lambda g, e, n: f"setattr(q, {g.one_of(ATTRIBUTES)!r}, {e()})",
    lambda g, e, n: f"exec({'a = ' + e()!r})",
    lambda g, e, n: f"import {g.one_of(['math as m', 'itertools as m', 'json as m', 'nowhere'])}",
    lambda g, e, n: f"from collections import Counter; print(sorted(Counter({g.one_of('bct')})))",
    lambda g, e, n: "pass",
    lambda g, e, n: f"p.left = {e()}; swap(); p.right = {e()}; print(p, q)",
    lambda g, e, n: f"q.value, q.more = {e()}, [q for q in c]; swap(); q.more += {e()}; print(q)",
]
RAISED = (
    "ValueError('v')",
    "Oops('o', 2)",
    "KeyError('k')",
    "TypeError",
    "Oops",
    "5",
    "OSError(2)",
    "ExceptionGroup('g', [KeyError(1), Oops('o'), ExceptionGroup('h', [TypeError(2), Oops()])])",
)


def _if(g: Grammar, e: Callable[[], str], n: int) -> str:
    return f"if {e()}:\n{g.block(n)}\nelif {e()}:\n{g.block(n)}\nelse:\n{g.block(n)}"


def _for(g: Grammar, e: Callable[[], str], n: int) -> str:
    i = g.one_of(["i", "i, *j", "p.left", "c[0]", "a"])
    over = g.one_of(["range(3)", "list(c)", "tuple(b)", "enumerate(t)", "p", "list(d.items())"])
    leave = f"if {e()}: {g.one_of(['break', 'continue'])}"
    return f"for {i} in {over}:\n{g.block(n, leave)}\nelse:\n{g.block(n)}"


def _while(g: Grammar, e: Callable[[], str], n: int) -> str:
    w = g.fresh("w")
    head = f"{w} = 0\nwhile (few({e()}) or 1) and {w} < {g.number(3)}:\n    {w} += 1"
    return (
        f"{head}\n{g.block(n, g.one_of(['', 'break', f'if {w} == 1: continue']))}\nelse: print({w})"
    )


def _try(g: Grammar, e: Callable[[], str], n: int) -> str:
    caught = g.one_of(["(TypeError, KeyError)", "Oops", "Exception", "LookupError", "ValueError"])
    say = "print(type(x).__name__, x.args, type(x.__cause__).__name__, x.__context__ is None)"
    again = g.one_of(["", "raise", "raise Oops('again')", "raise Oops(7) from x", "x.code = 1"])
    text = f"try:\n{g.block(n)}\nexcept {caught} as x:\n    {say}\n{g.block(n, again)}"
    return f"{text}\nelse:\n{g.block(n)}\nfinally:\n{g.block(n)}"


def _try_star(g: Grammar, e: Callable[[], str], n: int) -> str:
    kinds = ["KeyError", "(TypeError, OSError)", "Oops", "Exception", f"({e()}, KeyError)"]
    say = "print(repr(x), x.message)"
    again = g.one_of(["", "raise", "raise Oops('again')", "raise Oops(7) from x", "del x"])
    first, second = g.one_of(kinds), g.one_of(kinds)
    text = f"try:\n{g.block(n, f'raise {g.one_of(RAISED)}')}\nexcept* {first} as x:\n    {say}"
    text = f"{text}\n    {again or 'pass'}\nexcept* {second} as x:\n    {say}\n{g.block(n)}"
    return f"{text}\nelse: print('else')\nfinally:\n{g.block(n)}"


def _with(g: Grammar, e: Callable[[], str], n: int) -> str:
    return f"with Pair({e()}, {g.number(2)}) as x, Pair(0) as p.left:\n{g.block(n)}"


def _match(g: Grammar, e: Callable[[], str], n: int) -> str:
    cases = [
        *("case 0 | 1 | -3:", "case 'ab' | None:", "case [x, *rest]:", "case (x, (y, z)):"),
        *("case {'k': x, **rest}:", "case Pair(left=x):", "case Pair(x, 2):", "case str(x):"),
        *("case Box(value=[*_]):", "case int() as x if x > 2:", "case Pair(1, right=2 | 3 as y):"),
        *("case b.x:", "case {}:", "case True:", "case -1.5 | 3j:", "case []:"),
    ]
    chosen = [str(g.one_of(cases)) for _ in range(1 + g.number(3))]
    bodies = [indent(f"{case}\n    print({case!r})\n{g.block(n)}", "    ") for case in chosen]
    return f"match {e()}:\n" + "\n".join(bodies) + "\n    case _: print('none')"


def _function(g: Grammar, e: Callable[[], str], n: int) -> str:
    f = g.fresh("f")
    head = g.one_of(
        [
            *("x=1, y=2", "x, /, y=2", "x, *args, y=3, **kw", "x: int, *, y: 'str' = 4", "x, y"),
            "x, /, *, y=5",
        ]
    )
    call = g.one_of([f"{e()}", f"{e()}, y={e()}", f"x={e()}", "*t", "**{'y': 1}", f"{e()}, {e()}"])
    scope = g.one_of(["global a, p", "global b", "total = 0", "x = [x]"])
    inner = g.one_of(
        [
            *("return x, y", "return", "return [x for x in (x, y)]", "return y, *t"),
            "total = 1\n    def inner():\n        nonlocal total, x\n        total += 1; x = y\n"
            "        return total, x\n    return inner(), inner()",
        ]
    )
    mark = g.one_of(["", f"@lambda g: (lambda *v, **k: (g(*v, **k), {e()}))\n"])
    body = f"    {scope}\n{g.block(n)}\n    {inner}"
    return f"{mark}def {f}({head}) -> {e()}:\n    'doc'\n{body}\nprint({f}({call}))"


def _generator(g: Grammar, e: Callable[[], str], n: int) -> str:
    f = g.fresh("g")
    first = g.one_of([f"x = yield {e()}", "x = yield from t", "x = yield"])
    guard = f"    try: {first}\n    except Oops as o: yield 'thrown', o.code\n    finally: print(0)"
    use = g.one_of(
        [
            f"print(list({f}()))",
            f"h = {f}(); print(next(h)); print(h.send({e()}))",
            f"h = {f}(); next(h); print(h.throw(Oops('o', 3)))",
            f"h = {f}(); next(h); h.close(); print(next(h, 'over'))",
        ]
    )
    return f"def {f}():\n{guard}\n    yield x\n{g.block(n)}\n    return {e()}\n{use}"


def _class(g: Grammar, e: Callable[[], str], n: int) -> str:
    k = g.fresh("K")
    base = g.one_of(["", "(Pair)", "(Box)", "(Crate)", "(dict)", "(list)", "(Exception)", "()"])
    body = [
        f"    tag = {e()}",
        f"    def own(self, x=tag): self.tag = x; self.tag2 = self.left; return {e()}",
        "    def __repr__(self): return 'K ' + str(self.tag)",
        g.one_of(
            [
                *("    def __getattr__(self, name): return name * 2", "    __slots__ = ('z',)"),
                *("    def __len__(self): return 0", "    __hash__ = None", "    left = 5"),
                "    @property\n    def left(self): return super().left",
                "    def __setattr__(self, name, v): object.__setattr__(self, name, [v])",
                "    def __init_subclass__(cls, **kw): print(sorted(kw))",
                "    def __call__(self): return self.__class__.__bases__ == (object,)",
            ]
        ),
    ]
    use = g.one_of([f"{k}().own({e()})", f"{k}(), bool({k}())", f"{k}()()", f"{k}.tag, {k}(1, 2)"])
    last = f"class Sub({k}, word={e()}): pass\n" if g.number(3) == 0 else ""
    return f"class {k}{base}:\n" + "\n".join(body) + f"\n{last}print({use})"


def _async(g: Grammar, e: Callable[[], str], n: int) -> str:
    f = g.fresh("co")
    body = (
        f"    async with Pair({e()}) as x: print(x)\n    async for x in p: print(x)\n{g.block(n)}"
    )
    inner = f"async def {f}(x={e()}):\n{body}\n    return [y async for y in p], x"
    return f"{inner}\nasync def {f}_(): return await {f}()\nprint(run({f}_()))"


def _type_parameters(g: Grammar, e: Callable[[], str], n: int) -> str:
    if sys.version_info < (3, 12):
        return "pass"
    f = g.fresh("T")
    text = f"def {f}[A, *B, **C](x: A = {e()}): return x\nprint({f}(), len({f}.__type_params__))"
    return f"{text}\ntype {f}_[A: int] = list[A]\nprint({f}_)"


STATEMENTS: list[Form] = [
    *(SIMPLE[0], SIMPLE[2], SIMPLE[3], SIMPLE[6], SIMPLE[7]),
    *(_if, _for, _while, _try, _with, _match, _function, _generator, _class, _async),
    *(_try, _try_star, _function, _class, _type_parameters),
]
