"""Threads for cells of sessions, for an event loop: one for a cell that runs, none between.

A cell whose caller is cancelled is interrupted, and waited for: its thread is free afterwards.
"""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from sandbox.errors import SessionLost

_T = TypeVar("_T")
_AGAIN_SECONDS = 0.05  # until a cell is interrupted again, which may just have begun
_CONTROLS = 4  # threads that interrupt and close: never behind a cell


class CellThreads:
    """Threads for `count` cells at once."""

    def __init__(self, count: int) -> None:
        self._cells = ThreadPoolExecutor(count, "cells")
        self._controls = ThreadPoolExecutor(_CONTROLS, "sessions")

    async def run(
        self,
        call: Callable[[], _T],
        interrupt: Callable[[], object] = lambda: None,
        *,
        unwanted: Callable[[_T], object] = lambda _: None,
    ) -> _T:
        """Return what `call` gives. Raises what it raises.

        If the caller is cancelled, `interrupt` is called until it has ended, and `unwanted` with
        what came of it.
        """
        future = self._cells.submit(call)
        running = asyncio.wrap_future(future)
        try:
            await asyncio.wait({running})
        except asyncio.CancelledError:
            if not future.cancel():  # it has begun
                await asyncio.shield(self._abandon(running, interrupt, unwanted))
            raise
        return running.result()

    async def _abandon(
        self,
        running: "asyncio.Future[_T]",
        interrupt: Callable[[], object],
        unwanted: Callable[[_T], object],
    ) -> None:
        while not running.done():
            await self.control(interrupt)
            await asyncio.wait({running}, timeout=_AGAIN_SECONDS)
        if running.exception() is None:
            await self.control(partial(unwanted, running.result()))

    async def control(self, call: Callable[[], Any]) -> None:
        """Interrupt or end something. What is lost already needs neither."""
        with contextlib.suppress(SessionLost):
            await asyncio.get_running_loop().run_in_executor(self._controls, call)
