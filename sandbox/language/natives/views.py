"""`MappingProxyType`: what it is compared or joined with is shown the mapping itself.

That may be a dict of the host's, so the other operand gets a copy. A mapping of another kind is
one that the program made.
"""

import types
from typing import Any

from sandbox.language.natives.patching import Method, replace, shown_mapping

_COMPARISONS = ("__lt__", "__le__", "__eq__", "__ne__", "__gt__", "__ge__")
_PROXY = types.MappingProxyType


def harden() -> None:
    """Replace the comparisons and `|`."""
    replace(_PROXY, _on_copies, *_COMPARISONS, "__or__", "__ror__")


def _on_copies(own: Method) -> Method:
    def operate(self: Any, other: Any, /) -> Any:
        return own(_copied(self), _copied(other))

    return operate


def _copied(o: Any) -> Any:
    if type(o) is not _PROXY:
        return o
    mapping = shown_mapping(o)
    return _PROXY(mapping.copy()) if type(mapping) is dict else o
