"""`threading` in one thread: a thread runs where it is started.

Whatever would wait for another thread is denied: a thread that did its work half would make the
program print something else than it does in CPython.
"""

from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakSet

from sandbox.language.guards.classes.class_origin import instance_dict
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import Denial, denied_wait

# Of the one program of a process: threads that are in their `start()`, outermost first, and every
# `local`. In no namespace that a guest can read.
_running: list["Thread"] = []
_named: list[None] = []  # as many as threads were named by us
_locals: WeakSet["local"] = WeakSet()


def deadlock(what: str) -> BaseException:
    """For what could only end if there were another thread."""
    return denied_wait(what)


class Thread:
    """Runs its target in `start()`. Exceptions end the thread, not the program, as in CPython."""

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
        self.daemon = bool(daemon)
        self.name = str(name) if name else _new_name(target)
        self.ident: int | None = None
        # One attribute for the rest, so that a subclass may call its own as it likes.
        self.threading_task = (target, tuple(args), kwargs or {})

    def start(self) -> None:
        """Run to the end, here and now."""
        if self.ident is not None:
            raise RuntimeError("threads can only be started once")
        self.ident = len(_named) + 1
        outer = [(own, vars_of(own), dict.copy(vars_of(own))) for own in _locals]
        _running.append(self)
        try:
            for _, names, _ in outer:
                dict.clear(names)  # which may be of the program's own kind
            self.run()
        except (MemoryError, RecursionError, KeyboardInterrupt):
            raise  # a limit of the whole program
        except SystemExit:
            return
        except Exception as error:
            if issubclass(type(error), Denial):
                raise  # denied by the policy: the program must not go on as if nothing were
            return
        finally:
            _running.pop()
            for _, names, before in outer:
                dict.clear(names)
                dict.update(names, before)

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
        """True only to the thread itself, as no other thread runs meanwhile."""
        return any(thread is self for thread in _running)

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
    """A lock that no other thread can release."""

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


class BoundedSemaphore(Semaphore):
    """A counter that must not rise above where it began."""

    def __init__(self, value: int = 1) -> None:
        super().__init__(value)
        self.most = value

    def release(self, n: int = 1) -> None:
        """Count up."""
        if self.value + n > self.most:
            raise ValueError("Semaphore released too many times")
        super().release(n)


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
        """Return the flag; no other thread can raise it."""
        if not self.flag and timeout is None:
            raise deadlock("waiting for an event")
        return self.flag


class Condition(RLock):
    """A lock with no other thread to notify."""

    def __init__(self, lock: Any = None) -> None:
        super().__init__()

    def wait(self, timeout: float | None = None) -> bool:
        """Time out at once, or be denied: no other thread can notify."""
        if timeout is None:
            raise deadlock("waiting for a condition")
        return False

    def wait_for(self, predicate: Callable[[], Any], timeout: float | None = None) -> Any:
        """Return what the predicate says now, as no other thread can change that."""
        return predicate() or self.wait(timeout)

    def notify(self, n: int = 1) -> None:
        """Do nothing: no other thread waits."""

    def notify_all(self) -> None:
        """Do nothing: no other thread waits."""


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
    """Attributes that each thread has for itself: `Thread.start` puts those of the others aside."""

    def __init__(self) -> None:
        _locals.add(self)


def vars_of(own: object) -> dict[str, Any]:
    """The real attributes of `own`."""
    names = instance_dict(own)
    return {} if names is None else names


def _new_name(target: object) -> str:
    _named.append(None)
    try:
        return f"Thread-{len(_named)} ({target.__name__})"  # type: ignore[attr-defined]
    except AttributeError:
        return f"Thread-{len(_named)}"


def threading(context: Context) -> dict[str, Any]:
    """By name."""
    main = Thread(name="MainThread")
    main.ident = 1
    locks = (Lock, RLock, Semaphore, BoundedSemaphore, Event, Condition, Barrier)
    return {cls.__name__: public(cls, "threading") for cls in (Thread, Timer, *locks, local)} | {
        "ThreadError": RuntimeError,
        "active_count": lambda: 1 + len(_running),
        "current_thread": lambda: _running[-1] if _running else main,
        "main_thread": lambda: main,
        "enumerate": lambda: [main, *_running],
        "get_ident": lambda: (_running[-1] if _running else main).ident,
        "stack_size": lambda size=0: 0,
    }


def public(cls: type, module: str) -> type:
    """`cls`, said to be of `module`."""
    cls.__module__ = module
    return cls
