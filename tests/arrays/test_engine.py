"""The engine trusts nothing of a question: whoever asks, only plain data crosses."""

import inspect

import pytest

from sandbox.language.numpy import facade, tables
from sandbox.language.numpy.engine import Engine

numpy = pytest.importorskip("numpy", reason="numpy is not installed")


@pytest.fixture
def ask():
    engine = Engine(numpy, [])
    return lambda name, *args, **options: engine.answer(name, args, options)


def test_an_array_is_a_number_its_shape_and_its_type(ask):
    assert ask("f:array", [[1, 2, 3]]) == ("ok", {"a": (1, (1, 3), "<i8")}, ())
    assert ask("m:sum", {"a": 1}) == ("ok", {"s": ("int64", 6)}, ())


class Hostile:
    """Would run in the midst of C code."""

    def __getattr__(self, name):
        raise AssertionError(f"{name} was looked up")

    def __len__(self):
        raise AssertionError("its length was asked for")

    __iter__ = __index__ = __float__ = __bool__ = __hash__ = __len__


class Number(int):
    """Of a kind that may lie."""


HOSTILE = [
    Hostile(), Number(3), print, object, numpy, numpy.arange(3), numpy.float64(1), [Hostile()],
    (1, [Hostile()]), {1, 2}, {}, {"a": Hostile()}, {"a": Number(1)}, {"a": True}, {"a": 99},
    {"a": 1, "b": 2}, {Number(1): 2}, {"s": ("float64", Hostile())}, {"s": [1, 2]},
    {"s": ("os", 1)},
    {"s": ("object_", None)}, {"t": "ndarray"}, {"t": "object_"}, {"d": "O"}, {"d": "i4,O"},
    {"d": Hostile()}, {"n": 1}, {"o": 1}, slice(Hostile()), slice(0, [Hostile()]), memoryview(b"x"),
    bytearray(b"x"), iter([1]), (x for x in [1]), type("List", (list,), {})([1]),
]  # fmt: skip


@pytest.mark.parametrize("value", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("name", ["f:array", "u:add", "m:take", "x:get", "o:add", "f:concatenate"])
def test_what_is_not_plain_data_is_not_taken(ask, name, value):
    ask("f:arange", 4)
    assert ask(name, value, value)[0] in ("foreign", "no")
    assert ask(name, {"a": 1}, value)[0] in ("foreign", "no")
    assert ask(name, {"a": 1}, [1] * 100 + [value])[0] in ("foreign", "no")
    assert ask(name, {"a": 1}, where=value)[0] in ("foreign", "no")


def test_a_list_that_numpy_keeps_is_no_longer_the_programs(ask):
    seed = [1, 2, 3]
    assert ask("x:default_rng", seed)[0] == "ok"
    seed[:] = [Hostile()] * 3
    assert ask("q:random", {"o": 1}, 2)[0] == "ok"


def test_a_list_without_end_is_not_taken(ask):
    endless = []
    endless.append(endless)
    assert ask("f:array", endless)[0] == "foreign"


@pytest.mark.parametrize(
    "name",
    ["f:load", "f:fromfile", "m:tofile", "m:dumps", "g:ctypes", "g:data", "f:vectorize", "s:dtype",
     "s:strides", "f:frompyfunc", "g:base", "q:__reduce__", "x:eval", "f:lib.as_strided", "", 5,
     "f:random.set_state", "m:__setstate__", "m:setfield", "g:__array_interface__"],
)  # fmt: skip
def test_what_no_table_has_is_not_done(ask, name):
    ask("f:arange", 4)
    assert ask(name, {"a": 1})[0] == "no"


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [
        ("f:array", ([None],), {}),
        ("f:array", ([1],), {"dtype": "O"}),
        ("m:astype", ({"a": 1}, "O"), {}),
        ("m:view", ({"a": 1}, "O"), {}),
        ("m:view", ({"a": 1}, "V8"), {}),
        ("m:view", ({"a": 1}, "i4,i4"), {}),
        ("f:frombuffer", (b"x" * 16, "O"), {}),
        ("f:frombuffer", (b"x" * 16, "g"), {}),
        ("f:zeros", (3, "i4,O"), {}),
        ("f:array", ([1.0], "g"), {}),
        ("f:array", ([10**30],), {}),
        ("f:add", (1, 2), {"like": 1}),
        ("u:add", (1, 2), {"signature": "OO->O"}),
        ("u:add", (1, 2), {"dtype": "O"}),
        ("f:pad", ([1], 3, "empty"), {}),
        ("f:clip", ([1, 2], 0, 1), {"where": [True, False]}),
        ("v:add.outer", ([1, 2], [1, 2]), {"where": False}),
        ("x:loadtxt", ("/etc/hostname",), {}),
        ("x:seterr", (), {"divide": "call"}),
        ("x:set_printoptions", (), {"formatter": 1}),
    ],
)
def test_no_array_of_objects_and_no_unwritten_memory_leaves(ask, name, args, options):
    ask("f:arange", 4)
    assert ask(name, *args, **options)[0] in ("no", "foreign")


