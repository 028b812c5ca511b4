"""Forgetting the functions that built the vault.

The vault tells which code may do what by the identity of code objects, and those are constants of
the code of its builders. A guest that calls a builder again, with names of its module replaced,
gets functions that have the permitted code and close over objects of the guest's choice. So the
builders are called once, and taken out of their modules before a program can run; the code is then
the vault's alone. The census (`census`) proves it in a child, each time that a sandbox opens.
"""

import sys
from collections.abc import Callable
from typing import Any

from sandbox.interpreter.disarming.identity import identity
from sandbox.interpreter.vault import frames, patterns, pipes, powers, variables, vault


def forget(*others: Callable[..., Any]) -> None:
    """Delete the vault's builders, and `others`, from every module of this package."""
    builders = (
        *(vault.install, pipes.open_ends, powers.open_powers, frames.open_views),
        *(variables.open_variables, patterns.open_patterns, *others),
    )
    forgotten = frozenset(map(identity, builders))
    for name, module in list(sys.modules.items()):
        if name.startswith("sandbox."):
            names = vars(module)
            for key in [key for key, value in names.items() if identity(value) in forgotten]:
                del names[key]
