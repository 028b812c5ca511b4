"""What is compiled straight from the text is what the dialect would not have touched."""

import ast
import dis
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.language.compile import fast_path, names
from sandbox.language.compile.dialect import Dialect
from sandbox.language.compile.fast_path import is_ordinary, needs_no_guard
from sandbox.language.compile.nodes import CHILDREN, unknown_nodes

HERE = Path(__file__).parent
PROGRAMS = sorted((HERE.parent / "compat" / "programs").glob("*.txt"))
ATTACKS = sorted(HERE.glob("*.txt"))

pytestmark = pytest.mark.filterwarnings("ignore::SyntaxWarning", "ignore::DeprecationWarning")


def is_taken(source: str) -> bool:
    return is_ordinary(source) and needs_no_guard(compile(source, "<program>", "exec"))


def is_untouched(source: str) -> bool:
    """True if the dialect refuses nothing of `source`, and puts no guard anywhere."""
    tree = ast.parse(source)
    before = ast.dump(tree, include_attributes=True)
    dialect = Dialect()
    dialect.rewrite(tree)
    return not dialect.refusals and ast.dump(tree, include_attributes=True) == before


def texts(paths: list[Path]) -> list[str]:
    parts = [part for path in paths for part in re.split("^### .*\n", path.read_text(), flags=re.M)]
    return [part for part in parts if parses(part)]


def parses(source: str) -> bool:
    try:
        compile(source, "<program>", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


@pytest.mark.parametrize("paths", [PROGRAMS, ATTACKS], ids=["programs", "attacks"])
def test_no_text_of_ours_is_taken_that_the_dialect_would_change(paths):
    taken = [text for text in texts(paths) if is_taken(text)]
    assert len(taken) > 5
    assert [text for text in taken if not is_untouched(text)] == []


@pytest.mark.parametrize(
    "source",
    [
        "",
        "print(sum(map(int, input().split())))",
        "import sys\nfor line in sys.stdin:\n    a, *b = line.split()\n    print(b[::2])",
        "class Solution:\n    def two(self, nums):\n        return self.one(nums)[0]",
        "def main():\n    pass\nif __name__ == '__main__':\n    main()",
        "from __future__ import annotations\ndef f(x: int) -> int: return x",
        "class P:\n    def __eq__(self, other): return self.x == other.x",
        "match [1, 2]:\n    case [a, *_] | {'k': a}: print(a)",
        "d = {}\nd['a'] = 1\ndel d['a']\nd['b'] += 1",
        "async def f():\n    async with a as b:\n        return [c async for c in b]",
        "print('it is', '__class__')",
        "from __foo__ import a",  # the import is looked at when it happens
        "a = [x for row in b for x in row if (y := x)]",
        "a.b = 1",
        "a.b += 1",
        "del a.b",
        "a.b: int = 1",
        "for a.b in c: pass",
        "with a as b.c: pass",
        "x = [0 for a.b in c]",
        "x = {0 for (a.b, d) in c}",
        "def f():\n    return (lambda: [0 for a.b in c])",
        "def f(x=[0 for a.b in c]): pass",
        "class A:\n    def f(self):\n        def g():\n            self.x = 1",
        "(a.b, c), *d.e = f",
    ],
)
def test_an_ordinary_program_is_taken_as_it_is(source):
    assert is_taken(source)
    assert is_untouched(source)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x): x.__slots__ = ()",
        "a.__file__ = b",
        "a.__class__ = b",
        "try: pass\nexcept* ValueError: pass",
        "match a:\n    case A(b): pass",
        "match a:\n    case [A(b=c)]: pass",
        "type(a)",
        "'{}'.format(a)",
        "f'{a.f_back}'",
        "a.__class__",
        "a.__foo__",
        "__foo__",
        "import a.__foo__",
        "import a.b.c as d",
        "import e, a.b.c.d as f",
        "def f():\n    import a.b.c as d",
        "from a import __foo__",
        "import __main__",
        "__main__",
        "a = '__main__', __main__",
        "a.__future__",
        "def __foo__(): pass",
        "def f(__foo__): pass",
        "lambda __foo__: 0",
        "f'{__foo__}'",
        "f'''{'__foo__'}{__foo__}'''",
        "class A:\n    __match_args__ = ('a',)",
        "class A:\n    def __subclasshook__(cls, other): pass",
        "a.mro()",
        "a.obj",
        "a._convert_('b')",
        "a.\\\nf_back",
        "a.\U0001d41f_back",  # normalized to f_back
        "\uff54ype(a)",
        "1or __foo__",
        "global __foo__",
    ],
)
def test_what_may_need_a_guard_is_left_to_the_walk(source):
    assert parses(source)
    assert not is_taken(source)


