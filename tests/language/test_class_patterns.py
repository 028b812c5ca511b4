"""A class pattern reads permitted attributes only, even of a class that no check has seen."""

import abc

import harness
import pytest

from sandbox.language.guards.classes.classes import READ_AS_OBJECT
from sandbox.language.natives.types import type_slots

# What got past every check of the class statement and of `type()`, as if there were a way.
SMUGGLED = {
    "a denied name": ("gi_frame",),
    "a list, which may change": ["gi_frame"],
    "a name that is a str of its own": (type("S", (str,), {})("gi_frame"),),
    "a property": property(lambda cls: ("gi_frame",)),
    "a tuple of its own": type("T", (tuple,), {})(("gi_frame",)),
}
HOOKS = {
    "__getattr__": lambda cls, name: ("gi_frame",),
    "__getattribute__": lambda cls, name: ("gi_frame",),
    "__match_args__": ("gi_frame",),
}
READS = """
g = (i for i in ())
def read(subject):
    match subject:
        case [C(f), _] | C(f) | {"k": C(f)}: print(f, "ESCAPED")
        case _: print("no match")
for subject in ([g, 1], g, {"k": g}):
    try: read(subject)
    except TypeError as error: print(type(error).__name__, error)
"""


@pytest.fixture(scope="module")
def smuggling() -> object:
    """Runs a program that is handed `C = make()`, made in the child as a guest's class is."""
    made = harness.world()

    def run(make, source=READS):
        made.state.builtins["make"] = make
        harness.forget(made)
        return harness.run(made, "C = make()" + source)

    return run


def _registered(**namespace):
    cls = abc.ABCMeta("C", (), namespace)
    cls.register(type(i for i in ()))
    return cls


@pytest.mark.parametrize("title", SMUGGLED)
def test_a_class_that_got_past_the_checks_reads_nothing(smuggling, title):
    ran = smuggling(lambda: _registered(__match_args__=SMUGGLED[title]))
    assert "ESCAPED" not in ran.output
    assert ran.output.count("TypeError") == 3, ran


@pytest.mark.parametrize("hook", HOOKS)
def test_a_metaclass_that_answers_for_the_class_reads_nothing(smuggling, hook):
    answers = {hook: HOOKS[hook], "__instancecheck__": lambda cls, o: True}
    ran = smuggling(lambda: type("Meta", (type,), answers)("C", (), {}))
    assert "ESCAPED" not in ran.output
    assert ran.output.count("C() accepts 0 positional sub-patterns") == 3, ran


def test_names_that_change_after_a_use_change_nothing(smuggling):
    def make():
        cls = _registered(__match_args__=("gi_running",))
        cls.change = lambda: type.__setattr__(cls, "__match_args__", ("gi_frame",))
        return cls

    ran = smuggling(
        make,
        """
def read(g):
    match g:
        case C(f): return f
        case _: return "none"
print(read(i for i in ()))
C.change()
print(read(i for i in ()))
""",
    )
    assert ran.output == "False\nFalse\n", ran


def test_the_class_that_was_looked_at_is_the_one_that_is_used(smuggling):
    ran = smuggling(
        lambda: _registered(__match_args__=("gi_frame",)),
        """
class First:
    def __getattribute__(self, name):
        global Second
        Second = C
        return super().__getattribute__(name)
class Second: pass
class Holder:
    count = 0
    @property
    def cls(self):
        self.count += 1
        return int if self.count == 1 else C
def swap(subject):
    match subject:
        case [int() | object(), Second(f)]: print(f, "ESCAPED")
        case _: print("no match")
def ask(subject, holder):
    match subject:
        case holder.cls(f): print(f, "ESCAPED")
        case _: print("no match", holder.count)
swap([First(), (i for i in ())])
ask((i for i in ()), Holder())
""",
    )
    assert ran.output == "no match\nno match 1\n", ran