@pytest.mark.filterwarnings("ignore:'where' used")
def test_what_where_leaves_out_is_zero(ask):
    ask("f:ones", 1000)
    for name in ("u:add", "u:divmod"):
        ask(name, {"a": 1}, 3.0, where=False)
    assert ask("m:any", {"a": 2}) == ask("m:any", {"a": 3}) == ("ok", {"s": ("bool", False)}, ())
    kept = ask("u:add", {"a": 1}, 1, out={"a": 1}, where=False)
    assert kept[0] == "ok"
    assert ask("m:sum", {"a": 1})[1] == {"s": ("float64", 1000.0)}


def test_an_array_that_was_let_go_of_is_not_there(ask):
    ask("f:arange", 4)
    ask("release", 1)
    assert ask("m:sum", {"a": 1})[0] == "foreign"
    assert ask("f:arange", 4)[1]["a"][0] == 2  # and no other gets its number


def test_a_question_amid_another_is_refused_and_a_release_waits():
    engine = Engine(numpy, [])
    assert engine.answer("f:zeros", (3,), {})[0] == "ok"
    engine._busy = True
    assert engine.answer("f:zeros", (3,), {})[:2] == ("no", ("RuntimeError",))
    engine.answer("release", (1,), {})
    engine._busy = False
    assert engine.answer("m:sum", ({"a": 1},), {})[0] == "ok"
    engine.answer("release", (), {})
    assert engine.answer("m:sum", ({"a": 1},), {})[0] == "foreign"


def test_an_error_is_the_names_of_its_classes_and_a_text(ask):
    kind, names, text = ask("f:linalg.inv", [[1.0, 2.0], [2.0, 4.0]])
    assert (kind, names[:2], text) == ("no", ("LinAlgError", "ValueError"), "Singular matrix")


def test_generators_stay_with_the_engine(ask):
    kind, made, _ = ask("x:default_rng", 5)
    assert (kind, made) == ("ok", {"o": (1, "Generator")})
    assert ask("q:integers", {"o": 1}, 10)[0] == "ok"
    for name in ("f:array", "f:array2string", "m:sum", "u:add", "x:held_str"):
        assert ask(name, {"o": 1})[0] in ("no", "foreign")
        assert ask(name, {"a": 1})[0] in ("no", "foreign")


@pytest.mark.parametrize("name", ["q:standard_normal", "q:random", "q:permutation", "q:choice"])
def test_a_generator_is_no_argument_and_its_address_in_no_text(ask, name):
    ask("x:default_rng", 5)
    ask("x:RandomState", 5)
    for other in ({"o": 1}, [{"o": 2}], ({"o": 2},)):
        answer = ask(name, {"o": 1}, other)
        assert answer[0] in ("no", "foreign")
        assert "0x" not in str(answer)
    assert "0x" not in str(ask("x:seterr", divide={"o": 1}))


def test_every_name_of_the_tables_is_numpys_or_is_known_to_come_and_go():
    known = {"in1d", "trapz", "row_stack", "round_", "join", "split", "splitlines", "rsplit"}
    engine = Engine(numpy, [])
    missing = {
        name
        for name in tables.FUNCTIONS.split()
        if f"f:{name}" not in engine._tables and name not in known
    }
    assert missing <= {"cumulative_prod", "cumulative_sum", "unstack", "fix"}


