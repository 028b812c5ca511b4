"""`Session` for asyncio: what blocks is awaited, in a thread that ends with it."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, Unpack

from sandbox.policy.limits import LimitOptions
from sandbox.runtime.sessions.branch import Entry
from sandbox.runtime.sessions.cell_run import Interrupt
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.session import Session

_T = TypeVar("_T")


class AsyncSession:
    """A session whose methods are awaited. A cell that is cancelled is interrupted, and undone.

    async with await sandbox.asession() as session:
        result = await session.run("1 + 1")
    """

    def __init__(self, session: Session) -> None:
        self.session = session

    async def run(
        self,
        code: str,
        stdin: str = "",
        *,
        on_error: str | None = None,
        **limits: Unpack[LimitOptions],
    ) -> CellResult:
        """`Session.run`."""
        wish = Interrupt()
        own: dict[str, Any] = {"on_error": on_error, "interrupt": wish, **limits}
        return await self._in_thread(lambda: self.session.run(code, stdin, **own), wish)

    async def call(
        self,
        entry: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        **limits: Unpack[LimitOptions],
    ) -> CellResult:
        """`Session.call`."""
        wish = Interrupt()
        own: dict[str, Any] = {"interrupt": wish, **limits}
        return await self._in_thread(lambda: self.session.call(entry, args, kwargs, **own), wish)

    async def get(self, name: str) -> Any:
        """`Session.get`."""
        return await self._in_thread(lambda: self.session.get(name))

    async def set(self, name: str, value: Any) -> None:
        """`Session.set`."""
        await self._in_thread(lambda: self.session.set(name, value))

    async def write_file(self, name: str, content: bytes | str) -> None:
        """`Session.write_file`."""
        await self._in_thread(lambda: self.session.write_file(name, content))

    async def read_file(self, name: str) -> bytes:
        """`Session.read_file`."""
        return await self._in_thread(lambda: self.session.read_file(name))

    async def files(self) -> list[str]:
        """`Session.files`."""
        return await self._in_thread(self.session.files)

    async def checkpoint(self, name: str = "") -> str:
        """`Session.checkpoint`."""
        return await self._in_thread(lambda: self.session.checkpoint(name))

    async def restore(self, mark: str) -> None:
        """`Session.restore`."""
        await self._in_thread(lambda: self.session.restore(mark))

    async def fork(self, count: int = 1) -> "list[AsyncSession]":
        """`Session.fork`."""
        made = await self._in_thread(lambda: self.session.fork(count))
        return [AsyncSession(each) for each in made]

    async def replay(self, log: Sequence[Entry]) -> None:
        """`Session.replay`."""
        await self._in_thread(lambda: self.session.replay(log))

    async def close(self) -> None:
        """`Session.close`."""
        await self._in_thread(self.session.close)

    async def __aenter__(self) -> "AsyncSession":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _in_thread(self, work: Callable[[], _T], interrupt: Interrupt | None = None) -> _T:
        """Await `work` in a thread of its own: the loop's may all be in cells that go on."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[_T] = loop.create_future()

        def do() -> None:
            try:
                made = work()
            except BaseException as error:
                _tell(loop, told, error=error)
            else:
                _tell(loop, told, made=made)

        threading.Thread(target=do, name="sandbox session", daemon=True).start()
        try:
            return await told
        except asyncio.CancelledError:
            if interrupt is not None:
                interrupt.wish()
            raise


def _tell(
    loop: asyncio.AbstractEventLoop,
    told: "asyncio.Future[Any]",
    made: Any = None,
    error: BaseException | None = None,
) -> None:
    """Have `told` say what came of it; let go of branches that nobody waits for any more."""

    def tell() -> None:
        if not told.done():
            told.set_exception(error) if error is not None else told.set_result(made)
            return
        for each in made if isinstance(made, list) else ():
            if isinstance(each, Session):
                each.close()

    try:
        loop.call_soon_threadsafe(tell)
    except RuntimeError:  # the loop was closed meanwhile
        return
