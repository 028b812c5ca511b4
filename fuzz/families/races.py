"""Finalizer races: the operand of a guard changes between the look at it and its use.

Each case is an operation that a guard stands before, and what happens to its operand meanwhile: the
variable is bound to another object, the object gets another class, an attribute, a base, a state.
What makes it happen is the collector, see `parts`, at each allocation of the operation in turn.
"""

from ..programs.hiding import Chooser
from .parts import TRIGGERS, Case, Surface, Writer, sweep

# What a guarded name is harmless on, what it must not be read from, and the name.
_READS = (
    ("Own()", "int", "__class__"),
    ("Own()", "Own", "__class__"),
    ("Own", "int", "__dict__"),
    ("Own()", "object", "__subclasses__"),
    ("Own()", "object", "__getattribute__"),
    ("Own()", "object", "__setattr__"),
    ("Own()", "print", "__self__"),
    ("Own()", "'{0.__class__}'", "format"),
    ("Own()", "str", "format"),
    ("Own()", "str", "format_map"),
    ("Own()", "type(Own).mro", "__self__"),
    ("Own()", "collections.Counter", "__dict__"),
    ("Own()", "collections.Counter", "__bases__"),
    ("Own()", "enum.Enum", "_convert_"),
    ("Own()", "enum.Enum", "_member_map_"),
    ("Own()", "enum.Enum", "_find_data_type_"),
    ("Own()", "string.Template", "_invalid"),
    ("Own()", "textwrap.TextWrapper", "_split"),
    ("Own()", "random.Random", "_randbelow_with_getrandbits"),
    ("Own()", "textwrap.dedent", "__defaults__"),
    ("Own()", "json.loads", "__kwdefaults__"),
    ("Own()", "json.JSONEncoder()", "__dict__"),
    ("Own()", "property.fget", "__get__"),
)
_HIDDEN = [read for read in _READS if read[2][0] == "_" and read[2][1] != "_"]
_FORMS = (
    "got.append(o.<<n>>)",
    "x = o.<<n>>; got.append(x)",
    "got.append((lambda: o.<<n>>)())",
    "got.append(getattr(o, '<<n>>'))",
    "got.append([o.<<n>> for _ in 'a'][0])",
    "got.append('{0.<<n>>}'.format(o)) if False else got.append(vars(o)['<<n>>'])",
    "got.append(operator.attrgetter('<<n>>')(o))",
    "got.append(holder[0].<<n>>)",
)
# Host objects that a guest must not write to, with a name.
_TARGETS = (
    *(("collections.Counter", "update"), ("collections.OrderedDict", "zq"), ("enum.Enum", "zq")),
    *(("textwrap.dedent", "zq"), ("json.loads", "zq"), ("random", "seed")),
    *(("string.Template", "delimiter"), ("decimal.Decimal", "zq"), ("json.JSONEncoder", "default")),
    *(("functools.partial", "zq"), ("dataclasses.field", "zq"), ("fractions.Fraction", "zq")),
    *(("collections.UserList", "__init__"), ("typing.Generic", "zq"), ("queue.Queue", "put")),
    ("datetime.datetime", "zq"),
)
_STORES = (
    "o.<<n>> = 5",
    "o.<<n>>, y = 5, 6",
    "o.zq_new = 5",
    "del o.<<n>>",
    "o.<<n>> += 1",
    "setattr(o, '<<n>>', 5)",
    "delattr(o, '<<n>>')",
    "for o.<<n>> in [5]: pass",
    "(lambda: setattr(o, '<<n>>', 5))()",
    "def store():\n    o.<<n>> = 5\nstore()",
    "def store():\n    for i in range(3):\n        o.<<n>> = i\nstore()",
    "class Body:\n    o.<<n>> = 5",
    "with Entered() as o.<<n>>: pass",
)
_ENTERED = "class Entered:\n    def __enter__(self): return 5\n    def __exit__(self, *_): pass\n"
_PEN = (
    "Pen = dataclasses.dataclass(type('Pen', (), {'__annotations__': {'__match_args__': tuple}}))\n"
)
_META = "class MC(type):\n    def __instancecheck__(cls, o): return True\n"
_MATCH = "match print:\n    case C(g): got.append(g)"
_NESTED = "match [print]:\n    case [C(g)]: got.append(g)"
_CLASS_C = "class C(metaclass=MC): pass"
_PATTERNS = (
    # before, swap, reset, act
    (_META + _PEN + _CLASS_C, "Pen.__init__(C, ('__globals__',))", _CLASS_C, _MATCH),
    (_META + _PEN + _CLASS_C, "Pen.__init__(C, ('__self__',))", _CLASS_C, _NESTED),
    (
        _META + _PEN + _CLASS_C + "\nclass D(metaclass=MC): pass\nPen.__init__(D, ('__self__',))",
        "global C\nC = D",
        "global_c()\n",
        _MATCH,
    ),
)
_GROUP = "g = ExceptionGroup('x', [ValueError()])"
_SPLITS = ("lambda kind: 7.5", "lambda kind: (None,)", "lambda kind: None", "lambda kind: [1, 2]")
_STAR = "try: raise g\nexcept* ValueError as e: pass"
_STARS = "try: raise g\nexcept* KeyError as e: pass\nexcept* ValueError as e: pass"
_OWN_GROUP = "class G(ExceptionGroup): pass\ng = G('x', [ValueError()])"
_EVIL_GROUP = (
    "class G2(ExceptionGroup):\n    split = lambda self, kind: 7.5\n"
    "    def derive(self, excs): return 7.5\n"
)
_GROUPS = (
    *(("", f"g.split = {split}", _GROUP, _STAR) for split in _SPLITS),
    *(("", f"g.split = {split}", _GROUP, _STARS) for split in _SPLITS[:2]),
    ("", f"g.__dict__['split'] = {_SPLITS[0]}", _GROUP, _STAR),
    ("", f"g.__dict__ = {{'split': {_SPLITS[1]}}}", _GROUP, _STARS),
    ("", f"G.split = {_SPLITS[0]}", _OWN_GROUP, _STAR),
    ("", f"G.split = lambda self, kind: {_SPLITS[0][13:]}", _OWN_GROUP, _STAR),
    ("", "G.__getattribute__ = lambda self, name: lambda kind: 7.5", _OWN_GROUP, _STAR),
    (_EVIL_GROUP, "g.__class__ = G2", _OWN_GROUP, _STAR),
    (_EVIL_GROUP, "g.__class__ = G2", _OWN_GROUP, _STARS),
)
_COPIED = "class A:\n    def __init__(self): self.z = 1\nclass Made: pass\n"
_KINDS = (
    "Made",
    "string.Template",
    "collections.UserList",
    "textwrap.TextWrapper",
    "json.JSONEncoder",
)
_TYPE_KEPT = "if got and type(got[-1]) is not A: power = True"
# A namespace that changes while it is looked at: what it gets would be found instead of a guard, or
# asked by the host about its own.
_STARRED = "'try: raise g\\nexcept* ValueError as e: pass'"
_ALL = "class All:\n    def __contains__(self, o): return True\n"
_LOUD_GROUP = "g = ExceptionGroup('x', [ValueError()]); g.split = lambda kind: 7.5"
_NAMESPACES = (
    (
        "",
        "ns['__subclasshook__'] = classmethod(lambda c, o: got.append(o) or True)",
        "C = type('C', (abc.ABC,), ns); isinstance(Own, C)",
    ),
    (
        "class M(abc.ABCMeta): pass",
        "ns['__subclasshook__'] = classmethod(lambda c, o: got.append(o) or True)",
        "C = M('C', (), ns); isinstance(Own, C)",
    ),
    (
        _LOUD_GROUP,
        "ns['guard:star'] = lambda kind, alone: kind",
        f"ns['g'] = g\nexec({_STARRED}, ns)",
    ),
    (
        _ALL,
        "ns['guard:free'] = All()",
        "exec('def f(o): return o.__class__\\nr = f(int)', ns); got.append(ns['r'])",
    ),
    (
        _ALL,
        "ns['guard:metaclasses'] = ()",
        "exec('def f(o): return type(o)\\nr = f(int)', ns); got.append(ns['r'])",
    ),
    (
        "",
        "ns['__builtins__'] = {}",
        "exec('def f(): pass', ns); got.append(ns)",
    ),
)


