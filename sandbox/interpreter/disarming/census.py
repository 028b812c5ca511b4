"""The proof that a process is disarmed: every native callable that an attacker could come to.

Not what guards let through is counted, but what there is: from the guest's builtins and facades,
the loaded modules and the frames of the stack along every reference that the collector knows, weak
ones included, to the subclasses of every class. `natives` says what may be found; anything else is
named. So is a code object to which the vault gives a right of its own.
"""

import gc
import sys
import types
import weakref
from collections.abc import Callable, Iterable
from importlib.machinery import FrozenImporter, SourceFileLoader
from itertools import compress
from typing import Any, NamedTuple

from sandbox.interpreter.disarming.hiding import is_gone
from sandbox.interpreter.disarming.identity import by_identity, identity, identity_at
from sandbox.interpreter.disarming.natives import EVERYTHING, KEPT, TYPES

_DESCRIPTORS = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
)
# What is done with an object, by its class.
_NATIVE, _MODULE = "native", "module"
_CODE, _REFERENCE, _PLAIN, _LEAF = "code", "reference", "plain", ""
_LEAVES = (str, int, float, bytes, bool, complex, type(None))
_AT_A_TIME = 1000
_SPECIAL = (_NATIVE, _MODULE, _CODE, _REFERENCE)  # lead to more than the collector tells
_HIDDEN = (_MODULE, _CODE)  # not what C code keeps in a module beside its dict, for one


class Count(NamedTuple):
    """The number of objects and of native callables, and the names of those on no list."""

    objects: int
    natives: int
    unknown: tuple[str, ...]


def prepare(privileged: frozenset[int]) -> Callable[[Iterable[Any]], Count]:
    """Return the census, with all that it needs in its closure: before the process is disarmed.

    `privileged` are the ids of the code objects that `vault.install` returns.
    """
    referents, frame_at, subclasses = gc.get_referents, sys._getframe, type.__subclasses__
    rest = gc.disable  # a collection writes to every object, and so copies every page
    modules = sys.modules
    _PYTHON.update(_python_modules())
    forbidden = frozenset(map(identity_at, privileged))

    def count(roots: Iterable[Any]) -> Count:
        rest()
        own = frame_at(0)
        seen: dict[int, Any] = by_identity((own, count, seen_by))
        found: list[Any] = [*roots, modules, own.f_back]
        natives, unknown = 0, set()
        sorts: dict[int, str] = {}  # by class; there are a hundred objects of each
        sort_of = sorts.get
        judged: dict[int, bool] = {}  # classes
        while found:
            # The last ones found, as they are in the processor's cache; many at a time, so that C
            # code does what is done with each.
            some = found[-_AT_A_TIME:]
            del found[-_AT_A_TIME:]
            kinds = [*map(identity, map(type, some))]
            row = [*map(sort_of, kinds)]
            if None in row:
                rows = zip(kinds, some, row, strict=True)
                met = {key: type(o) for key, o, sort in rows if sort is None}
                sorts |= {key: _sort_of(kind) for key, kind in met.items()}
                found += met.values()
                row = [*map(sort_of, kinds)]
            solid = [*compress(some, row)]
            keyed = zip(map(identity, solid), solid, strict=True)
            fresh = {key: o for key, o in keyed if key not in seen}
            seen |= fresh
            open_ = []
            for o in fresh.values():
                sort = sorts[identity(type(o))]
                if sort == _PLAIN:
                    open_.append(o)
                    continue
                if sort == _NATIVE and _is_counted(o):
                    natives += 1
                    if not _is_known(o, judged):
                        unknown.add(_native_name(o))
                found += seen_by(o, sort)
                if sort not in _HIDDEN:
                    open_.append(o)
            found += referents(*open_)
        unknown |= {f"code of the vault's '{seen[key].co_name}'" for key in forbidden & seen.keys()}
        return Count(len(seen), natives, tuple(sorted(unknown)))

    def seen_by(o: Any, sort: str) -> list[Any]:
        """List the objects that `o`, of the given sort, leads to and the collector does not tell.

        For a module its namespace, for code the code of inner functions, for a weak reference its
        object, for a C function what it is bound to, for a class its direct subclasses.
        """
        if sort == _MODULE:
            return [vars(o)]
        if sort == _CODE:
            return [constant for constant in o.co_consts if type(constant) is types.CodeType]
        if sort == _REFERENCE:
            return [weakref.ReferenceType.__call__(o)]
        if type(o) is types.BuiltinFunctionType:
            return [o.__self__]
        return subclasses(o) if issubclass(type(o), type) else []

    return count


def _sort_of(kind: type) -> str:
    if kind in _LEAVES:
        return _LEAF
    if kind in (types.BuiltinFunctionType, memoryview, *_DESCRIPTORS) or issubclass(kind, type):
        return _NATIVE
    if kind is types.ModuleType:
        return _MODULE
    if kind is types.CodeType:
        return _CODE
    return _REFERENCE if issubclass(kind, weakref.ReferenceType) else _PLAIN


def _is_counted(o: Any) -> bool:
    """Leave out a view of what an object owns."""
    if type(o) is not memoryview:
        return True
    try:
        return o.obj is None
    except ValueError:  # it is released
        return False


def _native_name(o: Any) -> str:
    kind = type(o)
    if issubclass(kind, type):
        return f"type {_full_name(o)}"
    if kind is types.BuiltinFunctionType:
        owner = o.__self__
        where = owner.__name__ if type(owner) is types.ModuleType else _full_name(type(owner))
        return f"function {where}.{o.__name__}"
    if kind in _DESCRIPTORS:
        return f"descriptor {_full_name(o.__objclass__)}.{o.__name__}"
    return "view of memory that belongs to no object"


def _full_name(cls: type) -> str:
    module = type.__dict__["__module__"].__get__(cls)
    return f"{module}.{type.__dict__['__qualname__'].__get__(cls)}"


def _is_known(o: Any, judged: dict[int, bool]) -> bool:
    kind = type(o)
    if kind is memoryview:  # where a method's address stands, say
        return False
    if issubclass(kind, type):
        cls = o
    elif kind in _DESCRIPTORS:
        cls = o.__objclass__
    else:
        owner = o.__self__
        if type(owner) is types.ModuleType:
            kept, _ = KEPT.get(_C_NAMES.get(owner.__name__, owner.__name__), ((), ""))
            return kept == EVERYTHING or o.__name__ in kept
        # A method: as good as its object's class.
        cls = owner if issubclass(type(owner), type) else type(owner)
    key = identity(cls)
    if key not in judged:
        judged[key] = _is_known_type(cls)
    return judged[key]


_C_NAMES = {"decimal": "_decimal", "io": "_io"}


def _is_known_type(cls: type) -> bool:
    module, name = _module_of(cls), _name_of(cls)
    if issubclass(cls, (BaseException, tuple)):  # data
        return True
    if is_gone(cls):
        return False
    kept, _ = KEPT.get(module, ((), ""))
    return module in TYPES or kept == EVERYTHING or name in kept or module in _PYTHON


_PYTHON: set[str] = set()
_module_of, _name_of = type.__dict__["__module__"].__get__, type.__dict__["__qualname__"].__get__


def _python_modules() -> set[str]:
    """Return the modules made of text: their classes hold nothing that is not counted by itself."""
    found = set()
    for name, module in sys.modules.items():
        loader = getattr(vars(module).get("__spec__"), "loader", None)
        if loader is FrozenImporter or type(loader) is SourceFileLoader:
            found.add(name)
    return found
