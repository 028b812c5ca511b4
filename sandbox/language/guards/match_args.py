"""Which attributes a class pattern reads, and whether it may: the run-time half of `patterns`."""

from typing import Any

from sandbox.language.compile import names
from sandbox.language.compile.patterns import CHECK, CHECKED, MATCH_ARGS, SAFE
from sandbox.language.guards.kinship import IMMUTABLE, Kinship, dict_of, is_class, mro_of
from sandbox.language.guest.denied import denied_class

_NAME = "__match_args__"
_flags = type.__dict__["__flags__"].__get__
# What makes the attributes of a class whatever its metaclass says.
_ANSWERS = (_NAME, "__getattr__", "__getattribute__")


def check_match_args(value: Any) -> None:
    """Refuse what is no tuple of names that are plain to read from anything."""
    if type(value) is not tuple or not all(
        type(name) is str and names.may_match(name) for name in value
    ):
        raise denied_class("these '__match_args__'")


class PatternCheck:
    """Looks at a class before a pattern reads attributes by its `__match_args__`."""

    def __init__(self, kin: Kinship) -> None:
        self.kin = kin
        # Exact tuples of exact strings, so nothing else can equal one and be read by the pattern:
        # CPython takes neither a subclass of a tuple nor one of a string (match_class in ceval.c).
        self.checked: set[tuple[str, ...]] = {()}

    def check(self, cls: Any) -> Any:
        """`cls` itself, or a refusal."""
        if not is_class(cls):
            return () if cls is None else cls  # CPython says that a pattern needs a class
        for kind in mro_of(type(cls)):
            if kind not in self.kin.host and not dict_of(kind).keys().isdisjoint(_ANSWERS):
                raise denied_class(f"a class pattern with {type.__repr__(cls)}")
        for base in mro_of(cls):
            if _NAME in dict_of(base):
                check_match_args(dict_of(base)[_NAME])
                self.checked.add(dict_of(base)[_NAME])
                break
        return cls

    def bytecode_names(self) -> dict[str, Any]:
        """What the compiled question finds under the names that no program can spell."""
        kinds = (cls for cls in self.kin.host if not issubclass(cls, type))
        return {
            CHECK: self.check,
            CHECKED: self.checked,
            MATCH_ARGS: getattr,
            SAFE: frozenset(cls for cls in kinds if _is_safe(cls)),
        }


def _is_safe(cls: type) -> bool:
    """True if `cls` can never name more than it names now."""
    given = [dict_of(base)[_NAME] for base in mro_of(cls) if _NAME in dict_of(base)]
    allowed = all(type(names_) is tuple and all(map(names.may_match, names_)) for names_ in given)
    return bool(_flags(cls) & IMMUTABLE) and allowed
