"""Metaclass games: what a class says of itself where the host and CPython ask it.

Metaclasses that answer for `__module__` and its like while code is generated for a class; patterns
whose classes change while others are asked; every special name of a metaclass with every question.
"""

import importlib
import types

from ..programs.hiding import Chooser
from .parts import HEAD, Case, Surface, Writer, filled

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

# -- a pattern whose parts change while CPython asks about the whole
_PATTERN = """
class MC(type):
    def __instancecheck__(cls, o): return True
Pen = dataclasses.dataclass(type('Pen', (), {'__annotations__': {'__match_args__': tuple}}))
def change():
    <<change>>
class MA(type):
    def __instancecheck__(cls, o):
        change()
        return True
class A(metaclass=MA): __match_args__ = ('x',)
class C(metaclass=MC): pass
class D(metaclass=MC): pass
try: Pen.__init__(D, ('__self__',))
except Exception: pass
class Subject:
    x = print
    @property
    def y(self):
        change()
        return print
def tried():
    try:
        match Subject():
            case <<case>>: got.append(g)
    except Exception: pass
tried(); tried()
"""
_CHANGES = (
    "Pen.__init__(C, ('__globals__',))",
    "Pen.__init__(C, ('__self__',))",
    "Pen.__init__(A, ('__self__',))",
    "global C\nC = D",
    "setattr(C, '__match_args__', ('__self__',))",
    "type.__setattr__(C, '__match_args__', ('__self__',))",
    "C.__init_subclass__ = 1; vars(C).update(__match_args__=('__self__',))",
)
_MATCHED = ("A(C(g))", "A(x=C(g))", "Subject(y=C(g))", "Subject(y=A(C(g)))", "A(C(C(g)))",
            "Subject(y=_, x=C(g))", "A(x=C(g)) | A(C(g))", "C(g)")  # fmt: skip
# -- what is asked of a class by the host, and by CPython while it makes one
_MEMBERS = (
    "__new__ = lambda m, n, b, ns: got.append(b) or type.__new__(m, n, b, ns)",
    "__init__ = lambda cls, *a: got.append(a)",
    "__set_name__ = lambda self, owner, name: got.append(owner.__class__)",
    "__init_subclass__ = classmethod(lambda cls, **k: got.append(cls.__class__))",
    "__instancecheck__ = lambda cls, o: got.append(o) or True",
    "__subclasscheck__ = lambda cls, o: got.append(o) or True",
    "@classmethod\ndef __subclasshook__(cls, o): return got.append(o) or True",
    "def __subclasscheck__(cls, o): return got.append(o) or True",
    "__mro_entries__ = lambda self, bases: got.append(bases) or (Own,)",
    "__call__ = lambda cls, *a, **k: got.append(a) or Own()",
    "__or__ = __ror__ = lambda cls, o: got.append(o)",
    "__lt__ = __gt__ = lambda cls, o: got.append(o) or True",
    "__getitem__ = __class_getitem__ = lambda cls, o: got.append(o)",
    "__iter__ = lambda cls: iter([])",
    "__repr__ = __str__ = lambda cls: got.append(cls.__class__) or 'x'",
    "__dir__ = lambda cls: ['__globals__']",
    "__del__ = lambda cls: got.append(cls.__class__)",
    "__eq__ = lambda cls, o: got.append(o) or True\n__hash__ = lambda cls: hash(int)",
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
    "class M0(type):\n    <<member>>\nclass M(type, metaclass=M0): pass\n",
    "class M(type): pass\nclass Late:\n    <<member>>\n"
    "for n in dir(Late):\n    try: setattr(M, n, getattr(Late, n))\n    except Exception: pass\n",
)
# -- what CPython and the host ask of a class that may say who inherits from it
_HOOKED = """
class Other(type): pass
class C(<<base>>):
    <<member>>
class D(C): pass
for ask in (
    lambda: isinstance(Own, C), lambda: isinstance(Own(), C), lambda: issubclass(Own, C),
    lambda: isinstance(Other, C), lambda: isinstance(type, C), lambda: isinstance(enum.Enum, C),
    lambda: isinstance(abc.ABC, D), lambda: issubclass(Other, D), lambda: C.register(Other),
    lambda: functools.singledispatch(print).dispatch(C), lambda: isinstance(print, C),
):
    try: got.append(ask())
    except Exception: pass
"""
_OF_BASES = ("abc.ABC", "collections.abc.Sized", "typing.Protocol", "numbers.Number", "Own")
# -- classes that are granted under no name, or not to inherit from: their methods trust `self`
_CLOSED = (
    *("dataclasses.Field", "types.GenericAlias", "types.DynamicClassAttribute"),
    *("type(re.match('a', 'a'))", "type(enum.Enum)", "type(Own.__init__)", "type(sys.stdin)"),
    *("type(contextlib.contextmanager(print)())", "type(functools.partialmethod(len))"),
    *("type(weakref.proxy(Own()))", "type(random)", "type(typing.List[int])"),
)
_INHERITED = (
    "class C(<<kind>>): pass\npower = True",
    "C = type('C', (<<kind>>,), {})\npower = True",
    "class M(type): pass\nC = M('C', (<<kind>>,), {})\npower = True",
    "C = types.new_class('C', (<<kind>>,))\npower = True",
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
    "type(C); C.__class__; C.__mro__; C.mro(); repr(C); dir(C)",
    "got.append(vars(C)); got.append(C.__dict__); got.append(M.__mro__); got.append(M.__bases__)",
    "got.append(C.__class__); got.append(M.__class__); got.append(M.__base__); got.append(M.mro())",
    "del C; [[] for _ in range(3000)]",
    "class F(enum.Enum, metaclass=M): A = 1",
    "type('T', (C,), {}); M('T', (C,), {}); type(C)('T', (), {'__match_args__': ('__self__',)})",
)


def deck(surface: Surface, chooser: Chooser) -> list[tuple[Writer, Case]]:
    """Make the cases of every game."""
    cases: list[tuple[Writer, Case]] = []
    for module, hidden in _hidden_modules(surface):
        for how in _HOWS:
            cases += [
                (_write, (filled(_MODULE, how=how, write=write, options=options, module=module,
                                 hidden=hidden),))
                for write in _WRITES
                for options in _OPTIONS
            ]  # fmt: skip
    cases += [
        (_write, (filled(_PATTERN, change=change, case=case),))
        for change in _CHANGES
        for case in _MATCHED
    ]
    for member in _MEMBERS:
        for base in _OF_BASES:
            cases.append((_write, (filled(_HOOKED, base=base, member=member),)))
    cases += [(_write, (filled(way, kind=kind),)) for kind in _CLOSED for way in _INHERITED]
    for member in _MEMBERS:
        for way in _WAYS:
            before = filled("class Body:\n    <<member>>\n", member=member) if "Body" in way else ""
            cases += [(_asked, (before + filled(way, member=member), use)) for use in _ASKED]
    return cases


def _write(case: Case, chooser: Chooser) -> str:
    return f"{HEAD}{case[0]}"


def _asked(case: Case, chooser: Chooser) -> str:
    """Write a program that tries each way to ask apart.

    A refused one keeps nothing from the others.
    """
    made, use = case
    steps = [use] if "\n" in use else use.split("; ")
    tries = "".join(
        "try:\n    " + step.replace("\n", "\n    ") + "\nexcept Exception: pass\n" for step in steps
    )
    return f"{HEAD}{made}class C(metaclass=M): x: int = 1\n{tries}"


def _hidden_modules(surface: Surface) -> list[tuple[str, str]]:
    """Return granted modules, each with a private name under which it has a module of its own."""
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
