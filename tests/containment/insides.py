"""The code that makes up the vault."""

import types
from collections.abc import Iterator
from typing import Any

from sandbox.interpreter.vault import frames, patterns, pipes, powers, variables, vault
from sandbox.runtime.child import reporter

BUILDS: tuple[Any, ...] = (
    *(vault.install, pipes.open_ends, frames.open_views, variables.open_variables),
    *(powers.open_powers, reporter.make_handler, patterns.open_patterns),
)


def inside(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of every function that is defined inside of `code`, however deep."""
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from () if const.co_name.startswith("<") else (const,)
            yield from inside(const)
