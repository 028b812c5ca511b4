"""Lends library modules what is no stand-in, by a module that no program can import."""

import sys
import types
from typing import Any

from sandbox.interpreter.vault.asking import evaluate
from sandbox.language.compile.compiler import (
    TEXT,
    Refused,
    compile_program,
    delegates,
    notices_ends,
)
from sandbox.language.compile.names import is_dunder, may_bind
from sandbox.language.guards.classes.annotations import is_annotate, values
from sandbox.language.guards.classes.class_origin import dict_of, is_class, is_guest_function
from sandbox.language.guards.namespaces import Namespaces, visible
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import denied_attribute, denied_code
from sandbox.language.guest.state import GuestState
from sandbox.language.library.lenient import DISPLAY, ExampleDialect
from sandbox.language.natives.demand import DELEGATING, turn_all

HOST = "sandbox_library"
# By module, names that library modules read of it and no program can be granted: empty ones.
EXTRA: dict[str, dict[str, Any]] = {
    "sys": {"builtin_module_names": (), "modules": {}, "path": [], "warnoptions": []},
}
_TOLD = (
    *("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_nlocals", "co_flags"),
    *("co_name", "co_qualname", "co_firstlineno", "co_filename"),
)
_SHOWN = ("__name__", "__doc__", "__file__", "__all__")
_LISTED = ("co_varnames", "co_freevars", "co_cellvars", "co_names")


class CodeView:
    """Numbers and names that a function's code has; no way to the code itself."""

    __slots__ = (*_TOLD, *_LISTED)


_fill = {name: CodeView.__dict__[name].__set__ for name in CodeView.__slots__}
_read = {name: CodeView.__dict__[name].__get__ for name in CodeView.__slots__}


def inspected(o: Any, name: str, /) -> Any:
    """Return what library code may read under a name that programs may not.

    That is numbers and names of a function of the program's own, of which it has the text.
    """
    if name == "__code__" and is_guest_function(o):
        return _view(o.__code__)
    if type(o) is CodeView and name in _read:
        return _read[name](o)
    raise denied_attribute(name)


def _view(code: types.CodeType) -> CodeView:
    view = CodeView()
    for name in _TOLD:
        _fill[name](view, getattr(code, name))
    for name in _LISTED:
        _fill[name](view, tuple(item for item in getattr(code, name) if ":" not in item))
    return view


def displaying(state: GuestState) -> dict[str, Any]:
    """Return, under the name that no program spells, what shows the value of an example."""

    def display(value: Any, /) -> Any:
        if value is not None:
            state.sys["stdout"].write(f"{value!r}\n")
        return value

    return {DISPLAY: display}


def lent(context: Context) -> dict[str, Any]:
    """Make the functions of the module `HOST`."""
    state = context.state
    namespaces = Namespaces(state)

    def names() -> dict[str, Any]:
        """Return a copy of the program's variables."""
        seen = visible(state.main).items()
        return {name: value for name, value in seen if not is_dunder(name) or name in _SHOWN}

    def store(name: Any, *value: Any) -> None:
        """Bind or delete one of the program's variables."""
        if type(name) is not str or ":" in name or not may_bind(name):
            raise denied_attribute(str(name))
        if value:
            state.main[name] = value[0]
        else:
            state.main.pop(name, None)

    def source() -> str:
        """Return the text of the program."""
        return state.source

    def run_example(text: Any, globs: Any) -> None:
        """Run `text` in `globs` as a prompt does: what its expressions give is printed."""
        if type(text) is not str:
            raise TypeError("an example is a text")
        state.noticing = state.noticing or notices_ends(text)
        if delegates(text):
            turn_all(DELEGATING)
        failure: BaseException
        try:
            code = compile_program(text, state.plan, "exec", TEXT, ExampleDialect)
        except Refused as refused:
            failure = denied_code("; ".join(item.what for item in refused.refusals))
        else:
            inside = namespaces.enter(globs)
            try:
                evaluate(code, inside)
            finally:
                namespaces.leave(globs, inside)
            return
        raise failure

    def exception() -> BaseException | None:
        return sys.exception()

    def annotations_of(o: Any) -> Any:
        """Return the annotations of a function or class of the program's, see `values`."""
        annotate: Any = dict_of(o).get("__annotate_func__") if is_class(o) else None
        if is_guest_function(o):
            annotate = o.__annotate__
        return values(annotate, o)[0] if is_annotate(annotate) else {}

    functions = (names, store, source, run_example, exception, annotations_of)
    return {function.__name__: function for function in functions}
