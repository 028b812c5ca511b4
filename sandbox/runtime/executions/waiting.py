"""Driving executions in one thread, and gaps in the driving, which are no guest's time.

The driver looks at the clock at least every `STEP_SECONDS`. What passes beyond that is a gap, in
which this process did not run: it was stopped, its cgroup frozen, its machine suspended. The guest
was too, or could not be told from one that was. A guest cannot make a gap: this process is outside
of its PID namespace and its signal scope, so that nothing it does stops it; while it polls, none of
its bytes are read; and to keep the processor from it costs CPU time, which has a limit of its own.
"""

import select
import time

from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.starvation import STEP_SECONDS

LATE_SECONDS = 0.05  # more than a timer is late on a machine with room
# Between two waits. Less is the loop's own work, of which a guest that writes often makes much.
_TURN_SECONDS = 0.001
# From the frames that a poll found to their end. Guests make this long: their caps bound it.
_READING_SECONDS = 1.0


def wait(executions: list[Execution]) -> None:
    """Block until something happens to one of `executions` that are not done, and let it happen.

    No guest is charged for what the caller did since the last wait: a service for another guest,
    the start of a supervisor, the body of a loop over results.
    """
    start = time.monotonic()
    for execution in executions:
        if start - execution.left_at > _TURN_SECONDS:
            execution.excuse(start - execution.left_at)
    poll = select.poll()
    owners: dict[int, Execution] = {}
    for execution in executions:
        for descriptor, events in execution.interest():
            poll.register(descriptor, events)
            owners[descriptor] = execution
    nearest = min(execution.deadline for execution in executions)
    seconds = min(max(nearest - start, 0), STEP_SECONDS)
    found = poll.poll(seconds * 1000 + 0.5)
    now = time.monotonic()
    _excuse_if_over(LATE_SECONDS, now - start - seconds, executions)
    for descriptor, _ in found:
        if not owners[descriptor].done:
            owners[descriptor].on_event(descriptor)
    for execution in executions:
        if not execution.done and execution.deadline <= now:
            execution.on_deadline()
        execution.look(now)
    end = time.monotonic()
    _excuse_if_over(_READING_SECONDS, end - now, executions)
    for execution in executions:
        execution.left_at = end


def _excuse_if_over(allowed: float, seconds: float, executions: list[Execution]) -> None:
    if seconds > allowed:
        for execution in executions:
            execution.excuse(seconds)
