"""CPython 3.11: the collector runs between instructions, as it does from 3.12 on.

CPython 3.11 runs it in any allocation, and so a finalizer of a program's in the middle of C code
that calls no Python: where the items of a list are has been looked up, a finalizer frees them, and
the C code goes on. So no allocation starts it here. A timer on the process's own CPU clock does, by
a signal, whose handler in Python the interpreter calls where other Python code may run, too. The
guards stop the collector by `gc.disable`; the handler keeps to that.

Not for a policy that is deterministic, as ticks are not: SECURITY.md says what it does without.
"""

import gc
import signal
import sys
from collections.abc import Callable
from typing import Any

from sandbox.policy.plan import Plan

TICK_SECONDS = 0.004  # a tick of most kernels, which look at such a timer no oftener
_YOUNG = 700  # objects made and not freed, before it is worth a look: CPython's own number
# All objects are looked at when so many were made and a quarter has been added: as CPython does it.
_MANY, _PART = 70_000, 4


def is_deferred(plan: Plan) -> bool:
    """Return True if children of `plan` are told by ticks when to collect."""
    return sys.version_info < (3, 12) and plan.language and not plan.deterministic


def defer() -> None:
    """Let no allocation in this process and its children start the collector, but SIGPROF.

    Once, in the supervisor, before `signal` is disarmed. Only C has the handler then.
    """
    gc.set_threshold(0)
    signal.signal(signal.SIGPROF, make_handler())


def make_handler() -> Callable[[Any, Any], None]:
    """Make the handler. It calls nothing of a program's but by the collector.

    Objects that have outlived one look are looked at again when there are a quarter more of them,
    so that a program that keeps all that it makes pays a constant share of its time.
    """
    old = added = made = 0

    def on_tick(
        _number: Any,
        _frame: Any,
        is_on: Any = gc.isenabled,
        count: Any = gc.get_count,
        collect: Any = gc.collect,
        most: Any = max,
        anything: type[BaseException] = BaseException,
    ) -> None:
        nonlocal old, added, made
        try:
            young = count()[0]
            if young <= _YOUNG or not is_on():
                return
            made += young
            added += most(young - collect(1), 0)
            if made > _MANY and added > old // _PART:
                old, added, made = most(old + added - collect(2), 0), 0, 0
        except anything:  # no room for it: the next tick tries again
            return

    return on_tick
