"""Which methods of the host look at their receiver: what one asks of it that a guest may not ask.

A method needs no look that does nothing which a guest could not do by itself: what it names, and
what the functions name that it calls, is safe on any object, and no state of the
host's is among it. All functions of the library are read, each once, and without a generator or an
operator of a dict's: in a hardened process these are ours, and slow.
"""

import re
import struct
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.compile.names import PLAIN, is_dunder, read_kind
from sandbox.language.compile.words import words
from sandbox.language.guards.attributes.shown_types import KIND, STAND_IN
from sandbox.language.guards.classes.class_origin import dict_of, is_class, mro_of

# What reads or writes under a name that is made at run time.
_DYNAMIC = words("getattr setattr delattr vars eval exec locals globals compile __import__")
# Ours: the guards look at what they are given, as do the methods that stand before C code.
_LOOKING = ("sandbox.language.guards.", "sandbox.language.natives.", "sandbox.interpreter.")
_TAKING = (  # but not these
    "sandbox.language.guards.classes.class_hooks",
    "sandbox.language.guards.classes.host_dicts",
)
# What stores under any name, past what a class says of stores.
_STORING = frozenset(
    map(
        identity,
        (object.__setattr__, object.__delattr__, type.__setattr__, type.__delattr__),
    )
)
_STATELESS = frozenset(
    map(
        identity,
        (
            *(int, float, str, bytes, bool, tuple, frozenset, object, type(None)),
            *(type(NotImplemented), types.ModuleType, types.FunctionType, types.MethodType),
            *(types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType),
            *(re.Pattern, struct.Struct),
        ),
    )
)


def private_names(classes: Iterable[type]) -> dict[str, list[type]]:
    """Map each private name to the classes that have it."""
    found: dict[str, list[type]] = {}
    for cls in classes:
        for name in dict_of(cls):
            if name[:1] == "_" and not is_dunder(name):
                found.setdefault(name, []).append(cls)
    return found


class Reading(NamedTuple):
    """What the code of one function names, as far as that decides whether it needs a look."""

    asks: bool  # what a guest may not read of any object
    doubtful: list[str]  # names of attributes that a guest may not read of every object
    calls: list[types.FunctionType]


def needs_look(
    function: types.FunctionType,
    owner: type,
    private: dict[str, list[type]],
    readings: dict[int, Reading],
) -> bool:
    """Return False if `function` only does to another class's receiver what a guest could do.

    That is asked of `function` itself and of all in Python that it names, by variables of whatever
    kind. `readings` has what was read before, by the function's identity.
    """
    if issubclass(owner, type):
        return True
    todo, met = [function], {identity(function)}
    while todo:
        one = todo.pop()
        reading = readings.get(identity(one))
        if reading is None:
            reading = readings[identity(one)] = _read(one)
        if reading.asks or [n for n in reading.doubtful if _is_foreign(n, owner, private)]:
            return True
        for called in reading.calls:
            if identity(called) not in met:
                met.add(identity(called))
                todo.append(called)
    return False


def _read(function: types.FunctionType) -> Reading:
    names = _names(function.__code__)
    values = _named(function, names)
    functions = [v.__func__ if type(v) is types.MethodType else v for v in values]
    of_type = "type" in names and str(function.__module__).startswith("sandbox.")
    state = [v for v in values if identity(v) in _STORING or _is_state(v)]
    return Reading(
        # In ours the variable `type` is the real one, see `shown_types`.
        of_type or bool(state) or not names.isdisjoint(_DYNAMIC),
        [name for name in names if read_kind(name) != PLAIN and name not in (KIND, STAND_IN)],
        [f for f in functions if type(f) is types.FunctionType and not looks(f)],
    )


def looks(function: types.FunctionType) -> bool:
    """Return True for a function that looks itself at what it is given."""
    return is_of_the_guards(function.__module__)


def is_of_the_guards(module: object) -> bool:
    """Return True for a module of ours whose functions do so."""
    return str(module).startswith(_LOOKING) and module not in _TAKING


def _named(function: types.FunctionType, names: frozenset[str]) -> list[Any]:
    """List what `names`, those in the code of `function`, stand for, where that can be known."""
    around = [cell.cell_contents for cell in function.__closure__ or () if _is_full(cell)]
    around += [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    variables = function.__globals__
    found = {name: variables[name] for name in names if name in variables}
    for module in [o for o in [*around, *found.values()] if type(o) is types.ModuleType]:
        attributes = vars(module)
        for name in names:
            if name in attributes:
                found[name] = attributes[name]
    return [*around, *found.values()]


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _names(code: types.CodeType) -> frozenset[str]:
    inner = [_names(const) for const in code.co_consts if type(const) is types.CodeType]
    return frozenset(code.co_names).union(*inner)


def _is_state(value: object) -> bool:
    """Return True for what a function could note its receiver in, or show to it."""
    return identity(type(value)) not in _STATELESS and not is_class(value)


def _is_foreign(name: str, owner: type, private: dict[str, list[type]]) -> bool:
    if name not in private:
        return True
    kin = [cls for cls in private[name] if owner in mro_of(cls) or cls in mro_of(owner)]
    return len(kin) < len(private[name])
