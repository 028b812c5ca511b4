"""Looks for memory errors of CPython: programs whose special methods undo what C code has begun.

Each block of a program makes a receiver, uses it with arguments that strike back, and looks at what
is left. What is used is every callable that a policy grants, and every method of what these make.
"""

import inspect
import random
import re
import types
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from sandbox import Policy
from sandbox.language.compile.names import PLAIN, read_kind
from sandbox.language.compile.words import words
from sandbox.language.stdlib.catalog import MODULES

from ..programs.hiding import Chooser
from .pieces import ACTS, ARGUMENTS, RECEIVERS, USES, pieces
from .prelude import PRELUDE

BLOCKS = 2  # of a program
_ARGUMENTS, _ACTS, _USES = pieces(ARGUMENTS), pieces(ACTS), pieces(USES)
_STRIKING = [n for n, text in enumerate(_ARGUMENTS) if re.search(r"[A-Z]\w*\(|\bf\b|gen", text)]
_USES_OF_BLOCK, _TRIALS_OF_USE, _SETTINGS = 8, 12, 6
_LAST = "".join(f"    lambda r, q: {text},\n" for text in _ARGUMENTS)
BEFORE = f"{PRELUDE}MAKERS = [\n{_LAST}]\n"  # what stands in front of every program
_ANSWERS = ("[1]", "[True, False]", "[False]", "[NotImplemented]", "[0, 5, -1]", "[10 ** 9]")
_MORE_ANSWERS = ("[b'A' * 90]", "['text']", "[None]", "[4000000]", "[[1], (1, 2)]", "[E(), 1]")
_SIZES = (8, 40, 100, 500, 2000, 6000)
_SHARE_OF_USES = 0.35
_SHARE_OF_FUNCTIONS = 0.25
_LEFT_OUT = words(  # ours, or without a function that calls back
    """
    __future__ asyncio builtins concurrent doctest gc os resource sandbox sys threading timeit
    """
)


def receivers(modules: Iterable[str], only: str = "") -> list[tuple[str, str]]:
    """Return the expressions that a program may start from, each with the module that it needs."""
    found = []
    for piece in pieces(RECEIVERS):
        module, colon, expression = piece.partition(": ")
        if not colon or not module.isidentifier():
            found.append(("", piece))
        elif module in modules:
            found.append((module, expression))
    return [each for each in found if only in each[1]]


def generate(chooser: Chooser, policy: Policy, blocks: int = BLOCKS, only: str = "") -> list[str]:
    """Write the blocks of one program."""
    plan = policy.plan()
    usable = receivers(plan.modules, only)
    return [_block(chooser, usable, plan.modules) for _ in range(blocks)]


def program(blocks: Iterable[str]) -> str:
    """Return what is run after `BEFORE`, in the same namespace."""
    return "".join((*blocks, _END))


_END = """
V["left"] = 0
if any(kept.strip(b"A") for kept in KEPT if type(kept) is bytes): print("@CHANGED@")
"""


def _block(chooser: Chooser, usable: list[tuple[str, str]], modules: Any) -> str:
    """Write a receiver, and trials: each makes it anew, and arms when all arguments are made."""
    module, receiver = chooser.choice(usable)
    other = chooser.choice(usable)
    acts = [_act(chooser, module, receiver, other) for _ in range(chooser.randint(1, 3))]
    uses = [_use(chooser, module, receiver, modules) for _ in range(_USES_OF_BLOCK)]
    needed = {module, other[0], *map(_module_of, uses)} - {""}
    lines = [f"    import {name}" for name in sorted(needed)]
    lines.append("    r = q = None")
    for n, act in enumerate(acts):
        lines += [f"    def act{n}():", "        nonlocal r, q", f"        {act}"]
    for n, use in enumerate(uses):
        lines += [f"    def use{n}(x):", "        nonlocal r", f"        {_returning(use)}"]
    names = [f"act{n}" for n in range(len(acts))]
    lines += [f"    settings = [{', '.join(_setting(chooser, names) for _ in range(_SETTINGS))}]"]
    lines += [f"    trials = [{', '.join(_trials(chooser, uses))}]"]
    return _BLOCK.format("\n".join(lines), receiver, other[1])


