"""All of it, in one place."""

import sys
from importlib import import_module

from sandbox.language.natives import type_slots

# A file of this package, and the module whose classes it changes: if that is not loaded, nothing
# of it can be granted.
FAMILIES = {
    "abstract": "abc",
    "aliases": "builtins",
    "arrays": "array",
    "beginnings": "builtins",
    "buffers": "builtins",
    "caches": "functools",
    "calls": "builtins",
    "class_stores": "builtins",
    "clearing": "builtins",
    "codecs": "encodings",
    "coding": "json.encoder",
    "cookies": "io",
    "dates": "_datetime",
    "decimals": "_decimal",
    "deques": "collections",
    "descriptors": "builtins",
    "dicts": "builtins",
    "functions": "_functools",
    "generators": "builtins",
    "held": "builtins",
    "integers": "_pylong",
    "iterators": "itertools",
    "lists": "builtins",
    "mappings": "collections",
    "modules": "builtins",
    "packing": "_struct",
    "proxies": "weakref",
    "reversing": "builtins",
    "sets": "builtins",
    "simple_namespaces": "types",
    "streams": "io",
    "supers": "builtins",
    "texts": "builtins",
    "throwing": "builtins",
    "typing_parameters": "typing",
    "views": "builtins",
}


def harden() -> None:
    """Make CPython's classes safe to hand out, in this process. Once is enough; again is harmless.

    Raises SandboxError on an interpreter whose classes cannot be changed: then nothing is granted.
    """
    type_slots.verify()
    for family, module in FAMILIES.items():
        if module in sys.modules:
            import_module(f"sandbox.language.natives.{family}").harden()
