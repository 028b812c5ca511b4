"""The engine: the one place that calls numpy, by rows of the tables alone, with plain data.

`answer` takes the name of an operation and its arguments as `crossing` has them, and gives back a
tuple: "ok", the value and what was warned of; or "no", the names of the error's classes and its
text; or "foreign", what does not cross. It trusts nothing of what it is given, whoever calls: the
facade of a program is code of the program's.
"""

import warnings
from contextvars import Context
from typing import Any

from sandbox.language.numpy.engine.crossing import Crossing, Foreign, is_question, numbers_in
from sandbox.language.numpy.engine.entries import entries
from sandbox.language.numpy.engine.errors import Errors
from sandbox.language.numpy.engine.kinds import Kinds
from sandbox.language.numpy.engine.rows import Entry, called

_FILTERS = (("always", None, Warning, None, 0),)
_NOTHING_WARNED: tuple[Any, ...] = ()


class Engine:
    """The operations of one process, by name, and the objects that a program has numbers for."""

    def __init__(self, numpy: Any, heard: list[tuple[str, str]]) -> None:
        self._numpy, self._heard = numpy, heard
        self._crossing = Crossing(numpy)
        self._kinds = Kinds(numpy, self._crossing)
        self._errors = Errors(numpy)
        self._entries = entries(numpy, self._crossing)
        self._context = Context()  # numpy keeps its settings in the one that it runs in
        self._busy = False
        self._late: list[tuple[int, ...]] = []

    def known(self) -> tuple[str, ...]:
        """Return the names of all operations."""
        return tuple(self._entries)

    def answer(self, name: Any, args: Any, options: Any) -> tuple[Any, ...]:
        """Do one operation. Never raises, but for want of memory or stack."""
        if not is_question(name, args, options):
            return ("no", ("TypeError",), "this is no question")
        if self._busy:  # a finalizer of the program's, amid numpy's code
            if name == "release":
                self._late.append(numbers_in(args))
            return ("no", ("RuntimeError",), "numpy is at work already")
        self._busy = True
        try:
            if name == "release":
                return self._release(args)
            return self._context.run(self._answered, name, args, options)
        finally:
            self._busy = False

    def _release(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        for numbers in (numbers_in(args), *self._late):
            for number in numbers:
                self._crossing.release(number)
        self._late.clear()
        return ("ok", None, _NOTHING_WARNED)

    def _answered(self, name: Any, args: Any, options: Any) -> tuple[Any, ...]:
        heard, crossing = self._heard, self._crossing
        heard.clear()
        crossing.begin()
        warnings.__dict__["filters"] = [*_FILTERS]  # the program's own decide
        try:
            entry = self._entries.get(name)
            if entry is None:
                if name == "x:operations":
                    return ("ok", self.known(), _NOTHING_WARNED)
                return ("no", ("AttributeError",), f"numpy has no {name[:40]!r} here")
            taken = tuple([crossing.taken(value) for value in args])
            named = {key: crossing.taken(value) for key, value in options.items()}
            given, kept = called(entry, self._kinds, taken, named)
            if entry.row.result == "none":
                given, kept = self._apart(entry, given, kept)
            value = crossing.given(entry.row.result, entry.function(*given, **kept))
            return ("ok", value, tuple(heard))  # texts, see `loading`
        except Foreign as error:
            return ("foreign", error.args[0] if error.args else "")
        except Exception as error:
            return ("no", *self._errors.told(error))

    def _apart(
        self, entry: Entry, args: list[Any], options: dict[str, Any]
    ) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments of what changes an array, copied where they share its memory.

        C code that has looked at an index reads it again while it writes.
        """
        changed = {
            parameter.name for parameter in entry.row.parameters if parameter.kind == "target"
        }
        named = [
            (parameter.name, value)
            for parameter, value in zip(entry.row.parameters, args, strict=False)
        ]
        targets = [value for name, value in [*named, *options.items()] if name in changed]

        def apart(value: Any) -> Any:
            if type(value) is tuple or type(value) is list:
                return type(value)([apart(one) for one in value])
            if type(value) is not self._numpy.ndarray:
                return value
            shared = any(self._numpy.may_share_memory(value, one) for one in targets)
            return value.copy() if shared else value

        given = [value if name in changed else apart(value) for name, value in named]
        return given, {
            name: value if name in changed else apart(value) for name, value in options.items()
        }
