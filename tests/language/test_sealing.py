"""Host objects refuse stores by themselves: every program here runs without any guard of ours.

CPython's own compiler makes the code, so that `o.x = v` is what it is there.
"""

import harness
import pytest

from sandbox.errors import SandboxError
from sandbox.language.guards.attributes import reach, sealing
from sandbox.language.guards.classes.class_origin import IMMUTABLE, dict_of
from sandbox.language.natives.types import type_slots

IMPORTS = """
import abc, asyncio, calendar, collections, contextlib, csv, dataclasses, decimal, enum, fractions
import functools, io, json, math, random, re, string, sys, textwrap, threading, types, typing
import weakref
class Own: pass
class E(enum.Enum): A = 1
def own(): pass
def attempt(store):
    try: store()
    except (AttributeError, TypeError) as error: print("refused", error)
    else: print("stored")
"""
STORE = IMPORTS + "o = EXPRESSION\ndef store(): o.x = 1\nattempt(store)"

# Expressions whose value belongs to the host.
HOSTS = [
    "collections.Counter", "string.Template", "json.JSONEncoder", "enum.Enum", "re.RegexFlag",
    "collections.OrderedDict", "int", "threading.Thread", "asyncio.Task", "abc.ABC",
    "typing.Generic", "typing.Protocol", "functools.cached_property", "functools.partial",
    "dataclasses.Field", "type(typing.List)", "type(sys.stdout)", "type(dataclasses.MISSING)",
    "re.I", "re.compile('x')", "math", "sys", "collections.abc", "typing.List", "typing.List[int]",
    "typing.Any", "typing.Union[int, str]", "dataclasses.field()", "dataclasses.MISSING",
    "dataclasses.dataclass(Own).__dataclass_params__", "sys.stdout", "sys.stdin",
    "sys.stdout.buffer", "csv.writer(io.StringIO())", "functools.cmp_to_key(len)",
    "calendar.day_name", "calendar.Calendar.firstweekday", "enum.EnumCheck.UNIQUE",
    "fractions.Fraction(1)", "iter([])", "len",
]  # fmt: skip


@pytest.fixture
def native(widest):
    """Runs a program without any guard of ours."""
    return lambda source: harness.run(widest, source, guarded=False)


@pytest.mark.parametrize("expression", HOSTS)
def test_what_is_the_hosts_takes_no_attribute(native, expression):
    ran = native(STORE.replace("EXPRESSION", expression))
    assert ran.output.startswith("refused"), ran
    deleted = native(STORE.replace("EXPRESSION", expression).replace("o.x = 1", "del o.x"))
    assert deleted.output.startswith("refused"), deleted


def test_the_clock_of_the_program_is_written_by_its_own_methods(native):
    ran = native(
        IMPORTS + "clock = asyncio.run.__globals__['current'].clock\n"
        "def store(): clock.slept = 1.0\nattempt(store)\n"
        "clock.sleep(1.0)\nprint(clock.slept)"
    )
    assert ran.output.startswith("refused"), ran
    assert ran.output.endswith("1.0\n"), ran


OWN = [
    "Own", "Own()", "own", "E", "E.A", "ValueError()", "types.SimpleNamespace()",
    "types.ModuleType('m')", "functools.partial(own)", "functools.lru_cache(own)",
    "threading.Thread()", "threading.local()", "type('C', (collections.Counter,), {})()",
    "type('C', (random.Random,), {})()",
    "type('C', (json.JSONEncoder,), {})()", "type('C', (string.Template,), {})('')",
    "type('C', (threading.Thread,), {})()", "typing.TypeVar('T')",
    # Made by the program, of classes that it may inherit from: no more than an heir of theirs.
    "collections.Counter()", "textwrap.TextWrapper()", "threading.Event()",
    # Functions take attributes in CPython, the host's as well as the guest's.
    "json.dumps", "functools.wraps",
]  # fmt: skip


@pytest.mark.parametrize("expression", OWN)
def test_what_is_the_guests_takes_them_as_in_cpython(native, expression):
    ran = native(
        STORE.replace("EXPRESSION", expression) + "\nprint(o.x)\ndel o.x\nprint(hasattr(o, 'x'))"
    )
    assert ran.output == "stored\n1\nFalse\n", ran


