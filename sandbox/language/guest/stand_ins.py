"""The standard library modules that a guest gets from us, and where each is made."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sandbox.language.compile.words import words
from sandbox.language.guest.context import Context

# Where the stand-ins of a module are made: module of ours, function. Modules marked alone are never
# imported themselves: the stand-ins are all there is.
_STAND_INS = {
    "abc": ("core", "abc"),
    "ast": ("system.logging", "ast"),
    "asyncio": ("concurrency.asyncio.names", "asyncio"),
    "atexit": ("system.os", "atexit"),
    "binascii": ("core", "binascii"),
    "collections": ("core", "collections"),
    "concurrent.futures": ("concurrency.futures", "futures"),
    "contextlib": ("core", "contextlib"),
    "copy": ("copying.copy", "copy"),
    "csv": ("data.csv", "csv"),
    "dataclasses": ("data.dataclasses", "dataclasses"),
    "decimal": ("data.decimal", "decimal"),
    "difflib": ("core", "difflib"),
    "enum": ("data.enum", "enum"),
    "functools": ("data.functools", "functools"),
    "gc": ("system.time", "gc"),
    "glob": ("files.globbing", "glob"),
    "hashlib": ("system.sys", "hashlib"),
    "heapq": ("data.heapq", "heapq"),
    "importlib": ("files.importing", "importlib"),
    "io": ("core", "io"),
    "itertools": ("data.itertools", "itertools"),
    "logging": ("system.logging", "logging"),
    "operator": ("core", "operator"),
    "os": ("system.os", "os"),
    "os.path": ("files.os_path", "path"),
    "pathlib": ("files.concrete_paths", "pathlib"),
    "queue": ("concurrency.queue", "queue"),
    "random": ("system.time", "random"),
    "re": ("core", "re"),
    "resource": ("system.time", "resource"),
    "sandbox": ("served.sandbox", "sandbox"),
    "shutil": ("files.copying", "shutil"),
    "struct": ("data.struct", "struct"),
    "sys": ("system.sys", "sys"),
    "tempfile": ("files.temporary", "tempfile"),
    "threading": ("concurrency.threading", "threading"),
    "time": ("system.time", "time"),
    "timeit": ("system.sys", "timeit"),
    "traceback": ("system.sys", "traceback"),
    "typing": ("data.typing", "typing"),
    "uuid": ("data.uuid", "uuid"),
    "warnings": ("system.warnings", "warnings"),
    "weakref": ("data.weakref", "weakref"),
}
ALONE = words(
    """
    ast asyncio atexit builtins concurrent concurrent.futures gc glob hashlib importlib
    logging os os.path pathlib queue resource sandbox shutil sys tempfile threading timeit
    traceback urllib uuid warnings
    """
)
# Patched even where they are not granted: other granted modules build on them.
ALWAYS = ("collections", "copy", "enum", "functools")


def stand_ins(module: str, context: Context) -> dict[str, Any]:
    """Return, by name, what replaces names of `module`; nothing where it is as it is."""
    if module not in _STAND_INS:
        return {}
    home, function = _STAND_INS[module]
    make: Callable[[Context], dict[str, Any]]
    make = getattr(import_module(f"sandbox.language.stdlib.{home}"), function)
    return make(context)
