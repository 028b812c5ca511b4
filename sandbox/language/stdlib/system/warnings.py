"""Stand-ins for `warnings`: filters and records. Standard error, which no result reports, is not
written to."""

import re
from typing import Any, NamedTuple

from sandbox.language.guest.context import Context

_ACTIONS = ("default", "error", "ignore", "always", "module", "once")


class _Filter(NamedTuple):
    action: str
    message: re.Pattern[str] | None
    category: Any
    module: re.Pattern[str] | None
    lineno: int

    def fits(self, text: str, category: Any) -> bool:
        """True if a warning of the program's own module is meant."""
        return (
            (self.message is None or self.message.match(text) is not None)
            and issubclass(category, self.category)
            and (self.module is None or self.module.match("__main__") is not None)
            and not self.lineno  # which line it was is not known
        )


_PATTERN = re.compile("__main__$")
_AT_START = (
    _Filter("default", None, DeprecationWarning, _PATTERN, 0),
    *(_Filter("ignore", None, DeprecationWarning, None, 0),),
    *(_Filter("ignore", None, PendingDeprecationWarning, None, 0),),
    *(_Filter("ignore", None, ImportWarning, None, 0),),
    *(_Filter("ignore", None, ResourceWarning, None, 0),),
)


class WarningMessage:
    """The record of one warning."""

    def __init__(self, message: Any, category: Any, source: Any = None) -> None:
        self.message, self.category, self.source = message, category, source
        self.filename, self.lineno = "<program>", 0
        self.file = self.line = None
        self._category_name = category.__name__

    def __str__(self) -> str:
        return (
            f"{{message : {self.message!r}, category : {self._category_name!r}, filename :"
            f" {self.filename!r}, lineno : {self.lineno}, line : {self.line!r}}}"
        )


def warnings(context: Context) -> dict[str, Any]:
    """By name."""
    filters: list[_Filter] = [*_AT_START]
    told: set[tuple[str, int]] = set()  # by text and category, what was shown
    kept: list[Any] = []  # the categories
    log: list[Any] | None = None

    def reset() -> None:
        nonlocal log
        log = None
        change(_AT_START)

    def change(new: Any) -> None:
        filters[:] = new
        told.clear()
        kept.clear()

    def warn(
        message: Any,
        category: Any = None,
        stacklevel: int = 1,
        source: Any = None,
        **options: Any,
    ) -> None:
        is_warning = issubclass(type(message), Warning)
        if is_warning:
            category = type(message)
        elif category is None:
            category = UserWarning
        if not issubclass(type(category), type) or not issubclass(category, Warning):
            kind = type(category).__name__
            raise TypeError(f"category must be a Warning subclass, not {kind!r}")
        text = str(message)
        if not is_warning:
            message = category(message)
        action = next((f.action for f in tuple(filters) if f.fits(text, category)), "default")
        if action == "error":
            raise message
        key = text, id(category)
        if action == "ignore" or (action != "always" and key in told):
            return
        told.add(key)
        kept.append(category)
        if log is not None:
            log.append(WarningMessage(message, category, source))

    def simplefilter(
        action: str, category: Any = Warning, lineno: int = 0, append: bool = False
    ) -> None:
        put(_Filter(_known(action), None, category, None, lineno), append)

    def filterwarnings(
        action: str,
        message: str = "",
        category: Any = Warning,
        module: str = "",
        lineno: int = 0,
        append: bool = False,
    ) -> None:
        text = re.compile(message, re.IGNORECASE) if message else None
        where = re.compile(module) if module else None
        put(_Filter(_known(action), text, category, where, lineno), append)

    def put(item: _Filter, at_end: bool) -> None:
        rest = [other for other in filters if other is not item]
        change([*rest, item] if at_end else [item, *rest])

    def resetwarnings() -> None:
        change(())

    class catch_warnings:
        def __init__(
            self,
            *,
            record: bool = False,
            module: Any = None,
            action: Any = None,
            category: Any = Warning,
            lineno: int = 0,
            append: bool = False,
        ) -> None:
            self._record, self._first = record, (action, category, lineno, append)
            self._before: Any = None

        def __enter__(self) -> Any:
            nonlocal log
            if self._before is not None:
                raise RuntimeError(f"Cannot enter {self!r} twice")
            self._before = tuple(filters), log
            if self._record:
                log = []
            change(tuple(filters))
            if self._first[0] is not None:
                simplefilter(*self._first)
            return log if self._record else None

        def __exit__(self, *error: object) -> None:
            nonlocal log
            if self._before is None:
                raise RuntimeError(f"Cannot exit {self!r} without entering first")
            before, log = self._before
            change(before)

    catch_warnings.__module__, catch_warnings.__qualname__ = "warnings", "catch_warnings"
    context.state.forgetting.append(reset)
    functions = (filterwarnings, resetwarnings, simplefilter, warn)
    return {"catch_warnings": catch_warnings} | {f.__name__: f for f in functions}


def _known(action: str) -> str:
    if action not in _ACTIONS:
        raise ValueError(f"invalid action: {action!r}")
    return action
