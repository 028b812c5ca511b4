"""Brings numpy into a supervisor so that no object of a child leads to it.

`Loading` is begun before numpy is imported, and ended behind it. What it imports then gets a
standard library and builtins of its own (`private`): with them, code of numpy's that imports
something when it runs finds it, though `sys.modules` has it no more. The engine is made with them,
too, and closed over by an audit hook, which the interpreter keeps in a list of C's. So a census of
all objects does not meet it.
"""

import builtins
import gc
import itertools
import sys
import types
from collections.abc import Callable
from typing import Any

from sandbox.interpreter.disarming.hiding import hide
from sandbox.language.numpy import private
from sandbox.language.numpy.asking import EVENT
from sandbox.language.numpy.engine import functions, tables
from sandbox.language.numpy.rehearsal import rehearse

# Imported ahead: numpy loads these at a first use, or at none.
_PARTS = (
    *("numpy.linalg", "numpy.fft", "numpy.random", "numpy.polynomial", "numpy.char"),
    *("numpy.strings", "numpy.lib.stride_tricks", "numpy.exceptions"),
)
_LEAST = (2, 0)
_WITHOUT_MA = (2, 3)  # before, functions of numpy's ask whether an array is a masked one
_READ_BY_THE_ENGINE = (functions, tables)  # of ours, and so imported before numpy
# What numpy has no use for when it computes.
_NO_BUILTINS = ("open", "exec", "eval", "compile", "input", "breakpoint", "help", "exit", "quit")
# What C code imports each time that it uses it.
_LENT = (
    *("warnings", "numpy.linalg", "numpy.exceptions", "numpy.dtypes", "numpy._globals"),
    *("numpy._core._dtype", "numpy._core._internal", "numpy._core._methods"),
    *("numpy._core._exceptions", "numpy._core._ufunc_config", "numpy._core.arrayprint"),
    *("numpy._core.numeric", "numpy._core.printoptions"),
)
_Hidden = tuple[list[type], frozenset[int], frozenset[int]]


class Loading:
    """The import of numpy into a supervisor, from begin to end."""

    def __init__(self) -> None:
        self._builtins = dict(vars(builtins))
        self._library = private.Library(self._builtins)
        # A module may keep one, as `threading` does for its main thread. A supervisor has no use
        # for them, and nothing here may hold one: it would be taken for an object of the host's.
        sys.stdin = sys.stdout = sys.stderr = None
        gc.collect()
        # With the objects, or another could come to have the id of one that is gone.
        self._before = {id(o): o for o in gc.get_objects()}
        self._before.update((id(cls), cls) for cls in _classes())
        self.hidden: _Hidden = [], frozenset(), frozenset()
        self._library.begin()

    def end(self) -> None:
        """Import numpy with a library of its own, and make the engine and its hook.

        Notes in `hidden` the classes of numpy's and of C code that it brought along, and the ids of
        objects that are numpy's alone: for the caller to hide. Raises RuntimeError for a numpy that
        is too old.
        """
        try:
            heard = _listen()
            numpy = _imported()
            _keep_lapack_quiet(numpy)
            home = private.load("sandbox.language.numpy.engine.answering")
            engine = home.Engine(numpy, heard)
            rehearse(engine.answer)
        finally:
            modules = self._library.end()
        for name in _NO_BUILTINS:
            self._builtins.pop(name, None)
        classes = [c for c in _classes() if id(c) not in self._before and _is_hidden(c)]
        objects = _only_private(self._before)
        self._before.clear()
        own = frozenset((id(self._builtins),))  # or `locals`, which numpy calls, would go
        self.hidden = classes, frozenset(map(id, objects)), own
        sys.addaudithook(_hook(engine.answer, home.is_question, objects, modules))

    def take(self) -> "_Hidden":
        """Return what is to be hidden, and keep nothing."""
        taken, self.hidden = self.hidden, ([], frozenset(), frozenset())
        self._builtins = {}
        return taken


def bring_in() -> frozenset[int]:
    """Bring numpy into a process that is no supervisor; return the ids of what is numpy's alone."""
    loading = Loading()
    loading.end()
    classes, objects, _ = loading.take()
    hide(classes)
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    return objects


def _imported() -> Any:
    numpy = private.load("numpy")
    version = tuple(map(int, numpy.__version__.split(".")[:2]))
    if version < _LEAST:
        raise RuntimeError(f"numpy {numpy.__version__} is installed, numpy 2 is needed")
    for name in (*_PARTS, *(("numpy.ma",) if version < _WITHOUT_MA else ())):
        private.load(name)
    _have_memory_zeroed(numpy)
    numpy.random.seed(0)  # the same in every execution
    # What nobody seeds is the same in every execution, and there is no device to ask.
    draws = itertools.count()
    numpy.random.bit_generator.randbits = lambda _bits: next(draws)
    return numpy


