"""A deterministic policy: the same bytes from every supervisor, caller and environment."""

import re
from pathlib import Path

import pytest

from benchmarks.replay_programs import every_part, program
from benchmarks.replays import SITUATIONS, digest, digests, elsewhere
from sandbox import Job, Policy, PolicyError, Sandbox

CONTEST = Policy.load("contest")
SAME = CONTEST.replaced(deterministic=True)
SEEDS = range(2_000, 2_024)


@pytest.fixture(scope="module")
def same():
    with Sandbox(SAME) as opened:
        yield opened


def _twice(policy):
    """Of every part alone, what two supervisors say."""
    told = []
    for _ in range(2):
        with Sandbox(policy) as sandbox:
            told.append([digest(result) for result in sandbox.map(map(Job, every_part()))])
    return list(zip(*told, strict=True))


def test_every_part_gives_the_same_in_two_supervisors_and_only_by_the_option():
    assert [at for at, (one, other) in enumerate(_twice(SAME)) if one != other] == []
    differ = [at for at, (one, other) in enumerate(_twice(CONTEST)) if one != other]
    assert len(differ) > len(every_part()) / 2


def test_no_part_fails_where_it_is_not_meant_to(same):
    results = list(same.map(map(Job, every_part())))
    ends = [(result.status.value, result.error) for result in results if not result.ok]
    assert [status for status, _ in ends] == ["DENIED", "ERROR"]
    assert "RuntimeError" in ends[1][1]


@pytest.mark.parametrize("situation", SITUATIONS[1:], ids=lambda situation: situation.name)
def test_programs_give_the_same_elsewhere(situation):
    (here,) = digests(SAME, SEEDS, SITUATIONS[1])
    (there,) = elsewhere("contest", True, SEEDS, situation)
    assert {seed for seed in SEEDS if here[seed] != there[seed]} == set()


def test_a_program_that_runs_often_gives_one_result(same):
    """Where the collector runs tells of every object that was made or freed before."""
    text = program(17).replace("Loud(i) if i % 97 == 0 else Node(i)", "Loud(i)")
    assert "Loud(i), Node(i)" in text
    assert len({digest(result) for result in same.run_many(text, [""] * 40)}) == 1
    assert len({digest(result) for result in same.map(Job(text) for _ in range(40))}) == 1


NUMBERS = """
class Plain: pass
class Slotted: __slots__ = ("x",)
def make(): return [Plain(), Slotted(), [], {}, object(), 10 ** 30, float("nan"), lambda: 1, Plain]
alive = make()
first = [id(o) for o in alive]
for _ in range(400):
    for o in make(): id(o), repr(o)
    {o for o in (Plain(), Slotted(), object(), float("nan"))}
print(first == [id(o) for o in alive], len(set(first)) == len(first))
print(all(hash(o) == id(o) >> 4 for o in alive[:2]), all(i % 16 == 0 for i in first))
print(all(hex(id(o)) in repr(o) for o in (alive[0], alive[1], alive[4], alive[7])))
one = alive[2].append
print(hash(one) == hash(alive[2].append), one == alive[2].append, one in {alive[2].append: 1})
method = alive[0].__repr__
print(hash(method) == hash(alive[0].__repr__), alive[0].__hash__() == hash(alive[0]))
table = {o: n for n, o in enumerate(alive) if n not in (2, 3)}
print([table[o] for n, o in enumerate(alive) if n not in (2, 3)])
nan = float("nan")
print(nan in {nan}, float("nan") in {nan}, hash(1.5) == hash(3 / 2), {1: "a"}[1.0], {2.5, 2.5})
"""


def test_numbers_are_of_one_object_as_long_as_it_lives(same):
    told = same.run(NUMBERS)
    assert told.output.splitlines() == [
        "True True",
        "True True",
        "True",
        "True True True",
        "True True",
        "[0, 1, 4, 5, 6, 7, 8]",
        "True False True a {2.5}",
    ], told


def test_numbering_neither_keeps_objects_alive_nor_shows_its_references(same):
    told = same.run(
        "import weakref, copy, gc\n"
        "class Loud:\n"
        "    def __del__(self): print('gone')\n"
        "o = Loud(); seen = {o}; id(o), repr(o)\n"
        "print(weakref.getweakrefcount(o), weakref.getweakrefs(o))\n"
        "own = weakref.ref(o)\n"
        "print(weakref.getweakrefcount(o), weakref.getweakrefs(o) == [own])\n"
        "twin = copy.deepcopy([[o]]); del twin\n"
        "del o, seen\n"
        "print(own() is None)\n"
    )
    assert told.output.splitlines() == ["0 []", "1 True", "gone", "gone", "True"], told


def test_numbers_of_what_is_gone_take_no_memory():
    with Sandbox(SAME.tightened(memory_mib=48)) as sandbox:
        told = sandbox.run(
            "import copy\n"
            "class Plain: pass\n"
            "for i in range(60_000):\n"
            "    id([i]), hash(object()), {Plain()}\n"
            "board = [[0] * 30 for _ in range(30)]\n"
            "for i in range(300): copy.deepcopy(board)\n"
            "print('done')"
        )
    assert told.output == "done\n", told


