"""Writes attacks: primitives x obfuscations x wrappings, valid Python by construction."""

import importlib
import types
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from sandbox.language.compile.words import words

from .hiding import FORMAT_HELPER, READS, WRAPPINGS, Chooser


class Primitive(NamedTuple):
    """A way to a power: an expression to start from, and attribute names or calls to follow."""

    power: str
    start: str
    steps: tuple[str, ...]  # an attribute name, "()" or "[...]"
    before: str = ""


_G = "(i for i in ())"
_F = "(lambda o: o.real)"
_TRACE = "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    caught = error\n"
_ASYNC = "async def co(): pass\nwaiting = co()\n"
_STARTS = ("()", "''", "[]", "{}", "0", "True", "b''", "1.5", "print", "len", "Exception()", "...")
_UP = ("__class__", "__mro__", "[-1]", "__subclasses__", "()")
_FIXED = (
    *(
        Primitive("classes", s, ("__class__", "__base__", "__subclasses__", "()"))
        for s in _STARTS[:4]
    ),
    *(Primitive("classes", s, _UP) for s in _STARTS),
    Primitive("classes", "object", ("__subclasses__", "()")),
    Primitive("classes", "type", ("__base__", "__subclasses__", "()")),
    Primitive("classes", "int", ("__bases__", "[0]", "__subclasses__", "()")),
    Primitive("globals", _F, ("__globals__",)),
    Primitive("globals", "C.m", ("__globals__",), "class C:\n    def m(self): pass\n"),
    Primitive("globals", "C().m", ("__func__", "__globals__"), "class C:\n    def m(self): pass\n"),
    Primitive("builtins", _F, ("__builtins__",)),
    Primitive("builtins", "len", ("__self__",)),
    Primitive("builtins", "__builtins__", ()),
    Primitive("builtins", "globals()", ("['__builtins__']",)),
    Primitive("code", _F, ("__code__",)),
    Primitive("frame", _G, ("gi_frame",)),
    Primitive("frame", "waiting", ("cr_frame",), _ASYNC),
    Primitive("frame", "caught", ("__traceback__", "tb_frame"), _TRACE),
    Primitive("open", "open", ()),
    Primitive("import", "__import__", ()),
    Primitive("metaclass", "type(type(1))", ()),
    Primitive("metaclass", "type", ("__class__",)),
    Primitive("metaclass", "C", ("__class__",), "class C: pass\n"),
)
_GOALS = {"sys": "sys", "os": "os", "posix": "os", "builtins": "builtins"}
ROOTS = tuple(
    sorted(
        words(
            """
            json random re string statistics collections functools dataclasses enum typing copy
            heapq decimal fractions datetime calendar textwrap pprint base64 contextlib itertools
            io queue threading traceback warnings bisect operator csv numbers timeit doctest asyncio
            """
        )
    )
)


@lru_cache(maxsize=1)
def primitives() -> tuple[Primitive, ...]:
    """Return the fixed ones and all short ways from a module's attributes to a powerful module."""
    found = list(_FIXED)
    for root in ROOTS:
        found += _ways(root)
    return tuple(found)


def _ways(root: str) -> list[Primitive]:
    """Search breadth first through the attributes that are modules, at most four deep."""
    todo: list[tuple[types.ModuleType, tuple[str, ...]]] = [(importlib.import_module(root), ())]
    seen, ways = {root}, []
    while todo:
        module, path = todo.pop(0)
        for name, value in sorted(vars(module).items()):
            if not isinstance(value, types.ModuleType) or value.__name__ in seen or len(path) > 3:
                continue
            seen.add(value.__name__)
            if value.__name__ in _GOALS:
                power = _GOALS[value.__name__]
                ways.append(Primitive(power, root, (*path, name), f"import {root}\n"))
            todo.append((value, (*path, name)))
    return ways


def generate(chooser: Chooser, modules: Sequence[str] = ()) -> tuple[str, str]:
    """Write one program: its kind of power and its source. `modules` are those it may import."""
    known = [p for p in primitives() if not p.before.startswith("import") or _root(p) in modules]
    primitive = chooser.choice(known)
    expression = primitive.start
    for step in primitive.steps:
        if step[0] in "([":
            expression = f"({expression}){step}"
        else:
            expression = chooser.choice(READS)(expression, step, chooser)
    body = chooser.choice(WRAPPINGS)(f"power = {expression}\n")
    return primitive.power, _helpers(body, primitive) + body


def _root(primitive: Primitive) -> str:
    return primitive.start.partition(".")[0]


def _helpers(body: str, primitive: Primitive) -> str:
    parts = [primitive.before]
    if "by_format(" in body:
        parts.append(FORMAT_HELPER)
    for name in {n for p in primitives() for n in p.steps if f"by_pattern_{n}(" in body}:
        parts.append(
            f"def by_pattern_{name}(o):\n    match o:\n        case object({name}=found):\n"
            "            return found\n"
        )
    if "operator_" in body:
        parts.append("import operator as operator_\n")
    return "".join(parts)
