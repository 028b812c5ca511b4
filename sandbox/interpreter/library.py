"""What of the standard library compiles, evaluates or looks at its caller, with stand-ins in place.

The real powers are gone, or end the process, when a program runs; these modules go on working.
"""

import collections
import sys
from types import CodeType, SimpleNamespace
from typing import Any

from sandbox.interpreter.asking import compile_text, evaluate

_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST


def writers() -> list[CodeType]:
    """The code that gives a function of its own making its defaults: `namedtuple`'s.

    Before the guards put theirs in its place, which calls it.
    """
    return [collections.namedtuple.__code__]


def fit() -> None:
    """Put the stand-ins into the modules that are loaded."""
    for module, names in _STAND_INS.items():
        loaded = sys.modules.get(module)
        if loaded is not None:
            vars(loaded).update(names)


def _parse(source: Any, filename: str, mode: str, flags: int = 0, **_: object) -> Any:
    """For `ast.parse`: a tree, never code."""
    return compile_text(source, filename, mode, flags | _ONLY_TREE)


def _compile(text: str, filename: str, mode: str) -> Any:
    """For `typing`, which compiles an annotation that is a text, to see that it can be."""
    return compile_text(text, filename, mode)


def _evaluate(text: Any, names: dict[str, Any]) -> Any:
    """For `namedtuple`, which evaluates a text made of field names that were looked at."""
    return evaluate(compile_text(text, "<string>", "eval"), names)


def _calling_module(_depth: int = 0) -> str:
    """The name of the module that calls: while a program runs it is the program that asks."""
    name = vars(sys.modules["__main__"]).get("__name__")
    return name if type(name) is str else "__main__"


def _calling_frame(_depth: int = 0) -> SimpleNamespace:
    """What `enum`, `typing` and `collections` read of a frame: the module's name."""
    return SimpleNamespace(f_globals={"__name__": _calling_module()}, f_locals={}, f_back=None)


_STAND_INS: dict[str, dict[str, Any]] = {
    "ast": {"compile": _parse},
    "collections": {"eval": _evaluate},
    "typing": {"compile": _compile},
    "sys": {"_getframe": _calling_frame, "_getframemodulename": _calling_module},
}
if sys.version_info < (3, 12):
    del _STAND_INS["sys"]["_getframemodulename"]
