"""Host code that hands on `type(x)` hands on what a program is shown.

A function of a granted module may give what `type` says to a function of the program's, keep it, or
call it; of a class that is a real metaclass, whose call looks at no namespace. So in the code of
each function of the host that a granted module leads to, the variable `type` is another: it is
called as `type` is, and answers with the stand-in where the answer is a metaclass of the host's.

The real `type` stays where its answer goes nowhere: compared at once with a class that the code
names, or behind `isinstance`; and in the functions of `LEFT`, each with its reason.
"""

import dis
import gc
import itertools
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from sandbox.errors import SandboxError
from sandbox.interpreter.disarming.identity import identity, instances
from sandbox.language.guards.attributes.owners import ELSEWHERE
from sandbox.language.guards.classes.classes import Classes

# Variables of the host's modules from now on; no program can spell them.
KIND, STAND_IN = "shown:type_of", "shown:type"
_COMPARED = "its answer is compared with classes of the module's own"
_MAKES = "it makes a class of the module's own, or one that was looked at before"
_OURS = "what a program calls is ours, see `stdlib/copying/copy`"
_OPERATES = "it calls a method by its name on what it asks about; called at every comparison"
# By module and qualified name.
LEFT = {
    ("abc", "_subclasscheck"): "ours: it looks at its receiver, see `natives/types/abstract`",
    ("abc", "_instancecheck"): "ours: hooks of a program's are shown what it may see",
    ("collections", "namedtuple"): _MAKES,
    ("contextlib", "_GeneratorContextManagerBase.__init__"): (
        "it asks for the docstring of its own class; called at every `with`"
    ),
    ("copy", "_deepcopy_method"): _OURS,
    ("copy", "copy"): _OURS,
    ("copy", "deepcopy"): _OURS,
    ("dataclasses", "_add_slots"): _MAKES,
    ("dataclasses", "_get_field"): "a refusal names the type of a default",
    ("functools", "_make_key"): "CPython's own caches are written in C",
    ("enum", "Enum.__new__"): "its answer is compared with the class that is called",
    ("enum", "EnumType._convert_"): _MAKES,
    ("enum", "_simple_enum.<locals>.convert_class"): _MAKES,
    ("fractions", "Fraction.__new__"): _COMPARED,
    ("re", "_compile"): "a part of a key that a program never sees; called at every match",
    ("typing", "Generic.__init_subclass__"): _COMPARED,
    ("typing", "_generic_init_subclass"): _COMPARED,
    ("typing", "NamedTupleMeta.__new__"): "it asks a default for `__set_name__`, and for its name",
    ("typing", "_ProtocolMeta.__instancecheck__"): "it calls methods of `type` on its own classes",
    ("typing", "_ProtocolMeta.__subclasscheck__"): "it calls methods of `type` on its own classes",
    ("typing", "_TypedDictMeta.__new__"): _COMPARED,
    ("types", "_calculate_meta"): "no program calls it, and the host needs the real metaclass",
    ("types", "new_class"): "no program calls it, and the host needs the real metaclass",
    ("types", "prepare_class"): "no program calls it, and the host needs the real metaclass",
    **{
        ("functools", f"_{one}_from_{other}"): _OPERATES
        for one in ("lt", "le", "gt", "ge")
        for other in ("lt", "le", "gt", "ge")
    },
}


def show_types(modules: Iterable[str], classes: Classes) -> None:
    """Bind `type` anew in all functions of `modules` and of the library modules these lead to."""
    shown = shown_type(classes)
    for function in functions_of(modules):
        names = function.__globals__
        code = _rebound(function.__code__, names["__name__"])
        if code is not function.__code__:
            function.__code__ = code
        # Not into modules of C, where a type that no list keeps is taken from the whole process.
        names.update({KIND: shown, STAND_IN: classes.type})


def shown_type(classes: Classes) -> Callable[[Any], Any]:
    """Make a `type` of one argument, as a program's own is."""
    stand_ins = classes.stand_ins

    def type_of(o: Any, /) -> Any:
        kind = type(o)
        return stand_ins.get(identity(kind), kind)

    return type_of


def reached_modules(names: Iterable[str]) -> list[types.ModuleType]:
    """List modules of the standard library that those of `names` import, by whatever steps."""
    found: dict[str, types.ModuleType] = {}
    todo = [*names]
    while todo:
        name = todo.pop()
        module = sys.modules.get(name)
        if module is None or name in found or not _is_of_library(name):
            continue
        found[name] = module
        for value in list(vars(module).values()):
            home = value.__name__ if type(value) is types.ModuleType else _home(value)
            todo += [home] if type(home) is str else []
    return [*found.values()]


def _is_of_library(name: str) -> bool:
    root = name.partition(".")[0]
    return root in sys.stdlib_module_names and not {root, name} & ELSEWHERE


def _home(value: Any) -> Any:
    plain = type(value) in (types.FunctionType, type)
    return value.__module__ if plain else None


