"""`isinstance` with an abstract class: an ABC looks for what an object says that its class is.

It looks among the classes that it has met, and a metaclass of the host's may stand there: what is
no class, and says itself what it is equal to, would be shown it. Classes are compared by identity,
as no metaclass of a program's may say otherwise.
"""

import abc
from typing import Any

from sandbox.language.guards.kinship import is_class


def harden() -> None:
    """Replace what every `ABCMeta.__instancecheck__` calls."""
    vars(abc)["_abc_instancecheck"] = _abc_instancecheck


def _abc_instancecheck(cls: Any, instance: Any, /) -> Any:
    """See `_abc._abc_instancecheck`; `_abc_subclasscheck` has the same cache and looks first."""
    said, kind = instance.__class__, type(instance)
    if said is kind:
        return cls.__subclasscheck__(kind)
    if not is_class(said):
        raise TypeError("issubclass() arg 1 must be a class")
    return cls.__subclasscheck__(said) or cls.__subclasscheck__(kind)
