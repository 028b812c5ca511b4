"""Random programs of the dialect, drawn piece by piece so that a failing one shrinks.

What they print holds no addresses, every loop and recursion is short, and `few` keeps numbers and
sequences small before they are multiplied.
"""

from collections.abc import Callable
from textwrap import indent
from typing import Any

from grammar_forms import EXPRESSIONS, INTS, SIMPLE, STATEMENTS, STRINGS, VARIABLES
from hypothesis import reject
from hypothesis import strategies as st

PRELUDE = '''
def few(v):
    if isinstance(v, (int, float)) and v == v and abs(v) < 1e9: return int(v) % 7 - 2
    return v[:4] if isinstance(v, (str, list, tuple)) else v
class Pair:
    """two values"""
    __slots__ = ("left", "right")
    __match_args__ = ("left", "right")
    def __init__(self, left, right=0): self.left = left; self.right = right
    def __repr__(self): return f"{type(self).__name__}({self.left!r}, {self.right!r})"
    def __eq__(self, other): return isinstance(other, Pair) and self.left == other.left
    def __lt__(self, other): return self.left < other.left
    def __hash__(self): return 7
    def __add__(self, other): return Pair(self.left + getattr(other, "left", other), self.right)
    def __radd__(self, other): return Pair(other, self.right)
    def __iadd__(self, other): self.left += other; return self
    def __getitem__(self, key): return (self.left, self.right)[key]
    def __setitem__(self, key, value): setattr(self, ("left", "right")[key], value)
    def __delitem__(self, key): delattr(self, ("left", "right")[key])
    def __iter__(self): yield self.left; yield self.right
    def __len__(self): return 2
    def __bool__(self): return bool(self.left)
    def __call__(self, *args, **kwargs): return (self.left, args, sorted(kwargs))
    def __contains__(self, value): return value in (self.left, self.right)
    def __enter__(self): print("enter", self.left); return self
    def __exit__(self, kind, error, trace):
        print("exit", kind and kind.__name__); return self.right == 1
    async def __aenter__(self): return self.left
    async def __aexit__(self, *error): return False
    async def __aiter__(self):
        for each in (self.left, self.right): yield each
    def __neg__(self): return Pair(self.right, self.left)
    def __format__(self, spec): return f"<{spec}>"
class Box:
    count = 0
    def __init__(self, value=None): self._value = value; self.__hidden = 1; Box.count += 1
    @property
    def value(self): return self._value
    @value.setter
    def value(self, new): self._value = new; self.__hidden += 1
    @value.deleter
    def value(self): del self._value
    @staticmethod
    def fixed(a, /, b=2, *, c=3): return a, b, c
    @classmethod
    def made(cls, value): return cls(value)
    def hidden(self): return self.__hidden
    def __repr__(self): return f"{self.__class__.__name__}[{self._value!r}]"
    def __getattr__(self, name):
        if name == "ghost": return "boo"
        raise AttributeError(f"no {name}")
class Crate(Box):
    def __init__(self, value=None, *more): super().__init__(value); self.more = more
    def hidden(self): return -super().hidden()
class Oops(ValueError):
    def __init__(self, what, code=1): super().__init__(what); self.code = code
def run(coroutine):
    try: coroutine.send(None)
    except StopIteration as stop: return stop.value
def swap():
    global p, q
    p, q = Pair(q.count, p.left), Crate(p.left)
    print("swapped", end=" ")
a, b, c, d = 3, "text", [5, 1, 4], {"k": 1, 2: "two"}
p, q, t = Pair(1, 2), Crate(4, 5), (1, (2, 3))
'''


class Grammar:
    """Draws one program."""

    def __init__(self, draw: Callable[[Any], Any]) -> None:
        self._draw = draw
        self._names = 0

    def number(self, most: int) -> int:
        drawn: int = self._draw(st.integers(0, most))
        return drawn

    def one_of(self, choices: Any) -> Any:
        return choices[self.number(len(choices) - 1)]

    def fresh(self, letter: str) -> str:
        self._names += 1
        return f"{letter}{self._names}"

    def expression(self, depth: int = 2) -> str:
        if depth <= 0:
            return str(self.one_of((*INTS, *STRINGS, *VARIABLES, "None", "...", "c", "d")))
        made: str = self.one_of(EXPRESSIONS)(self, lambda: self.expression(depth - 1))
        return made

    def block(self, depth: int, inside: str = "") -> str:
        lines = [self.statement(depth - 1) for _ in range(1 + self.number(1))]
        return indent("\n".join([*lines, *([inside] if inside else [])]), "    ")

    def statement(self, depth: int = 2) -> str:
        forms = STATEMENTS if depth > 0 else SIMPLE
        made: str = self.one_of(forms)(self, lambda: self.expression(2), depth)
        return made

    def program(self) -> str:
        parts = [PRELUDE]
        for _ in range(2 + self.number(6)):
            text = self.statement(2)
            if self.number(4):  # most faults are caught, so that the program goes on
                text = f"try:\n{indent(text, '    ')}\nexcept Exception as error:\n"
                text += "    print(type(error).__name__, error)"
            parts.append(text)
        parts.append("print(a, b, c, d, p, q, t)")
        return "\n".join(parts) + "\n"


@st.composite
def programs(draw: Callable[[Any], Any]) -> str:
    """The source of a program that is Python, ends soon and often fails."""
    source = Grammar(draw).program()
    try:
        compile(source, "<program>", "exec", dont_inherit=True)
    except SyntaxError:  # an annotation of a global name, `nonlocal` after a use
        reject()
    return source