def test_every_instruction_that_stores_to_an_attribute_or_matches_a_class_is_known():
    """A Python with others would have to be looked at first: these are all of their kind."""
    telling = re.compile("ATTR|CLASS|_EG_|STAR(_|$)")
    found = {name for name in dis.opmap if telling.search(name) and "INSTRUMENTED" not in name}
    reads = {"LOAD_ATTR", "LOAD_SUPER_ATTR", "LOAD_ZERO_SUPER_ATTR", "LOAD_BUILD_CLASS"}
    others = {"SET_FUNCTION_ATTRIBUTE", "LOAD_CLASSDEREF", "IMPORT_STAR", "PREP_RERAISE_STAR"}
    stores = {"STORE_ATTR", "DELETE_ATTR", "MATCH_CLASS", "CHECK_EG_MATCH"}
    assert found - reads - others == stores


def test_a_text_of_strange_words_is_looked_through_in_linear_time():
    assert is_ordinary("[" + "'__a__'," * 20_000 + "]")
    strange = "[" + "".join(f"'__{n}__'," for n in range(20_000)) + "]"  # a search for each: 10 s
    assert not is_ordinary(strange)


def test_no_text_is_taken_in_a_python_with_nodes_that_nobody_looked_at(monkeypatch):
    assert unknown_nodes() == set()
    monkeypatch.delitem(CHILDREN, ast.While)
    assert unknown_nodes() == {ast.While}
    monkeypatch.setattr(fast_path, "_HAS_UNKNOWN_NODES", True)
    assert not is_ordinary("pass")


def test_a_name_that_the_dialect_looks_at_is_noted_wherever_it_stands():
    looked_at = names.GUARDED_NAMES | names.INSPECT | names.SHOWN
    refused = {f"__{word}__" for word in ("foo", "globals", "builtins", "code", "reduce", "loader")}
    for name in looked_at | refused:
        for text in (name, f"a.{name}", f"[{name}]", f"def f({name}=1): pass", f"x={name}"):
            assert not is_ordinary(text), text


_ORDINARY = ("a", "b", "c", "self", "_x", "__y", "__init__", "__len__", "_make")
_NOTED = ("__class__", "__foo__", "type", "format", "obj", "f_back", "_dump", "\U0001d41f_back")
_NAMES = st.sampled_from(_ORDINARY * 2 + _NOTED)
# `@` is a name, `$` a part.
_LEAVES = [
    *("@", "1", "'s'", "'__foo__'", "$.@", "$[$]", "$($)", "(@ := $)", "f'{$.@}'", "{*$}", "-$"),
    *("(lambda @: $)", "[$ for @ in $]", "[0 for @.@ in $]", "($ or $)", "f(@=$)"),
]
_STATEMENTS = [
    *("@ = $", "@.@ = $", "@[$] = $", "@ += $", "del @", "del @.@", "import @", "from m import @"),
    *("import m as @", "global @", "print($)", "assert $", "@: $ = 1", "@, @ = $", "(@.@), *@ = $"),
]
_BLOCKS = [
    *("if $:", "while $:", "for @ in $:", "def @(@):", "class @($):", "with $ as @:"),
    *("try: pass\nexcept $ as @:", "try: pass\nexcept* $:", "try: pass\nfinally:"),
    *("match $:\n case {'k': @}:", "match $:\n case @(@=1):", "match $:\n case [@, *_]:"),
]


def _filled(template: str, part: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    holes = {"@": _NAMES, "$": part}
    pieces = re.split("([@$])", template)
    return st.tuples(*(holes.get(piece, st.just(piece)) for piece in pieces)).map("".join)


_PARTS = st.recursive(
    _NAMES, lambda inner: st.one_of([_filled(t, inner) for t in _LEAVES]), max_leaves=4
)


def _block(head: str, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = inner.map(lambda text: "".join(f"\n    {line}" for line in text.split("\n")))
    return st.tuples(_filled(head, _PARTS), body).map("".join)


_TEXTS = st.recursive(
    st.one_of([_filled(t, _PARTS) for t in _STATEMENTS]),
    lambda inner: st.one_of([_block(head, inner) for head in _BLOCKS]),
    max_leaves=3,
)


def test_no_random_text_is_taken_that_the_dialect_would_change():
    seen = {True: 0, False: 0}

    @settings(
        max_examples=400,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_TEXTS)
    def each(source: str) -> None:
        if parses(source):  # `f(__y=1, __y=2)` does not
            taken = is_taken(source)
            seen[taken] += 1
            assert not taken or is_untouched(source), source

    each()
    assert min(seen.values()) > 40, seen
