"""Stand-ins for `logging` and `ast`: records that go nowhere, and literals alone."""

from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.stdlib.threading import public

_LEVELS = {"NOTSET": 0, "DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}
_SAY = ("debug", "info", "warning", "warn", "error", "exception", "critical", "log")


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
    """Says nothing, whatever it is told."""

    def __init__(self, name: str = "root") -> None:
        self.name, self.level, self.disabled, self.propagate = name, 0, False, True
        self.handlers: list[Any] = []

    debug = info = warning = warn = error = exception = critical = log = _nothing

    def setLevel(self, level: Any) -> None:
        """Noted."""
        self.level = level

    def getEffectiveLevel(self) -> int:
        """As of the root logger when nobody has set one."""
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
        return Logger(f"{self.name}.{suffix}")


def logging(context: Context) -> dict[str, Any]:
    """By name; every logger of one name is the same one."""
    known: dict[str, Logger] = {}
    context.session.resets.append(known.clear)

    def getLogger(name: str | None = None) -> Logger:
        return known.setdefault(name or "root", Logger(name or "root"))

    handlers = {"Handler": Handler, "StreamHandler": Handler, "NullHandler": Handler}
    return {
        **_LEVELS,
        **dict.fromkeys((*_SAY, "basicConfig", "disable", "captureWarnings"), _nothing),
        **{name: public(cls, "logging") for name, cls in handlers.items()},
        "Formatter": public(Formatter, "logging"),
        "Logger": public(Logger, "logging"),
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
