"""The table of how objects are copied, by their class or by the host's that it inherits from.

What is not in the table is refused. Each row makes the copy by the class itself, as the program
could, from parts that are read by the host class's own descriptors: no class is handed a state that
the program had a chance to choose.
"""

import collections
import functools
import itertools
import sys
import types
import typing
import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.guards.classes.class_origin import Kinship, dict_of, mro_of, name_of
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.stdlib.copying import makers as make
from sandbox.language.stdlib.data.ordered import OrderedDict
from sandbox.language.stdlib.data.uuid import UUID, copied
from sandbox.language.stdlib.system.logging import Logger

# Never copied, nor kept in a memo: what they are is all that there is to them.
PLAIN: frozenset[Any] = frozenset((type(None), int, float, bool, complex, bytes, str))
_ATOMIC: tuple[Any, ...] = (
    *(range, property, types.FunctionType, types.BuiltinFunctionType, types.EllipsisType),
    *(types.NotImplementedType, types.MethodWrapperType, types.WrapperDescriptorType),
    *(types.MethodDescriptorType, types.ClassMethodDescriptorType, types.GetSetDescriptorType),
    *(types.MemberDescriptorType, weakref.ref, types.GenericAlias, types.UnionType),
    *(typing.TypeVar, typing.ParamSpec, typing.NewType),
)
ATOMIC = PLAIN.union(_ATOMIC)


class Row(NamedTuple):
    """One class of the host's."""

    make: make.Maker
    fill: Callable[[Any, Any, make.Deep, Any], None] | None = None
    attributes: bool = True  # of its own, where there are any, are copied
    open: bool = False  # what is in its namespace is the program's, also in one of the host's class
    heirs: bool = True  # a program's class that inherits from it is copied alike
    family: bool = False  # and a class of the host's, too


def _itself(x: Any, cls: Any, deep: make.Deep, run: Any) -> Any:
    return x


# CPython copies nothing of `itertools` from 3.14 on.
_PIPES: tuple[type, ...] = ()
if sys.version_info < (3, 14):
    _PIPES = (
        *(itertools.count, itertools.repeat, itertools.starmap),
        *(itertools.compress, itertools.filterfalse),
    )
_CURSOR, _PIPE = Row(make.cursor, heirs=False), Row(make.pipe, heirs=False)
_SEQUENCES: tuple[Any, ...] = (
    *([], (), "", "\u0100", b"", bytearray(), range(0), range(1 << 70), set()),
    *({}, {}.values(), {}.items()),
)
_OPEN = Row(make.new, open=True)
_ERROR = Row(make.error, open=True, family=True)
_ROWS: dict[Any, Row] = {
    object: Row(make.new),
    list: Row(make.new, make.append),
    dict: Row(make.new, make.insert),
    OrderedDict: Row(make.called, make.insert),
    collections.defaultdict: Row(make.defaults, make.insert, attributes=False),
    collections.Counter: Row(make.counts, attributes=False),
    collections.deque: Row(make.queue, make.append),
    set: Row(make.elements(set.__iter__)),
    frozenset: Row(make.elements(frozenset.__iter__)),
    tuple: Row(make.fields, family=True),
    bytearray: Row(make.octets),
    int: Row(make.value(int.__pos__)),
    float: Row(make.value(float.__pos__)),
    complex: Row(make.value(complex.__pos__)),
    str: Row(make.value(str.__str__)),
    bytes: Row(make.value(lambda x: bytes.__getitem__(x, slice(None)))),
    slice: Row(make.bounds, heirs=False),
    Logger: Row(_itself, heirs=False, family=True),
    UUID: Row(copied),
    functools.partial: Row(make.call),
    types.SimpleNamespace: Row(make.called),
    collections.UserDict: _OPEN,
    collections.UserList: _OPEN,
    collections.UserString: _OPEN,
    collections.ChainMap: _OPEN,
    BaseException: _ERROR,
    OSError: _ERROR._replace(make=make.os_error),
    ImportError: _ERROR._replace(fill=make.members(ImportError, "name", "path")),
    AttributeError: _ERROR._replace(fill=make.members(AttributeError, "name")),
    **dict.fromkeys(map(type, map(iter, _SEQUENCES)), _CURSOR),
    **dict.fromkeys((enumerate, zip, map, filter, *_PIPES), _PIPE),
}
# Of modules that need not be loaded: what is not there has no instance.
_ELSEWHERE: dict[str, Callable[[Any], Row]] = {
    "calendar.Calendar": lambda cls: _OPEN._replace(family=True),
    "datetime.date": lambda cls: Row(make.moment(cls), attributes=False),
    "datetime.datetime": lambda cls: Row(make.moment(cls), attributes=False),
    "datetime.time": lambda cls: Row(make.moment(cls), attributes=False),
    "datetime.timedelta": lambda cls: Row(make.moment(cls), attributes=False),
    "datetime.timezone": lambda cls: Row(_itself),
    "datetime.tzinfo": lambda cls: Row(make.called),
    "io.BytesIO": lambda cls: Row(make.stream(cls)),
    "io.StringIO": lambda cls: Row(make.stream(cls)),
    "json.JSONDecodeError": lambda cls: Row(make.json_error, attributes=False),
    "operator.itemgetter": lambda cls: Row(_itself),
    "random.Random": lambda cls: Row(make.generator(cls), attributes=False, family=True),
    "string.Template": lambda cls: _OPEN,
    "textwrap.TextWrapper": lambda cls: _OPEN,
    "time.struct_time": lambda cls: Row(_itself),
    "typing._Final": lambda cls: Row(_itself, heirs=False, family=True),
}


