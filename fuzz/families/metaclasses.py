"""Metaclass and cell games: what a class says of itself, and what classes are made of.

Metaclasses that answer for `__module__` and its like where host code asks a class; cells that
CPython fills while it makes a class; subclasses of `super` and of descriptors with names of their
own; descriptors that are initialized again between the look at them and the call.
"""

import importlib
import types

from ..hiding import Chooser
from .parts import Case, Surface, Writer, filled

_HEAD = """
got = []
class Own: x = 1
class Eq:
    def __init__(self, *_): pass
    def __eq__(self, other):
        got.append(other)
        return True
    def __lt__(self, other):
        got.append(other)
        return True
    def __hash__(self): return 1
    def __format__(self, spec):
        got.append(spec)
        return ''
"""
# -- generated code whose globals a metaclass chooses
_MODULE = """
@dataclasses.dataclass(eq=False)
class Pen: name: str
class M(type):
    <<how>>
class Swap:
    def __get__(self, o, cls):
        <<write>>
        return 1
f = dataclasses.field(default=0)
class C(metaclass=M):
    x: int = f
    y: int = Swap()
try: C = dataclasses.dataclass(<<options>>)(C)
except Exception: pass
for make in (C, lambda: C(Eq(), Eq()), lambda: C(x=Eq(), y=1)):
    try:
        a, b = make(), make()
        a.x = Eq(); b.x = Eq(); a.y = b.y = 1
        for use in (lambda: a == b, lambda: a < b, lambda: repr(a), lambda: hash(a)):
            try: got.append(use())
            except Exception: pass
    except Exception: pass
"""
_HOWS = (
    "__module__ = property(lambda c: '<<module>>')",
    "def __init__(c, *a): c.__module__ = '<<module>>'",
    "def __new__(m, n, b, ns): return super().__new__(m, n, b, {**ns, '__module__': '<<module>>'})",
    "__module__ = '<<module>>'",
)
_WRITES = (
    "Pen.__init__(f, 'x==<<hidden>>')",
    "f.name = 'x==<<hidden>>'",
    "setattr(f, 'name', 'x==<<hidden>>')",
    "C.__annotations__['x==<<hidden>>'] = int",
    "C.__annotations__ = {'x==<<hidden>>': int}",
    "f.__init__(<<hidden>>=1)",
)
_OPTIONS = ("init=False, repr=False, match_args=False", "init=False, order=True", "")