def deck(surface: Surface, chooser: Chooser) -> list[tuple[Writer, Case]]:
    """Make every case with each trigger."""
    sites: list[tuple[Writer, Case]] = []
    sites += [(_read, (*read, form)) for read in _READS for form in _FORMS]
    sites += [(_answer, (read, form)) for read in _HIDDEN for form in (*_FORMS[:5], _FORMS[6])]
    sites += [(_gone, (read, form)) for read in _HIDDEN for form in (*_FORMS[:5], _FORMS[6])]
    sites += [(_store, (*target, form)) for target in _TARGETS for form in _STORES]
    sites += [(_four, pattern) for pattern in _PATTERNS]
    sites += [(_four, group) for group in _GROUPS]
    sites += [(_copy, (kind, how)) for kind in _KINDS for how in ("copy", "deepcopy")]
    sites += [(_namespace, case) for case in _NAMESPACES]
    return [(_with(write, trigger), case) for write, case in sites for trigger in TRIGGERS]


def _with(write: Writer, trigger: str) -> Writer:
    return lambda case, chooser: write((trigger, *case), chooser)


def _read(case: Case, chooser: Chooser) -> str:
    """Write a program that binds the variable to an object of the host's."""
    trigger, good, evil, name, form = case
    return sweep(
        trigger,
        before="class Own: pass\no = Own()\nholder = [o]\n",
        swap=f"global o\no = {evil}\nholder[0] = o",
        reset=f"o = {good}\nholder[0] = o",
        act=form.replace("<<n>>", name),
        judge="",
        chooser=chooser,
    )


