"""Double evaluation: objects that say one thing when they are looked at and another when used.

Each case is a liar and a use. A liar counts what it is asked: from some question on it gives the
other answer. How many questions a guard puts is not known here, so every turn is tried.
"""

from ..programs.hiding import Chooser
from .parts import Case, Surface, Writer, asked, filled

# A text that is another text. `said` is what the guards may see, `meant` what CPython would take.
_TEXTS = {
    "by its methods": """
class Liar(str):
    def __eq__(self, other): return answer(str.__eq__(self, other), False)
    def __ne__(self, other): return True
    def __hash__(self): return answer(str.__hash__(self), hash('real'))
    def __str__(self): return answer('real', '<<meant>>')
    def __getitem__(self, at): return answer('r', '_')
    def startswith(self, *_): return False
    def endswith(self, *_): return False
    def isidentifier(self): return True
    def split(self, *_): return answer(['real'], ['<<meant>>'])
    def replace(self, *_): return self
    def __iter__(self): return iter(answer(['real'], ['<<meant>>']))
    def __contains__(self, other): return False
    def __format__(self, spec): return '<<meant>>'
liar = Liar('<<meant>>')
""",
    "by its hash": """
class Liar(str):
    def __hash__(self): return answer(hash('real'), str.__hash__(self))
    def __contains__(self, other): return False
    def __getitem__(self, at): return 'real'
liar = Liar('<<meant>>')
""",
    "by what it becomes": """
class Liar(str):
    def __new__(cls): return str.__new__(cls, 'real')
    def __str__(self): return answer('real', '<<meant>>')
    def __hash__(self): return hash('<<meant>>')
    def __eq__(self, other): return True
    def lower(self): return '<<meant>>'
    def __repr__(self): return '<<meant>>'
liar = Liar()
""",
}
_MEANT = ("__class__", "__globals__", "__self__", "_convert_", "__subclasses__", "__match_args__")
_TEXT_USES = (
    "got.append(getattr(len, liar))",
    "got.append(getattr(Own, liar))",
    "got.append(getattr(object, liar))",
    "got.append(getattr(enum.Enum, liar))",
    "got.append(getattr(lambda: 0, liar))",
    "got.append(operator.attrgetter(liar)(lambda: 0))",
    "got.append(operator.attrgetter('real.' + liar)(1))",
    "got.append(operator.methodcaller(liar)(object))",
    "setattr(Own, liar, lambda *a: 5); got.append(Own)",
    "setattr(collections.Counter, liar, 5)",
    "setattr(f := (lambda: 0), liar, {}); got.append(f)",
    "got.append(collections.namedtuple('N', [liar]))",
    "got.append(collections.namedtuple('N', liar)(Eq()) == (Eq(),))",
    "got.append(enum.Enum('E', {liar: 1}))",
    "got.append(type('C', (), {liar: ('__globals__',)}))",
    "got.append(type(liar, (), {}))",
    "got.append(('{0.' + liar + '}').format(len))",
    "got.append(liar.format(len))",
    "got.append(eval(liar))",
    "exec(liar + ' = 1')",
    "got.append(dataclasses.field(default=1)); got[-1].name = liar",
    "got.append(vars(len)[liar])",
    "got.append(hasattr(len, liar) and getattr(len, liar, 1))",
    "got.append(functools.partial(getattr, len)(liar))",
    "got.append(functools.reduce(getattr, [liar, '__globals__'], Own))",
    "got.append(type('C', (), {'__slots__': (liar,)})())",
    "class M:\n    x = liar\n    __slots__ = (liar,)\ngot.append(M)",
    "got.append(copy.replace(Own(), **{liar: 1}))",
    "got.append(types.SimpleNamespace(**{liar: 1}))",
    "got.append(string.Formatter().get_field(liar, (len,), {}))",
    "delattr(Own, liar)",
)
# An object that says what its class is: the host's trust is in `isinstance`.
_CLASSES = """
class Liar:
    def __getattribute__(self, name):
        if name == '<<name>>': return answer(<<first>>, <<then>>)
        return answer(<<plain>>, <<evil>>)
    def __call__(self, *a, **k): return answer(None, 1)
    def __get__(self, o, cls): return answer(self, <<then>>)
    def __iter__(self): return iter(answer([], ['__globals__']))
    def __eq__(self, other):
        got.append(other)
        return True
    def __hash__(self): return hash(<<then>>)
liar = Liar()
"""
_PROPERTIES = (
    *(("__class__", "Own", "int"), ("__class__", "type", "str"), ("__class__", "int", "type")),
    ("__class__", "Own", "dict"),
    ("__class__", "Own", "ExceptionGroup"),
    ("__class__", "Own", "dataclasses.Field"),
    ("__class__", "Own", "collections.Counter"),
    ("__dict__", "{}", "{'__globals__': 1}"),
    ("__name__", "'x'", "'__globals__'"),
    ("__module__", "'__main__'", "'random'"),
    ("__doc__", "None", "'f(x=sys.executable)'"),
    ("__qualname__", "'x'", "'a.<locals>.b'"),
    ("__wrapped__", "Own", "len"),
    ("__annotations__", "{}", "{'x==_os': int}"),
    ("__match_args__", "()", "('__globals__',)"),
    ("__mro_entries__", "lambda bases: ()", "lambda bases: (type,)"),
    ("__abstractmethods__", "frozenset()", "frozenset(['__globals__'])"),
    ("__dataclass_fields__", "{}", "{'__globals__': 1}"),
)
_EVIL = (
    ("None", "'(x=sys.executable, y=os.sep)'"),
    ("'(x)'", "'(a, x=sys.executable, y=os.sep, z=sandbox.__file__)'"),
    ("'__main__'", "'random'"),
    ("()", "('__globals__', '__self__')"),
    ("Own", "len"),
)
_ANSWERING = """
class Liar:
    def __getattr__(self, name):
        if name == '__signature__': return answer(<<plain>>, <<evil>>)
        raise AttributeError(name)
    def __call__(self, *a): pass
liar = Liar()
"""
_USES = (
    "got.append(dataclasses.dataclass(init=False)(type('C', (), {'__init__': liar})).__doc__)",
    "got.append(dataclasses.dataclass(type('C', (), {'__annotations__': {'x': liar}})).__doc__)",
    "class C:\n    __init__ = liar\ngot.append(dataclasses.dataclass(init=False)(C).__doc__)",
    "class C:\n    x: int = liar\ngot.append(dataclasses.dataclass(C))\ngot.append(C() == C())",
    "class C(liar): pass\ngot.append(C)",
    "class C(metaclass=liar): pass\ngot.append(C)",
    "class C:\n    x = liar\ngot.append(C.x)",
    "got.append(getattr(liar, '__class__')); got.append(liar.__class__)",
    "got.append(getattr(liar, '__dict__')); got.append(vars(liar))",
    "got.append(super(liar, Own()).__init__)",
    "got.append(super(Own, liar).__class__)",
    "got.append(copy.copy(liar)); got.append(copy.deepcopy([liar]))",
    "got.append(functools.update_wrapper(lambda: 0, liar))",
    "got.append(functools.wraps(liar)(lambda: 0).__wrapped__)",
    "got.append(functools.lru_cache(liar)); got.append(got[-1].__wrapped__)",
    "got.append(functools.partial(liar)()); got.append(functools.partialmethod(liar).func)",
    "got.append(functools.total_ordering(liar))",
    "f = functools.singledispatch(liar); f.register(liar, len); got.append(f)",
    "got.append(functools.cached_property(liar)); got[-1].__get__(Own(), Own)",
    "got.append(isinstance(1, liar)); got.append(issubclass(int, liar))",
    "got.append(type('C', (liar,), {}))",
    "got.append(type('C', (), liar))",
    "try: raise ExceptionGroup('x', [ValueError()])\nexcept* liar as e: got.append(e)",
    "match liar:\n    case dict(): got.append(1)\n    case Own(real=x): got.append(x)",
    "match len:\n    case liar(g): got.append(g)",
    "got.append('{0.real} {0.__class__}'.format(liar))",
    "got.append(dataclasses.fields(liar)); got.append(dataclasses.asdict(liar))",
    "got.append(dataclasses.replace(liar, x=1))",
    "got.append(enum.Enum('E', liar)); got.append(enum.unique(liar))",
    "got.append(typing.get_type_hints(liar))",
    "got.append(typing.NamedTuple('N', [('a', liar)]))",
    "got.append(abc.update_abstractmethods(liar))",
    "got.append(contextlib.contextmanager(liar)().__enter__())",
    "got.append(weakref.proxy(liar).__class__)",
    "got.append(types.MethodType(liar, len).__func__)",
    "got.append(classmethod(liar).__wrapped__); got.append(property(liar).fget)",
    "got.append(json.dumps(liar)); got.append(pprint.pformat(liar))",
    "liar.zq = 5; got.append(liar.zq)",
    "got.append(sorted([liar, liar])); got.append(sum([liar], liar))",
)
# Formats that are judged by what they say of themselves.
_FORMAT = """
class Liar(str):
    def __str__(self): return answer('x', '{0}')
    def __contains__(self, part): return answer(False, True)
    def __iter__(self): return iter('x')
    def find(self, *a): return -1
    def __eq__(self, other): return answer(True, False)
    def __hash__(self): return hash('x')
liar = Liar('{0.<<name>>}')
"""
_FORMAT_USES = (
    "got.append(liar.format(print))",
    "got.append(getattr(liar, 'format')(print))",
    "got.append(liar.format_map({'0': print}))",
    "got.append(str.format(liar, print))",
    "got.append(format(print, liar))",
    "got.append(f'{print:{liar}}')",
    "got.append(string.Formatter().vformat(liar, (print,), {}))",
    "got.append(collections.UserString(liar).format(print))",
    "got.append(operator.methodcaller('format', print)(liar))",
)


def deck(surface: Surface, chooser: Chooser) -> list[tuple[Writer, Case]]:
    """Make the cases: liars x uses."""
    cases: list[tuple[Writer, Case]] = []
    texts = [filled(text, meant=meant) for text in _TEXTS.values() for meant in _MEANT]
    cases += [(asked, (liar, use)) for liar in texts for use in _TEXT_USES]
    plain = [("__class__", "Own", "Own", *evil) for evil in _EVIL]
    for name, first, then, normal, evil in (*((*p, *_EVIL[0]) for p in _PROPERTIES), *plain):
        liar = filled(_CLASSES, name=name, first=first, then=then, plain=normal, evil=evil)
        cases += [(asked, (liar, use)) for use in _USES]
    for normal, evil in _EVIL:
        liar = filled(_ANSWERING, plain=normal, evil=evil)
        cases += [(asked, (liar, use)) for use in _USES]
    for name in (*_MEANT, "__code__"):
        cases += [(asked, (filled(_FORMAT, name=name), use)) for use in _FORMAT_USES]
    return cases