# Host code that writes to what it is given, and a receiver of the guest's choice.
RECEIVERS = {
    "a template": "string.Template.__init__({}, 'x')",
    "an encoder": "json.JSONEncoder.__init__({})",
    "a cached property": "functools.cached_property.__init__({}, len)",
    "a partial method": "functools.partialmethod.__init__({}, len)",
    "a dataclass": "Data.__init__({}, 5)",
    "a wrapper": "textwrap.TextWrapper.__init__({})",
    "a calendar": "calendar.Calendar.__init__({})",
    "a context decorator": "contextlib.ExitStack.__init__({})",
    "an alias": "type(typing.List).__init__({}, int, 1)",
    "wrapping": "functools.update_wrapper({}, own)",
    "a chain": "collections.ChainMap.__init__({})",
    "a thread": "threading.Thread.__init__({})",
}
TARGETS = [
    "collections.Counter", "math", "re.I", "dataclasses.MISSING", "sys.stdout", "typing.List",
    "dataclasses.field()",
]  # fmt: skip


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("how", RECEIVERS)
def test_a_receiver_of_the_guests_choice_is_not_written(native, how, target):
    source = f"""
@dataclasses.dataclass
class Data: update: int
o = {target}
before = dir(o), repr(o)
attempt(lambda: {RECEIVERS[how].format("o")})
print((dir(o), repr(o)) == before)
"""
    ran = native(IMPORTS + source)
    assert ran.output.startswith("refused"), ran
    assert ran.output.endswith("True\n"), ran


def test_standard_streams_can_be_replaced_and_nothing_else_of_sys(native):
    ran = native(
        IMPORTS + "out, sys.stdout = sys.stdout, io.StringIO()\nprint('x')\n"
        "text, sys.stdout = sys.stdout.getvalue(), out\nprint(text.strip() * 2)\n"
        "def store(): sys.argv = []\nattempt(store)\n"
        "def store(): del sys.stdout\nattempt(store)"
    )
    assert ran.output.startswith("xx\nrefused"), ran
    assert ran.output.count("refused") == 2, ran


AGAIN = {
    "a facade": "types.ModuleType.__init__(math, 'sys')",
    "a property": "property.__init__(calendar.Calendar.firstweekday, len)",
    "an alias": "type(typing.List).__init__(typing.List, Own, 1)",
    "the output": "type(sys.stdout).__init__(sys.stdout, io.StringIO(), 'x', 1)",
}


@pytest.mark.parametrize("what", AGAIN)
def test_nothing_of_the_hosts_is_initialised_again(native, what):
    assert native(f"{IMPORTS}attempt(lambda: {AGAIN[what]})").output.startswith("refused")


def test_the_guests_own_are(native):
    ran = native(IMPORTS + "m = types.ModuleType('a')\nm.__init__('b')\nprint(m.__name__)")
    assert ran.output == "b\n", ran


def test_a_store_to_a_class_of_the_hosts_is_a_denial(run):
    ran = run("import collections\ncollections.Counter.x = 1")
    assert ran.status == "DENIED", ran
    assert "Counter" in ran.error
    assert run("int.x = 1").status == "ERROR"  # as in CPython
    said = "raise TypeError(\"cannot set 'x' attribute of immutable type 'Counter'\")"
    assert run(said).status == "ERROR"


def test_every_class_of_the_host_is_immutable(widest):
    def mutable(world):
        sealing.seal(world)
        return [cls for cls in world.kin.host if not cls.__flags__ & IMMUTABLE]

    assert (
        harness.in_a_child(
            lambda: [cls.__name__ for cls in mutable(widest) if cls.__module__ != "ast"]
        )
        == []
    )


def test_every_exemption_is_of_a_class_that_there_is(widest):
    there = set(map(reach.key_of, widest.kin.host))
    assert {key for key in reach.EXEMPT if key not in there} == set()


def test_what_is_made_often_does_not_pay(widest):
    often = {"_GeneratorContextManager", "Fraction", "_lru_cache_wrapper", "Collector"}

    def refusing(world):
        sealing.seal(world)
        kinds = [cls for cls in world.kin.host if reach.key_of(cls) in reach.EXEMPT]
        return [cls.__name__ for cls in kinds if cls.__name__ in often and _is_refusal(cls)]

    assert harness.in_a_child(lambda: refusing(widest)) == []


def _is_refusal(cls):
    store = next(
        dict_of(base)["__setattr__"] for base in cls.__mro__ if "__setattr__" in vars(base)
    )
    return "refusing" in getattr(getattr(store, "__code__", None), "co_name", "")


def test_nothing_is_sealed_where_types_are_laid_out_in_another_way(widest, monkeypatch):
    monkeypatch.setitem(type_slots._OFFSETS, "tp_flags", type_slots._OFFSETS["tp_doc"])
    with pytest.raises(SandboxError, match="tp_flags"):
        sealing.seal(widest)
