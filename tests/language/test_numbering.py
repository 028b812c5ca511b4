"""Numbers in the place of addresses, and containers whose keys have got another hash."""

import subprocess
import sys

import pytest

from sandbox.language.natives.values.numbering import Numbers

PREPARE = """
import collections, functools, sys, typing, weakref
from sandbox import Policy
from sandbox.language.guest.world import build_world
class Kind: pass
def function(): pass
kept = Kind()
keys = [int, str, Kind, None, function, len, [].append, kept, (None, int),
        frozenset((Kind, int, None)), weakref.ref(Kind), list[int], int | None,
        typing.Optional[Kind]]
plain = {None: 1}
tables = [dict.fromkeys(keys, 1), collections.OrderedDict.fromkeys(keys, 1), set(keys),
          frozenset(keys), collections.Counter(keys), plain, frozenset((1, None)),
          frozenset(range(40)) | {None, int}]
order = [list(tables[0]), list(tables[1])]
nested = {frozenset((frozenset((Kind,)), None)): 2}
register = functools.singledispatch(lambda o: "any")
register.register(Kind, lambda o: "kind")
"""
CHECK = """
for table in tables:
    assert all(key in table for key in table) and len(table) == len(set(table))
for key in keys:
    assert all(key in table for table in tables[:5])
assert [list(tables[0]), list(tables[1])] == order
assert nested[frozenset((frozenset((Kind,)), None))] == 2
assert tables[3] == frozenset(keys) and hash(tables[3]) == hash(frozenset(keys))
assert register(kept) == "kind" and plain[None] == 1
assert isinstance([], collections.abc.Sequence) and issubclass(dict, collections.abc.Mapping)
assert weakref.ref(Kind) in tables[0]
print("right")
"""


def _run(text):
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)


def test_containers_have_their_keys_when_hashes_have_changed():
    done = _run(
        f"{PREPARE}\nbefore = hash(Kind), hash(kept)\n"
        "build_world(Policy.load('contest').replaced(deterministic=True).plan())\n"
        f"assert (hash(Kind), hash(kept)) != before\n{CHECK}"
    )
    assert done.stdout == "right\n", done.stderr


def test_without_the_rebuilding_they_would_not():
    done = _run(
        f"{PREPARE}\nfrom sandbox.language.natives.values import identities\n"
        "identities.rehash = lambda known: None\n"
        "try:\n"
        "    build_world(Policy.load('contest').replaced(deterministic=True).plan())\n"
        "except Exception: pass\n"
        f"{CHECK}"
    )
    assert done.returncode
    assert "right" not in done.stdout


@pytest.mark.parametrize("field", ["_REFERENCE_HASH", "_TABLE", "_SET_HASH"])
def test_objects_of_another_layout_are_refused(field):
    done = _run(
        "from sandbox.language.natives.containers import rehashing\n"
        f"rehashing.{field} += 8\n"
        "from sandbox.errors import SandboxError\n"
        "try:\n    rehashing.rehash([])\n"
        "except SandboxError as error: print(error)\n"
    )
    assert "layout that is not known" in done.stdout, done.stderr


def test_without_the_option_none_of_its_code_is_loaded():
    done = _run(
        "import sys\nfrom sandbox import Policy\nimport sandbox.runtime.supervisor.supervisor\n"
        "from sandbox.language.guest.world import build_world\n"
        "build_world(Policy.load('contest').plan())\n"
        "own = ('numbering', 'identities', 'rehashing', 'moments', 'fixed_time')\n"
        "print([name for name in sys.modules if name.rpartition('.')[2] in own])\n"
        "print(type(object.__dict__['__hash__']).__name__)\n"
    )
    assert done.stdout.splitlines() == ["[]", "wrapper_descriptor"], done.stderr


def test_a_guess_in_a_name_is_no_oracle():
    """Only the address where CPython writes it is replaced: a name keeps what it says."""
    numbers, o = Numbers(), object()
    own = hex(id(o))
    text = numbers.at_end(f"<__main__.C at {own}> object at {own}>", o)
    assert text.startswith(f"<__main__.C at {own}> object at 0x")
    assert not text.endswith(f" at {own}>")
    text = numbers.at_place(f"<cell at {own}: {own}>", len("<cell at "), o)
    assert text.endswith(f": {own}>")
    assert not text.startswith(f"<cell at {own}")
