"""`asyncio` over a loop of our own: one thread, no descriptors, and time that sleeping moves on."""

import sys
from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.stdlib.concurrency.asyncio import events as events
from sandbox.language.stdlib.concurrency.asyncio import locks as locks
from sandbox.language.stdlib.concurrency.asyncio import queues as queues
from sandbox.language.stdlib.concurrency.asyncio import tasks as tasks
from sandbox.language.stdlib.concurrency.asyncio import timeout as timeouts
from sandbox.language.stdlib.concurrency.asyncio import waiting as waiting
from sandbox.language.stdlib.concurrency.asyncio.barrier import Barrier
from sandbox.language.stdlib.concurrency.asyncio.completion import Completion, as_completed
from sandbox.language.stdlib.concurrency.asyncio.future import (
    CancelledError,
    Future,
    InvalidStateError,
    current,
    isfuture,
    running_loop,
)
from sandbox.language.stdlib.concurrency.asyncio.groups import TaskGroup
from sandbox.language.stdlib.concurrency.asyncio.handles import Handle, TimerHandle
from sandbox.language.stdlib.concurrency.asyncio.runners import Runner, run

# The module that each class says it is of, as in CPython, where futures and tasks are C's own.
# Helpers are with what gives them out, so that their methods look at their receivers as well.
_CLASSES: dict[str, tuple[type, ...]] = {
    "asyncio.exceptions": (CancelledError, InvalidStateError, locks.BrokenBarrierError),
    "asyncio": (Future, tasks.Task, waiting.Gathered, Completion),
    "asyncio.events": (Handle, TimerHandle, events.Loop),
    "asyncio.locks": (
        *(locks.Lock, locks.Event, locks.Condition, locks.Semaphore, locks.BoundedSemaphore),
        *(locks.LoopBound, locks.Acquired, Barrier),
    ),
    "asyncio.queues": (
        *(queues.QueueEmpty, queues.QueueFull, queues.QueueShutDown),
        *(queues.Queue, queues.LifoQueue, queues.PriorityQueue),
    ),
    "asyncio.runners": (Runner,),
    "asyncio.taskgroups": (TaskGroup,),
    "asyncio.timeouts": (timeouts.Timeout,),
}
_FUNCTIONS: tuple[Any, ...] = (
    *(tasks.all_tasks, tasks.create_task, tasks.current_task, tasks.ensure_future, tasks.sleep),
    *(tasks.iscoroutine, tasks.iscoroutinefunction, isfuture, run, as_completed),
    *(waiting.gather, waiting.shield, waiting.to_thread, waiting.wait, waiting.wait_for),
    *(timeouts.timeout, timeouts.timeout_at, events.get_event_loop, events.set_event_loop),
)


def asyncio(context: Context) -> dict[str, Any]:
    """By name."""
    current.clock = context.state.clock
    names: dict[str, Any] = {function.__name__: function for function in _FUNCTIONS}
    for module, classes in _CLASSES.items():
        for cls in classes:
            cls.__module__ = module
            names[cls.__name__] = cls
    if sys.version_info < (3, 13):
        del names["QueueShutDown"]
    return names | {
        "ALL_COMPLETED": waiting.ALL_COMPLETED,
        "FIRST_COMPLETED": waiting.FIRST_COMPLETED,
        "FIRST_EXCEPTION": waiting.FIRST_EXCEPTION,
        "TimeoutError": TimeoutError,
        "get_running_loop": running_loop,
        "new_event_loop": events.Loop,
    }
