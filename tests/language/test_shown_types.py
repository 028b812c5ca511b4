"""No function of the host's gives what `type(x)` or `x.__class__` says to a program."""

import ast
import dis
import itertools
import sys
import types
from pathlib import Path

import harness
import pytest

from sandbox.errors import SandboxError
from sandbox.language.guards.attributes import looks, owners, receivers, shown_types
from sandbox.language.guards.attributes.shown_types import KIND, LEFT, STAND_IN
from sandbox.language.guards.classes.class_origin import dict_of
from sandbox.language.guest.stand_ins import ALONE

_NAMED = {"__name__", "__qualname__", "__module__", "__doc__"}
# What reads the class of an object that is no receiver of its own, and why no program gains by it.
CLASSES = {
    ("abc", "_instancecheck"): "ours: hooks of a program's are shown what it may see",
    ("collections", "UserDict.__copy__"): "replaced, see `natives/containers/mappings`",
    ("collections", "UserList.__copy__"): "replaced, see `natives/containers/mappings`",
    ("copy", "replace"): "replaced, see `stdlib/copying/copy`",
    ("dataclasses", "_get_field"): "it asks whether a default has a hash",
    ("dataclasses", "_replace"): "`stdlib/data/dataclasses` looks at the receiver",
    ("dataclasses", "replace"): "of a class whose type has fields: no metaclass is a dataclass",
    ("enum", "EnumType._create_"): "called by way of a class of its own alone",
    ("enum", "pickle_by_enum_name"): "no program calls it: `__reduce_ex__` is no name of its",
    ("functools", "singledispatch.<locals>.wrapper"): "replaced, see `stdlib/data/functools`",
    ("typing", "_ProtocolMeta.__instancecheck__"): "called by way of a class of its own alone",
    ("types", "coroutine"): "compared with classes of the module's own",
    ("types", "coroutine.<locals>.wrapped"): "compared with classes of the module's own",
}


@pytest.fixture(scope="module")
def codes(widest):
    """Every code object of a function that host code may run for a program, with its module."""
    found = {}
    for function in shown_types.functions_of(widest.plan.modules):
        todo = [function.__code__]
        while todo:
            code = todo.pop()
            found[id(code)] = (function.__globals__["__name__"], code)
            todo += [const for const in code.co_consts if type(const) is types.CodeType]
    return [*found.values()]


def _sources(codes):
    """The functions that source texts have, by file, first line and name."""
    for file in {code.co_filename for _, code in codes}:
        if Path(file).is_file():
            for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8"))):
                for inner in ast.iter_child_nodes(node):
                    inner.parent = node
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    line = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                    yield (file, line, node.name), node


def _hands_on(call):
    """True unless a call of `type` is compared at once, or asked for a name, or is of None."""
    around = call.parent
    compared = isinstance(around, ast.Compare) and all(
        isinstance(part, (ast.Name, ast.Attribute, ast.Call)) for part in around.comparators
    )
    named = isinstance(around, ast.Attribute) and around.attr in _NAMED
    return not (compared or named or isinstance(call.args[0], ast.Constant))