# What does not strike once is not tried with other settings.
_BLOCK = """def block():
{}
    for use, given in trials:
        for acts, left, size, answers in settings:
            out = r = q = None
            try:
                r = {}
                q = {}
                x = [MAKERS[n](r, q) for n in given]
            except Exception: break
            arm(acts, left, size, answers)
            try: out = use(x)
            except Exception: pass
            if not V["turn"]: break
            try: look(out); look(r); look(q)
            except Exception: pass
try: block()
except Exception: pass
"""


def _setting(chooser: Chooser, names: list[str]) -> str:
    """Write what a strike does, how often it strikes, what memory it takes, what it answers."""
    acts = chooser.choice([names, *([name] for name in names)])
    answers = chooser.choice(_ANSWERS if chooser.randint(0, 2) else _MORE_ANSWERS)
    left, size = chooser.choice((1, 1, 2, 3, 8)), chooser.choice(_SIZES)
    return f"([{', '.join(acts)}], {left}, {size}, {answers})"


def _returning(use: str) -> str:
    return use if use.startswith("del ") or "] = " in use else f"return {use}"


def _trials(chooser: Chooser, uses: list[str]) -> list[str]:
    """Write several tuples of arguments for each use."""
    found = []
    for n, use in enumerate(uses):
        count = len(set(re.findall(r"\bx\[\d+\]", use)))
        for _ in range(_TRIALS_OF_USE if count else 1):
            given = "".join(f"{_argument(chooser)}, " for _ in range(count))
            found.append(f"(use{n}, ({given}))")
    return found


def alone(block: str) -> list[str]:
    """Return the same block with one of its trials each."""
    head, start, rest = block.partition("    trials = [")
    trials, end, tail = rest.partition("]\n    for use")
    parts = re.split(r", (?=\(use\d+, \()", trials)
    return [f"{_arguments_of(part)}{head}{start}{part}{end}{tail}" for part in parts]


def _arguments_of(trial: str) -> str:
    """Return the arguments of a trial in words, for a person who reads the program."""
    numbers = re.findall(r"\d+", trial.partition("(")[2].partition("(")[2].partition(")")[0])
    return f"# x = [{', '.join(_ARGUMENTS[int(n)] for n in numbers)}]\n"


def _module_of(use: str) -> str:
    name = use[: use.rfind(".", 0, use.index("(") if "(" in use else 0)] if "." in use else ""
    return name if name in MODULES else ""


def _act(chooser: Chooser, module: str, receiver: str, other: tuple[str, str]) -> str:
    """Write what is done to the receiver, or to the other object: something that it can do."""
    if chooser.randint(0, 3):
        return chooser.choice(_fitting(_ACTS, module, receiver, "@")).replace("@", "r")
    return chooser.choice(_fitting(_ACTS, *other, "@")).replace("@", "q")


def _use(chooser: Chooser, module: str, receiver: str, modules: Any) -> str:
    """Write how the receiver is used; its arguments are called x[0], x[1], ..."""
    roll = chooser.randint(0, 99) / 100
    methods = _methods(module, receiver)
    if methods and roll > _SHARE_OF_USES + _SHARE_OF_FUNCTIONS:
        method, fewest, most = chooser.choice(methods)
        return f"r.{method}({_arguments(chooser, chooser.randint(fewest, most))})"
    granted = sorted(set(modules) - _LEFT_OUT)
    if roll > _SHARE_OF_FUNCTIONS or not granted:
        use, count = chooser.choice(_fitting(_USES, module, receiver, "r")), 0
        while "#" in use:
            use, count = use.replace("#", f"x[{count}]", 1), count + 1
        return use
    name = chooser.choice(granted)
    function = chooser.choice(sorted(modules[name]))
    fewest, most = _arity(_function(name, function))
    return f"{name}.{function}({_arguments(chooser, chooser.randint(fewest, most), 'r')})"


