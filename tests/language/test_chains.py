"""Random chains of reads, items, calls and iteration from all that is granted stay in the policy.

A step is a statement of a guest, compiled under the policy; what it gives is judged from outside.
"""

import builtins
import contextlib
import functools
import gc
import io
import os
import posix
import random
import signal
import sys
import types
from collections.abc import Iterable
from typing import Any

import harness
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sandbox.language.compile.compiler import Refused, compile_program
from sandbox.language.compile.words import words
from sandbox.language.guards import guards
from sandbox.language.guards.attributes import access_hooks, attribute_guards
from sandbox.language.guards.classes import class_origin, classes
from sandbox.language.guest import collector, importer, state, world

_OURS = (
    *(world.World, state.GuestState, guards.Guards, attribute_guards.Attributes, classes.Classes),
    *(access_hooks.AccessHooks, importer.Importer, class_origin.Kinship, collector.Collector),
)
_NEVER = (types.CodeType, types.FrameType, types.TracebackType, io.FileIO, *_OURS)
_CALLS = sorted(
    words("""
() (1) ('a') ([2,1]) (before) (Own) (Own(),'x') (len,[[],'b']) ('a',(),{}) (lambda*a:a) (value)
(*before[:2]) ({'a':before}) (0,1,2)
""")
)
_OTHERS = sorted(
    words("""
value[0] value['a'] value[:] value[before] next(iter(value)) [*zip(value,[1])] value.__class__
getattr(value,'__class__') type(value) value.__self__ vars(value) value+value value|before -value
value.format(before) '{0.real}'.format(value) value.__get__(before) value.__dict__ value.mro()
value.__subclasses__() value()() value.__traceback__ value.__context__ value.obj value.__func__
value.__bases__[0]
""")
)
_ENDLESS = {f"itertools.{name}" for name in ("count", "cycle", "repeat")}  # C loops over them
# CPython crashes when one of these is called before it wraps anything; a crash is contained.
_HOLLOW = {"builtins.staticmethod", "builtins.classmethod"}
_SECONDS = 0.5  # of a chain that would wait for ever


class TooSlow(BaseException):
    """Raised into a step by the timer."""


class SinkJudge:
    """Knows what no guest may ever hold."""

    def __init__(self, made: world.World) -> None:
        facades = {id(facade) for facade in made.importer.facades.values()}
        granted = {id(value) for _, value in starts(made)}
        tracked = gc.get_objects()
        modules = [o for o in tracked if isinstance(o, types.ModuleType) and id(o) not in facades]
        functions = [o for o in tracked if isinstance(o, types.FunctionType)]
        inner = [v for m in (sys, os, posix, builtins) for v in vars(m).values() if not _plain(v)]
        self._host_classes = made.kin.host
        metaclasses = [cls for cls in self._host_classes if issubclass(cls, type)]
        shown = {id(made.state.builtins["type"])}
        self._kept = [
            *modules,
            *map(vars, modules),
            *(function.__globals__ for function in functions),
            *(o for o in inner if id(o) not in granted),
            *(cls for cls in metaclasses if type(cls) is type and id(cls) not in shown | granted),
            made.state.builtins,
            made.state.main,
        ]
        self._never = {id(o) for o in self._kept}

    def forbids(self, o: Any, step: str) -> bool:
        """True for what leads out of the policy, or was asked of the host's classes."""
        if issubclass(type(o), _NEVER) or id(o) in self._never:
            return True
        if issubclass(type(o), (io.TextIOWrapper, io.BufferedReader, io.BufferedWriter)):
            return isinstance(getattr(getattr(o, "buffer", o), "raw", None), io.FileIO)
        listed = "__subclasses__" in step and type(o) is list
        return listed and any(item in self._host_classes for item in o)


def _plain(o: object) -> bool:
    return o is None or isinstance(o, (str, bytes, int, float, complex, tuple, frozenset, type))


def starts(made: world.World) -> list[tuple[str, Any]]:
    """Every granted object, and how it is called."""
    found = [(name, made.state.builtins.get(name)) for name in made.plan.builtins]
    for module, facade in made.importer.facades.items():
        found.append((module, facade))
        found += [(f"{module}.{name}", value) for name, value in vars(facade).items()]
    return [(path, value) for path, value in found if path not in _ENDLESS | _HOLLOW]


