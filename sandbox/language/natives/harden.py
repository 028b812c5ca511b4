"""All of it, in one place."""

import sys
from importlib import import_module

from sandbox.language.natives import type_slots

# A file of this package, and the module whose classes it changes: if that is not loaded, nothing
# of it can be granted.
FAMILIES = {
    "aliases": "builtins",
    "arrays": "array",
    "beginnings": "builtins",
    "buffers": "builtins",
    "clearing": "builtins",
    "coding": "json.encoder",
    "cookies": "io",
    "descriptors": "builtins",
    "escapes": "encodings.unicode_escape",
    "growing": "builtins",
    "iterators": "itertools",
    "lists": "builtins",
    "mappings": "collections",
    "packing": "_struct",
    "proxies": "weakref",
    "registers": "abc",
    "replacements": "types",
    "streams": "io",
    "supers": "builtins",
    "texts": "builtins",
    "weekdays": "datetime",
}


def harden() -> None:
    """Make CPython's classes safe to hand out, in this process. Once is enough; again is harmless.

    Raises SandboxError on an interpreter whose classes cannot be changed: then nothing is granted.
    """
    type_slots.verify()
    for family, module in FAMILIES.items():
        if module in sys.modules:
            import_module(f"sandbox.language.natives.{family}").harden()
