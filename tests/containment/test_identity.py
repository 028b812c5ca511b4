"""The identity of objects is told as `id` tells it, and without the event that `id` raises."""

import decimal
import subprocess
import sys

from sandbox.interpreter.disarming.identity import (
    address,
    by_identity,
    identity,
    identity_at,
    instances,
)


class _Unhashable(type):
    __hash__ = None


class _Hashless(metaclass=_Unhashable):
    pass


class _Equal:
    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1


OBJECTS = [None, True, 7, 1 << 90, 1.5, "text", b"", (), [], {}, set(), int, type, len, _Hashless]
OBJECTS += [_Hashless(), _Equal(), _Equal(), decimal.Decimal("sNaN"), sys, *map(str, range(1000))]


def test_the_address_of_an_object_is_what_id_says():
    assert [*map(address, OBJECTS)] == [*map(id, OBJECTS)]
    assert [*map(identity_at, map(id, OBJECTS))] == [*map(identity, OBJECTS)]


def test_no_two_objects_have_the_same_identity_whatever_they_say_of_equality():
    assert len({*map(identity, OBJECTS)}) == len({*map(id, OBJECTS)})
    assert [*by_identity([*OBJECTS, *OBJECTS]).values()] == OBJECTS


def test_instances_are_those_of_a_class_itself_also_of_one_without_a_hash():
    found = instances([*OBJECTS, True, _Equal], [int, _Hashless])
    assert [type(o) for o in found] == [int, int, _Hashless]
    assert instances(OBJECTS, []) == []


def test_a_census_and_what_comes_before_it_raise_an_event_for_hardly_any_object():
    code = """
import gc, sys
from sandbox.interpreter.disarming import census, disarm, hiding
from sandbox.runtime.supervisor import heap
events = []
def hook(event, arguments):
    if event == "builtins.id":
        events.append(event)
sys.addaudithook(hook)
count = census.prepare(frozenset())
hiding.hide_types(gc.get_objects())
heap.stop_counting()
disarm.Armories().equip([])
disarm._sweep([o for o in gc.get_objects() if type(o) is dict], {})
found = count([sys.modules])
print(len(events), found.objects)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    events, objects = map(int, done.stdout.split())
    assert objects > 10_000
    assert events < objects / 10


def test_a_guard_raises_no_event_where_it_tells_classes_apart():
    code = """
import sys
from sandbox.language.compile.rewriting import ID
from sandbox.language.guards.classes.class_origin import Identities, Kinship
from sandbox.language.guards.classes.classes import Classes
from sandbox.language.guards.guards import Guards
kin = Kinship()
classes = Classes(kin)
guards = Guards(kin, classes)
known, tell = Identities([int]), guards.bytecode_names()[ID]
events = []
sys.addaudithook(lambda event, arguments: events.append(event))
assert int in known and str not in known and classes.shown(int) is int
assert guards.lookup.find([], "append") is not None
assert tell(int) in known.by_identity
print(*events)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "builtins.id" not in done.stdout.split()
