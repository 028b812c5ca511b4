"""Containers that answer twice: namespaces of classes and of code, bases, the states of copies.

The same liars as in `answers`, where what is asked is a mapping or a sequence that a guard walks
over: what it saw the first time is not what CPython or host code takes.
"""

from ..programs.hiding import Chooser
from .parts import Case, Surface, Writer, asked, filled

_MAPPINGS = (
    "class Liar(dict):\n"
    "    def keys(self): return answer(['a'], ['<<key>>'])\n"
    "    def items(self): return answer([('a', 1)], [('<<key>>', <<value>>)])\n"
    "    def __iter__(self): return iter(answer(['a'], ['<<key>>']))\n"
    "    def __getitem__(self, key): return answer(1, <<value>>)\n"
    "    def __contains__(self, key): return answer(False, True)\n"
    "    def get(self, key, d=None): return answer(d, <<value>>)\n"
    "    def copy(self): return answer({}, {'<<key>>': <<value>>})\n"
    "    def __missing__(self, key): return <<value>>\n"
    "liar = Liar(<<start>>)\n",
)
_KEYS = (
    ("__match_args__", "('__globals__',)"),
    ("__getattribute__", "lambda c, n: ('__globals__',)"),
    ("__eq__", "lambda a, b: got.append(b) or True"),
    ("__builtins__", "{}"),
    ("__dataclass_fields__", "{}"),
    ("__prepare__", "lambda *a: Liar()"),
    ("guard:getattr", "lambda o, n: o"),
    ("__subclasshook__", "classmethod(lambda cls, o: got.append(o) or True)"),
)
# Bases that are asked for twice: the other answer is a class that no guest may inherit from.
_BASES = """
class Liar(tuple):
    def __iter__(self): return iter(answer((Own,), (<<kind>>,)))
    def __getitem__(self, at): return answer(Own, <<kind>>)
    def __len__(self): return 1
for liar in (Liar((Own,)), Liar((<<kind>>,))):
"""
_KINDS = ("dataclasses.Field", "types.GenericAlias", "types.DynamicClassAttribute")
_BASES_USES = (
    "got.append(type('C', liar, {}))",
    "class M(type): pass\ngot.append(M('C', liar, {}))",
    "got.append(types.new_class('C', liar))",
    "got.append(abc.ABCMeta('C', liar, {}))",
)
_MAPPING_USES = (
    "class MC(type):\n    def __instancecheck__(cls, o): return True\n"
    "class B(metaclass=MC): pass\nC = MC('C', (B,), liar)\n"
    "match print:\n    case C(g): got.append(g)",
    "C = type('C', (), liar); got.append(C)\nmatch print:\n    case C(g): got.append(g)",
    "C = type('C', (abc.ABC,), liar); got.append(isinstance(Own, C))",
    "got.append(type('M', (type,), liar)('C', (), {}))",
    "class M(type): pass\ngot.append(M('C', (), liar))",
    "class M(type):\n    def __new__(m, n, b, ns): return super().__new__(m, n, b, liar)\n"
    "class C(metaclass=M): pass\ngot.append(C)",
    "exec('got.append(1); x = got.__class__', liar); got.append(dict(liar))",
    "exec('x = [].__class__', {}, liar); got.append(eval('x', {}, liar))",
    "got.append(eval('__builtins__', liar))",
    "got.append('{a.real} {a}'.format_map(liar)); got.append('{a}'.format(**liar))",
    "got.append(types.SimpleNamespace(**liar))",
    "got.append(enum.Enum('E', liar))",
    "got.append(dataclasses.dataclass(type('C', (), {'__annotations__': liar})))",
    "x = Own(); x.__dict__ = liar; got.append(x.a); got.append(copy.copy(x))",
    "got.append(collections.ChainMap(liar)['a'])",
    "got.append(string.Template('$a').substitute(liar))",
)
_COPIES = """
class A:
    def __init__(self): self.z = 1
class Made:
    z = 2
d = {}
class State(dict):
    def items(self): return answer([('z', 1)], [('__class__', <<kind>>)])
    def __iter__(self): return iter(answer(['z'], ['__class__']))
    def keys(self): return answer(['z'], ['__class__'])
class Pair(tuple):
    def __len__(self): return answer(0, 2)
    def __iter__(self): return iter(answer((None, {}), (None, {'__class__': <<kind>>})))
    def __getitem__(self, at): return answer(None, {'__class__': <<kind>>})
class Memo(dict):
    def __setitem__(self, key, value):
        d['__class__'] = <<kind>>
        dict.__setitem__(self, key, value)
    def get(self, key, default=None):
        d['__class__'] = <<kind>>
        return default
def make():
    d['__class__'] = <<kind>>
    return A()
class Lazy:
    def __deepcopy__(self, memo):
        d['__class__'] = <<kind>>
        return 1
x = A()
"""
_STATES = (
    "(make, (), (None, d))",
    "(make, (), d)",
    "(make, (), (d, d))",
    "(A, (), (None, State()))",
    "(A, (), Pair((None, {})))",
    "(make, (Lazy(),), (None, d))",
    "(lambda *a: make(), (Lazy(),), (None, d))",
    "(A, (), (Lazy(), d))",
    "(answer(A, Made), (), (None, d))",
)
_COPY_USES = (
    "d.clear(); x.__dict__['__reduce_ex__'] = lambda p: <<state>>; got.append(copy.copy(x))",
    "d.clear(); x.__dict__['__reduce_ex__'] = lambda p: <<state>>; got.append(copy.deepcopy(x))",
    "d.clear(); x.__dict__['__reduce_ex__'] = lambda p: <<state>>; "
    "got.append(copy.deepcopy(x, Memo()))",
)


def deck(surface: Surface, chooser: Chooser) -> list[tuple[Writer, Case]]:
    """Make the cases: containers x uses."""
    cases: list[tuple[Writer, Case]] = []
    for key, value in _KEYS:
        for start in ("", f"{{'{key}': {value}}}"):
            liar = filled(_MAPPINGS[0], key=key, value=value, start=start)
            cases += [(asked, (liar, use)) for use in _MAPPING_USES]
    for kind in _KINDS:
        liar = filled(_BASES, kind=kind)
        cases += [(_bases, (liar, use, kind)) for use in _BASES_USES]
    for kind in ("string.Template", "collections.UserList", "Made"):
        cases += [
            (_copy, (filled(_COPIES, kind=kind), filled(use, state=filled(state, kind=kind))))
            for use in _COPY_USES
            for state in _STATES
        ]
    return cases


def _bases(case: Case, chooser: Chooser) -> str:
    """Write a program that finds out if a class inherits from what none may inherit from."""
    liar, use, kind = case
    text = asked((liar + "    pass", use), chooser)
    return f"{text}power = any({kind} in o.__mro__ for o in got)\n"


def _copy(case: Case, chooser: Chooser) -> str:
    """Write a program that finds out if a copy has another class than what it is a copy of."""
    return asked(case, chooser) + "power = any(type(o) is not A for o in got)\n"
