"""Taking the types of C code that are not kept out of every place where a program finds types.

Those are the lists of subclasses of their bases, and what abstract classes have met.
"""

import _abc  # type: ignore[import-not-found]
import gc
import sys
import weakref
from collections.abc import Iterable
from typing import Any

from sandbox.interpreter.disarming.natives import FORGOTTEN, KEPT, LANGUAGE_TYPES

_module_of = type.__dict__["__module__"].__get__
_flags_of, _HEAP = type.__dict__["__flags__"].__get__, 1 << 9  # Py_TPFLAGS_HEAPTYPE
_STATE = "_abc_impl"  # what a class has that is abstract
# Of modules that keep others.
_GONE = {
    # What opens a descriptor, and what lends its memory to a raw stream that may keep it.
    "_io": ("FileIO", "BufferedReader", "BufferedWriter", "BufferedRWPair", "BufferedRandom"),
    # Where a name only says that it is equal to `__dict__`, C reads it as if it were a text.
    "_thread": ("_local", "_localdummy"),
}
_TYPES_GONE = frozenset(
    (*FORGOTTEN, "_interpreters", "_xxsubinterpreters", "_interpchannels", "_testcapi")
)


def hide_types() -> list[type]:
    """Take the types of C code that is not kept, and all below them, from their bases' lists.

    Before the guards note which classes there are: what no guest finds is not the host's to show.
    Returns them: each type of this process for which `is_gone` is true, and all their subclasses.
    """
    types = _all_types()  # once: it looks at all objects that there are
    gone = classes_below(cls for cls in types if is_gone(cls))
    _hide(gone, types)
    return gone


def hide(classes: list[type]) -> None:
    """Take `classes`, and all below them, from where a program finds types.

    They know one another still: which heirs one of them has is asked by abstract ones among them.
    """
    if classes:
        _hide(classes_below(classes), _all_types(), apart=True)


def classes_below(roots: Iterable[type]) -> list[type]:
    """List `roots` and every class that inherits from one of them, each class once.

    Classes are told apart by identity: a metaclass may be one whose classes have no hash.
    """
    found: dict[int, type] = {id(cls): cls for cls in roots}
    stack: list[Any] = [*found.values()]
    while stack:
        for cls in type.__subclasses__(stack.pop()):
            if id(cls) not in found:
                found[id(cls)] = cls
                stack.append(cls)
    return list(found.values())


def _all_types() -> list[type]:
    objects = _objects()
    kinds = {id(kind) for kind in set(map(type, objects)) if issubclass(kind, type)}
    return [o for o in objects if id(type(o)) in kinds]


def _objects() -> list[Any]:
    return gc.get_objects() + _static_types()


def _static_types() -> list[type]:
    """List the types below `object` and in modules: the collector knows only run-time ones."""
    roots: list[Any] = [object]
    for module in list(sys.modules.values()):
        # Some are not finished, and in no list, before an attribute of theirs is asked for.
        roots += [o for o in vars(module).values() if issubclass(type(o), type) and o.__name__]
    return classes_below(roots)


def is_gone(cls: type) -> bool:
    """Say whether `cls` is gone, by the module that it says it is of: C code's own word."""
    module = _module_of(cls)
    name = cls.__name__
    if name in _GONE.get(module, ()):
        return True
    if module == "builtins" and not _flags_of(cls) & _HEAP and not issubclass(cls, BaseException):
        return name not in LANGUAGE_TYPES
    return module in _TYPES_GONE and not (module in KEPT and name in KEPT[module][0])


def _hide(gone: list[type], types: list[type], *, apart: bool = False) -> None:
    own = {id(cls) for cls in gone} if apart else set()
    references = {id(r): id(cls) for cls in gone for r in weakref.getweakrefs(cls)}
    held = [r for cls in gone for r in weakref.getweakrefs(cls)]
    for holder in gc.get_referrers(*held):  # once: each call looks at all objects that there are
        if type(holder) is dict:
            for key in [k for k, r in holder.items() if references.get(id(r)) == k]:
                _let_go(holder, key, own)
    _forget_registered(frozenset(map(id, held)), [cls for cls in types if id(cls) not in own])


def _let_go(holder: dict[Any, Any], key: Any, own: set[int]) -> None:
    """Take a class from the list of heirs that `holder` is, unless that is the list of an `own`."""
    reference = holder.pop(key)
    for base in reference().__bases__:
        if id(base) in own and not any(id(cls) == key for cls in type.__subclasses__(base)):
            holder[key] = reference
            return


def _forget_registered(hidden: frozenset[int], types: list[type]) -> None:
    """Take the weak references `hidden` out of what the abstract ones of `types` have met.

    C compares what it looks up there with what it finds, and so shows it to the metaclass of the
    class in question, which may choose its hash.
    """
    for cls in types:
        if _STATE not in vars(cls):
            continue
        registry, *caches, _ = _abc._get_dump(cls)
        if not hidden.isdisjoint(id(r) for known in (registry, *caches) for r in known):
            kept = [r() for r in registry if id(r) not in hidden]
            _abc._reset_registry(cls)
            _abc._reset_caches(cls)
            for subclass in kept:
                _abc._abc_register(cls, subclass)
