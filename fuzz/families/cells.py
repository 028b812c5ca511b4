"""Cell and descriptor games: what classes are made of, what stands between a name and its value.

Cells that CPython fills while it makes a class; heirs of `super` and of host descriptors with names
of their own; descriptors that are initialized again between the look at them and the call.
"""

from ..programs.hiding import Chooser
from .parts import HEAD, Case, Surface, Writer, filled

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
_FIRSTS = ("classmethod(g)", "type('K', (classmethod,), {})(g)")
_GETS = ("first.__get__", "getattr(first, '__get__')", "first.__get__(Own(), Own)")
_AGAINS = ("first.__init__(<<evil>>)", "type(first).__init__(first, <<evil>>)")
# Descriptors of the host's, which a class method passes on to up to 3.12.
_EVILS = (
    ("collections.ChainMap.parents", "collections.ChainMap({1: 2})", "collections.ChainMap"),
    ("fractions.Fraction.numerator", "fractions.Fraction(6)", "int"),
    ("statistics.NormalDist.mean", "statistics.NormalDist(2)", "float"),
    ("datetime.timedelta.days", "datetime.timedelta(5)", "int"),
    ("decimal.Decimal.real", "decimal.Decimal(5)", "decimal.Decimal"),
)
_CALLS = "lambda: get(None, <<o>>), lambda: get(<<o>>), lambda: get(<<o>>, Own), lambda: get()"


def deck(surface: Surface, chooser: Chooser) -> list[tuple[Writer, Case]]:
    """Make the cases of every game."""
    cases: list[tuple[Writer, Case]] = []
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
    return cases


def _again(first: str, get: str, again: str, evil: str, o: str, foreign: str) -> str:
    text = filled(
        _AGAIN, first=first, get=get, again=again, calls=f"{_CALLS},", foreign=f"{foreign},"
    )
    return filled(text, evil=evil, o=o)


def _write(case: Case, chooser: Chooser) -> str:
    return f"{HEAD}{case[0]}"
