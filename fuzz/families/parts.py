"""Programs of a family, written within what a policy grants, and a collector that runs on cue.

A program is written as a body. What it uses is read off its text: modules are imported, and a body
that needs what the policy does not grant is not written at all.
"""

import builtins
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import indent
from typing import Any

from ..programs.hiding import Chooser

_MODULES = frozenset(
    """
    abc array asyncio base64 bisect calendar collections contextlib copy csv dataclasses datetime
    decimal difflib enum fractions functools graphlib heapq html io itertools json keyword logging
    math numbers operator os pprint queue random re statistics string struct sys textwrap threading
    time timeit traceback types typing unicodedata warnings weakref zlib
    """.split()  # noqa: SIM905 - a table
)
_TEXT = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")
_DOTTED = re.compile(r"(?<![\w.])([a-z_]\w*)\.([A-Za-z]\w*)")
_WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_BUILTINS = frozenset(name for name in dir(builtins) if name[:1] != "_")
# Objects that the collector counts before it looks: its first threshold (gc.get_threshold).
_YOUNG = 2000 if sys.version_info >= (3, 13) else 700
Case = Sequence[Any]
Writer = Callable[[Case, Chooser], str]


@dataclass(frozen=True, slots=True)
class Surface:
    """The builtins and, by module, the names that a policy grants to a program."""

    builtins: frozenset[str]
    modules: dict[str, frozenset[str]]

    def grants(self, body: str) -> bool:
        """Say whether `body` uses nothing but what the policy grants."""
        if any(name not in self.modules.get(m, ()) for m, name in _members(body)):
            return False
        used = _BUILTINS.intersection(_WORD.findall(_TEXT.sub("''", body)))
        return used <= self.builtins | {"True", "False", "None"}

    def values(self) -> list[tuple[str, Any]]:
        """Return each granted callable: the expression for it, and the object it is in CPython."""
        found = [(name, getattr(builtins, name, None)) for name in sorted(self.builtins)]
        for module in sorted(self.modules):
            real = _real(module)
            for name in sorted(self.modules[module]):
                found.append((f"{module}.{name}", getattr(real, name, None)))
        return [(expression, value) for expression, value in found if callable(value)]


def _real(module: str) -> Any:
    """Return the module if safe to import, without a dot, else None: bodies write `module.name`."""
    return __import__(module) if module in _MODULES else None


def _members(body: str) -> set[tuple[str, str]]:
    return {(m, name) for m, name in _DOTTED.findall(_TEXT.sub("''", body)) if m in _MODULES}


def completed(body: str, surface: Surface) -> str:
    """Return `body` after the imports that it needs."""
    plain = _MODULES.intersection(_WORD.findall(_TEXT.sub("''", body)), surface.modules)
    modules = sorted(plain.union(module for module, _ in _members(body)))
    return "".join(f"import {module}\n" for module in modules) + body


def filled(template: str, **parts: str) -> str:
    """Return `template` with each `<<name>>` replaced.

    A part of several lines takes its indentation.
    """
    for name, text in parts.items():
        mark = f"<<{name}>>"
        template = re.sub(
            rf"^([ ]*){mark}$",
            lambda found, text=text: indent(text.strip("\n"), found[1]),  # type: ignore[misc]
            template,
            flags=re.MULTILINE,
        ).replace(mark, text)
    return template


# What programs begin with: `got` is looked into, and `Eq` keeps what it is compared with.
HEAD = """
got = []
class Own: x = 1
class Eq:
    def __init__(self, *_): pass
    def __eq__(self, other):
        got.append(other)
        return True
    def __lt__(self, other):
        got.append(other)
        return True
    def __hash__(self): return 1
    def __format__(self, spec):
        got.append(spec)
        return ''
"""

# -- what changes its answer at each question in turn: how many a guard puts is not known here

_TURNS = (0, 1, 2, 3, 5)
_ASKED = """
got, asked, turn = [], 0, 0
def answer(first, then):
    global asked
    asked += 1
    return first if asked <= turn else then
class Own: real = 1
class Eq:
    def __eq__(self, other):
        got.append(other)
        return True
    def __hash__(self): return 1
<<liar>>
for turn in <<turns>>:
    asked = 0
    try:
        <<use>>
    except Exception: pass
"""


def asked(case: Case, chooser: Chooser) -> str:
    """Write a program that uses a liar, which has changed its answer after so many questions."""
    liar, use = case
    return filled(_ASKED, liar=liar, use=use, turns=str(_TURNS))


# -- code of the guest's that runs when the collector does, and a collector that runs on cue

_SWEEP = """
class Quiet: pass
got = []
ballast = None
<<before>>
<<plant>>
<<first>>
for phase in range(<<least>>, <<most>>):
    <<turn>>
ballast = None
"""
# Sets, as none of them comes from a list of free ones, made without a step of the guest's: since
# 3.12 the collector waits for one. And what is written out once more is not specialized yet.
_TURN = """
ballast = None
try:
    <<reset>>
except Exception: pass
armed()
ballast = [*map(set, 'a' * (<<young>> - phase))]
try:
    <<act>>
except Exception: pass
<<judge>>
"""
_UNROLLED = (-3, -1, 0, 1, 2, 4)
# How the guest's code comes to run, as a function `armed` that sets it up.
TRIGGERS = {
    "finalizer": """
class Loud:
    def __del__(self):
        swap()
def armed():
    a = Loud(); a.me = a
""",
    "finalizer that comes back": """
saved = []
class Loud:
    def __del__(self):
        saved.append(self)
        swap()
def armed():
    a = Loud(); a.me = a
""",
    "generator": """
def suspended(box):
    try: yield box
    finally: swap()
def armed():
    box = []
    it = suspended(box); next(it); box.append(it)
""",
    "coroutine": """
class Wait:
    def __await__(self): yield
async def waiting(box):
    try: await Wait()
    finally: swap()
def armed():
    box = []
    co = waiting(box); co.send(None); box.append(co)
""",
    "weak reference": """
def called(reference): swap()
def armed():
    global reference
    a = Quiet(); a.me = a
    reference = weakref.ref(a, called)
""",
}


def sweep(
    trigger: str, *, before: str, swap: str, reset: str, act: str, judge: str, chooser: Chooser
) -> str:
    """Write a program that runs `swap` at every allocation of `act` in turn, and `act` again."""
    plant = f"def swap():\n{indent(swap.strip(chr(10)), '    ')}\n{TRIGGERS[trigger]}"
    turn = filled(_TURN, reset=reset or "pass", act=act, judge=judge or "pass", young=str(_YOUNG))
    first = "\n".join(f"phase = {phase}\n{turn}" for phase in _UNROLLED)
    least, most = str(-chooser.randint(2, 20)), str(chooser.randint(60, 110))
    return filled(
        _SWEEP, before=before, plant=plant, first=first, least=least, most=most, turn=turn
    )


def written(deck: list[tuple[Writer, Case]], surface: Surface, chooser: Any) -> Iterator[str]:
    """Write a program for each of a family's cases that the policy has the grants for, in order."""
    for write, case in deck:
        body = write(case, chooser)
        if surface.grants(body):
            yield completed(body, surface)