def test_every_module_of_the_facade_has_a_text_that_is_python():
    texts = facade.texts()
    assert {"numpy._core", *facade.names()} == texts.keys()
    for name, text in texts.items():
        compile(text, name, "exec")


def test_a_text_with_fewer_numbers_than_asked_for_shows_no_memory(ask):
    assert ask("f:fromstring", "1 2", dtype="u1", sep=" ", count=4900)[0] == "no"
    assert ask("f:fromstring", "1 2 3", dtype="u1", sep=" ", count=2)[1] == {"a": (1, (2,), "|u1")}
    assert ask("f:fromstring", "1 2 3", dtype="u1", sep=" ")[1] == {"a": (2, (3,), "|u1")}


@pytest.mark.parametrize("name", ["f:repeat", "m:repeat"])
def test_counts_whose_sum_overflows_are_refused(ask, name):
    assert ask("f:arange", 4)[0] == "ok"
    for counts in ([2**62] * 4, 2**62, [2**63 - 1, 2, 0, 0]):
        assert ask(name, {"a": 1}, counts)[:2] == (
            "no",
            ("MemoryError", "Exception", "BaseException", "object"),
        )
    assert ask(name, {"a": 1}, [1, 0, 2, 1])[1] == {"a": (2, (4,), "<i8")}
    assert ask(name, {"a": 1}, 2)[1] == {"a": (3, (8,), "<i8")}
    assert ask(name, {"a": 1}, [-1, 2, 2, 2])[0] == "no"


SEEN = []


class Told(type):
    """A metaclass that would see how a class of its kind is looked at."""

    def __hash__(cls):
        SEEN.append("hash")
        return 1

    def __eq__(cls, other):
        SEEN.append("eq")
        return False

    def __getattribute__(cls, name):
        if name != "__class__":
            SEEN.append(name)
        return type.__getattribute__(cls, name)


class Key(str):
    """A key of a question that would run as it is hashed, compared or freed."""

    def __hash__(self):
        SEEN.append("key")
        return 1

    def __eq__(self, other):
        SEEN.append("key")
        return False

    def __del__(self):
        SEEN.append("freed")


def test_no_part_of_a_question_runs_as_it_is_looked_at(ask):
    odd = Told("Odd", (), {"__eq__": lambda *_: SEEN.append("equal"), "__hash__": None})()
    SEEN.clear()
    engine = ask.__closure__[0].cell_contents
    for question in (
        (odd, (), {}),
        ("f:sum", (odd,), {}),
        ("f:sum", ([1, odd],), {}),
        ("f:array", ([1],), {"dtype": odd}),
        ("f:array", ({"d": odd},), {}),
        ("f:array", ({"t": odd},), {}),
        ("f:array", ({"s": odd},), {}),
        ("f:array", ({"s": ("float64", odd)},), {}),
        ("release", (odd,), {}),
        ("release", odd, {}),
        ("f:sum", ([1],), odd),
    ):
        engine.answer(*question)
        engine._busy = True
        engine.answer(*question)
        engine._busy = False
    assert SEEN == []
    keyed = {"axis": 0}
    keyed[Key("x")] = 0
    SEEN.clear()
    assert engine.answer("f:sum", ([1],), keyed)[0] == "no"
    assert SEEN == []


def test_bytes_of_the_program_are_in_no_array(ask):
    given = b"immutable"
    assert ask("f:frombuffer", given, "u1")[0] == "ok"
    assert ask("x:set", {"a": 1}, 0, 1)[0] == "no"
    ask("v:add.at", {"a": 1}, [0], 1)
    ask("m:setflags", {"a": 1}, write=True)
    ask("x:set", {"a": 1}, 0, 1)
    assert bytes([*given]) == b"immutable"
    assert given[0] == ord("i")


