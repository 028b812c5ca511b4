"""Hardening of all of CPython's classes that need it, in one place."""

import sys
from importlib import import_module

from sandbox.language.natives.types import type_slots

# A file of this package, and the module whose classes it changes: if that is not loaded, nothing
# of it can be granted.
FAMILIES = {
    "types.abstract": "abc",
    "types.aliases": "builtins",
    "containers.arrays": "array",
    "types.beginnings": "builtins",
    "containers.buffers": "builtins",
    "calls.caches": "functools",
    "calls.calls": "builtins",
    "types.class_stores": "builtins",
    "calls.clearing": "builtins",
    "values.codecs": "encodings",
    "values.coding": "json.encoder",
    "values.cookies": "io",
    "values.dates": "_datetime",
    "values.decimals": "_decimal",
    "containers.deques": "collections",
    "types.descriptors": "builtins",
    "containers.dicts": "builtins",
    "calls.functions": "_functools",
    "calls.generators": "builtins",
    "calls.held": "builtins",
    "values.integers": "_pylong",
    "containers.iterators": "itertools",
    "values.kept_keys": "builtins",
    "containers.lists": "builtins",
    "containers.mappings": "collections",
    "types.modules": "builtins",
    "containers.packing": "_struct",
    "calls.proxies": "weakref",
    "containers.reversing": "builtins",
    "containers.sets": "builtins",
    "types.simple_namespaces": "types",
    "values.streams": "io",
    "types.supers": "builtins",
    "values.texts": "builtins",
    "calls.throwing": "builtins",
    "types.typing_parameters": "typing",
    "containers.views": "builtins",
}


def harden() -> None:
    """Make CPython's classes safe to hand out, in this process. Once is enough; again is harmless.

    Raises SandboxError on an interpreter whose classes cannot be changed: then nothing is granted.
    """
    type_slots.verify()
    for family, module in FAMILIES.items():
        if module in sys.modules:
            import_module(f"sandbox.language.natives.{family}").harden()
