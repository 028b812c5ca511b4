"""Finds the private names of the classes whose instances a guest may come to hold."""

from sandbox.language.guards.classes.class_origin import all_classes, dict_of
from sandbox.language.guest.stand_ins import ALONE
from sandbox.language.library.served import SERVED
from sandbox.language.stdlib.catalog import MODULES

# Modules whose classes come back from granted functions under another module's name.
BEHIND = """
builtins _io _abc _collections _collections_abc _csv _datetime _decimal _json
_operator _random _struct _functools _weakref _weakrefset _typing _contextvars _pprint re._parser
json.decoder json.encoder json.scanner string textwrap keyword itertools zlib array contextlib

"""
# Classes that no granted name leads to: finalizers, and what `datetime` overrides with C.
UNREACHABLE = {"finalize", "_Info", "datetime", "Collector", "Complaints"}


def host_private_names() -> set[str]:
    """What the dicts of those classes hold: methods, slots and constants.

    What their methods store on an instance is left out: it is data that the guest gave.
    """
    homes = {*MODULES, *BEHIND.split()} - ALONE - SERVED.keys() - UNREACHABLE
    classes = [
        cls
        for cls in all_classes()
        if getattr(cls, "__module__", None) in homes and cls.__name__ not in UNREACHABLE
    ]
    found = {name for cls in classes for name in dict_of(cls)}
    return {name for name in found if name.startswith("_") and not name.startswith("__")}
