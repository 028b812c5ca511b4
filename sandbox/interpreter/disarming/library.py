"""Parts of the standard library that compile, evaluate or look at their caller, with stand-ins.

The real powers are gone, or end the process, when a program runs; these modules go on working.
"""

import _locale
import sys
from types import SimpleNamespace
from typing import Any

from sandbox.interpreter.vault.asking import calling_module, compile_text, evaluate
from sandbox.interpreter.vault.patterns import compile_pattern

_ONLY_TREE = 0x400  # ast.PyCF_ONLY_AST


def fit() -> None:
    """Put the stand-ins into the modules that are loaded."""
    for module, names in _STAND_INS.items():
        loaded = sys.modules.get(module)
        if loaded is not None:
            vars(loaded).update(names)


def _parse(source: Any, filename: str, mode: str, flags: int = 0, **_: object) -> Any:
    """Parse a text for `ast.parse`: return a tree, never code."""
    return compile_text(source, filename, mode, flags | _ONLY_TREE)


def _compile(text: str, filename: str, mode: str) -> Any:
    """Compile for `typing`, which compiles an annotation that is a text to see that it can be."""
    return compile_text(str.__str__(text), filename, mode)


def _evaluate(text: Any, names: dict[str, Any]) -> Any:
    """Evaluate for `namedtuple` a text made of field names that were looked at."""
    return evaluate(compile_text(text, "<string>", "eval"), names)


def _calling_frame(depth: int = 0) -> SimpleNamespace:
    """Stand in for a frame, of which `enum`, `typing` and `collections` read the module's name."""
    name = calling_module(depth)
    if name is None:
        raise ValueError("call stack is not deep enough")
    return SimpleNamespace(f_globals={"__name__": name}, f_locals={}, f_back=None)


def _vars(o: Any) -> Any:
    """Return the variables of `o`, for library code.

    CPython's `vars`, and `locals`, tell the caller's variables if nothing is given: called from C,
    those of a frame of the vault.
    """
    return o.__dict__


def _dir(o: Any) -> list[str]:
    """Return the names in `o`, as `_vars` for library code; only with an argument."""
    kind: Any = type(o)
    return sorted(kind.__dir__(o))


def _set_locale(category: int, name: Any = None) -> str:
    """Keep, for `locale`, what is set, since the C library opens files for another one."""
    if category not in _locales or name not in (None, _locales[category]):
        raise ValueError("unsupported locale setting")
    return _locales[category]


# `strptime` and `calendar` ask for it.
_locales = {
    category: _locale.setlocale(category)
    for name, category in vars(_locale).items()
    if name.startswith("LC_")
}
# In the place of what a module of C loses.
REPLACED: dict[str, dict[str, Any]] = {
    "builtins": {"vars": _vars, "dir": _dir},
    "_sre": {"compile": compile_pattern},
}
_STAND_INS: dict[str, dict[str, Any]] = {
    "ast": {"compile": _parse},
    "_locale": {"setlocale": _set_locale},
    "locale": {"_setlocale": _set_locale},
    "collections": {"eval": _evaluate},
    "typing": {"compile": _compile},
    "annotationlib": {"compile": _compile},
    "sys": {"_getframe": _calling_frame, "_getframemodulename": calling_module},
}
if sys.version_info < (3, 12):
    del _STAND_INS["sys"]["_getframemodulename"]