# -- cells
_KEEP = """
kept = []
class Keep(type):
    def __new__(m, n, b, ns):
        kept.extend(ns[k] for k in sorted(ns) if k.startswith('__class') and k.endswith('cell__'))
        return super().__new__(m, n, b, ns)
class A(metaclass=Keep):
    def f(self): return __class__
Cell = type(kept[0])
cell, other = Cell(1), Cell(2)
<<before>>
for make in (<<makers>>):
    try: got.append(make())
    except Exception: pass
for each in (cell, other, *kept):
    try:
        got.append(each.cell_contents)
        got.append(list(each.cell_contents))
    except Exception: pass
"""
_CELLS = ("__classcell__", "__classdictcell__", "__class__", ".type_params", "__classdict__")
_MAKERS = (
    "lambda: type('C', (), {'<<name>>': cell, 'f': 1})",
    "lambda: type('C', (), {'<<name>>': kept[0], 'f': 1})",
    "lambda: type('C', (type,), {'<<name>>': cell, '__lt__': 1})",
    "lambda: Keep('C', (), {'<<name>>': cell})",
    "lambda: Keep('C', (A,), {'__classcell__': cell, '<<name>>': other})",
    "lambda: Put('C', (), {})",
    "lambda: Put('C', (A,), {'__classcell__': cell})",
    "lambda: enum.Enum('E', {'<<name>>': cell})",
    "lambda: types.new_class('C', (), {}, lambda ns: ns.update({'<<name>>': cell}))",
    "lambda: abc.ABCMeta('C', (), {'<<name>>': cell})",
    "lambda: typing.NamedTuple('C', [('<<name>>', cell)])",
)
_PUT = """
class Put(type):
    def __new__(m, n, b, ns): return type.__new__(m, n, b, {**ns, '<<name>>': cell})
"""
# -- heirs of host descriptors and of super with names of their own
_HEIR = """
class M(type): pass
class MM(type): pass
class M0(type): pass
class M2(M0, metaclass=MM): pass
class B:
    <<name>> = 1
class Heir(<<kind>>):
    <<body>>
for make in (<<makers>>):
    try: s = make()
    except Exception: continue
    for put in (lambda: s.__dict__.update(<<name>>=1), lambda: setattr(s, '<<name>>', 1), len):
        try: put()
        except Exception: pass
        for read in (<<reads>>):
            try:
                found = read()
                got.append(found)
                got.append(found())
            except Exception: pass
"""
_HEIRS = {
    "super": (
        *("lambda: Heir(MM, M2)", "lambda: Heir(Own, Own())", "lambda: Heir(Own, Own)"),
        *("lambda: Heir(M2, M2('C', (), {}))", "lambda: Heir(M, M('C', (), {}))"),
        *("lambda: Heir(M0, M2)", "lambda: Heir(MM)", "lambda: super(Heir, Heir(Own, Own()))"),
    ),
    "property": ("lambda: Heir(len)", "lambda: Heir()"),
    "classmethod": ("lambda: Heir(len)", "lambda: Heir(print)"),
    "staticmethod": ("lambda: Heir(len)", "lambda: Heir(type)"),
    "AttributeError": ("lambda: Heir(name='x', obj=len)", "lambda: Heir(1)"),
    "str": ("lambda: Heir('{0.__class__}')",),
    "dict": ("lambda: Heir(a=1)",),
    "functools.partial": ("lambda: Heir(len)",),
    "types.SimpleNamespace": ("lambda: Heir()",),
    "collections.UserString": ("lambda: Heir('{0.__class__}')",),
    "enum.Enum": ("lambda: Heir", "lambda: Heir('E', 'A B')"),
    "random.Random": ("lambda: Heir()", "lambda: Heir"),
    "type": ("lambda: Heir('C', (), {})", "lambda: Heir"),
    "memoryview": ("lambda: memoryview(b'x')",),
}
_NAMES = (
    *("mro", "format", "format_map", "obj", "_convert_", "_randbelow_with_getrandbits", "_split"),
    *("__class__", "__dict__", "__subclasses__", "__getattribute__", "__setattr__", "__self__"),
    *("__func__", "__bases__", "__mro__", "__base__", "__get__", "__defaults__"),
)
_READS = (
    "lambda: s.<<name>>, lambda: getattr(s, '<<name>>'), lambda: vars(s)['<<name>>'], "
    "lambda: s.__getattribute__('<<name>>'), lambda: object.__getattribute__(s, '<<name>>'), "
    "lambda: super(Heir, s).<<name>>, lambda: type(s).<<name>>"
)
_BODIES = (
    "pass",
    "__slots__ = ()",
    "def __getattr__(self, name): return 1",
    "def __getattribute__(self, name): return super().__getattribute__(name)",
    "<<name>> = property(lambda s: super().<<name>>)",
)
# -- initialized again: the look was at what it held before
_AGAIN = """
def g(*a): return 7
class Maps:
    maps = [1, 'X', (), {}]
    data = [1]
first = <<first>>
try: get = <<get>>
except Exception: get = None
try: <<again>>
except Exception: pass
for call in (<<calls>>):
    try: found = call()
    except Exception: continue
    got.append(found)
    if found != 7 and type(found) in (<<foreign>>): power = True
"""
_FIRSTS = ("classmethod(g)", "staticmethod(g)", "property(g)")
_GETS = ("first.__get__", "getattr(first, '__get__')", "first.__get__(Own(), Own)")
_AGAINS = ("first.__init__(<<evil>>)", "type(first).__init__(first, <<evil>>)")
_EVILS = (
    ("collections.ChainMap.parents", "collections.ChainMap({1: 2})", "collections.ChainMap"),
    ("collections.Counter.most_common", "collections.Counter('aa')", "list"),
    ("string.Template.substitute", "string.Template('x')", "str"),
    ("fractions.Fraction.numerator", "fractions.Fraction(6)", "str, list"),
    ("random.Random.randbytes", "random.Random(1)", "str, list"),
)
_CALLS = "lambda: get(None, <<o>>), lambda: get(<<o>>), lambda: get(<<o>>, Own), lambda: get()"
# -- what is asked of a class by the host, and by CPython while it makes one
_MEMBERS = (
    "__set_name__ = lambda self, owner, name: got.append(owner.__class__)",
    "__init_subclass__ = classmethod(lambda cls, **k: got.append(cls.__class__))",
    "__instancecheck__ = lambda cls, o: got.append(o) or True",
    "__subclasscheck__ = lambda cls, o: got.append(o) or True",
    "__subclasshook__ = classmethod(lambda cls, o: got.append(o) or True)",
    "__mro_entries__ = lambda self, bases: got.append(bases) or (Own,)",
    "__call__ = lambda cls, *a, **k: got.append(a) or Own()",
    "__or__ = __ror__ = lambda cls, o: got.append(o)",
    "__lt__ = __gt__ = lambda cls, o: got.append(o) or True",
    "__getitem__ = __class_getitem__ = lambda cls, o: got.append(o)",
    "__iter__ = lambda cls: iter([])",
    "__repr__ = __str__ = lambda cls: got.append(cls.__class__) or 'x'",
    "__dir__ = lambda cls: ['__globals__']",
    "__del__ = lambda cls: got.append(cls.__class__)",
    "__eq__ = lambda cls, o: got.append(o) or True\n    __hash__ = lambda cls: hash(int)",
    "__hash__ = lambda cls: hash(type)",
    "__getattr__ = lambda cls, name: ('__globals__',)",
    "__getattribute__ = lambda cls, name: ('__globals__',)",
    "__match_args__ = ('__globals__',)",
    "mro = lambda cls: got.append(cls) or [cls, object]",
    "__prepare__ = classmethod(lambda *a, **k: {'guard:getattr': lambda o, n: o})",
    "__signature__ = property(lambda cls: '(x=sys.executable)')",
    "__name__ = property(lambda cls: 'x.__globals__')",
    "__annotations__ = property(lambda cls: {'x==_os': int})",
    "__wrapped__ = property(lambda cls: len)",
    "__doc__ = property(lambda cls: 'f(x=sys.executable)\\n--\\n\\n')",
    "__dict__ = property(lambda cls: {'_x': 1})",
    "__bases__ = property(lambda cls: (int,))",
    "__subclasses__ = lambda *a: got.append(a) or []",
    "__abstractmethods__ = property(lambda cls: got.append(cls))",
)
_WAYS = (
    "class M(type):\n    <<member>>\n",
    "class M(abc.ABCMeta):\n    <<member>>\n",
    "M = type('M', (type,), dict(vars(Body)))\n",
    "class M0(type): pass\nclass M(type, metaclass=M0):\n    <<member>>\n",
    "class M(type): pass\nclass Late:\n    <<member>>\n"
    "for n in dir(Late):\n    try: setattr(M, n, getattr(Late, n))\n    except Exception: pass\n",
)
_ASKED = (
    "match print:\n    case C(g): got.append(g)\n    case C(__globals__=g): got.append(g)",
    "class M2(M): pass\nclass D(metaclass=M2): pass\nclass E(D, C): pass",
    "isinstance(type, C); issubclass(type, C); isinstance(print, C); issubclass(enum.EnumMeta, C)",
    "functools.singledispatch(lambda a: 1).register(C, len); C | int; int | C; C < type",
    "dataclasses.dataclass(C); got.append(C.__doc__)",
    "functools.total_ordering(C); abc.update_abstractmethods(C); functools.wraps(C)(Own)",
    "try: raise ExceptionGroup('x', [ValueError()])\nexcept* C: pass",
    "copy.deepcopy(C); copy.copy(C); json.dumps({'a': 1}, cls=C); pprint.pformat(C)",
    "typing.List[C]; typing.Optional[C]; typing.Union[C, int]; typing.cast(C, 1)",
    "type(C); C.__class__; C.__mro__; C.mro(); repr(C); dir(C); vars(C)",
    "del C; [[] for _ in range(3000)]",
    "class F(enum.Enum, metaclass=M): A = 1",
    "type('T', (C,), {}); M('T', (C,), {}); type(C)('T', (), {'__match_args__': ('__self__',)})",
)


