"""Harmless programs, for the differential oracle: what is allowed prints what CPython prints."""

import ast
import re
from collections.abc import Callable, Iterator

from sandbox import Result, Sandbox

from ..targets.arena import Evidence
from .hiding import WRAPPINGS, Chooser
from .mutation import mutate

_ADDRESS = re.compile(r"0x[0-9a-f]+")
_NAMES = ("alpha", "beta", "self", "_x", "Δ")
_TEXTS = ("'ab'", "'x y'", "''", "'Äß'", "'{0.real}'", "'a,b'")
_NUMBERS = ("0", "1", "-3", "7", "2.5", "10**20", "True")


def generate(chooser: Chooser) -> str:
    """Write a program that computes and prints, with the shapes that attacks are wrapped in."""
    lines = ["power = 0\n"]
    for _ in range(chooser.randint(1, 3)):
        value = _value(chooser, 3)
        while not _is_python(value):  # up to 3.11 an f-string holds no quote of its own kind
            value = _value(chooser, 2)
        lines.append(f"power = {value}\nprint(power, type(power).__name__)\n")
    body = "".join(lines)
    wrapped = chooser.choice(WRAPPINGS[:-1])(body)
    return mutate(f"{_HELPERS}{wrapped}", chooser)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


_HELPERS = """class Box:
    def __init__(self, value): self.value = value
    def __eq__(self, other): return isinstance(other, Box) and self.value == other.value
    def __repr__(self): return f'Box({self.value!r})'
    def __getitem__(self, key): return (self.value, key)
    def __len__(self): return 2
def apply(function, *arguments, **named): return function(*arguments, **named)
"""


def _value(chooser: Chooser, depth: int) -> str:
    if depth == 0:
        return chooser.choice((*_TEXTS, *_NUMBERS, "[1, 2]", "(3,)", "{'k': 4}", "None"))
    return chooser.choice(_FORMS)(chooser, lambda: _value(chooser, depth - 1))


Form = Callable[[Chooser, Callable[[], str]], str]
_FORMS: tuple[Form, ...] = (
    lambda c, v: f"[{v()}, {v()}]",
    lambda c, v: f"({v()},)",
    lambda c, v: f"{{'a': {v()}, 'b': {v()}}}",
    lambda c, v: f"str({v()})",
    lambda c, v: f"len(str({v()}))",
    lambda c, v: f"repr({v()}).upper()",
    lambda c, v: f"Box({v()}).value",
    lambda c, v: f"Box({v()})",
    lambda c, v: f"Box({v()})[{v()}]",
    lambda c, v: f"Box({v()}) == Box({v()})",
    lambda c, v: f"getattr(Box({v()}), 'value')",
    lambda c, v: f"hasattr({v()}, 'real')",
    lambda c, v: f"(lambda x, *a: (x, a))({v()}, {v()})",
    lambda c, v: f"apply(lambda x, y=1: [y, x], {v()}, y={v()})",
    lambda c, v: f"[x for x in [{v()}, {v()}] if x is not None]",
    lambda c, v: f"{{n: {v()} for n in range(2)}}",
    lambda c, v: f"sorted([{c.choice(_NUMBERS)}, {c.choice(_NUMBERS)}], key=lambda n: -n)",
    lambda c, v: f"sum([{c.choice(_NUMBERS)}, {c.choice(_NUMBERS)}])",
    lambda c, v: f"({c.choice(_NUMBERS)} + {c.choice(_NUMBERS)} * 2)",
    lambda c, v: f"{c.choice(_TEXTS)}.split(',')",
    lambda c, v: f"'{{}}|{{0}}'.replace('{{0}}', '{{}}').format({v()}, {v()})",
    lambda c, v: f"f'{{({v()})!r:>12}}'",
    lambda c, v: f"{c.choice(_TEXTS)}.format(5)",
    lambda c, v: f"isinstance({v()}, (int, str))",
    lambda c, v: f"list(map(str, [{v()}, {v()}]))",
    lambda c, v: f"next(iter([{v()}]), None)",
    lambda c, v: f"dict(a={v()}, **{{'z': {v()}}})",
    lambda c, v: f"[*[{v()}], *({v()},)]",
    lambda c, v: f"({v()} if {v()} else {v()})",
    lambda c, v: f"({v()} or {v()})",
    lambda c, v: f"(held := {v()})" if c.randint(0, 9) == 0 else v(),
)


def judge(ours: Sandbox, reference: Sandbox, code: str) -> tuple[str, str, tuple[Evidence, ...]]:
    """Run `code` twice in ours and once in CPython; return how it ended, and where they differ."""
    first, second = (ours.run(code) for _ in range(2))
    evidence = (*differs(first, reference.run(code)), *unsteady(first, second))
    return str(first.status), first.error, evidence


def differs(ours: Result, reference: Result) -> Iterator[Evidence]:
    """Yield a find if both ran to their end and yet not the same came of it."""
    if not (ours.ok and reference.ok):
        return
    here, there = (_ADDRESS.sub("0x", result.output) for result in (ours, reference))
    if here != there:
        yield Evidence("differential", f"{here[:120]!r}, and in CPython {there[:120]!r}")


def unsteady(first: Result, second: Result) -> Iterator[Evidence]:
    """Yield a find if the same program run twice had another status, output or error."""
    a, b = (
        (r.status, *(_ADDRESS.sub("0x", text) for text in (r.stdout, r.error)))
        for r in (first, second)
    )
    if a != b:
        yield Evidence("determinism", f"{a} and then {b}"[:300])