@functools.cache
def _step(made: world.World, source: str) -> types.CodeType | None:
    try:
        return compile_program(source, made.plan)
    except Refused:
        return None


def _choices(o: Any) -> list[str]:
    with contextlib.suppress(Exception):
        names = [name for name in dir(o) if name.isidentifier()]
        if o is staticmethod:  # one that is not initialised crashes CPython when it is called
            names.remove("__new__")
        public = [name for name in names if name[:1] != "_"]
        reads = [f"value.{name}" for name in (*public, *public, *names)]
        calls = [f"value{arguments}" for arguments in _CALLS] * (1 + len(reads) // 20)
        return [*reads, *calls, *_OTHERS]
    return _OTHERS


def walk(
    made: world.World, roots: Iterable[tuple[str, Any]], chains: list[list[int]]
) -> tuple[list[str], int]:
    """Follow `chains` from each of `roots`, in a child: what was wrong, and how many steps held."""
    wrong, steps = harness.in_a_child(
        lambda: _walk(made, roots, chains), cpu_seconds=8, memory_mib=512
    )
    return wrong, steps


def _walk(made: world.World, roots: Any, chains: list[list[int]]) -> tuple[list[str], int]:
    def stop(*_: object) -> None:
        raise TooSlow

    signal.signal(signal.SIGALRM, stop)
    quiet = collector.Collector(list.clear, 1 << 30, lambda: None)  # type: ignore[arg-type]
    scope = world.enter(made, stdin="a\nb\n" * 99, output=quiet, plan=made.plan)
    judge = SinkJudge(made)
    exec(compile_program("class Own: pass", made.plan), scope)
    wrong, steps = [], 0
    for index, (root, value) in enumerate(roots):
        for chain in chains:
            said, held = _follow(
                made, scope, judge, (root, value), [n + index * 7919 for n in chain]
            )
            wrong += said
            steps += held
    return wrong, steps


def _follow(
    made: world.World,
    scope: dict[str, Any],
    judge: SinkJudge,
    root: tuple[str, Any],
    chain: list[int],
) -> tuple[list[str], int]:
    path, value, before, held = root[0], root[1], None, 0
    for number in chain:
        choices = _choices(value)
        step = choices[number % len(choices)]
        code = _step(made, f"value = {step}")
        if code is None:
            continue
        scope.update(value=value, before=before)
        # A step may have lowered the limit, closed a stream or bent the clock: begin anew.
        made.state.set_recursion_limit(1000)
        signal.setitimer(signal.ITIMER_REAL, _SECONDS)
        try:
            # Anew: a call that was specialized for another object may crash CPython, which
            # docs/fuzzing.md lists.
            exec(code.replace(), scope)
        except BaseException:
            continue
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        path, value, before, held = f"{path} ; {step}", scope["value"], value, held + 1
        if judge.forbids(value, step):
            return [path], held
    return [], held


@settings(
    max_examples=8,
    phases=[Phase.generate],  # a failing chain says its path; shrinking would take minutes
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
@given(chain=st.lists(st.integers(0, 1 << 20), min_size=4, max_size=7))
def _from_everywhere(made: world.World, total: list[int], chain: list[int]) -> None:
    wrong, steps = walk(made, starts(made), [chain])
    total[0] += steps
    assert wrong == []


def test_no_random_chain_from_a_granted_object_leaves_the_policy(widest):
    total = [0]
    _from_everywhere(widest, total)
    assert len(starts(widest)) > 1_500
    assert total[0] > 20_000


def test_the_same_walk_finds_holes_that_are_planted():
    rng = random.Random(1)
    chains = [[rng.randrange(1 << 20) for _ in range(6)] for _ in range(500)]
    for hole in (os, sys._getframe(), vars(sys), open, type, sys.modules):
        made = harness.world()
        made.importer.facades["math"].__dict__["hole"] = types.SimpleNamespace(inner=[hole])
        root = ("math.hole", made.importer.facades["math"].__dict__["hole"])
        wrong, _ = walk(made, [root], chains)
        assert wrong, hole


def test_an_open_file_and_the_host_classes_are_seen_too(widest):
    judge = SinkJudge(widest)
    with open(os.devnull) as stream:
        assert judge.forbids(stream, "")
    assert judge.forbids([int, str], "value.__subclasses__()")
    assert judge.forbids(widest.state.builtins, "")
    assert not judge.forbids(widest.importer.facades["math"], "")
