"""`threading` in one thread: a thread runs where it is started.

Whatever would wait for another thread can wait for ever, so it raises instead.
"""

from collections.abc import Callable, Iterable
from typing import Any

from sandbox.language.context import Context


def deadlock(what: str) -> RuntimeError:
    """For what could only end if there were another thread."""
    return RuntimeError(f"{what} would wait for ever: the program has one thread")


class Thread:
    """Runs its target in `start()`. Exceptions end the thread, not the program, as in CPython."""

    count = 0

    def __init__(
        self,
        group: None = None,
        target: Callable[..., Any] | None = None,
        name: str | None = None,
        args: Iterable[Any] = (),
        kwargs: dict[str, Any] | None = None,
        *,
        daemon: bool | None = None,
    ) -> None:
        Thread.count += 1
        self.daemon = bool(daemon)
        self.name = name or f"Thread-{Thread.count}"
        self.ident: int | None = None
        # One attribute for the rest, so that a subclass may call its own as it likes.
        self.threading_task = (target, tuple(args), kwargs or {})

    def start(self) -> None:
        """Run to the end, here and now."""
        if self.ident is not None:
            raise RuntimeError("threads can only be started once")
        self.ident = 1
        try:
            self.run()
        except (MemoryError, RecursionError, KeyboardInterrupt):
            raise  # a limit of the whole program
        except SystemExit:
            return
        except Exception as error:
            if hasattr(error, "what"):
                raise  # denied by the policy: the program must not go on as if nothing were
            return

    def run(self) -> None:
        """Call the target."""
        target, args, kwargs = self.threading_task
        if target is not None:
            target(*args, **kwargs)

    def join(self, timeout: float | None = None) -> None:
        """It has ended already."""
        if self.ident is None:
            raise RuntimeError("cannot join thread before it is started")

    def is_alive(self) -> bool:
        """It has ended already."""
        return False

    def setDaemon(self, daemonic: bool) -> None:
        """An old spelling of `daemon`."""
        self.daemon = daemonic

    def getName(self) -> str:
        """An old spelling of `name`."""
        return self.name


class Timer(Thread):
    """Runs when it is started, unless cancelled."""

    def __init__(
        self, interval: float, function: Any, args: Any = None, kwargs: Any = None
    ) -> None:
        super().__init__(target=function, args=args or (), kwargs=kwargs)
        self.interval = interval

    def cancel(self) -> None:
        """Too late."""


class Lock:
    """A lock that nobody else can release."""

    reentrant = False

    def __init__(self) -> None:
        self.held = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it; True if it was free."""
        if self.held and not self.reentrant:
            if blocking and timeout < 0:
                raise deadlock("acquiring a held lock")
            return False
        self.held += 1
        return True

    def release(self) -> None:
        """Give it back."""
        if not self.held:
            raise RuntimeError("release unlocked lock")
        self.held -= 1

    def locked(self) -> bool:
        """True while it is held."""
        return bool(self.held)

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


class RLock(Lock):
    """A lock that may be taken again."""

    reentrant = True


class Semaphore:
    """A counter that must not go below zero."""

    def __init__(self, value: int = 1) -> None:
        if value < 0:
            raise ValueError("semaphore initial value must be >= 0")
        self.value = value

    def acquire(self, blocking: bool = True, timeout: float | None = None) -> bool:
        """Count down."""
        if not self.value:
            if blocking and timeout is None:
                raise deadlock("acquiring an exhausted semaphore")
            return False
        self.value -= 1
        return True

    def release(self, n: int = 1) -> None:
        """Count up."""
        self.value += n

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *error: object) -> None:
        self.release()


class Event:
    """A flag."""

    def __init__(self) -> None:
        self.flag = False

    def is_set(self) -> bool:
        """The flag."""
        return self.flag

    def set(self) -> None:
        """Raise the flag."""
        self.flag = True

    def clear(self) -> None:
        """Lower the flag."""
        self.flag = False

    def wait(self, timeout: float | None = None) -> bool:
        """The flag; nobody else can raise it."""
        if not self.flag and timeout is None:
            raise deadlock("waiting for an event")
        return self.flag


class Condition(RLock):
    """A lock with nobody to notify."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__()

    def wait(self, timeout: float | None = None) -> bool:
        """Nobody else can notify."""
        if timeout is None:
            raise deadlock("waiting for a condition")
        return False

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """What the predicate says now."""
        return predicate() or self.wait(timeout)

    def notify(self, n: int = 1) -> None:
        """Nobody waits."""

    def notify_all(self) -> None:
        """Nobody waits."""


class Barrier:
    """Open to one party only."""

    def __init__(self, parties: int, action: Any = None, timeout: float | None = None) -> None:
        self.parties = parties

    def wait(self, timeout: float | None = None) -> int:
        """Pass, if alone."""
        if self.parties > 1:
            raise deadlock("waiting at a barrier")
        return 0


class local:
    """Attributes of the one thread."""


def threading(context: Context) -> dict[str, Any]:
    """By name."""
    main = Thread(name="MainThread")
    main.ident = 1
    Thread.count = 0
    classes = (Thread, Timer, Lock, RLock, Semaphore, Event, Condition, Barrier, local)
    return {cls.__name__: public(cls, "threading") for cls in classes} | {
        "BoundedSemaphore": Semaphore,
        "ThreadError": RuntimeError,
        "active_count": lambda: 1,
        "current_thread": lambda: main,
        "main_thread": lambda: main,
        "enumerate": lambda: [main],
        "get_ident": lambda: 1,
        "stack_size": lambda size=0: 0,
    }


def public(cls: type, module: str) -> type:
    """`cls`, said to be of `module`."""
    cls.__module__ = module
    return cls