def functions_of(modules: Iterable[str]) -> Iterator[types.FunctionType]:
    """Yield all functions whose variables are those of such a module."""
    spaces = {identity(vars(module)) for module in reached_modules(modules)}
    for function in instances(gc.get_objects(), [types.FunctionType]):
        if identity(function.__globals__) in spaces:
            yield function


def _rebound(code: types.CodeType, module: str) -> types.CodeType:
    """Return `code`, and code inside it, with the other variable where it hands on the answer."""
    inner = tuple(
        _rebound(const, module) if type(const) is types.CodeType else const
        for const in code.co_consts
    )
    if any(new is not old for new, old in zip(inner, code.co_consts, strict=True)):
        code = code.replace(co_consts=inner)
    if "type" not in code.co_names or (module, code.co_qualname) in LEFT:
        return code
    steps = [*_steps(code)]
    uses = _type_uses(steps)
    if all(use in (COMPARED, ASKED) for use in uses):
        return code
    if any(step.name == "type" and step.operation not in _LOADS for step in steps):
        raise SandboxError(f"{module}.{code.co_qualname} has a variable and an attribute 'type'")
    name = STAND_IN if {ASKED, UNKNOWN}.intersection(uses) else KIND
    return renamed(code, {"type": name})


def rename(function: types.FunctionType, new: dict[str, str]) -> None:
    """Have the code of `function` load variables of other names; it has no such attributes."""
    if not new.keys().isdisjoint(function.__code__.co_names):
        function.__code__ = renamed(function.__code__, new)


def renamed(code: types.CodeType, new: dict[str, str]) -> types.CodeType:
    """Return `code` with other names for the variables that it loads."""
    return code.replace(co_names=tuple(new.get(name, name) for name in code.co_names))


class Step(NamedTuple):
    """One instruction: the name that it is about, if any, and where its expression begins."""

    operation: str
    name: str
    start: tuple[int, int] | None


def _steps(code: types.CodeType) -> Iterator[Step]:
    """Yield the instructions of `code`; `dis` would take 50 times as long, before every program."""
    text, extension = code.co_code, 0
    places = itertools.chain(code.co_positions(), itertools.repeat((None,) * 4))
    for at, (line, _, column, _) in zip(range(0, len(text), 2), places, strict=False):
        operation, argument = dis.opname[text[at]], text[at + 1] | extension
        extension = argument << 8 if operation == "EXTENDED_ARG" else 0
        if operation not in _EMPTY:
            named = text[at] in dis.hasname
            name = code.co_names[argument >> _SHIFTS.get(operation, 0)] if named else ""
            start = None if line is None or column is None else (line, column)
            yield Step(operation, name, start)


# By instruction, where in its argument the place of the name begins.
_SHIFTS = {"LOAD_GLOBAL": 1, "LOAD_SUPER_ATTR": 2}
if sys.version_info >= (3, 12):
    _SHIFTS["LOAD_ATTR"] = 1
_EMPTY = ("CACHE", "PRECALL", "NOP", "PUSH_NULL", "EXTENDED_ARG")
_LOADS = ("LOAD_GLOBAL", "LOAD_NAME")
_ASKING = ("isinstance", "issubclass")
_COMPARES = (["IS_OP"], ["COMPARE_OP"], ["CONTAINS_OP"])


# What becomes of `type` in `isinstance(x, type)`, in `type(x) is Name`, elsewhere, and in code that
# does not say where in its source it stands.
ASKED, COMPARED, HANDED_ON, UNKNOWN = "asked", "compared", "handed on", "unknown"


def type_uses(code: types.CodeType) -> list[str]:
    """Say what becomes of each load of the variable `type` in `code`."""
    return _type_uses([*_steps(code)])


def _type_uses(steps: list[Step]) -> list[str]:
    return [
        UNKNOWN if step.start is None else _use(steps, at)
        for at, step in enumerate(steps)
        if step.operation in _LOADS and step.name == "type"
    ]


def _use(steps: list[Step], at: int) -> str:
    following = [step.operation for step in steps[at + 1 : at + 3]]
    if following[:1] == ["CALL"]:
        called = steps[at + 1].start
        asks = [s.start for s in steps[:at] if s.operation in _LOADS and s.name in _ASKING]
        return ASKED if called in asks else HANDED_ON
    after = _after_call(steps, at)
    compared = after[:1] in (["LOAD_GLOBAL"], ["LOAD_CONST"]) and after[1:2] in _COMPARES
    return COMPARED if compared or following == ["LOAD_CONST", "CALL"] else HANDED_ON


def _after_call(steps: list[Step], at: int) -> list[str]:
    """Find what follows on the call of what is loaded there; nothing where that cannot be told."""
    for place in range(at + 1, len(steps)):
        if steps[place].operation == "CALL" and steps[place].start == steps[at].start:
            return [step.operation for step in steps[place + 1 : place + 3]]
    return []
