"""What stands in for the class of a positional pattern: the run-time half of `compile.patterns`."""

from typing import Any

from sandbox.language.compile import names
from sandbox.language.compile.patterns import KNOWN_PATTERN, PATTERN
from sandbox.language.guards.kinship import Kinship, dict_of, flags_of, is_class, mro_of, name_of
from sandbox.language.guest.denied import denied_class

_NAME = "__match_args__"
_TARGET = "guard:target"
_MATCHES_ITSELF = 1 << 22  # _Py_TPFLAGS_MATCH_SELF: `case int(x)` binds the subject


def check_match_args(value: Any) -> None:
    """Refuse what is no tuple of names that are plain to read from anything."""
    if type(value) is not tuple or not all(
        type(name) is str and names.may_match(name) for name in value
    ):
        raise denied_class("these '__match_args__'")


class PatternMeta(type):
    """The type of stand-ins: a subject is looked for in the class that the pattern names."""

    def __instancecheck__(cls, o: object) -> bool:
        return isinstance(o, dict_of(cls)[_TARGET])


class Patterns:
    """Makes one stand-in for each class that a positional pattern names.

    It keeps the class, so that no other class ever has its identity.
    """

    def __init__(self, kin: Kinship) -> None:
        self.kin = kin
        self.known: dict[int, Any] = {}

    def pattern(self, cls: Any) -> Any:
        """What the pattern is to use in place of `cls`, or a refusal."""
        if not is_class(cls):
            return () if cls is None else cls  # CPython says that a pattern needs a class
        given = next((dict_of(c)[_NAME] for c in mro_of(cls) if _NAME in dict_of(c)), None)
        if given is not None:
            check_match_args(given)
        stand_in = cls if cls in self.kin.host else _stand_in(cls, given)
        self.known[id(cls)] = stand_in
        return stand_in

    def bytecode_names(self) -> dict[str, Any]:
        """What the compiled question finds under the names that no program can spell."""
        return {PATTERN: self.pattern, KNOWN_PATTERN: self.known.get}


def _stand_in(cls: type, given: tuple[str, ...] | None) -> type:
    itself = given is None and flags_of(cls) & _MATCHES_ITSELF
    namespace = {_TARGET: cls} if given is None else {_TARGET: cls, _NAME: given}
    return PatternMeta(name_of(cls), (int,) if itself else (), namespace)
