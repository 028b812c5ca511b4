"""Finds the private names of the classes whose instances a guest may come to hold."""

import dis
import sys
import types
from collections.abc import Iterator
from typing import Any

from sandbox.language.catalog import MODULES
from sandbox.language.kinship import dict_of
from sandbox.language.world import ALONE

# Modules whose classes come back from granted functions under another module's name.
BEHIND = """
builtins _io _abc _collections _collections_abc _csv _datetime _pydatetime _decimal _pydecimal _json
_operator _random _struct _functools _weakref _weakrefset _typing _contextvars _pprint re._parser
json.decoder json.encoder json.scanner string textwrap keyword itertools zlib array contextlib
sandbox.language.stdio sandbox.language.lib_sys sandbox.language.lib_time
sandbox.language.lib_threading sandbox.language.lib_asyncio sandbox.language.lib_functools
"""


def host_private_names() -> set[str]:
    """Of every such class: what its dict holds and what its methods store on an instance."""
    homes = {*MODULES, *BEHIND.split()} - ALONE
    found: set[str] = set()
    for cls in _all_classes():
        if getattr(cls, "__module__", None) in homes:
            for name, value in dict_of(cls).items():
                found.add(name)
                found.update(_stored_by(value))
    return {name for name in found if name.startswith("_") and not name.startswith("__")}


def _all_classes() -> set[type]:
    found: set[type] = {object, type}
    stack: list[type] = [object, type]
    while stack:
        for cls in type.__subclasses__(stack.pop()):
            if cls not in found and cls.__module__.partition(".")[0] in sys.modules:
                found.add(cls)
                stack.append(cls)
    return found


def _stored_by(value: Any) -> Iterator[str]:
    function = getattr(value, "__func__", getattr(value, "fget", value))
    code = getattr(function, "__code__", None)
    if isinstance(code, types.CodeType):
        yield from (i.argval for i in dis.get_instructions(code) if i.opname == "STORE_ATTR")
