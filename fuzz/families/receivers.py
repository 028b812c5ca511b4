"""Receivers of the guest's choice: host functions with a `self` and arguments not meant for them.

Each case is an owner: a granted class or function, a class that host code makes for a guest, or the
class of what a host function gives. A program asks the owner at run time what it has, and calls
each with every receiver. The inspector then looks whether anything of the host's was changed.
"""

from ..programs.hiding import Chooser
from .parts import Case, Surface, Writer, filled

_FRAME = """
got, seen = [], set()
class Own:
    x, data, maps, _fields = 1, [1], [{}, {}], ()
    def __len__(self): return 0
class Meta(type): pass
class OfMeta(metaclass=Meta): pass
def note(value):
    kind = type(value)
    if kind not in (int, str, float, bool, bytes) and value is not None and len(got) < 600:
        if id(value) not in seen:
            seen.add(id(value))
            got.append(value)
receivers = []
def receive(make):
    try: receivers.append(make())
    except Exception: pass
<<receivers>>
def function(*given, **named):
    for each in given: note(each)
    return 1
arguments = [(), (5,), ('planted',), (Own,), (function,), (function, 'update'), (Own, 'update')]
arguments += [(Own, '_invalid'), (Own, '__globals__')]
arguments += [('update', 5), ({'update': 5},), ([('update', 5)],), (None, Own), (b'x', 'y', 5)]
arguments += [(receivers[0],), (receivers[0], 'x'), ('x', receivers[-1]), (5, 6, 7, 8)]
named = [{}, {'update': 5}, {'name': 'update'}]
owner = <<owner>>
<<make>>
def methods():
    yield lambda *a, **k: owner(*a, **k)
    if not <<is_class>>: return
    for name in sorted(dir(owner)):
        if name in (<<skipped>>): continue
        try: yield getattr(owner, name)
        except Exception: pass
    for name in ('__init__', '__setattr__', '__delattr__', '__set_name__', '__get__', '__set__'):
        try: yield getattr(owner, name)
        except Exception: pass
for method in methods():
    if not callable(method): continue
    for receiver in receivers:
        for given in arguments:
            try: note(method(receiver, *given))
            except BaseException: pass
        try: note(method(receiver, **named[1]))
        except BaseException: pass
"""
# Whose change or answer would matter: classes, functions, modules and instances of the host's, and
# what a guest can make that stands for them.
_RECEIVERS = (
    *("collections.Counter", "string.Template", "enum.Enum", "collections.OrderedDict"),
    *("json.JSONEncoder", "textwrap.TextWrapper", "fractions.Fraction", "decimal.Decimal"),
    *("textwrap.dedent", "json.loads", "functools.reduce", "statistics.mean", "print", "len"),
    *("random", "collections", "json", "string", "sys"),
    *("json.JSONEncoder()", "string.Template('x')", "functools.partial(print)", "re.compile('x')"),
    *("type", "object", "int", "property", "Own", "Own()", "Meta", "OfMeta", "lambda *a: 1"),
    *("Own.__class__", "super(Own, Own())", "list[int]", "typing.Any", "abc.ABC"),
    *("dataclasses.field()", "enum.Enum('E', 'A B')", "contextlib.ExitStack", "queue.Queue"),
    *("functools.cached_property(len)", "statistics.NormalDist()", "collections.UserList"),
    *("print.__new__", "collections.OrderedDict.popitem"),
)

# Classes whose methods host code writes for a guest, and classes that have no granted name.
_MADE = (
    "dataclasses.dataclass(type('D', (), {'__annotations__': {'update': int}}))",
    "dataclasses.dataclass(type('D', (), {'__annotations__': {'zq': int}, 'zq': 1}))",
    "dataclasses.dataclass(frozen=True)(type('D', (), {'__annotations__': {'update': int}}))",
    "dataclasses.dataclass(order=True)(type('D', (), {'__annotations__': {'update': int}}))",
    "dataclasses.dataclass(slots=True)(type('D', (), {'__annotations__': {'update': int}}))",
    "dataclasses.dataclass(unsafe_hash=True)(type('D', (), {'__annotations__': {'x': int}}))",
    "collections.namedtuple('N', 'a b')",
    "typing.NamedTuple('N', [('a', int)])",
    "enum.Enum('E', 'A B')",
    "enum.Flag('E', 'A B')",
    "type(enum.Enum('E', 'A B').A)",
    "type('E', (Exception,), {})",
    "type(functools.cached_property(lambda s: 1))",
    "type(functools.partialmethod(len))",
    "type(functools.singledispatchmethod(len))",
    "type(functools.lru_cache(len))",
    "type(contextlib.contextmanager(lambda: iter([1]))())",
    "type(dataclasses.field())",
    "type(re.match('a', 'a'))",
    "type(string.Formatter)",
    "type(weakref.WeakSet())",
    "type(types.SimpleNamespace())",
    "type(typing.TypeVar('T'))",
    "type(typing.List[int])",
    "type(abc.ABC)",
    "type(property())",
    "type(lambda: 0)",
    "type(Own().__init__)",
    "type(random.Random())",
    "type(io.StringIO())",
    "type(sys.stdin)",
    "type(sys.stdout)",
    "type(threading.Thread())",
    "type(threading.Lock())",
    "type(queue.Queue())",
    "type(graphlib.TopologicalSorter())",
    "type('H', (string.Template,), {})",
    "type('H', (collections.UserDict,), {})",
    "type('H', (json.JSONEncoder,), {})",
    "type('H', (functools.partial,), {})",
    "type('H', (property,), {})",
    "type('H', (super,), {})",
    "type('H', (staticmethod,), {})",
    "type('H', (classmethod,), {})",
    "type('H', (type,), {})",
    "functools.total_ordering(type('T', (), {'__lt__': lambda a, b: True}))",
)
# Without end, or the end of the program.
_SKIPPED = ("serve_forever", "__del__", "wait", "join", "acquire", "get", "put", "run_forever")


def deck(surface: Surface, chooser: Chooser) -> list[tuple[Writer, Case]]:
    """Make the cases: owners, each with several handfuls of receivers."""
    values = surface.values()
    classes = [name for name, value in values if isinstance(value, type)]
    functions = [name for name, value in values if not isinstance(value, type)]
    known = [r for r in _RECEIVERS if surface.grants(r)]
    hands = [tuple(known[at::4]) for at in range(4)]
    cases: list[tuple[Writer, Case]] = []
    for owner in (*_MADE, *classes):
        cases += [(_write, (owner, True, hand)) for hand in hands]
    return cases + [(_write, (owner, False, tuple(known))) for owner in functions]


def _write(case: Case, chooser: Chooser) -> str:
    owner, is_class, hand = case
    own = [owner] if is_class else []
    receivers = "".join(f"receive(lambda: {r})\n" for r in (*own, *hand))
    return filled(
        _FRAME,
        owner=owner,
        receivers=receivers,
        make="receive(owner)" if is_class else "",
        is_class=str(is_class),
        skipped=", ".join(map(repr, _SKIPPED)),
    )