def _function(module: str, name: str) -> Any:
    """Return a function of the library's; None where this Python has none, or no such module."""
    try:
        return getattr(__import__(module, fromlist=[""]), name, None)
    except ModuleNotFoundError:
        return None


def _argument(chooser: Chooser) -> int:
    """Return the number of one argument: most strike back."""
    return chooser.choice(_STRIKING if chooser.randint(0, 3) else range(len(_ARGUMENTS)))


def _arguments(chooser: Chooser, count: int, *first: str) -> str:
    """Write so many arguments. `first` is what is given first as a rule."""
    names = [f"x[{n}]" for n in range(count)]
    if count and chooser.randint(0, 3):
        names[: len(first)] = first
    if not chooser.randint(0, 9):
        names.append(f"{chooser.choice(_NAMED)}x[{count}]")
    numbers = sorted({int(name.partition("[")[2][:-1]) for name in names if "[" in name})
    for new, old in enumerate(numbers):
        names = [name.replace(f"x[{old}]", f"x[{new}]") for name in names]
    return ", ".join(names)


_NAMED = ("key=", "default=", "initial=", "maxlen=", "sep=", "cls=", "fillvalue=", "strict=")
_BORING = words("__init_subclass__ __subclasshook__ __dir__ __class_getitem__ __del__ __new__")


@cache
def _kinds(module: str, receiver: str) -> tuple[type, ...]:
    """Return the classes of what `receiver` gives in CPython, and it itself if that is a class."""
    namespace: dict[str, Any] = {"__name__": "__main__"}  # without one, a class has no module
    exec(PRELUDE, namespace)
    if module:
        namespace[module] = __import__(module)
    try:
        made = eval(receiver, namespace)
    except Exception:
        return ()
    if isinstance(made, types.ModuleType):
        return ()
    return (*type(made).__mro__, *(made.__mro__ if isinstance(made, type) else ()))


@cache
def _methods(module: str, receiver: str) -> tuple[tuple[str, int, int], ...]:
    """Return the names that may be called on what `receiver` gives, and with how many arguments."""
    found: dict[str, tuple[str, int, int]] = {}
    for kind in _kinds(module, receiver):
        for name, method in vars(kind).items():
            if name not in _BORING and read_kind(name) == PLAIN and callable(method):
                fewest, most = _arity(method)
                found.setdefault(name, (name, max(fewest - 1, 0), max(most - 1, 0)))
    return tuple(sorted(found.values()))


def _arity(function: Any) -> tuple[int, int]:
    """Return the fewest and the most positional arguments that it takes, as far as it says so."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1, 3
    places = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    more = 2 * any(p.kind is p.VAR_POSITIONAL for p in parameters)
    fewest = sum(p.default is p.empty for p in places)
    return fewest, max(fewest, min(len(places) + more, _MOST_ARGUMENTS))


_MOST_ARGUMENTS = 4


@cache
def _fitting(table: tuple[str, ...], module: str, receiver: str, name: str) -> tuple[str, ...]:
    """Return the lines of a table that this receiver, called `name` there, can carry out."""
    kinds = _kinds(module, receiver)
    if not kinds:
        return table
    has = {attribute for kind in kinds for attribute in vars(kind)}
    return tuple(line for line in table if _needed(line, name) <= has)


def _needed(line: str, name: str) -> set[str]:
    """Return the methods that a line of a table needs: by name, by subscript, by operator."""
    place = re.escape(name)
    found = set(re.findall(rf"{place}\.(\w+)", line))
    found |= {method for text, method in _OPERATIONS if text.replace("@", name) in line}
    if f"{name}[" in line and not found:
        found.add("__getitem__")
    return found


_OPERATIONS = (
    ("del @[", "__delitem__"),
    ("] = ", "__setitem__"),
    ("next(@", "__next__"),
    ("len(@", "__len__"),
    ("list(@", "__iter__"),
    ("**@", "keys"),
    ("@(", "__call__"),
)


def programs(policy: Policy, seed: int, only: str = "") -> Iterator[list[str]]:
    """Yield programs without end, the same for the same seed."""
    chooser = random.Random(seed)
    while True:
        yield generate(chooser, policy, only=only)
