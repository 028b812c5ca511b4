"""`asyncio.run` and `asyncio.Runner`."""

import sys
from typing import Any

from sandbox.language.stdlib.concurrency.asyncio.events import Loop, set_event_loop
from sandbox.language.stdlib.concurrency.asyncio.future import current
from sandbox.language.stdlib.concurrency.asyncio.tasks import (
    ensure_future,
    iscoroutine,
    raise_denials,
    unfinished,
)
from sandbox.language.stdlib.concurrency.asyncio.waiting import gather

_TAKES_ALL = sys.version_info >= (3, 14)  # before, coroutines alone
_CREATED, _OPEN, _CLOSED = "created", "initialized", "closed"


class Runner:
    """A loop of its own for one coroutine after the other; at the end what is left is cancelled."""

    def __init__(self, *, debug: Any = None, loop_factory: Any = None) -> None:
        self._state = _CREATED
        self._debug = debug
        self._factory = loop_factory
        self._loop: Any = None

    def __enter__(self) -> "Runner":
        self._open()
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def get_loop(self) -> Any:
        """The loop. Raises RuntimeError after `close()`."""
        self._open()
        return self._loop

    def run(self, coro: Any, *, context: Any = None) -> Any:
        """Run a coroutine to its end. Raises RuntimeError where a loop runs already."""
        if not (_TAKES_ALL or iscoroutine(coro)):
            raise ValueError(f"a coroutine was expected, got {coro!r}")
        if current.running is not None:
            raise RuntimeError("Runner.run() cannot be called from a running event loop")
        self._open()
        return self._loop.run_until_complete(ensure_future(coro, loop=self._loop))

    def _open(self) -> None:
        if self._state == _CLOSED:
            raise RuntimeError("Runner is closed")
        if self._state == _OPEN:
            return
        if self._factory is None:
            self._loop = Loop()
            set_event_loop(self._loop)
        else:
            self._loop = self._factory()
        if self._debug is not None:
            self._loop.set_debug(self._debug)
        self._state = _OPEN

    def close(self) -> None:
        """Cancel what is left, wait for it and close the loop."""
        if self._state != _OPEN:
            return
        loop = self._loop
        try:
            _cancel_all(loop)
            raise_denials(loop)
        finally:
            if self._factory is None:
                set_event_loop(None)
            loop.close()
            self._loop, self._state = None, _CLOSED


def _cancel_all(loop: Any) -> None:
    tasks = unfinished(loop)
    if not tasks:
        return
    for task in tasks:
        task.cancel()
    loop.run_until_complete(gather(*tasks, return_exceptions=True))
    for task in tasks:
        if not task.cancelled() and task.exception() is not None:
            message = "unhandled exception during asyncio.run() shutdown"
            told = {"message": message, "exception": task.exception(), "task": task}
            loop.call_exception_handler(told)


def run(main: Any, *, debug: Any = None, loop_factory: Any = None) -> Any:
    """Run a coroutine on a new loop, then cancel what it left behind."""
    if current.running is not None:
        raise RuntimeError("asyncio.run() cannot be called from a running event loop")
    with Runner(debug=debug, loop_factory=loop_factory) as runner:
        return runner.run(main)