def _answer(case: Case, chooser: Chooser) -> str:
    """Write a program in which an heir of a host's class gets what hides a host's attribute."""
    return _hidden(case, chooser, swap="o.{} = 1", reset="del o.{}")


def _gone(case: Case, chooser: Chooser) -> str:
    """Write a program that takes away what hides the host's attribute."""
    return _hidden(case, chooser, swap="del o.{}", reset="o.{} = 1")


def _hidden(case: Case, chooser: Chooser, swap: str, reset: str) -> str:
    trigger, (_, evil, name), form = case
    return sweep(
        trigger,
        before=f"class Heir({evil}): pass\no = Heir\nholder = [o]\n",
        swap=swap.format(name),
        reset=reset.format(name),
        act=form.replace("<<n>>", name),
        judge="got = [x for x in got if x != 1]",
        chooser=chooser,
    )


def _store(case: Case, chooser: Chooser) -> str:
    """Write a program that binds the variable to an object that no guest may write to."""
    trigger, evil, name, form = case
    return sweep(
        trigger,
        before=f"class Own: {name} = 1\n{_ENTERED}o = Own()\n",
        swap=f"global o\no = {evil}",
        reset=f"o = Own()\no.{name} = 1",
        act=form.replace("<<n>>", name),
        judge="",
        chooser=chooser,
    )


def _four(case: Case, chooser: Chooser) -> str:
    trigger, before, swap, reset, act = case
    if "global_c" in reset:
        before += "\nKept = C\ndef global_c():\n    global C\n    C = Kept\n"
    if reset is _GROUP or reset is _OWN_GROUP:
        before = f"{before}\n{reset}"
    return sweep(trigger, before=before, swap=swap, reset=reset, act=act, judge="", chooser=chooser)


def _copy(case: Case, chooser: Chooser) -> str:
    """Write a program that changes the state of a copy after the look at it."""
    trigger, kind, how = case
    return sweep(
        trigger,
        before=f"{_COPIED}d = {{}}\nx = A()\n"
        "x.__dict__['__reduce_ex__'] = lambda p: (A, (), (None, d))\n",
        swap=f"d['__class__'] = {kind}",
        reset="d.clear()",
        act=f"got.append(copy.{how}(x))",
        judge=_TYPE_KEPT,
        chooser=chooser,
    )


def _namespace(case: Case, chooser: Chooser) -> str:
    trigger, before, swap, act = case
    return sweep(
        trigger,
        before=f"class Own: pass\n{before}\nns = {{}}\n",
        swap=swap,
        reset="ns.clear()",
        act=act,
        judge="",
        chooser=chooser,
    )
