"""`dir()` of a module: C calls the `__dir__` that stands in the module's namespace, and lends it.

What takes it out of there while it runs would free it. A method of ours holds it. The other
function that C code asks for there is `__getattr__` (lent before 3.13): no program can put one into
the namespace of a module, as it cannot inherit from the class of modules, see
`guards/classes/classes`, and that of the program's own module is asked for nothing, see
`guest/state`.
"""

import types
from typing import Any

from sandbox.language.guards.classes.class_origin import instance_dict, name_of
from sandbox.language.natives.patching import Method, replace

_NONE: Any = object()


def harden() -> None:
    """Replace what calls what stands in a module's namespace."""
    replace(types.ModuleType, _dir, "__dir__")


def _dir(own: Method) -> Method:
    def __dir__(self: Any, /) -> Any:
        if not issubclass(type(self), types.ModuleType):
            raise TypeError(f"expected a module, not {name_of(type(self))!r}")
        namespace = instance_dict(self)
        if namespace is None:  # made by `__new__` alone
            return own(self)
        function = dict.get(namespace, "__dir__", _NONE)
        return list(namespace) if function is _NONE else function()

    return __dir__
