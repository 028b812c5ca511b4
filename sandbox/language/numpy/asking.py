"""Asks the engine of this process for one operation of numpy's.

The engine is in an audit hook (`loading`), and no object leads to it: an event with a box is all
there is.
"""

import sys
from typing import Any

EVENT = "sandbox.numpy"
_audit = sys.audit


def ask(name: Any, args: Any, options: Any, /) -> Any:
    """Return what `Engine.answer` returns. To call this is no power: see there what is looked at.

    Raises RuntimeError in a process that numpy was not brought into.
    """
    box: list[Any] = []
    _audit(EVENT, box, name, args, options)
    if not box:
        raise RuntimeError("numpy was not brought into this process")
    return box.pop()