def test_where_a_dtype_stands_is_what_numpy_says():
    """From 2.4 on numpy's functions tell their arguments."""
    if tuple(map(int, numpy.__version__.split(".")[:2])) < (2, 4):
        pytest.skip("this numpy does not tell the arguments of its functions")
    homes = {
        "f:": numpy,
        "f:linalg.": numpy.linalg,
        "f:random.": numpy.random,
        "m:": numpy.ndarray,
        "q:": numpy.random.Generator,
    }
    found = {}
    for prefix, home in homes.items():
        for key in [key for key in Engine(numpy, [])._tables if key.rpartition(prefix)[0] == ""]:
            function = getattr(home, key.removeprefix(prefix), None)
            if key.startswith(prefix) and callable(function):
                try:
                    names = [*inspect.signature(function).parameters]
                except ValueError:
                    continue
                if "dtype" in names:
                    found[key] = names.index("dtype")
    own = {"f:isdtype", "f:frombuffer", "f:fromstring", "f:datetime_data"}  # they look themselves
    known = tables.DTYPE_AT
    assert {key for key, place in found.items() if known.get(key) != place} <= own


@pytest.mark.parametrize("name", [n for n in tables.DTYPE_AT if n[:2] in ("f:", "m:")])
def test_a_dtype_of_objects_is_refused_as_it_comes_in(ask, name):
    ask("f:arange", 4)
    place = tables.DTYPE_AT[name]
    for dtype in ("O", "object", "i4,O", "V8", "g", "(2,)i4", ["O"], [("a", "O")]):
        args = [{"a": 1}] + [None] * (place - 1) + [dtype]
        assert ask(name, *args)[0] in ("no", "foreign")
        answer = ask(name, {"a": 1}, dtype=dtype)
        assert answer[0] in ("no", "foreign")
        assert "Error" in str(answer) or answer[0] == "foreign"


def test_what_is_given_back_as_it_was_handed_in_has_its_number(ask):
    assert ask("f:arange", 4)[1]["a"][0] == 1
    for answer in (
        ask("f:asanyarray", {"a": 1}),
        ask("u:add", {"a": 1}, 1, out={"a": 1}),
        ask("f:cumsum", {"a": 1}, out={"a": 1}),
    ):
        assert answer[:2] == ("ok", {"y": 1})
    assert ask("f:array", {"a": 1})[1]["a"][0] == 2


VIEWS = [
    ("u4", "U1"), ("f8", "U2"), ("S4", "U1"), ("?", "U1"), ("M8[D]", "U2"), ("c16", "U4"),
    ("U1", "u4"), ("U2", "S8"), ("U1", "f4"), ("U2", "M8[s]"), ("U1", ">U1"), (">U1", "<U1"),
    ("u1", "?"), ("i1", "?"), ("S1", "?"), ("?", "S1"),
]  # fmt: skip


@pytest.mark.parametrize(("held", "seen"), VIEWS)
def test_memory_of_one_kind_is_not_looked_at_as_another(ask, held, seen):
    assert ask("f:zeros", 8, held)[0] == "ok"
    assert ask("m:view", {"a": 1}, seen)[:2] == (
        "no",
        ("TypeError", "Exception", "BaseException", "object"),
    )
    first = ask("x:get", {"a": 1}, 0)[1]
    if held.strip("<>") != seen.strip("<>"):  # a scalar is always in the machine's order
        assert ask("m:view", first, seen)[0] == "no"


def test_booleans_are_read_as_numbers_and_not_written_so(ask):
    ask("f:zeros", 8, "?")
    assert ask("m:view", {"a": 1}, "u1")[1] == {"a": (2, (8,), "|u1")}
    assert ask("x:set", {"a": 2}, 0, 7)[0] == "no"
    assert ask("m:setflags", {"a": 2}, write=True)[0] == "no"
    assert ask("v:add.at", {"a": 2}, [0], 7)[0] == "no"
    assert ask("m:any", {"a": 1})[1] == {"s": ("bool", False)}


def test_an_error_of_a_codec_crosses_as_exact_texts(ask):
    kind, names, parts = ask("f:char.encode", ["é"], "ascii")
    assert (kind, names[0]) == ("no", "UnicodeEncodeError")
    assert parts == ("ascii", "é", 0, 1, "ordinal not in range(128)")
    assert [type(part) for part in parts] == [str, str, int, int, str]


def test_a_name_that_this_numpy_has_not_is_not_in_the_facade(ask):
    known = ask("x:operations")[1]
    text = facade.texts(known)["numpy"]
    assert "\nsum = " in text
    for name in ("in1d", "trapz", "row_stack", "cumulative_sum", "bitwise_count"):
        assert (f"\n{name} = " in text) == hasattr(numpy, name)
    assert "\nin1d = " in facade.texts()["numpy"]
