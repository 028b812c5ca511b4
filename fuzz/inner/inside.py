"""Harnesses of the language layer itself: its compiler and its guards.

For a process of their own: the compiler may use it up, and the guards work on a world, which
changes the interpreter that it is built in.
"""

import dis
import functools
import random
import sys
import types
from collections.abc import Callable
from typing import Any, NoReturn

from sandbox import Policy
from sandbox.language.compile.compiler import Refused, compile_program
from sandbox.language.compile.names import FREE_NAMES, PLAIN, read_kind, store_kind
from sandbox.language.guest.collector import Collector
from sandbox.language.guest.world import build_world, enter

from ..judging.inspector import Judge
from ..programs import mutation
from ..programs.attacks import select
from .harnesses import Broken

_LONGEST = 4000  # characters of a program
_PLAN = Policy.load("contest").plan()
_HEADER = 2  # bytes: which operation, on which object
_OBJECTS = """
import collections, enum, functools, random, re, types
class A:
    x = 1
    def f(self): return self
class M(type): pass
class B(metaclass=M): pass
class E(enum.Enum): ONE = 1
def gen(): yield 1
try: None.nothing
except AttributeError as error: failed = error
try: 1 / 0
except ZeroDivisionError as error: divided = error
objects = [
    1, "text", [1], {"a": 1}, len, int, type, A, A(), A().f, B, B(), E, E.ONE, gen, gen(), failed,
    divided, divided.__traceback__, random, random.Random, random.random, re.compile("(?P<a>x)"),
    functools.partial(len), functools.lru_cache(len), types.SimpleNamespace(a=1), list[int],
    collections.Counter.update, property(len), staticmethod(gen), super, memoryview(b"x"),
    "".format, print, getattr, object.__getattribute__, collections.namedtuple("N", "a")(1),
]
"""


def program(data: bytes) -> None:
    """Check for code that names no attribute without its guard, a refusal or a SyntaxError."""
    try:
        code = compile_program(data.decode("utf-8", "replace")[:_LONGEST], _PLAN)
    except (SyntaxError, Refused, MemoryError):
        return
    todo = [code]
    while todo:
        part = todo.pop()
        todo += [const for const in part.co_consts if isinstance(const, types.CodeType)]
        for step in dis.get_instructions(part):
            _check_step(step.opname, step.argval)


def _check_step(operation: str, name: object) -> None:
    if not operation.endswith(("_ATTR", "_METHOD")) or type(name) is not str:
        return
    if operation.startswith("LOAD") and name in FREE_NAMES:
        return  # after a look at the object, in the code itself
    kind = read_kind if operation.startswith("LOAD") else store_kind
    if kind(name) != PLAIN:
        raise Broken(f"{operation} of {name!r} without a guard")


def guards(data: bytes) -> None:
    """Check that no name asked of any object gives what only the host has."""
    if len(data) < _HEADER:
        return
    judge, objects, operations = _world()
    ask = operations[data[0] % len(operations)]
    o = objects[data[1] % len(objects)]
    try:
        held = ask(o, data[_HEADER:].decode("utf-8", "replace"))
    except Exception:
        return
    if found := judge.find({"held": held}):
        raise Broken(f"{type(o).__name__}: {found}")


def _too_much() -> NoReturn:
    raise MemoryError


@functools.cache
def _world() -> tuple[Judge, list[Any], list[Callable[[Any, str], Any]]]:
    streams, main = (sys.stdin, sys.stdout, sys.stderr), sys.modules["__main__"]
    world = build_world(_PLAN)
    output = Collector(list.clear, 1 << 30, _too_much)
    scope: Any = enter(world, stdin="", output=output, plan=_PLAN)
    exec(compile_program(_OBJECTS, _PLAN), scope)
    sys.stdin, sys.stdout, sys.stderr = streams
    entered, sys.modules["__main__"] = sys.modules["__main__"], main
    own, facades = world.state.builtins, world.importer.facades
    tools = vars(facades["operator"])

    def as_guest(ask: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
        def asked(o: Any, text: str) -> Any:
            sys.modules["__main__"] = entered  # patched modules serve the program that is entered
            try:
                return ask(o, text)
            finally:
                sys.modules["__main__"] = main

        return asked

    operations: list[Callable[[Any, str], Any]] = [
        lambda o, text: own["getattr"](o, text),
        lambda o, text: own["getattr"](o, text)(),
        lambda o, text: own["getattr"](f"{{0.{text}}}", "format")(o),
        lambda o, text: own["getattr"](text, "format")(o, a=o),
        lambda o, text: own["getattr"](text, "format_map")({"a": o}),
        lambda o, text: own["format"](o, text),
        lambda o, text: tools["attrgetter"](text)(o),
        lambda o, text: tools["methodcaller"](text)(o),
        lambda o, text: own["setattr"](o, text, o),
        lambda o, text: own["eval"](text, {"o": o}),
    ]
    return Judge(world), scope["objects"], [as_guest(ask) for ask in operations]


HARNESSES: dict[str, Callable[[bytes], None]] = {"program": program, "guards": guards}


def seeds(name: str) -> list[bytes]:
    """Return the inputs to begin with: the corpus, and the names that it asks for."""
    codes = [attack.code.encode() for attack in select("language")]
    if name == "program":
        return [code for code in codes if len(code) <= _LONGEST]
    names = ("real", "__class__", "__dict__", "format", "gi_frame", "__self__", "__globals__")
    pairs = [(number, name.encode()) for number in range(37) for name in names]
    return [bytes((number % 10, number)) + name for number, name in pairs]


def mutated(name: str, data: bytes, most: int, seed: int, otherwise: Any) -> bytes:
    """Return a mutation that knows what it changes, or what the fuzzer does `otherwise`."""
    chooser = random.Random(seed)
    if name != "program" or chooser.random() < 0.5:
        changed: bytes = otherwise(data, most)
        return changed
    text = mutation.mutate(data.decode("utf-8", "replace"), chooser)
    return text.encode("utf-8", "replace")[:most]