def deck(surface: Surface, chooser: Chooser) -> list[tuple[Writer, Case]]:
    """Every game."""
    cases: list[tuple[Writer, Case]] = []
    for module, hidden in _hidden_modules(surface):
        for how in _HOWS:
            cases += [
                (_write, (filled(_MODULE, how=how, write=write, options=options, module=module,
                                 hidden=hidden),))
                for write in _WRITES
                for options in _OPTIONS
            ]  # fmt: skip
    for name in _CELLS:
        for makers in (*_MAKERS, ", ".join(_MAKERS[:7])):
            text = filled(_KEEP, before=_PUT, makers=f"{makers},")
            cases.append((_write, (filled(text, name=name),)))
    for kind, made in _HEIRS.items():
        for name in _NAMES:
            for body in _BODIES:
                text = filled(_HEIR, kind=kind, body=body, makers=", ".join(made) + ",")
                cases.append((_write, (filled(filled(text, reads=_READS), name=name),)))
    for first in _FIRSTS:
        for get in _GETS:
            for again in _AGAINS:
                cases += [(_write, (_again(first, get, again, *evil),)) for evil in _EVILS]
    for member in _MEMBERS:
        for way in _WAYS:
            before = f"class Body:\n    {member}\n" if "Body" in way else ""
            cases += [(_asked, (before + filled(way, member=member), use)) for use in _ASKED]
    return cases


