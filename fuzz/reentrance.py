"""Looks for memory errors of CPython: programs whose special methods undo what C code has begun.

Each block of a program makes a receiver, uses it with arguments that strike back, and looks at what
is left. What is used is every callable that a policy grants, and every method of what these make.
"""

import json
import os
import random
import subprocess
import sys
import types
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sandbox import Policy
from sandbox.language.compile.names import PLAIN, read_kind
from sandbox.language.stdlib.catalog import supported

from .hiding import Chooser
from .reentrance_pieces import ACTS, ARGUMENTS, PRELUDE, RECEIVERS, USES, pieces

BLOCKS = 8  # of a program
_ARGUMENTS, _ACTS, _USES = pieces(ARGUMENTS), pieces(ACTS), pieces(USES)
_ANSWERS = ("[1]", "[True, False]", "[False]", "[NotImplemented]", "[0, 5, -1]", "[10 ** 9]")
_MORE_ANSWERS = ("[b'A' * 90]", "['text']", "[None]", "[4000000]", "[[1], (1, 2)]", "[E(), 1]")
_SIZES = (8, 40, 100, 500, 2000, 6000)
_SHARE_OF_USES = 0.35
_SLOW = frozenset(
    ("sandbox", "os", "resource", "threading", "doctest", "timeit", "sys", "gc", "__future__")
)


class Crash(NamedTuple):
    """A program that ended by a signal, or that saw memory that was not its own."""

    what: str
    source: str


def receivers(modules: Iterable[str]) -> list[tuple[str, str]]:
    """The expressions that a program may start from, each with the module that it needs."""
    found = []
    for piece in pieces(RECEIVERS):
        module, colon, expression = piece.partition(": ")
        if not colon or not module.isidentifier():
            found.append(("", piece))
        elif module in modules:
            found.append((module, expression))
    return found


def generate(chooser: Chooser, policy: Policy, blocks: int = BLOCKS) -> list[str]:
    """The blocks of one program."""
    plan = policy.plan()
    usable = receivers(plan.modules)
    return [_block(chooser, usable, plan.modules) for _ in range(blocks)]


def program(blocks: Iterable[str]) -> str:
    """What is run after `PRELUDE`, in the same namespace."""
    return "".join((*blocks, _END))


_END = """
V["left"] = 0
if any(kept.strip(b"A") for kept in KEPT if type(kept) is bytes): print("@CHANGED@")
"""


def _block(chooser: Chooser, usable: list[tuple[str, str]], modules: Any) -> str:
    module, receiver = chooser.choice(usable)
    other, second = chooser.choice(usable)
    count = chooser.randint(1, 3)
    acts = "".join(
        f"    def act{n}():\n        nonlocal r, q\n        {_act(chooser)}\n" for n in range(count)
    )
    names = ", ".join(f"act{n}" for n in range(count))
    answers = chooser.choice(_ANSWERS if chooser.randint(0, 2) else _MORE_ANSWERS)
    arming = (
        f"arm([{names}], {chooser.choice((1, 1, 2, 3, 8))}, {chooser.choice(_SIZES)}, {answers})"
    )
    use = _use(chooser, module, receiver, modules)
    imports = "".join(
        f"    import {name}\n" for name in sorted({module, other, *_named(use)}) if name
    )
    statement = use if _is_statement(use) else f"out = {use}"
    return (
        f"def block():\n{imports}    out = r = q = None\n{acts}"
        f"    try:\n        r = {receiver}\n        q = {second}\n    except Exception: return\n"
        f"    {arming}\n    try: {statement}\n    except Exception: pass\n"
        "    try: look(out); look(r); look(q)\n    except Exception: pass\n"
        "try: block()\nexcept Exception: pass\n"
    )


def _named(use: str) -> list[str]:
    module, dot, _ = use.partition(".")
    return (
        [module] if dot and module.isidentifier() and len(module) > 1 and module in _all() else []
    )


@cache
def _all() -> frozenset[str]:
    return frozenset(supported()[1])


def _is_statement(use: str) -> bool:
    return use.startswith("del ") or "] = " in use


def _act(chooser: Chooser) -> str:
    return chooser.choice(_ACTS).replace("@", chooser.choice(("r", "r", "r", "q")))


def _use(chooser: Chooser, module: str, receiver: str, modules: Any) -> str:
    roll = chooser.randint(0, 99) / 100
    if roll < _SHARE_OF_USES:
        use = chooser.choice(_USES)
        while "#" in use:
            use = use.replace("#", chooser.choice(_ARGUMENTS), 1)
        return use
    methods = _methods(module, receiver)
    if methods and roll < 1 - _SHARE_OF_USES / 2:
        return f"r.{chooser.choice(methods)}({_arguments(chooser)})"
    name = chooser.choice(sorted(set(modules) - _SLOW - {"builtins", "asyncio", "concurrent"}))
    return f"{name}.{chooser.choice(sorted(modules[name]))}({_arguments(chooser)})"


def _arguments(chooser: Chooser) -> str:
    given = [chooser.choice(_ARGUMENTS) for _ in range(chooser.randint(0, 3))]
    if not chooser.randint(0, 7):
        given.append(chooser.choice(_NAMED) + chooser.choice(_ARGUMENTS))
    return ", ".join(given)


_NAMED = ("key=", "default=", "initial=", "maxlen=", "sep=", "cls=", "fillvalue=", "strict=")


@cache
def _methods(module: str, receiver: str) -> tuple[str, ...]:
    """The names that may be called on what `receiver` gives, as CPython has it."""
    namespace: dict[str, Any] = {}
    exec(PRELUDE, namespace)
    if module:
        namespace[module] = __import__(module)
    try:
        made = eval(receiver, namespace)
    except Exception:
        return ()
    if isinstance(made, types.ModuleType):
        return ()
    names = {name for kind in type(made).__mro__ for name in vars(kind)} | set(object.__dict__)
    if isinstance(made, type):
        names |= {name for kind in made.__mro__ for name in vars(kind)}
    return tuple(sorted(name for name in names if read_kind(name) == PLAIN))


def hunt(
    policy: str, *, seconds: float, seed: int = 0, most: int = 0, planted: str = ""
) -> tuple[int, list[Crash]]:
    """Run programs for so long, or so many: how many ran, and what was found.

    They run in forks of one process of their own, under the language layer alone, with memory that
    is filled with a pattern when it is freed. `planted` is source that is run there before.
    """
    job = json.dumps(
        {"policy": policy, "seconds": seconds, "seed": seed, "most": most, "planted": planted}
    )
    done = subprocess.run(
        [sys.executable, "-m", f"{__package__}.reentrance_run", job],
        cwd=Path(__file__).parents[__name__.count(".")],
        env={**os.environ, "PYTHONMALLOC": "debug", "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    return told["ran"], [Crash(**crash) for crash in told["crashes"]]


def programs(policy: Policy, seed: int) -> Any:
    """Without end, the same for the same seed."""
    chooser = random.Random(seed)
    while True:
        yield generate(chooser, policy)