def _have_memory_zeroed(numpy: Any) -> None:
    """Have Python and Cython code of numpy's get memory of zeros, where it asks for any."""
    given = {id(real): _zeroed(real, numpy.zeros) for real in (numpy.empty, numpy.empty_like)}
    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "numpy":
            for key in [key for key, value in vars(module).items() if id(value) in given]:
                vars(module)[key] = given[id(vars(module)[key])]


def _zeroed(empty: Callable[..., Any], zeros: Callable[..., Any]) -> Callable[..., Any]:
    def make(*args: Any, **options: Any) -> Any:
        made = empty(*args, **options)
        if not made.dtype.hasobject:  # of these numpy clears the memory itself
            made[...] = zeros((), made.dtype)
        return made

    return make


def _keep_lapack_quiet(numpy: Any) -> None:
    """Have `lstsq` refuse what LAPACK would complain of to standard output: a forbidden call.

    It is the one routine that hands on a norm that is no number; the error is numpy's own.
    """
    real, error = numpy.linalg.lstsq, numpy.linalg.LinAlgError

    def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
        for side in map(numpy.asarray, (a, b)):
            if side.dtype.kind in "fc" and not numpy.isfinite(side).all():
                raise error("SVD did not converge in Linear Least Squares")
        return real(a, b, rcond)

    for name, module in [*sys.modules.items()]:
        if name.partition(".")[0] == "numpy":
            for key in [key for key, value in vars(module).items() if value is real]:
                vars(module)[key] = lstsq


def _listen() -> list[tuple[str, str]]:
    """Have what numpy warns of put into the list that is returned: filters are the program's."""
    heard: list[tuple[str, str]] = []
    most = 100

    def note(message: Any) -> None:
        if len(heard) < most:
            text = message.message.args[0] if message.message.args else ""
            heard.append((message.category.__name__, text if type(text) is str else ""))

    names = vars(private.load("warnings"))
    names["_showwarnmsg"] = note
    names["filters"] = [("always", None, Warning, None, 0)]
    return heard


def _hook(
    answer: Callable[..., Any],
    is_question: Callable[..., bool],
    kept: list[Any],
    modules: dict[str, Any],
) -> Callable[[str, Any], None]:
    """Make the hook. What is `kept` lives on with it, so that no other object gets such an id.

    While it answers no code but numpy's and the engine's runs: what it is asked with is plain data,
    and no finalizer is run. So then alone modules are where C code looks for them.
    """
    event, listing, put, most = EVENT, list, list.append, sys.maxsize
    everything, lent = sys.modules, {name: modules[name] for name in _LENT if name in modules}
    displaced = {name: everything[name] for name in lent if name in everything}
    stop, start, is_on = gc.disable, gc.enable, gc.isenabled

    def hook(name: str, arguments: Any) -> None:
        if name != event or len(arguments) != 4 or type(arguments[0]) is not listing or not kept:
            return
        collecting, answered = is_on(), False
        stop()
        try:
            if is_question(*arguments[1:]):
                everything.update(lent)
            put(arguments[0], answer(*arguments[1:]))
            answered = True
        except BaseException:  # of too little memory or stack, amid another error of numpy's
            pass
        finally:
            for one in lent:
                if one in displaced:
                    everything[one] = displaced[one]
                else:
                    everything.pop(one, None)
            if collecting:
                start()
        if not answered:
            bytearray(most)  # a MemoryError of its own: one of numpy's leads to numpy's objects

    return hook


def _is_hidden(cls: Any) -> bool:
    # Cython's classes say it by a descriptor, which is no text; and C code's named tuples say that
    # they are of the module that imports.
    module = type.__dict__["__module__"].__get__(cls)
    return not private.is_shared(module) or "importlib" in module


# Of these no table of the language layer has one by itself.
_COMMON = frozenset(
    (dict, list, tuple, set, types.FunctionType, types.CellType, type, types.CodeType)
)


def _only_private(before: dict[int, Any]) -> list[Any]:
    """List the objects that were made since and that no module of the process's leads to.

    `before` has what there was, by id.
    """
    gc.collect()
    new = {id(o): o for o in gc.get_objects() if id(o) not in before}
    todo: list[Any] = [vars(m) for m in sys.modules.values() if type(m) is types.ModuleType]
    todo = [names for names in todo if id(names) in new]
    while todo:
        for o in gc.get_referents(todo.pop()):
            if id(o) in new and not (issubclass(type(o), type) and _is_hidden(o)):
                todo.append(new.pop(id(o)))
    return [o for o in new.values() if type(o) not in _COMMON]


def _classes() -> list[type]:
    found: dict[int, type] = {id(object): object}
    todo: list[Any] = [object]
    while todo:
        for cls in type.__subclasses__(todo.pop()):
            if id(cls) not in found:
                found[id(cls)] = cls
                todo.append(cls)
    return [*found.values()]
