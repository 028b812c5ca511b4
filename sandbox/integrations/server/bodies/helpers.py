"""Work whose cost a client decides, in processes of its own: the event loop never waits for it.

A helper runs our code only, on data of a client's. It has so much processor time and memory for a
task, and is killed with it: by the kernel, or because the client waits for no answer any more.
"""

import asyncio
import contextlib
import errno
import importlib
import os
import resource
import signal
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar

from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from sandbox.errors import SandboxError
from sandbox.integrations.server.admission.turns import Turns
from sandbox.integrations.server.bodies import exchange

_T = TypeVar("_T")
_NICE, _TRIES = 10, 2
_WALL_PER_CPU, _LEAST_WALL_SECONDS = 6, 30.0  # CPU time decides; this is for where there is none
_MEMORY_PER_ANSWER = 8  # of what a task may have, as the answer is not its own memory
_GRACE_SECONDS = 0.5
_NO_MEMORY = "it takes too much memory to read"


class TooDear(ValueError):
    """Data that takes more time or memory to read than a client gets for it."""


class _UsedUp(Exception):
    """A helper has used its processor time."""


class Helpers:
    """At most `count` processes at once, of which clients get their turn. Started when needed.

    Each task has `cpu_seconds` and an address space of `memory_bytes`. Belongs to one event loop.
    """

    def __init__(self, count: int, *, cpu_seconds: int, memory_bytes: int) -> None:
        self._turns, self._count = Turns(count), count
        self._cpu_seconds, self._memory_bytes = cpu_seconds, memory_bytes
        self._wall_seconds = max(_WALL_PER_CPU * cpu_seconds, _LEAST_WALL_SECONDS)
        self._limiter: CapacityLimiter | None = None
        self._starting = set[asyncio.Future[int]]()  # the loop alone would let them be collected

    async def run(self, client: str, function: Callable[..., _T], *args: Any) -> _T:
        """Return `function(*args)`, found by its name there; both are pickled, as is the answer.

        Raises TooDear, SandboxError if something else ended two helpers or they had no processor,
        and what it raises.
        """
        async with self._turns.turn(client):
            lost: Exception
            for _ in range(_TRIES):  # also where it took too long: ticks can run ahead of the clock
                try:
                    return await self._try(function, args)
                except _UsedUp:
                    lost = TooDear(f"it takes more than {self._cpu_seconds} s to read")
                except (BrokenWorkerProcess, OSError) as error:
                    lost = SandboxError(f"a helper of the server was lost: {error!r}")
            raise lost

    async def _try(self, function: Callable[..., _T], args: tuple[Any, ...]) -> _T:
        if self._limiter is None:  # it belongs to the running loop
            self._limiter = CapacityLimiter(self._count)
        bounds = self._cpu_seconds, self._memory_bytes
        with exchange.Exchange() as places:
            await places.give((function, args))
            home = function.__module__
            task = partial(bounded, home, *bounds, places.given, places.answer, places.last_word)
            try:
                async with asyncio.timeout(self._wall_seconds):
                    await self._started()
                    await to_process.run_sync(task, cancellable=True, limiter=self._limiter)
            except TimeoutError:
                raise SandboxError("a helper of the server had no processor") from None
            except BrokenWorkerProcess:
                if places.had_last_word():
                    raise _UsedUp from None
                raise
            answer: _T = places.answered()
        await asyncio.sleep(0)  # that may have taken a while, as may what is done with it
        return answer

    async def _started(self) -> None:
        """Have a helper that waits for a task, and end its start even if no caller waits for that.

        anyio leaves a process that it is starting to itself when it is cancelled: it would stay.
        """
        starting = asyncio.ensure_future(to_process.run_sync(int, limiter=self._limiter))
        self._starting.add(starting)
        starting.add_done_callback(self._starting.discard)
        starting.add_done_callback(_heard)
        await asyncio.shield(starting)


def _heard(ended: "asyncio.Future[Any]") -> None:
    """Take what ended while no caller was there to see it: the log is to say nothing of it."""
    if not ended.cancelled():
        ended.exception()


def bounded(
    home: str, cpu_seconds: int, memory_bytes: int, given: str, answer: str, last_word: str
) -> None:
    """Do, in a helper, the task in the file `given`, and write what it gives to `answer`.

    If it takes longer, write to `last_word` and end.

    The module `home`, which has the task's function, is imported before the time begins: a third of
    a second in a new helper, which is nothing that the client asked for.

    The timer begins anew with each task: the kernel counts ticks for it as for RLIMIT_CPU, and over
    the life of a helper those would run away from its clock. Processes that run programs or serve
    come first on the processors.
    """
    os.nice(max(_NICE - os.nice(0), 0))
    importlib.import_module(home)
    with open(last_word, "wb", buffering=0) as file, _timed(cpu_seconds, file.fileno()):
        _do(memory_bytes, given, answer)


@contextlib.contextmanager
def _timed(cpu_seconds: int, last_word: int) -> Iterator[None]:
    """End this process when it has used so much processor time, and leave a byte in `last_word`.

    C writes it as the signal comes. The handler needs code of Python's to go on; should C code
    never come back, the other timer ends that, a little later.
    """
    os.set_blocking(last_word, False)  # as it has to be for signals
    signal.signal(signal.SIGPROF, lambda *_: os._exit(1))
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    signal.set_wakeup_fd(last_word)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    signal.setitimer(signal.ITIMER_VIRTUAL, cpu_seconds + _GRACE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.set_wakeup_fd(-1)


def _do(memory_bytes: int, given: str, answer: str) -> None:
    for kind, soft in (
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, memory_bytes // _MEMORY_PER_ANSWER),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (soft, hard))
    try:
        function, args = exchange.read(given)
        value = function(*args)
        with open(answer, "wb") as file:
            exchange.write(file, value)
    except MemoryError:
        raise TooDear(_NO_MEMORY) from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise TooDear(_NO_MEMORY) from None
        raise
