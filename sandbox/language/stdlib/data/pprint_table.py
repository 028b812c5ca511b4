"""The table by which `pprint` chooses how to lay out an object: its keys are `__repr__` methods.

A program's class may have the method of another, and what the layout of that reads is handed on to
methods that a program may override: so are the fields of a dataclass.
"""

import sys
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.classes.class_origin import dict_of, is_class, mro_of, name_of
from sandbox.language.guest.ends.denials import denied_class
from sandbox.language.stdlib.data.dataclasses import guarded_getattr
from sandbox.language.stdlib.data.ordered import OrderedDict


def settle() -> None:
    """Add the methods that stand in the classes by now, if `pprint` is loaded, and look first."""
    pprint: Any = sys.modules.get("pprint")
    if pprint is None:
        return
    table = pprint.PrettyPrinter._dispatch
    for method, lay_out in list(table.items()):
        owner = _owner_of(method)
        if is_class(owner):
            looks = lay_out.__module__ == __name__  # another world was built in this process
            looking = lay_out if looks else _looking(owner, lay_out)
            table[method] = table[dict_of(owner).get("__repr__", method)] = looking
    ordered = _looking(OrderedDict, pprint.PrettyPrinter._pprint_ordered_dict)
    table[dict_of(OrderedDict)["__repr__"]] = ordered
    pprint.getattr = guarded_getattr


def _looking(owner: type, lay_out: Callable[..., None]) -> Callable[..., None]:
    """The layout of an `owner`, which lays out nothing else."""

    def looking(printer: Any, o: Any, /, *rest: Any) -> None:
        if owner not in mro_of(type(o)):
            raise denied_class(f"printing this {name_of(type(o))!r} object as a {name_of(owner)!r}")
        lay_out(printer, o, *rest)

    return looking


def _owner_of(method: Any) -> Any:
    """The class that `method` was made for, which what took its place names too."""
    owner = getattr(method, "__objclass__", None)
    if owner is None:
        module = sys.modules.get(method.__module__)
        owner = getattr(module, method.__qualname__.rpartition(".")[0], None)
    return owner
