"""What stands in for methods of CPython's behaves as they do, for programs that mean well."""

import ast
import collections
import functools
import gc
import opcode
import re
import sys
import types
from pathlib import Path

import pytest
from listed import assert_as_in_cpython, listed

from sandbox.errors import SandboxError
from sandbox.interpreter.disarming.hiding import classes_below
from sandbox.interpreter.vault.frames import codes_in
from sandbox.language.guards.attributes import shown_types
from sandbox.language.guards.classes import class_origin
from sandbox.language.guest import importer
from sandbox.language.natives import patching
from sandbox.language.natives.containers import dicts
from sandbox.language.natives.types import aliases, type_slots
from sandbox.language.stdlib.catalog import MODULES as GRANTED

PROGRAMS = listed("natives.txt")
NATIVES = patching.__name__.rpartition(".")[0]
MODULES = sorted(Path(patching.__file__).parent.glob("*.py"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    assert_as_in_cpython(PROGRAMS[name], run(PROGRAMS[name]))


def test_a_slot_that_nobody_knows_is_not_replaced_by_half():
    with pytest.raises(SandboxError, match="__add__ of int"):
        patching.put(int, "__add__", lambda *_: 5)
    assert int.__add__(1, 1) == 2


def test_what_inherits_a_replaced_method_comes_to_it_by_its_operator_too(widest):
    """A class that was there before has a pointer of its own to what it inherited.

    One that was made later, as by another test's imports, has CPython's, which looks the method up.
    """
    heirs = [
        (cls, heir, name)
        for cls in widest.kin.host
        for name, method in class_origin.dict_of(cls).items()
        if name in type_slots._SLOTS and _is_ours(method)
        for heir in classes_below([cls])
        if cls is next(c for c in class_origin.mro_of(heir) if name in class_origin.dict_of(c))
    ]
    strays = [
        (cls, heir, name)
        for cls, heir, name in heirs
        if _pointer(heir, name) not in (_pointer(cls, name), _looking_up(name))
    ]
    assert strays == []
    assert (OSError, FileNotFoundError, "__str__") in heirs


def _pointer(cls, name):
    return type_slots._slot(cls, name).value


def _looking_up(name):
    return _pointer(type("Any", (), {name: lambda *_: None}), name)


@pytest.mark.parametrize("count", [1, 5, 6, 85, 86, 170, 171, 21_845, 21_846, 44_000, 100_000])
def test_the_kind_of_a_dict_shows_in_the_size_of_its_table(count):
    """The places of a table are of one byte each, of two or of four."""
    general, texts = ({kind(n): n for n in range(count)} for kind in (int, str))
    assert dicts.is_general(general)
    assert not dicts.is_general(texts)
    texts[0] = 0
    assert dicts.is_general(texts)


def _is_ours(method):
    module = method.__module__ if type(method) is types.FunctionType else None
    return bool(module) and module.startswith(NATIVES)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_object_of_a_programs_is_asked_what_it_is_an_instance_of(path):
    """`isinstance` believes a `__class__`: what is of another kind would go on to C code."""
    calls = [
        node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)
    ]
    assert "isinstance" not in [call.id for call in calls if isinstance(call, ast.Name)]


# What C binds to an instance or a class, and asks nothing of a program meanwhile.
BINDING_ALONE = {
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodDescriptorType),
    *(types.WrapperDescriptorType, types.ClassMethodDescriptorType, types.MemberDescriptorType),
    *(types.GetSetDescriptorType, type(functools.lru_cache(len)), functools.partial),
    type(collections.namedtuple("T", "x").x),
}
# Classes that call what `natives.types.descriptors` keeps from being taken away.
BINDING_WHAT_IS_KEPT = {property, classmethod, staticmethod}
UNREACHABLE = {("builtins", "instancemethod"), ("_ctypes", "CField"), ("ctypes", "CField")}


def test_every_class_of_c_whose_instances_are_bound_is_known(widest):
    asking = [
        cls
        for cls in widest.kin.host
        if type(class_origin.dict_of(cls).get("__get__")) is types.WrapperDescriptorType
        and cls not in BINDING_ALONE | BINDING_WHAT_IS_KEPT
        and (cls.__module__, cls.__name__) not in UNREACHABLE
    ]
    assert asking == []