def test_a_memo_has_the_keys_that_id_says(same):
    told = same.run(
        "import copy\n"
        "class Own:\n"
        "    def __init__(self): self.items = [1, [2]]\n"
        "    def __deepcopy__(self, memo):\n"
        "        new = Own.__new__(Own); memo[id(self)] = new\n"
        "        new.items = copy.deepcopy(self.items, memo)\n"
        "        print(memo[id(self.items)] is new.items, id(self) in memo)\n"
        "        return new\n"
        "a = Own(); both = copy.deepcopy([a, a, a.items])\n"
        "print(both[0] is both[1], both[2] is both[0].items, both[2] is not a.items)\n"
    )
    assert told.output.splitlines() == ["True True", "True True True"], told


def test_it_is_refused_without_the_language_layer():
    with pytest.raises(PolicyError, match='deterministic: needs language = "restricted"'):
        Policy.load("kernel-only").replaced(deterministic=True)


def test_a_file_may_say_so_and_what_extends_it_inherits_it(tmp_path):
    parent = tmp_path / "parent.toml"
    parent.write_text('extends = "strict"\ndeterministic = true\n')
    child = tmp_path / "child.toml"
    child.write_text('extends = "parent.toml"\n')
    loaded = Policy.load(child)
    assert loaded.deterministic
    assert loaded.plan().deterministic
    assert Policy.from_toml(loaded.to_toml()) == loaded
    child.write_text('extends = "parent.toml"\ndeterministic = false\n')
    assert not Policy.load(child).deterministic
    assert not Policy.load("strict").plan().deterministic
    with pytest.raises(PolicyError, match="deterministic"):
        Policy.from_toml('extends = "strict"\ndeterministic = "yes"\n')
    with pytest.raises(PolicyError, match="did you mean deterministic"):
        Policy.from_toml('extends = "strict"\ndeterministc = true\n')


@pytest.mark.parametrize("name", ["strict", "algorithms", "reward"])
def test_every_shipped_policy_with_the_language_layer_takes_the_option(name):
    text = "print({None, (None, 1)}, [*{print, len}], object())\nprint(int, {int: 1}[int])"
    outputs = set()
    for _ in range(2):
        with Sandbox(Policy.load(name).replaced(deterministic=True)) as sandbox:
            result = sandbox.run(text)
            assert result.ok, result
            outputs.add(result.output)
    assert len(outputs) == 1


REFUSED = """
object.__hash__.__globals__
object.__repr__.__closure__
object().__hash__.__func__.__code__
object.__hash__.__builtins__
id.__closure__
id.__globals__
Plain().__weakref__
(lambda: 0).__repr__.__self__.__globals__
__import__("weakref").getweakrefs.__globals__
__import__("time").time.__closure__
__import__("datetime").datetime.now.__func__.__globals__
__import__("sys").getrefcount.__closure__
__import__("pprint").id
object.__hash__.__setattr__("__code__", None)
"""


@pytest.mark.parametrize("attempt", REFUSED.strip().splitlines())
def test_the_methods_that_show_numbers_lead_nowhere(same, attempt):
    told = same.run(f"class Plain: pass\nprint('got', {attempt})")
    assert told.status in ("DENIED", "ERROR")
    assert "got" not in told.stdout
    assert told.status == "DENIED" or told.error.startswith(("AttributeError", "TypeError")), told


@pytest.mark.parametrize(
    "attempt",
    [
        "object.__hash__ = lambda self: 0",
        "float.__hash__ = None",
        "object.__repr__.__name__ = 5",
        "type.__setattr__(object, '__hash__', len)",
        "__import__('datetime').datetime.now.__func__(int)",
        "__import__('datetime').datetime.now.__func__(type('C', (), {'fromtimestamp': print}))",
        "float.__hash__('x')",
        "complex.__hash__(None)",
        "__import__('decimal').Decimal.__hash__(1)",
        "[].append.__hash__.__func__(5)",
        "print(float.__hash__(type))",
    ],
)
def test_the_methods_take_what_they_are_for_and_cannot_be_replaced(same, attempt):
    told = same.run(f"{attempt}\nprint('got')")
    assert told.status in ("DENIED", "ERROR"), told
    assert told.status == "DENIED" or told.error.startswith(("AttributeError", "TypeError")), told


def test_finalizers_and_hashes_within_hashes_do_no_harm(same):
    told = same.run(
        "class Loud:\n"
        "    __slots__ = ('n',)\n"
        "    def __del__(self):\n"
        "        table[self.n] = None; table.pop(self.n - 1, None); {object() for _ in range(9)}\n"
        "table = {}\n"
        "for n in range(5000):\n"
        "    o = Loud(); o.n = n; {o: 1, None: 2, object(): 3, (o, None): 4}; id(o)\n"
        "del o\n"
        "print(len(table) > 0)\n"
    )
    assert told.output == "True\n", told


def test_the_text_and_the_hash_of_no_object_show_an_address():
    """Whatever kind of object a program can get: one expression in each line."""
    text = Path(__file__).with_name("shown_objects.txt").read_text()
    prepare, _, rest = text.partition("\n---\n")
    show = "print(repr(o), str(o))\ntry: print(hash(o), {o, None, int})\nexcept TypeError: pass"
    objects = rest.splitlines()
    jobs = [Job(f"{prepare}\no = {each}\n{show}") for each in objects]
    told = []
    for _ in range(2):
        with Sandbox(SAME) as sandbox:
            told.append(list(sandbox.map(jobs)))
    assert [each for each, one in zip(objects, told[0], strict=True) if not one.ok] == []
    assert [digest(one) for one in told[0]] == [digest(other) for other in told[1]]
    numbered = re.compile(r"0x(?!1000000)[0-9a-f]{5}")
    assert [one.stdout for one in told[0] if numbered.search(one.stdout)] == []
