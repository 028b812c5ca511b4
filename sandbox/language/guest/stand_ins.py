"""Which modules of the standard library a guest gets from us, and where each is made."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sandbox.language.compile.words import words
from sandbox.language.guest.context import Context

# Where the stand-ins of a module are made: module of ours, function. Modules marked alone are never
# imported themselves: the stand-ins are all there is.
_STAND_INS = {
    "abc": ("core", "abc"),
    "ast": ("logging", "ast"),
    "asyncio": ("asyncio", "asyncio"),
    "atexit": ("os", "atexit"),
    "binascii": ("core", "binascii"),
    "collections": ("core", "collections"),
    "concurrent.futures": ("futures", "futures"),
    "contextlib": ("core", "contextlib"),
    "copy": ("copy", "copy"),
    "csv": ("csv", "csv"),
    "dataclasses": ("dataclasses", "dataclasses"),
    "decimal": ("decimal", "decimal"),
    "doctest": ("sys", "doctest"),
    "enum": ("core", "enum"),
    "functools": ("functools", "functools"),
    "gc": ("time", "gc"),
    "hashlib": ("sys", "hashlib"),
    "heapq": ("heapq", "heapq"),
    "io": ("core", "io"),
    "itertools": ("itertools", "itertools"),
    "logging": ("logging", "logging"),
    "operator": ("core", "operator"),
    "os": ("os", "os"),
    "os.path": ("os", "path"),
    "queue": ("queue", "queue"),
    "random": ("time", "random"),
    "re": ("core", "re"),
    "resource": ("time", "resource"),
    "sandbox": ("sandbox", "sandbox"),
    "sys": ("sys", "sys"),
    "threading": ("threading", "threading"),
    "time": ("time", "time"),
    "timeit": ("sys", "timeit"),
    "traceback": ("sys", "traceback"),
    "typing": ("typing", "typing"),
    "warnings": ("warnings", "warnings"),
    "weakref": ("weakref", "weakref"),
}
ALONE = words(
    """
    ast asyncio atexit builtins concurrent concurrent.futures doctest gc hashlib logging os os.path
    queue resource sandbox sys threading timeit traceback urllib warnings
    """
)
# Patched even where they are not granted: other granted modules build on them.
ALWAYS = ("collections", "copy", "enum", "functools")


def stand_ins(module: str, context: Context) -> dict[str, Any]:
    """What takes the place of the names of `module`, by name; nothing where it is as it is."""
    if module not in _STAND_INS:
        return {}
    home, function = _STAND_INS[module]
    make: Callable[[Context], dict[str, Any]]
    make = getattr(import_module(f"sandbox.language.stdlib.{home}"), function)
    return make(context)
