"""What a program reads of the host's types is what a maintainer looked at, type by type."""

import sys
import types

import harness
import pytest

from sandbox.language.compile import names
from sandbox.language.compile.names import GUARDED, PLAIN, read_kind
from sandbox.language.guards.attributes import owners
from sandbox.language.guards.attributes.owned_names import LEFT_OUT, OWNED
from sandbox.language.guards.classes.class_origin import dict_of, is_class


def test_every_public_name_of_this_python_was_looked_at(widest):
    listed, none = owners.looked_at(), frozenset()
    found = {
        f"{called}.{name}"
        for cls, called, public in owners.public_names(widest.kin.host)
        for name in public - listed.get(called, none) - LEFT_OUT
    }
    assert found == set(), "run scripts/host_attributes.py"


def test_every_group_has_a_reason():
    assert OWNED.strip().startswith("# ")
    assert all("." in called and listed for called, listed in owners.looked_at().items())


def test_no_listed_name_is_guarded_or_refused_by_itself(widest):
    owners.Owners().settle(widest.kin.host)  # another world may have been built in this process
    listed = frozenset[str]().union(*owners.looked_at().values())
    assert {name for name in listed if read_kind(name) != PLAIN} == set()


def test_what_no_program_holds_is_in_no_facade(widest):
    """What is granted of a module that was not looked at is a stand-in of ours."""
    for facade in widest.importer.facades.values():
        for value in vars(facade).values():
            module = str(dict_of(value).get("__module__", "")) if is_class(value) else ""
            if is_class(value) and not issubclass(value, BaseException) and not _is_ours(value):
                assert not {module, module.partition(".")[0]} & owners.ELSEWHERE, value
                assert f"{module}.{value.__qualname__}" not in owners.NOT_HELD, value


def _home(cls):
    return str(dict_of(cls).get("__module__", "builtins")).partition(".")[0]


def _is_ours(cls):
    functions = [m for m in dict_of(cls).values() if type(m) is types.FunctionType]
    ours = [str(f.__globals__["__name__"]).startswith("sandbox.") for f in functions]
    return any(ours) or not functions


EARLIER = """
class A:
    __metaclass__ = type(1)
    def __cmp__(self, other): return 0
    def __nonzero__(self): return False
a = A()
a.__unicode__ = "text"
print(bool(a), a.__cmp__(a), a.__unicode__)
"""


def test_a_name_that_only_earlier_pythons_asked_for_is_as_good_as_any_other(run, widest):
    ran = run(EARLIER)
    assert (ran.status, ran.output) == ("OK", "True 0 text\n"), ran.error
    library = [cls for cls in widest.kin.host if _home(cls) in sys.stdlib_module_names]
    known = {name for cls in library for name in dict_of(cls)}
    assert len(library) > 300
    known |= {name for facade in widest.importer.facades.values() for name in vars(facade)}
    assert known & names.WITHOUT_MEANING == set()


def test_what_was_left_out_is_refused(run):
    ran = run(
        "def f():\n x = 1\n return lambda: x\nimport typing\nprint(typing.List[int].copy_with)"
    )
    assert ran.status == "DENIED", ran
    assert "copy_with" in ran.error


def test_the_guests_own_of_that_name_is_read(run):
    ran = run(
        "class A:\n    cell_contents = 1\n    def copy_with(self, x): return x\n"
        "a = A()\na.cell_contents += 1\nprint(a.cell_contents, A.cell_contents, a.copy_with(3))\n"
        "print(getattr(a, 'copy_with')(4), '{0.cell_contents}'.format(a))"
    )
    assert ran.output == "2 1 3\n4 2\n", ran


def test_the_variable_of_a_cell_is_not_read(run):
    ran = run(
        "kept = []\nclass Keep(type):\n    def __new__(m, n, b, ns):\n"
        "        kept.append(ns.get('__classcell__'))\n"
        "        return super().__new__(m, n, b, ns)\n"
        "class A(metaclass=Keep):\n    def f(self): return __class__\n"
        "print(A().f() is A)\nprint(kept[0].cell_contents)"
    )
    assert ran.output == "True\n", ran
    assert "cell_contents" in ran.error


# As a later Python would add them: (type, name), a program that reads it, one that may.
ADDED = {
    ("builtins.str", "upper"): ("print('a'.upper())", "print(b'a'.upper(), A.upper)"),
    ("collections.Counter", "most_common"): (
        "import collections\nprint(collections.Counter('a').most_common)",
        "a = A()\na.most_common = 5\nprint(a.most_common, A.upper)",
    ),
    ("builtins.generator", "send"): (
        "def g(): yield\nprint(g().send(None))",
        "class B:\n    def send(self): return 1\nprint(B().send())",
    ),
    ("datetime.date", "year"): (
        "import datetime\nprint(datetime.date(2020, 1, 1).year)",
        "import time\nprint(time.gmtime(0).tm_year)",
    ),
    ("re.Match", "group"): (
        "import re\nm = re.match('a', 'a')\nprint([x.group() for x in [m]])",
        "import re\nprint(re.match('a', 'a').start())",
    ),
}


@pytest.fixture
def as_added(monkeypatch):
    """Make a world in which no maintainer has looked at one name of one type."""

    def make(called, name):
        listed = dict(owners.looked_at())
        listed[called] -= {name}
        monkeypatch.setattr(owners, "looked_at", lambda: listed)
        monkeypatch.setattr(names, "UNLISTED", set())
        return harness.world()

    return make


@pytest.mark.parametrize("added", ADDED, ids="{0[0]}.{0[1]}".format)
def test_what_a_later_python_adds_is_refused_there_alone(as_added, added):
    world = as_added(*added)
    assert read_kind(added[1]) == GUARDED
    own = "class A: upper = 7\n"
    refused, allowed = (harness.run(world, own + source) for source in ADDED[added])
    assert refused.status == "DENIED", refused
    assert added[1] in refused.error
    assert (allowed.status, allowed.traceback) == ("OK", ""), allowed


def test_a_type_that_nobody_looked_at_has_no_names(monkeypatch):
    listed = {k: v for k, v in owners.looked_at().items() if k != "graphlib.TopologicalSorter"}
    monkeypatch.setattr(owners, "looked_at", lambda: listed)
    monkeypatch.setattr(names, "UNLISTED", set())
    world = harness.world()
    ran = harness.run(world, "import graphlib\nprint(graphlib.TopologicalSorter().prepare)")
    assert ran.status == "DENIED", ran
    ran = harness.run(world, "s = set()\ns.add(1)\nprint(s)")  # one of its names, of another type
    assert ran.output == "{1}\n", ran
