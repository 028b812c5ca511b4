"""`asyncio.TaskGroup`."""

import sys
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.future import (
    CancelledError,
    current,
    running_loop,
)

_3_13 = sys.version_info >= (3, 13)


class TaskGroup:
    """Tasks that end together: the first that fails cancels the others and the block itself."""

    def __init__(self) -> None:
        self._entered = self._exiting = self._aborting = False
        self._loop: Any = None
        self._parent: Any = None  # the task of the block
        self._parent_cancelled = False  # by this group
        self._tasks: set[Any] = set()
        self._errors: list[BaseException] = []
        self._end: BaseException | None = None  # of the program
        self._all_done: Any = None

    def __repr__(self) -> str:
        told = [f"tasks={len(self._tasks)}"] if self._tasks else []
        told += [f"errors={len(self._errors)}"] if self._errors else []
        state = "cancelling" if self._aborting else "entered" if self._entered else ""
        told += [state] if state else []
        return f"<{' '.join(['TaskGroup', *told])}>"

    async def __aenter__(self) -> "TaskGroup":
        if self._entered:
            raise RuntimeError(f"TaskGroup {self!r} has already been entered")
        self._loop = running_loop()
        self._parent = current.task
        if self._parent is None:
            raise RuntimeError(f"TaskGroup {self!r} cannot determine the parent task")
        self._entered = True
        return self

    async def __aexit__(self, kind: Any, error: Any, _: Any) -> None:
        self._exiting = True
        if error is not None:
            self._note_end(error)
        cancelled = error if _is_cancellation(error) else None
        # From 3.13 on the request is taken back last: more may come while the tasks end.
        if not _3_13 and self._uncancel_parent():
            cancelled = None
        if error is not None and not self._aborting:
            self._abort()
        cancelled = await self._wait(cancelled)
        if self._end is not None:
            raise self._end
        if _3_13 and self._uncancel_parent():
            cancelled = None
        if cancelled is not None and not self._errors:
            raise cancelled
        if error is not None and not _is_cancellation(error):
            self._errors.append(error)
        if self._errors:
            self._raise()

    def _uncancel_parent(self) -> bool:
        """Take back the cancellation that this group asked for; True if no other is asked for."""
        return bool(self._parent_cancelled and self._parent.uncancel() == 0)

    async def _wait(self, cancelled: Any) -> Any:
        """Wait for the tasks, however often this one is cancelled; returns the cancellation."""
        while self._tasks:
            if self._all_done is None:
                self._all_done = self._loop.create_future()
            try:
                await self._all_done
            except CancelledError as error:
                if not self._aborting:
                    cancelled = error
                    self._abort()
            self._all_done = None
        return cancelled

    def _raise(self) -> None:
        if _3_13 and self._parent.cancelling():
            self._parent.uncancel()
            self._parent.cancel()
        errors, self._errors = self._errors, []
        raise BaseExceptionGroup("unhandled errors in a TaskGroup", errors) from None

    def create_task(self, coro: Any, *, name: Any = None, context: Any = None) -> Any:
        """A task of this group. RuntimeError before it is entered, and once it is ending."""
        if not self._entered:
            self._refuse(coro, "has not been entered")
        if self._exiting and not self._tasks:
            self._refuse(coro, "is finished")
        if self._aborting:
            self._refuse(coro, "is shutting down")
        task = self._loop.create_task(coro, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._on_task_done)
        return task

    def _refuse(self, coro: Any, reason: str) -> None:
        if _3_13:
            coro.close()
        raise RuntimeError(f"TaskGroup {self!r} {reason}")

    def _abort(self) -> None:
        self._aborting = True
        for task in self._tasks:
            if not task.done():
                task.cancel()

    def _note_end(self, error: BaseException) -> None:
        if self._end is None and issubclass(type(error), (SystemExit, KeyboardInterrupt)):
            self._end = error

    def _on_task_done(self, task: Any) -> None:
        self._tasks.discard(task)
        if self._all_done is not None and not self._tasks and not self._all_done.done():
            self._all_done.set_result(True)
        if task.cancelled():
            return
        error = task.exception()
        if error is None:
            return
        self._errors.append(error)
        self._note_end(error)
        if self._parent.done():
            message = f"Task {task!r} has errored out but its parent task is already completed"
            told = {"message": message, "exception": error, "task": task}
            self._loop.call_exception_handler(told)
        elif not self._aborting and not self._parent_cancelled:
            # What the block awaits is cancelled; `__aexit__` takes the request back.
            self._abort()
            self._parent_cancelled = True
            self._parent.cancel()


def _is_cancellation(error: object) -> bool:
    return issubclass(type(error), CancelledError)
