"""The builtins that a guest gets in a form of our own; all others are CPython's."""

import builtins
import types
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.attributes.lookup import bound
from sandbox.language.guards.classes.class_origin import dict_of, instance_dict, mro_of
from sandbox.language.guards.classes.classes import Classes
from sandbox.language.guards.evaluation import evaluation
from sandbox.language.guards.global_names import global_names
from sandbox.language.guards.guards import Guards
from sandbox.language.guards.namespaces import Namespaces, visible
from sandbox.language.guest.state import GuestState
from sandbox.language.guest.stdio import TextOut, read_line
from sandbox.language.natives.calls.generators import following

_NONE = object()


def guarded_builtins(state: GuestState, guards: Guards, classes: Classes) -> dict[str, Any]:
    """Return, by name, the stand-ins of all builtins that need one."""
    functions: list[Callable[..., Any]] = [
        *_attributes(guards),
        *_namespaces(state, guards),
        *_streams(state),
        *evaluation(state, Namespaces(state)),
        *_identities(state),
        *_asynchronous(),
    ]
    for function in functions:
        real = getattr(builtins, function.__name__, None)  # without `site` there is no exit()
        function.__doc__, function.__module__ = getattr(real, "__doc__", None), "builtins"
        function.__qualname__ = function.__name__  # it is named where a call does not fit
    table: dict[str, Any] = {function.__name__: function for function in functions}
    table["type"] = classes.type
    table["quit"] = table["exit"]
    return table


def _identities(state: GuestState) -> list[Callable[..., Any]]:
    if state.numbers is None:
        return []
    number = state.numbers.id

    def id(object: Any, /) -> int:
        return number(object)

    return [id]


class _Made:
    """Gives what another's `__anext__` has given."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def __anext__(self) -> Any:
        return self._made


def _asynchronous() -> list[Callable[..., Any]]:
    own: Any = builtins.anext

    def anext(async_iterator: Any, /, *default: Any) -> Any:
        # CPython's goes on with a default where `__anext__` itself has raised (gh-131670).
        if len(default) > 1:
            raise TypeError(f"anext expected at most 2 arguments, got {1 + len(default)}")
        made = following(own(async_iterator), bool(default))
        return own(_Made(made), *default) if default else made

    return [anext]


def _attributes(guards: Guards) -> list[Callable[..., Any]]:
    read, exists, store, remove = guards.getattr, guards.hasattr, guards.setattr, guards.delattr

    def getattr(object: Any, name: Any, /, *default: Any) -> Any:
        if len(default) > 1:
            raise TypeError(f"getattr expected at most 3 arguments, got {2 + len(default)}")
        return read(object, name, *default)

    def hasattr(object: Any, name: Any, /) -> bool:
        return exists(object, name)

    def setattr(object: Any, name: Any, value: Any, /) -> None:
        store(object, name, value)

    def delattr(object: Any, name: Any, /) -> None:
        remove(object, name)

    return [getattr, hasattr, setattr, delattr]


def _namespaces(state: GuestState, guards: Guards) -> list[Any]:
    def globals() -> dict[str, Any]:
        return global_names(state.guest_frame().f_globals)

    def locals() -> dict[str, Any]:
        frame = state.guest_frame()
        if frame.f_locals is frame.f_globals:
            return global_names(frame.f_globals)
        return visible(frame.f_locals)

    def vars(object: Any = _NONE, /) -> Any:
        if object is _NONE:
            return locals()
        try:
            return guards.getattr(object, "__dict__")
        except AttributeError:
            is_module = issubclass(type(object), types.ModuleType)
            namespace = instance_dict(object) if is_module else None
        if namespace is None:
            raise TypeError("vars() argument must have __dict__ attribute")
        return visible(namespace)

    def dir(object: Any = _NONE, /) -> list[str]:
        if object is _NONE:
            return sorted(visible(state.guest_frame().f_locals))
        return [name for name in _listed(object) if type(name) is not str or ":" not in name]

    return [globals, locals, vars, dir]


def _listed(o: Any) -> list[Any]:
    """List names as `dir` does, which without an argument tells the variables of its caller."""
    if o is None:  # which a descriptor takes for no instance at all
        return sorted(object.__dir__(o))
    kind = type(o)
    method = next(dict_of(cls)["__dir__"] for cls in mro_of(kind) if "__dir__" in dict_of(cls))
    return sorted(bound(method, o, kind)())


def _streams(state: GuestState) -> list[Callable[..., Any]]:
    names = state.sys
    all_silent = _SILENT.issuperset

    def print(
        *objects: Any, sep: Any = " ", end: Any = "\n", file: Any = None, flush: Any = False
    ) -> None:
        out = names["stdout"] if file is None else file
        if type(sep) is not str:
            sep = _separator("sep", sep, " ")
        if type(end) is not str:
            end = _separator("end", end, "\n")
        if type(out) is not TextOut:
            _print_to(out, objects, sep, end)
        elif len(objects) == 1:
            text = objects[0]
            out.write((text if type(text) is str else str(text)) + end)
        elif all_silent(map(type, objects)):
            pieces: list[str] = []
            try:
                pieces.extend(map(str, objects))
            except BaseException:  # what came before the fault has been printed
                out.write(sep.join([*pieces, ""]))
                raise
            out.write(sep.join(pieces) + end)
        else:
            _print_in_order(out, objects, sep, end)
        if flush:
            out.flush()

    def input(prompt: Any = "", /) -> str:
        text = str(prompt)
        if text:
            names["stdout"].write(text)
        return read_line(names["stdin"])

    def open(
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: Any = None,
        errors: Any = None,
        newline: Any = None,
        closefd: Any = True,
        opener: Any = None,
    ) -> Any:
        options = (mode, buffering, encoding, errors, newline, closefd, opener)
        return state.files.open(state.standard_stream, file, *options)

    def exit(code: Any = None) -> None:
        raise SystemExit(code)

    return [print, input, open, exit]


# Whose texts run no code of a program's, which might print what comes between.
_SILENT = frozenset((str, int, float, bool, type(None)))


def _separator(name: str, value: Any, default: str) -> str:
    if value is None:
        return default
    if not isinstance(value, str):
        raise TypeError(f"{name} must be None or a string, not {type(value).__name__}")
    return value


def _print_in_order(out: TextOut, objects: tuple[Any, ...], sep: str, end: str) -> None:
    """Write `objects`; what comes before one with code of the program's goes out before it runs."""
    pending = ""
    try:
        for place, item in enumerate(objects, 1):
            if pending and type(item) not in _SILENT:
                pending, ready = "", pending
                out.write(ready)
            pending += str(item) + (end if place == len(objects) else sep)
    finally:
        if pending:
            out.write(pending)


def _print_to(out: Any, objects: tuple[Any, ...], sep: str, end: str) -> None:
    if out is None:
        return
    for index, item in enumerate(objects):
        if index:
            out.write(sep)
        out.write(str(item))
    out.write(end)
