"""`MappingProxyType`: what it is compared or joined with is shown the mapping itself.

That may be a dict of the host's, or a class's own, so the other operand gets a copy. So does
`reversed`, as a dict's `__reversed__` is a function of ours (`reversing`), which a guest can find.
A mapping of another kind is one that the program made.
"""

import operator
import types
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.language.natives.patching import Method, replace

_OPERATIONS = {f"__{name}__": name for name in ("lt", "le", "eq", "ne", "gt", "ge")}
_PROXY = types.MappingProxyType


def harden() -> None:
    """Replace the comparisons, `reversed` and `|`."""
    for name, operation in _OPERATIONS.items():
        replace(_PROXY, _comparing(getattr(operator, operation)), name)
    replace(_PROXY, _reversing, "__reversed__")
    replace(_PROXY, _joining(operator.or_), "__or__")
    replace(_PROXY, _joining(lambda self, other: other | self), "__ror__")


# CPython's own methods are not kept: they would show a class's dict.


def _comparing(compare: Method) -> Any:
    def make(_own: Method) -> Method:
        def method(self: Any, other: Any, /) -> Any:
            if type(self) is not _PROXY:  # it would be opened all the same, and shown to `other`
                raise TypeError("a comparison of 'mappingproxy' requires a 'mappingproxy' object")
            # The other one stays a proxy: its turn comes where the first does not know it.
            if type(other) is _PROXY:
                other = _PROXY(asking.behind(other))
            return compare(asking.behind(self), other)

        return method

    return make


def _reversing(_own: Method) -> Method:
    def method(self: Any, /) -> Any:
        if type(self) is not _PROXY:
            raise TypeError("'__reversed__' requires a 'mappingproxy' object")
        return asking.behind(self).__reversed__()

    return method


def _joining(join: Method) -> Any:
    def make(_own: Method) -> Method:
        def method(self: Any, other: Any, /) -> Any:
            return join(_shown(self), _shown(other))

        return method

    return make


def _shown(o: Any) -> Any:
    return asking.behind(o) if type(o) is _PROXY else o
