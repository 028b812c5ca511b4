"""`C.__dict__` of a class of the host: which names it has, and none of what stands under them.

The idiom of an abstract class's `__subclasshook__` looks for a name in the dict of each base, of
`object` too. A descriptor that it would find there reads and writes past every guard.
"""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from sandbox.language.compile.names import PLAIN, read_kind
from sandbox.language.guards.classes.class_origin import dict_of, name_of
from sandbox.language.guest.ends.denials import denied_attribute


class HostDict:
    """A mapping of the names that a program may read; its values are refused. See `host_dict`."""

    __slots__ = ("_class_name", "_names")
    _class_name: str
    _names: tuple[str, ...]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"<names in {self._class_name!r}>"

    def __getitem__(self, name: Any) -> NoReturn:
        if name in self._names:
            raise denied_attribute("__dict__")
        raise KeyError(name)

    def get(self, name: Any, default: Any = None, /) -> Any:
        """Return the default for a name that is not there."""
        if name in self._names:
            raise denied_attribute("__dict__")
        return default

    def keys(self) -> Any:
        """Return the names."""
        return dict.fromkeys(self._names).keys()

    def values(self) -> NoReturn:
        """Refuse the values."""
        raise denied_attribute("__dict__")

    def items(self) -> NoReturn:
        """Refuse the items."""
        raise denied_attribute("__dict__")


_fill: tuple[Callable[[HostDict, Any], None], ...] = tuple(
    HostDict.__dict__[name].__set__ for name in HostDict.__slots__
)


def host_dict(cls: type) -> HostDict:
    """Make one for `cls`. No method does: a program would call it with an object of its choice."""
    made = HostDict()
    names = tuple(name for name in dict_of(cls) if read_kind(name) == PLAIN)
    for fill, value in zip(_fill, (name_of(cls), names), strict=True):
        fill(made, value)
    return made