# Functions that delegate to a generator, by module and name, and why none of them lets go of one
# of the program's that runs. Those of other modules are listed in `importer`, see `generators`.
DELEGATING_TO_NONE = {
    ("calendar", "Calendar.itermonthdays"): "to an iterator of C's",
    ("collections", "_OrderedDictKeysView.__reversed__"): "no program comes to one",
    ("dataclasses", "_get_slots"): "it runs to its end where it is called",
    ("enum", "Flag._iter_member_by_def_"): "to a list",
    ("json.encoder", "_make_iterencode.<locals>._iterencode"): "to a function beside it",
    ("json.encoder", "_make_iterencode.<locals>._iterencode_dict"): "the same",
    ("json.encoder", "_make_iterencode.<locals>._iterencode_list"): "the same",
    (
        f"{NATIVES}.calls.generators",
        "_delegated",
    ): "of a coroutine, which a program makes",
    (f"{NATIVES}.calls.generators", "step"): "of an asynchronous generator, the same",
    (f"{NATIVES}.calls.generators", "_throwing.<locals>.thrown"): "the same",
    (f"{NATIVES}.containers.mappings", "elements"): "to an iterator of C's",
    ("sandbox.language.stdlib.concurrency.futures", "as_completed"): "to a generator of its own",
    ("sandbox.language.stdlib.data.itertools", "_repeated"): "to a list",
    ("sandbox.language.stdlib.data.itertools", "_sliced"): "to an iterator of C's",
}
# What stands for it in the namespaces of a program does not delegate.
REPLACED = {("heapq", "merge"), ("enum", "Flag.__iter__"), ("collections.abc", "KeysView.__iter__")}
# They are noticed when they are called.
NOTICED = {("collections.abc", f"AsyncGenerator.{name}") for name in ("__anext__", "aclose")}


def test_every_function_that_delegates_to_a_program_s_generator_is_known(widest):
    found = {
        (function.__module__, code.co_qualname)
        for function in gc.get_objects()
        if type(function) is types.FunctionType and _is_in_reach(function)
        for code in codes_in(function.__code__)
        if opcode.opmap["SEND"] in code.co_code[::2]
    }
    unknown = found - DELEGATING_TO_NONE.keys() - REPLACED - NOTICED
    assert {at for at in unknown if not _is_noticed(at[0])} == set()
    assert ("graphlib", "TopologicalSorter.static_order") in found


def _is_in_reach(function):
    if str(function.__module__).startswith("sandbox.language."):
        return True
    # A module of another name before CPython 3.13, see `reached_modules`.
    abstract = function.__globals__ is vars(sys.modules["_collections_abc"])
    return abstract or function in _functions_of_the_library()


@functools.cache
def _functions_of_the_library():
    return frozenset(shown_types.functions_of(GRANTED))


def _is_noticed(module):
    return any(name in importer._DELEGATE for name in re.split(r"[._]", module))


# CPython itself must not be asked: before 3.11.9 it ends when None is freed.
COPIES = """
def f(self): "doc of f"
def g(self, value): pass
class Sub(property): pass
for kind in (property, Sub):
    for made in (kind(), kind(f), kind(None, g), kind(None, None, g), kind(f, g, len, "given")):
        for part in ("getter", "setter", "deleter"):
            copy = getattr(made, part)(None)
            assert copy is not made and type(copy) is kind, copy
            names = ("fget", "fset", "fdel", *(["__doc__"] if kind is property else ()))
            for name in names:
                assert getattr(copy, name) == getattr(made, name), (made, part, name)
"""


def test_a_property_that_is_copied_with_none_keeps_what_it_has(run):
    assert run(COPIES).status == "OK"


LONG_NUMBERS_OF_ITS_OWN = """
class Int(int):
    def asked(self, *_): print("asked"); return "x"
    bit_length = __eq__ = __lt__ = __gt__ = __neg__ = __invert__ = __rshift__ = __and__ = asked
    __str__ = __bool__ = asked
    __hash__ = int.__hash__
sys.set_int_max_str_digits(0)
n, m = Int("9" * 20000), Int(10**6000)
print(*map(type, (n // m, *divmod(n, m))), len(int.__repr__(n)), len("%d" % n), len(format(n, ",")))
"""


def test_long_numbers_of_a_programs_own_kind_are_counted_with_as_they_are(run):
    """From CPython 3.12 on functions of the library's would ask them."""
    ran = run(f"import sys{LONG_NUMBERS_OF_ITS_OWN}")
    assert ran.output == f"{' '.join([str(int)] * 3)} 20000 20000 26666\n", ran


def test_parameters_within_lists_are_replaced_where_cpython_finds_them(monkeypatch):
    """The versions that this is tested on find none there; later ones do."""

    class Parameter:
        def __typing_subst__(self, argument):
            return argument

    monkeypatch.setattr(aliases, "_SEARCHED", (tuple, list))
    parameter = Parameter()
    arguments = ([parameter, int], (parameter, [parameter]), parameter)
    made = aliases._replaced(list[parameter], arguments, (parameter,), str)
    assert made == ([str, int], (str, [str]), str)