def test_a_refusal_leaves_no_class_behind_for_another_match(smuggling):
    ran = smuggling(
        lambda: _registered(__match_args__=("gi_frame",)),
        """
inner = "match [1, 2]:\\n case [int(p), C(q)]: print(q)"
class Asks:
    def __getattribute__(self, name):
        try: exec(inner)
        except TypeError as error: print(error)
        return super().__getattribute__(name)
class Own: pass
match [Asks(), (i for i in ())]:
    case [str(_) | object(), Own(f)]: print(f, "ESCAPED")
    case _: print("no match")
class Body:
    match [Asks(), (i for i in ())]:
        case [str(_) | object(), Own(f)]: print(f, "ESCAPED")
        case _: print("no match")
""",
    )
    assert ran.output == "these '__match_args__' is denied\nno match\n" * 2, ran


def test_a_pattern_of_a_class_that_is_none_says_what_cpython_says(run, capsys):
    source = """
for text in ("nope(x)", "f(x)", "int(x, y)", "Own(x)", "None_(x)"):
    def f(): pass
    class Own: pass
    None_ = None
    try: exec(f"match 1:\\n case {text}: print(x)\\nmatch Own():\\n case {text}: print(x)")
    except (TypeError, NameError) as error: print(type(error).__name__, error)
"""
    ran = run(source)
    exec(compile(source, "<program>", "exec"), {"__name__": "__main__"})
    assert (ran.status, ran.output) == ("OK", capsys.readouterr().out), ran


def test_a_class_body_with_a_pattern_keeps_its_names_to_itself(run):
    ran = run(
        """
class B:
    match 5:
        case int(q): pass
print(sorted(n for n in vars(B) if ":" in n), [n for n in dir(B) if ":" in n], B.q)
match 6:
    case int(q): print([n for n in globals() if ":" in n], q)
"""
    )
    assert (ran.status, ran.output) == ("OK", "[] [] 5\n[] 6\n"), ran


OWN_FIELDS = """
from dataclasses import dataclass
@dataclass
class File:
    name: str
    format: str
    obj: int = 0
class Plain:
    def __init__(self, format): self.format = format
def show(o):
    match o:
        case File("a", "png", n): print("png", n)
        case File(name, obj=3): print("three", name)
        case File(format=f, obj=n): print(f, n)
        case Plain(format=[File(format=f), *_]): print("within", f)
        case Plain(format=f) | [Plain(format=f)]: print("plain", f)
        case _: print("other")
for o in (
    File("a", "png"), File("b", "gif", 3), File("c", "gif"), Plain([File("d", "txt")]),
    Plain(4), [Plain(5)], 6,
): show(o)
"""


def test_a_pattern_reads_a_field_called_format_of_the_programs_own(run, capsys):
    ran = run(OWN_FIELDS)
    exec(compile(OWN_FIELDS, "<program>", "exec"), {"__name__": "__main__"})
    assert (ran.status, ran.output) == ("OK", capsys.readouterr().out), ran


HOSTS_FORMATS = [
    "match '{0.__class__}':\n case str(format=f): print('READ')",
    "match '{0.__class__}':\n case object(format=f): print('READ')",
    "match '{0.__class__}':\n case str(_, format=f): print('READ')",
    "match H():\n case H(format=f): print('READ')",
    "match H():\n case D(f): print('READ')",
    "match H():\n case D(format=f): print('READ')",
    "match '{0.__class__}':\n case Any(format=f): print('READ')",
    "match '{0.__class__}':\n case Posing(f): print('READ')",
    "match AttributeError(obj=1):\n case AttributeError(obj=f): print('READ')",
]


@pytest.mark.parametrize("match", HOSTS_FORMATS)
def test_a_pattern_does_not_read_such_a_name_of_the_hosts(run, match):
    ran = run(
        """
import abc
from dataclasses import dataclass
@dataclass
class D: format: object
class H(D, str):
    def __new__(cls): return str.__new__(cls, "{0.__class__}")
    def __init__(self): pass
class Any(abc.ABC): pass
Any.register(str)
@dataclass
class Posing(Any): format: object
Posing.register(str)
"""
        + match
    )
    assert "READ" not in ran.output
    assert ran.status == "DENIED", ran


def test_heirs_of_what_counts_as_plain_are_read_as_objects_are():
    """By C code that is that of `object`, although they name it once more."""
    read = type_slots._field(object, "tp_getattro").value
    assert all(type_slots._field(cls, "tp_getattro").value == read for cls in READ_AS_OBJECT)
