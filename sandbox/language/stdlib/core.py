"""Stand-ins for names of `abc`, `operator`, `io`, `contextlib`, `collections` and others."""

import itertools
import operator as operator_module
import sys
import typing as typing_module
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.language.compile.names import may_be_field
from sandbox.language.guards.classes.class_origin import exact_names
from sandbox.language.guest import state as entered
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_attribute, denied_class
from sandbox.language.guest.files.streams import STREAMS
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.guest.stdio import BinaryOut, BytesIn
from sandbox.language.stdlib.data.ordered import OrderedDict
from sandbox.language.stdlib.data.typing import guard_marking_classes, own_only


def abc(context: Context) -> dict[str, Any]:
    """`ABCMeta` without its call; marks are set on what is the guest's."""
    import abc as real

    guard_marking_classes(context, real.abstractclassmethod, real.abstractstaticmethod)
    return {
        "ABCMeta": context.classes.abc_meta,
        "abstractmethod": own_only(context, real.abstractmethod),
        "update_abstractmethods": own_only(context, real.update_abstractmethods),
    }


def operator(context: Context) -> dict[str, Any]:
    """`attrgetter` and `methodcaller` read attributes in C, whatever their name."""
    read = context.guards.getattr

    def attrgetter(name: str, /, *names: str) -> Callable[[Any], Any]:
        paths = [str.__str__(item).split(".") for item in (name, *names)]

        def walk(o: Any, path: list[str]) -> Any:
            for step in path:
                o = read(o, step)
            return o

        if len(paths) == 1:
            return lambda o, /: walk(o, paths[0])
        return lambda o, /: tuple([walk(o, path) for path in paths])

    def methodcaller(name: str, /, *args: Any, **kwargs: Any) -> Callable[[Any], Any]:
        name = str.__str__(name)
        return lambda o, /: read(o, name)(*args, **kwargs)

    return {"attrgetter": attrgetter, "methodcaller": methodcaller}


def binascii(context: Context) -> dict[str, Any]:
    """`a2b_uu` reads what is behind its argument: bytes end in one that is theirs (gh-148093)."""
    import binascii as real

    decode = real.a2b_uu

    def a2b_uu(data: Any, /) -> bytes:
        if not issubclass(type(data), (str, bytes)):
            with suppress(TypeError):  # if it is no buffer, CPython's will say so
                data = bytes(memoryview(data))
        return decode(data)

    return {"a2b_uu": a2b_uu}


def difflib(context: Context) -> dict[str, Any]:
    """`HtmlDiff` counts its tables in the class, which no program's call may write to."""
    import difflib as real

    numbers = itertools.count()

    def _make_prefix(self: Any) -> None:
        number = next(numbers)
        self._prefix = [f"from{number}_", f"to{number}_"]

    real.HtmlDiff._make_prefix = _make_prefix  # type: ignore[attr-defined]
    return {}


def re(context: Context) -> dict[str, Any]:
    """Flags are a part of the key of a cache: a number, and not what says that it equals one."""
    import re as real

    module: Any = real
    compile_pattern = module._compile
    if not getattr(compile_pattern, "guarded", False):

        def _compile(pattern: Any, flags: Any) -> Any:
            if type(flags) is not int and type(flags) is not real.RegexFlag:
                flags = operator_module.index(flags)
            return compile_pattern(pattern, flags)

        _compile.guarded = True  # type: ignore[attr-defined]
        module._compile = _compile
    return {}


def io(context: Context) -> dict[str, Any]:
    """`io.open` is the builtin; buffers are over our own streams only, see `BytesIn`."""
    import io as real

    own = (BytesIn, BinaryOut, real.BytesIO, *STREAMS)

    def buffer(name: str) -> type:
        def __new__(cls: type, /, raw: Any, *rest: Any, **options: Any) -> Any:
            if type(raw) not in own:
                raise denied_class(f"a {name} over this {type(raw).__name__!r} object")
            return raw

        return type(name, (), {"__new__": __new__, "__module__": "io"})

    names = ("BufferedReader", "BufferedWriter", "BufferedRandom", "BufferedRWPair")
    granted = context.builtins.get("open")
    return {"open": granted if granted else None} | {name: buffer(name) for name in names}


def contextlib(context: Context) -> dict[str, Any]:
    """The redirections write to the guest's `sys`, not to ours."""
    import contextlib as real

    state = context.state

    def redirect(name: str) -> type:
        class redirection(real.AbstractContextManager):  # type: ignore[type-arg]
            def __init__(self, new_target: Any) -> None:
                self._new_target = new_target
                self._old_targets: list[Any] = []  # it may be entered again

            def __enter__(self) -> Any:
                check(self)
                self._old_targets.append(state.sys[name])
                state.set_stream(name, self._new_target)
                return self._new_target

            def __exit__(self, *error: object) -> None:
                check(self)
                state.set_stream(name, self._old_targets.pop())

        def check(o: object) -> None:
            if not issubclass(type(o), redirection):
                raise denied_class("redirecting by an object of another class")

        redirection.__name__ = redirection.__qualname__ = f"redirect_{name}"
        redirection.__module__ = "contextlib"
        return redirection

    return {"redirect_stdout": redirect("stdout"), "redirect_stderr": redirect("stderr")}


def collections(context: Context) -> dict[str, Any]:
    """namedtuple evaluates a text made of its field names; UserString.format is str.format."""
    import collections as real

    make = real.namedtuple
    if not getattr(make, "guarded", False):

        def namedtuple(
            typename: Any, field_names: Any, *, defaults: Any = None, **options: Any
        ) -> Any:
            if not on_behalf_of_guest():
                options.setdefault("module", sys._getframe(1).f_globals.get("__name__"))
                return _with_defaults(make(typename, field_names, **options), defaults)
            options = exact_names(options)
            if isinstance(field_names, str):
                field_names = str.__str__(field_names).replace(",", " ").split()
            exact = [
                str.__str__(item if isinstance(item, str) else str(item)) for item in field_names
            ]
            options["rename"] = rename = bool(options.get("rename"))  # it could answer twice
            for name in exact:
                if not may_be_field(name) and not rename:
                    raise denied_attribute(name)
            if rename:
                exact = [name if may_be_field(name) else "-" for name in exact]
            if not isinstance(typename, str):
                typename = str(typename)
            options["module"] = str.__str__(options.get("module") or "__main__")
            made = _with_defaults(make(str.__str__(typename), exact, **options), defaults)
            entered.classes().note(made)
            return made

        namedtuple.guarded = True  # type: ignore[attr-defined]
        real.namedtuple = namedtuple
    read = context.guards.getattr

    def format(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        return read(self.data, "format")(*args, **kwargs)

    def format_map(self: Any, mapping: Any) -> Any:
        return read(self.data, "format_map")(mapping)

    user_string: Any = real.UserString
    user_string.format, user_string.format_map = format, format_map
    _alias_ordered()
    return {"namedtuple": real.namedtuple, "OrderedDict": OrderedDict}


def _with_defaults(cls: Any, defaults: Any) -> Any:
    """As `namedtuple` itself would do it, whose store to a function ends a program."""
    if defaults is not None:
        values = tuple(defaults)
        if len(values) > len(cls._fields):
            raise TypeError("Got more default values than field names")
        asking.give_defaults(cls.__new__, values)
        cls._field_defaults = dict(
            zip(cls._fields[len(cls._fields) - len(values) :], values, strict=True)
        )
    return cls


def _alias_ordered() -> None:
    """`typing.OrderedDict` makes instances too, and is a base."""
    alias: Any = typing_module.OrderedDict
    alias.__dict__["__origin__"] = OrderedDict
