"""Stand-ins for the classes of positional patterns: the run-time half of `compile.patterns`."""

from typing import Any

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.compile import names
from sandbox.language.compile.patterns import (
    KNOWN_OWN_PATTERN,
    KNOWN_PATTERN,
    OWN_PATTERN,
    PATTERN,
)
from sandbox.language.guards.classes.class_origin import (
    Identities,
    Kinship,
    dict_of,
    flags_of,
    is_class,
    mro_of,
    name_of,
)
from sandbox.language.guest.ends.denials import denied_class

_NAME = "__match_args__"
_TARGET, _PLAIN = "guard:target", "guard:plain"
_MATCHES_ITSELF = 1 << 22  # _Py_TPFLAGS_MATCH_SELF: `case int(x)` binds the subject


def check_match_args(value: Any) -> None:
    """Refuse what is no tuple of names that are plain to read from anything."""
    if type(value) is not tuple or not all(
        type(name) is str and names.may_match(name) for name in value
    ):
        raise denied_class("these '__match_args__'")


def _reads_guarded(value: Any) -> bool:
    """Return True if a guarded name is among the names that `dataclass` gave. Refuse others."""
    exact = type(value) is tuple and all(type(name) is str for name in value)
    guarded = [*filter(names.may_match_own, value)] if exact else []
    check_match_args(tuple(name for name in value if name not in guarded) if guarded else value)
    return bool(guarded)


class PatternMeta(type):
    """The type of stand-ins: a subject is looked for in the class that the pattern names.

    Where a guarded name is read, it is of a plain class: what the name means is the program's.
    """

    def __instancecheck__(cls, o: object) -> bool:
        inside = dict_of(cls)
        (target,) = inside[_TARGET]
        if not isinstance(o, target):
            return False
        if _PLAIN in inside and type(o) not in inside[_PLAIN]:
            raise denied_class(f"matching these attributes of {name_of(type(o))!r}")
        return True


class Patterns:
    """Makes one stand-in for each class that a positional pattern names.

    It keeps the class, so that no other class ever has its identity.
    """

    def __init__(self, kin: Kinship) -> None:
        self.kin = kin
        self.known: dict[int, Any] = {}
        self.known_own: dict[int, Any] = {}

    def pattern(self, cls: Any) -> Any:
        """Return what the pattern is to use in place of `cls`, or refuse."""
        return self._made(cls, self.known, False)

    def own_pattern(self, cls: Any) -> Any:
        """Do the same for a pattern that names a guarded attribute: of plain classes alone."""
        return self._made(cls, self.known_own, True)

    def _made(self, cls: Any, known: dict[int, Any], own: bool) -> Any:
        if not is_class(cls):
            return () if cls is None else cls  # CPython says that a pattern needs a class
        given = next((dict_of(c)[_NAME] for c in mro_of(cls) if _NAME in dict_of(c)), None)
        own = (given is not None and _reads_guarded(given)) or own
        plain = self.kin.free if own else None
        stand_in = cls
        if own or cls not in self.kin.host:
            stand_in = _stand_in(cls, given, plain)
            self.kin.host.add(stand_in)  # ours: no class of the program's inherits from it
        known[identity(cls)] = stand_in
        return stand_in

    def clear(self) -> None:
        """Forget all classes: their program is gone."""
        self.known.clear()
        self.known_own.clear()

    def bytecode_names(self) -> dict[str, Any]:
        """Return what the compiled question finds under the names that no program can spell."""
        return {
            PATTERN: self.pattern,
            KNOWN_PATTERN: self.known.get,
            OWN_PATTERN: self.own_pattern,
            KNOWN_OWN_PATTERN: self.known_own.get,
        }


def _stand_in(cls: type, given: tuple[str, ...] | None, plain: Identities | None) -> type:
    itself = given is None and flags_of(cls) & _MATCHES_ITSELF
    # In a tuple: a class that is itself a value here has its metaclass's `__set_name__` called.
    namespace: dict[str, Any] = {_TARGET: (cls,)}
    namespace |= {} if given is None else {_NAME: given}
    namespace |= {} if plain is None else {_PLAIN: plain}
    return PatternMeta(name_of(cls), (int,) if itself else (), namespace)
