"""Stand-ins for `logging` and `ast`: records that no handler sees, and literals alone."""

from typing import Any

from sandbox.language.guards.classes.class_origin import exact_names
from sandbox.language.guest.context import Context
from sandbox.language.stdlib.concurrency.threading import public

_LEVELS = {"NOTSET": 0, "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
_SAY = {
    **{name.lower(): name for name in ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")},
    "warn": "WARNING",
    "exception": "ERROR",
}
LOG = "sandbox_log"  # what the caller may lend: (level: int, name: str, message: str) -> None
MOST_LINES, MOST_CHARACTERS = 100, 2000
_AT_FIRST = {"level": _LEVELS["WARNING"], "left": MOST_LINES}
_SHOWN = (str, int, float, bool, type(None))


def _nothing(*args: Any, **options: Any) -> None:
    """Messages are not formatted: no method of the guest's runs."""
    return


class Handler:
    """Takes records and drops them."""

    def __init__(self, /, *args: Any, **options: Any) -> None:
        self.level = 0

    setLevel = setFormatter = addFilter = emit = handle = flush = close = _nothing


class Formatter:
    """Formats nothing."""

    def __init__(self, /, *args: Any, **options: Any) -> None:
        return None


class Logger:
    """Says nothing, whatever it is told, unless the caller wants to hear it."""

    def __init__(self, name: str = "root", level: Any = 0) -> None:
        self.name, self.level, self.disabled, self.propagate = name, 0, False, True
        self.handlers: list[Any] = []
        self.setLevel(level)

    def setLevel(self, level: Any) -> None:
        """Noted, as a number where it is the name of one."""
        self.level = _LEVELS.get(level, 0) if type(level) is str else level

    def getEffectiveLevel(self) -> int:
        """Return the level, or the root logger's when the program has set none."""
        return self.level or _LEVELS["WARNING"]

    def isEnabledFor(self, level: int) -> bool:
        """Compared with the level that was set."""
        return level >= self.getEffectiveLevel()

    def hasHandlers(self) -> bool:
        """True if one was added."""
        return bool(self.handlers)

    def addHandler(self, handler: Any) -> None:
        """Kept, and never called."""
        self.handlers.append(handler)

    def removeHandler(self, handler: Any) -> None:
        """Forgotten."""
        if handler in self.handlers:
            self.handlers.remove(handler)

    def getChild(self, suffix: str) -> "Logger":
        """One of its own."""
        return type(self)(f"{self.name}.{suffix}")


class _Records:
    """Sends the first records of an execution to the service `LOG`, if the caller lends it."""

    def __init__(self, state: Any) -> None:
        self._state = state
        self.known: dict[str, Logger] = {}
        self._figures = dict(_AT_FIRST)  # a dict, as our objects refuse stores while programs run

    def take(self, logger: Any, level: Any, message: Any, args: tuple[Any, ...]) -> None:
        """Send one on, if its level is high enough and there is room for it."""
        send = self._state.services.get(LOG)
        if send is None or self._figures["left"] <= 0 or type(level) is not int:
            return
        own = getattr(logger, "level", 0)
        if level >= (own if type(own) is int and own > 0 else self._figures["level"]):
            self._figures["left"] -= 1
            send(level, _shown(getattr(logger, "name", "root")), _text(message, args))

    def configure(self, /, *_: Any, **options: Any) -> None:
        """`basicConfig`: of all that it can be given, the level counts."""
        level = exact_names(options).get("level")
        if type(level) is str:
            level = _LEVELS.get(level)
        if type(level) is int:
            self._figures["level"] = level


def _shown(value: Any) -> Any:
    """A text or a number as it is; of another object its class: no method of the guest's runs."""
    return value if type(value) in _SHOWN else f"<{type.__getattribute__(type(value), '__name__')}>"


def _text(message: Any, args: tuple[Any, ...]) -> str:
    if type(message) is not str or not args:
        return str(_shown(message))[:MOST_CHARACTERS]
    try:
        return (message % tuple(map(_shown, args)))[:MOST_CHARACTERS]
    except (TypeError, ValueError):  # as for `%d` and an object
        return message[:MOST_CHARACTERS]


def _method(records: _Records, level: int) -> Any:
    def say(self: Any, message: Any = "", /, *args: Any, **options: Any) -> None:
        records.take(self, level, message, args)

    return say


def logging(context: Context) -> dict[str, Any]:
    """By name; every logger of one name is the same one."""
    records = _Records(context.state)

    def log(self: Any, level: Any, message: Any = "", /, *args: Any, **options: Any) -> None:
        records.take(self, level, message, args)

    methods = {name: _method(records, _LEVELS[level]) for name, level in _SAY.items()}
    own = type("Logger", (Logger,), {**methods, "log": log})

    def getLogger(name: str | None = None) -> Logger:
        return records.known.setdefault(name or "root", own(name or "root"))

    def of_root(method: Any) -> Any:
        return lambda *args, **options: method(getLogger(), *args, **options)

    handlers = {"Handler": Handler, "StreamHandler": Handler, "NullHandler": Handler}
    return {
        **_LEVELS,
        **{name: of_root(method) for name, method in {**methods, "log": log}.items()},
        **dict.fromkeys(("disable", "captureWarnings"), _nothing),
        "basicConfig": records.configure,
        **{name: public(cls, "logging") for name, cls in handlers.items()},
        "Formatter": public(Formatter, "logging"),
        "Logger": public(own, "logging"),
        "getLogger": getLogger,
    }


def ast(context: Context) -> dict[str, Any]:
    """`literal_eval` of text; a tree of the guest's own making is refused."""
    import ast as real

    def literal_eval(node_or_string: Any) -> Any:
        if not isinstance(node_or_string, str):
            raise ValueError(f"malformed node or string: {type(node_or_string).__name__}")
        return real.literal_eval(str.__str__(node_or_string))

    return {"literal_eval": literal_eval}