class Rows:
    """The table, for the classes of one world."""

    def __init__(self, kin: Kinship) -> None:
        self.kin = kin
        self.by_identity = {identity(cls): (cls, row) for cls, row in _ROWS.items()}
        for path, make_row in _ELSEWHERE.items():
            module, _, name = path.partition(".")
            cls = getattr(sys.modules.get(module), name, None)
            if cls is not None:
                self.by_identity[identity(cls)] = cls, make_row(cls)

    def row(self, x: Any, kind: type, is_host: bool) -> Row:
        """Return how to copy `x`. Raises TypeError, also for a host's own namespace or partial."""
        if not is_host and len(mro_of(kind)) == 2:
            return _ROWS[object]
        cls, row = self.by_identity.get(identity(kind)) or self._inherited(kind, is_host)
        if row is None or (kind in self.kin.holders and not self.kin.holds_own(x)):
            raise _refusal(kind)
        if cls is not kind and not (row.family if is_host else row.heirs):
            raise _refusal(kind)
        return row

    def _inherited(self, kind: type, is_host: bool) -> tuple[type, Row | None]:
        """The row of the first class that has one: none may have fields that it does not know."""
        hosts = [base for base in mro_of(kind) if base in self.kin.host]
        cls, row = next(
            self.by_identity[identity(base)] for base in hosts if identity(base) in self.by_identity
        )
        if is_host:
            return cls, row
        for base in filter(adds_fields, hosts):
            if base not in mro_of(cls) and not (row.family and cls in mro_of(base)):
                return kind, None
        return cls, row


def adds_fields(cls: Any) -> bool:
    """True if instances of `cls` have fields in C, or slots, that those of its base have not.

    As `extra_ivars` in CPython's typeobject.c: a namespace and a list of weak references are none.
    """
    base = _base(cls)
    if base is None:
        return False
    size = _size(cls)
    if _item_size(cls) or _item_size(base):
        return bool(size != _size(base) or _item_size(cls) != _item_size(base))
    for offset in (_weak_references, _namespace):
        if offset(cls) > 0 and offset(base) == 0 and offset(cls) + 8 == size:
            size -= 8
    return bool(size != _size(base))


_base, _size, _item_size, _weak_references, _namespace = (
    type.__dict__[name].__get__
    for name in ("__base__", "__basicsize__", "__itemsize__", "__weakrefoffset__", "__dictoffset__")
)


def _refusal(kind: type) -> BaseException:
    """In CPython's words where it refuses too."""
    if issubclass(kind, types.ModuleType):
        return TypeError("cannot pickle 'module' object")
    hosts = [base for base in mro_of(kind) if base is not object]
    plain = not any(_HOOKS & dict_of(base).keys() for base in hosts)
    module = str(dict_of(kind).get("__module__", "builtins"))
    if plain and any(map(adds_fields, hosts)) and not module.startswith("sandbox."):
        prefix = "" if module == "builtins" else f"{module}."
        return TypeError(f"cannot pickle {prefix + name_of(kind)!r} object")
    return denied_class(f"copying this {name_of(kind)!r} object")


_HOOKS = {"__reduce__", "__reduce_ex__", "__getstate__", "__getnewargs__", "__getnewargs_ex__"}
