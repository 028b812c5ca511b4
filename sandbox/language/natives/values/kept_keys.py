"""Makes host code keep things by plain texts and numbers, where a program gives its own.

`_strptime` keeps an expression for each format and `fractions` the hash of each number, for the
whole process. A text or a number of a program's own class has an `__eq__` and a `__hash__` of the
program's: it would be found in the place of another.
"""

import sys
from typing import Any

from sandbox.language.guards.classes.class_origin import exact_text
from sandbox.language.natives.arguments import as_integer


def harden() -> None:
    """Replace the functions by which the modules that are loaded come to such dicts."""
    for module, name, plain in _KEEPERS:
        known = vars(sys.modules[module]).get(name) if module in sys.modules else None
        if known is not None and known.__module__ != __name__:
            vars(sys.modules[module])[name] = _keeping(known, plain)


def _keeping(own: Any, plain: Any) -> Any:
    def function(*args: Any, **named: Any) -> Any:
        return own(*map(plain, args), **{name: plain(value) for name, value in named.items()})

    return function


# Module, function, and what an argument of it is made.
_KEEPERS = (
    ("_strptime", "_strptime", exact_text),
    ("fractions", "_hash_algorithm", as_integer),  # from 3.12 on
)
