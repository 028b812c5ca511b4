"""The table by which `pprint` chooses how to lay out an object: its keys are `__repr__` methods.

And how it reads the fields of a dataclass, which it hands to methods that a program may override.
"""

import sys
from typing import Any

from sandbox.language.guards.kinship import dict_of, is_class
from sandbox.language.stdlib.dataclasses import guarded_getattr
from sandbox.language.stdlib.ordered import OrderedDict


def settle() -> None:
    """Add the methods that stand in the classes by now, if `pprint` is loaded."""
    pprint: Any = sys.modules.get("pprint")
    if pprint is None:
        return
    table = pprint.PrettyPrinter._dispatch
    for method, lay_out in list(table.items()):
        owner = _owner_of(method)
        if is_class(owner):
            table[dict_of(owner).get("__repr__", method)] = lay_out
    table[dict_of(OrderedDict)["__repr__"]] = pprint.PrettyPrinter._pprint_ordered_dict
    pprint.getattr = guarded_getattr


def _owner_of(method: Any) -> Any:
    """The class that `method` was made for, which what took its place names too."""
    owner = getattr(method, "__objclass__", None)
    if owner is None:
        module = sys.modules.get(method.__module__)
        owner = getattr(module, method.__qualname__.rpartition(".")[0], None)
    return owner