def _calls_of_type(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "type":
            yield node


def test_what_a_source_hands_on_is_bound_anew_or_listed(codes):
    sources, seen = dict(_sources(codes)), 0
    for module, code in codes:
        function = sources.get((code.co_filename, code.co_firstlineno, code.co_name))
        if function is None or not any(map(_hands_on, _calls_of_type(function))):
            continue
        names = {name for part in _within(code) for name in part.co_names}
        seen += 1
        listed = any((module, part.co_qualname) in LEFT for part in _within(code))
        assert listed or {KIND, STAND_IN} & names, (module, code.co_qualname)
    assert seen > 40


# What host code calls of modules in which `type` stays what it is, and why no program hears of it.
_READS_TEXT = "it reads a text, and asks it for nothing but characters"
CALLED = {
    "_thread.RLock": "it makes a lock",
    "inspect._is_type": "of the annotations of a class, which are compared with nothing",
    "warnings._deprecated": "it says that something is old",
    "inspect.get_annotations": "of a class: a copy of a plain dict",
    "inspect.unwrap": "it asks members of a program's class for `__wrapped__` alone",
    "inspect.signature": "`stdlib/data/signatures` looks at what it is asked about",
    "ipaddress.IPv4Address": _READS_TEXT,
    "ipaddress.ip_address": _READS_TEXT,
    "locale.setlocale": "no program comes to what calls it",
    "posixpath.normcase": _READS_TEXT,
    "re._compiler.compile": _READS_TEXT,
    "re._compiler.isstring": "it asks what kind of text it is",
    "re._parser.State": "no program comes to what calls it",
    "re._parser.SubPattern": "no program comes to what calls it",
    "re._parser.expand_template": "of a match and a template of the module's own",
    "re._parser.parse": _READS_TEXT,
    "re._parser.parse_template": _READS_TEXT,
    "reprlib.recursive_repr": "it wraps a function that `dataclasses` has made",
}


def test_what_is_called_of_modules_that_are_left_as_they_are_is_listed(widest):
    found = set()
    imported = [name for name in widest.plan.modules if name not in ALONE]
    for function in shown_types.functions_of(imported):
        if function.__name__ == "__annotate__":  # of a class of the host's, and for that alone
            continue
        for value in looks._named(function, looks._names(function.__code__)):
            if type(value) in (types.FunctionType, type) and _is_left(value.__module__):
                name = f"{value.__module__}.{value.__qualname__}"
                found.update({name} - {f"{function.__module__}.{function.__qualname__}"})
    assert found - {"importlib.util._module_to_load"} <= CALLED.keys()
    assert "inspect.signature" in found


def _is_left(module):
    names = {str(module), str(module).partition(".")[0]}
    return not names.isdisjoint(owners.ELSEWHERE) and "ast" not in names


def _within(code):
    yield code
    for const in code.co_consts:
        if type(const) is types.CodeType:
            yield from _within(const)


def test_no_load_of_type_is_left_that_is_handed_on(codes):
    for module, code in codes:
        loads = [s for s in dis.get_instructions(code) if s.argval == "type"]
        if any(step.opname in ("LOAD_GLOBAL", "LOAD_NAME") for step in loads):
            uses = {*shown_types.type_uses(code)}
            kept = uses <= {shown_types.ASKED, shown_types.COMPARED}
            assert kept or (module, code.co_qualname) in LEFT, (module, code.co_qualname, uses)


def test_a_class_is_read_of_a_receiver_that_was_looked_at_or_by_what_is_listed(widest, codes):
    shown = [
        value for facade in widest.importer.facades.values() for value in vars(facade).values()
    ]
    looked_at = {id(code) for cls in receivers.reached_classes(shown) for code in _looking(cls)}
    for module, code in codes:
        if id(code) in looked_at or (module, code.co_qualname) in CLASSES:
            continue
        steps = [s for s in dis.get_instructions(code) if s.opname not in ("CACHE", "PRECALL")]
        for step, following in itertools.pairwise(steps):
            if step.argval == "__class__" and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                assert following.argval in _NAMED, (module, code.co_qualname)


def _looking(cls):
    for name, member in dict_of(cls).items():
        for function in receivers.parts_of(member, name):
            if function.__code__.co_name in ("checked_method", "checked_maker"):
                for cell in function.__closure__:
                    if type(cell.cell_contents) is types.FunctionType:
                        yield from _within(cell.cell_contents.__code__)


def _compiled(text):
    names = {}
    exec(text, names)
    return names["f"]


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("def f(x): return isinstance(x, type)", ["asked"]),
        ("def f(x): return issubclass(x, type)", ["asked"]),
        ("def f(x): return type(x) is int", ["compared"]),
        ("def f(x): return type(x.y[0]) == int", ["compared"]),
        ("def f(x): return type(None)", ["compared"]),
        ("def f(x): return type(x)", ["handed on"]),
        ("def f(x): return type(x) is x", ["handed on"]),
        ("def f(x): return map(type, x)", ["handed on"]),
        ("def f(x): return g(x, type)", ["handed on"]),
        ("def f(x): return type.mro(x)", ["handed on"]),
        ("def f(x): return type(x)(), isinstance(x, type)", ["handed on", "asked"]),
    ],
)
def test_what_becomes_of_a_type_is_told(text, use):
    assert [*shown_types.type_uses(_compiled(text).__code__)] == use


def test_code_without_positions_is_bound_to_what_serves_both_ways():
    code = _compiled("def f(x): return isinstance(x, type)").__code__
    bare = code.replace(co_linetable=b"")
    assert [*shown_types.type_uses(bare)] == ["unknown"]
    assert STAND_IN in shown_types._rebound(bare, "m").co_names


def test_a_function_that_also_reads_an_attribute_type_is_refused():
    code = _compiled("def f(x): return type(x), x.type").__code__
    with pytest.raises(SandboxError, match="a variable and an attribute"):
        shown_types._rebound(code, "m")


def test_a_function_keeps_what_it_does():
    """Called by the host itself, on an object that is no class."""
    import statistics

    world = harness.world()
    assert KIND in statistics._sum.__code__.co_names
    assert statistics.mean([1, 2.5]) == 1.75
    assert vars(sys.modules["statistics"])[KIND](type) is world.classes.type


UNGUARDED = """
import typing
class TD(typing.TypedDict):
    x: "len"
reference = TD.__annotations__["x"]
print(reference.__forward_arg__, reference.__forward_code__.co_names)
try: reference._evaluate({}, {}, type_params=(), recursive_guard=frozenset())
except TypeError as error: print(error)
"""


def test_a_forward_reference_keeps_no_code_of_a_programs(run):
    ran = run(UNGUARDED, guarded=False)
    assert ran.output.startswith("len ()\n"), ran