def _again(first: str, get: str, again: str, evil: str, o: str, foreign: str) -> str:
    text = filled(
        _AGAIN, first=first, get=get, again=again, calls=f"{_CALLS},", foreign=f"{foreign},"
    )
    return filled(text, evil=evil, o=o)


def _write(case: Case, chooser: Chooser) -> str:
    return f"{_HEAD}{case[0]}"


def _asked(case: Case, chooser: Chooser) -> str:
    """Each way to ask is tried apart: one that is refused keeps nothing from the others."""
    made, use = case
    steps = [use] if "\n" in use else use.split("; ")
    tries = "".join(
        "try:\n    " + step.replace("\n", "\n    ") + "\nexcept Exception: pass\n" for step in steps
    )
    return f"{_HEAD}{made}class C(metaclass=M): x: int = 1\n{tries}"


def _hidden_modules(surface: Surface) -> list[tuple[str, str]]:
    """Granted modules, each with a private name under which it has a module of its own."""
    found = []
    for name in sorted(surface.modules):
        if "." in name or name in ("os", "sys", "sandbox", "builtins"):
            continue
        try:
            space = vars(importlib.import_module(name))
        except ImportError:
            continue
        inside = [n for n, v in sorted(space.items()) if type(v) is types.ModuleType]
        found += [(name, hidden) for hidden in inside[:1]]
    return found[:6] + [pair for pair in found[6:] if pair[0] in ("random", "string")]
