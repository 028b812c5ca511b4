"""Where host code reads, stores or chooses natively by what it is given, each place is known.

Such code meets no guard: under a name that a program chooses, or of an object that is not what it
says it is, it would read what the guards keep. So each place in Python code of the host's that a
program may come to is listed with what makes it safe, for the Pythons that this is tested on.
"""

import gc
import sys
import types
from pathlib import Path

import native_reads
import pytest
from native_reads import Occurrence
from test_natives import GRANTED, _is_in_reach

from sandbox.language.guards.attributes import receivers
from sandbox.language.guards.classes.class_origin import dict_of
from sandbox.language.library.served import SERVED

LISTED = Path(__file__).parent / "native_reads.txt"
VERSION = "{}.{}".format(*sys.version_info)
OURS = "sandbox.language.stdlib."  # the rest of ours is guards, or stands before C code


def _known():
    """What is listed for this Python: versions, module, function and expression in a line."""
    found = set()
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line[:1] not in ("#", ""):
            versions, module, function, expression = line.split(" ", 3)
            if VERSION in versions.split(","):
                found.add(Occurrence(module, function, expression))
    return found


def _functions():
    for o in gc.get_objects():
        # What evaluates the annotations of host code (3.14) is asked by nobody, and names types.
        if type(o) is types.FunctionType and o.__name__ != "__annotate__" and _is_in_reach(o):
            module = str(o.__globals__.get("__name__"))
            if module.startswith(OURS) or not module.startswith("sandbox."):
                yield o


@pytest.fixture(scope="module")
def found(widest):
    return native_reads.occurrences(_functions())


def test_each_native_read_by_host_code_is_known(found):
    assert sorted(found - _known()) == []


def test_each_that_is_listed_is_there(found):
    assert sorted(_known() - found) == []


def test_each_is_listed_below_its_reason():
    groups = LISTED.read_text(encoding="utf-8").strip().split("\n\n")
    assert [group for group in groups if not group.startswith("# ")] == []


def test_a_method_that_reads_so_of_its_receiver_looks_at_it(widest):
    """In the classes of granted modules: a flag of another has methods as they were."""
    strays = [
        (cls.__name__, name, reads)
        for cls in receivers.reached_classes(widest.kin.host)
        if dict_of(cls).get("__module__") in GRANTED.keys() - SERVED.keys()
        for name, member in dict_of(cls).items()
        for function in receivers.parts_of(member, name)
        if function.__code__.co_name not in LOOKING
        and _is_in_reach(function)
        and (cls.__module__, cls.__name__, name) not in receivers.UNCHECKED
        if (reads := native_reads.reads_of_receivers(function))
    ]
    assert strays == []


LOOKING = ("checked_method", "checked_maker")  # see `guards/attributes/receivers`
SOURCE = """
def f(o, name, table):
    getattr(o, name), getattr(o, "x"), setattr(o, name, 1), object.__getattribute__(o, name)
    o.__class__, o.plain, "{}".format(o), o.format(1), exec(name)
    return table.get(type(o).__repr__), table[type(o)], [lambda p: p.__dict__]
"""


def test_such_a_place_is_found(tmp_path):
    path = tmp_path / "module.py"
    path.write_text(SOURCE)
    names = {"__name__": "made"}
    exec(compile(SOURCE, str(path), "exec"), names)
    assert {each.expression for each in native_reads.occurrences([names["f"]])} == {
        *("getattr(o, name)", "setattr(o, name, 1)", "object.__getattribute__(o, name)"),
        *("o.__class__", "o.format", "exec(name)", "table.get(type(o).__repr__)"),
        *("table[type(o)]", "p.__dict__"),
    }
