"""What a service of the vault gives leads to nothing that is kept from guests.

Each is asked once, in this process, which has the vault's functions and no hook.
"""

import functools
import gc
import marshal
import os
import sys
import types
from collections.abc import Callable, Iterator
from itertools import repeat
from re import _constants  # type: ignore[attr-defined]
from typing import Any

import pytest

from sandbox.interpreter.vault import vault
from sandbox.interpreter.vault.ends import Pipes
from sandbox.interpreter.vault.keys import KEY_BYTES
from sandbox.runtime.child import reporter

# What an asker has already, or could have: nothing is looked for behind it.
STOPS = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.CodeType)
GUEST = "<program>"
SOURCE = """
def outer(x):
    inner = lambda: x
    listed = [x for x in (1, 2)]
    here()
    1 / 0
"""


class Plain:
    """A class whose own dict no guest is to have."""

    x = 1


class _Ended(BaseException):
    """In the place of the process's end."""


def own_dicts() -> set[int]:
    """By id: of every class that there is."""
    classes, found = [object], set[int]()
    for cls in classes:  # which grows
        namespace = type.__dict__["__dict__"].__get__(cls)
        found.update(map(id, gc.get_referents(namespace)))
        classes += type.__subclasses__(cls)
    return found


def leading(given: Any, known: list[Any]) -> list[Any]:
    """Frames, cells and classes' own dicts that `given` leads to, not by way of `known`."""
    forbidden, found = own_dicts(), list[Any]()
    seen = {id(each) for each in known}
    stack = [given]
    while stack:
        o = stack.pop()
        if id(o) in seen or isinstance(o, STOPS):
            continue
        seen.add(id(o))
        if id(o) in forbidden or isinstance(o, types.FrameType | types.CellType):
            found.append(o)
            continue
        stack += gc.get_referents(o)
        if hasattr(type(o), "__next__"):
            for name in ("__reduce__", "__self__"):
                try:
                    part = getattr(o, name)
                    stack.append(part() if name == "__reduce__" else part)
                except (TypeError, AttributeError):
                    continue
    return found


@pytest.mark.filterwarnings("ignore:Pickle:DeprecationWarning")
def test_a_dict_of_a_class_is_found_in_what_counts_its_bytes() -> None:
    (own,) = gc.get_referents(Plain.__dict__)
    assert leading(map(dict.__sizeof__, repeat(own)), []) == [own]
    assert leading(iter([own.copy()]), []) == []


Services = dict[str, Callable[..., Any]]


@pytest.fixture
def ends() -> Iterator[dict[str, int]]:
    """Both ends of a job pipe and of a result pipe."""
    job, feed = os.pipe()
    read, result = os.pipe()
    made = {"job": job, "feed": feed, "read": read, "result": result}
    yield made
    for descriptor in made.values():
        os.close(descriptor)


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch, ends: dict[str, int]) -> Services:
    hooks: list[types.FunctionType] = []

    def leave(_status: int) -> None:
        raise _Ended

    monkeypatch.setattr(sys, "addaudithook", hooks.append)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(gc, "freeze", lambda: None)
    known = reporter.describe_handler(reporter.make_handler(), (1 << 30, 1 << 31))
    letters = Pipes(ends["job"], ends["result"], b"O", b"Q", b"Z", b"S")
    vault.install(letters, (GUEST,), reporter.report.__code__, known, frozenset())
    closed = zip(hooks[0].__code__.co_freevars, hooks[0].__closure__ or (), strict=True)
    table = dict(closed)["service_of"].cell_contents.__self__
    return {event.removeprefix("sandbox."): service for event, (_, service) in table.items()}


def test_no_service_gives_a_frame_a_cell_or_a_dict_of_a_class(
    services: Services, ends: dict[str, int]
) -> None:
    proxy = type.__dict__["__dict__"].__get__(Plain)
    word = memoryview(bytearray(b"12345678"))
    named = eval(compile("lambda x: x", "<string>", "eval"), {"__builtins__": {}})
    content = marshal.dumps(("job", {"a": [1]}))
    os.write(ends["feed"], len(content).to_bytes(8, "little") + bytes(KEY_BYTES) + content)
    os.write(ends["feed"], len(content).to_bytes(8, "little") + content)
    os.write(ends["feed"], len(content).to_bytes(8, "little") + bytes(KEY_BYTES) + content)
    caught: list[Any] = []

    def here() -> None:
        caught.append(sys._getframe(1))

    names: dict[str, Any] = {"here": here, "__builtins__": {}}
    exec(compile(SOURCE, GUEST, "exec"), names)
    try:
        names["outer"](5)
    except ZeroDivisionError as error:
        frame, trace = caught.pop(), error.__traceback__
    # In the order of a job. What is called with no arguments here has none.
    asked: dict[str, tuple[Any, ...]] = {
        "say": (b"R",),
        "send_codes": (b"C", [named.__code__]),
        "load_codes": (marshal.dumps([named.__code__]),),
        "lay_by": ("name", word, b"87654321"),
        "lend": (None,),
        "take_job": (),
        "ask": (b"{}",),
        "begin": (True, 1 << 20, [], []),
        "arm": (False,),
        "turn": ("name",),
        "behind": (proxy,),
        "clear_cache": (functools.lru_cache(len),),
        "table_bytes": (proxy,),
        "calling_module": (0,),
        "collect": (0,),
        "compile_text": ("1 + 1", GUEST, "eval", 0),
        "compile_pattern": ("", 32, [int(_constants.SUCCESS)], 0, {}, (None,)),
        "evaluate": (),
        "give_defaults": (named, (1,)),
        "guest_scope": (),
        "links": (trace,),
        "variables": (trace,),
        "peak_bytes": (),
        "writing_code": (),
        "flush": (),
        "release": (),
        "send": (b"O", b"text"),
        "next_cell": ("OK", "", "", ""),
        "finish": ("ERROR", "", "", ""),
        "end": (1,),
    }
    assert set(asked) == set(services)
    known = [frame, trace, names, proxy, word, caught, services, asked]
    for name, arguments in asked.items():
        try:
            given = services[name](frame, *arguments)
        except _Ended:
            assert name in ("finish", "end")
            continue
        assert leading(given, [*known, *arguments]) == [], name
