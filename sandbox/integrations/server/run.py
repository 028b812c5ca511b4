"""Opens a sandbox and serves it until a signal ends it; what was accepted is answered first."""

import contextlib
import gc
import logging
import resource
import signal
import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.integrations.server.listening import BACKLOG, address_of, listen
from sandbox.integrations.server.log import Log
from sandbox.integrations.server.settings import Settings
from sandbox.policy.model import Policy
from sandbox.runtime.caller.client import Sandbox, close_all
from sandbox.runtime.caller.defaults import default_sandbox

if TYPE_CHECKING:
    from sandbox.rewards.contained import ContainedReward

_MISSING = "sandbox serve needs the extra 'server': pip install 'restricted-execution[server]' ({})"
_PER_CLIENT, _PER_JOB, _PER_SESSION, _OWN = 2, 4, 4, 256  # descriptors


class MissingExtra(ImportError):
    """The packages of the extra `server` are not installed."""


def serve(
    settings: Settings,
    policy: "str | PathLike[str] | Policy" = "contest",
    workers: int | None = None,
    rewards: "Mapping[str, str | PathLike[str]] | None" = None,
    *,
    pytest: bool = False,
) -> None:
    """Serve until SIGTERM or SIGINT. Call it in the main thread.

    `rewards` are files with reward functions for `/score`, by the names that clients ask for: a
    path, or a path with `::` and the name of a function behind it. With `pytest`, `/run_code` has
    the language of that name, behind the kernel's layers alone.

    Raises MissingExtra, OSError for an address that is taken or a file that cannot be read, and
    what opening a `Sandbox` and `load_reward` raise.
    """
    try:
        import uvicorn

        from sandbox.integrations.server.admission.connection import connection_class
        from sandbox.integrations.server.app import create_app
        from sandbox.integrations.server.endpoints.pytest_files import running_pytest
    except ImportError as error:
        raise MissingExtra(_MISSING.format(error)) from error
    listener = listen(settings)
    with listener, contextlib.ExitStack() as opened:
        most = max(settings.sessions, 1)
        sandbox = opened.enter_context(Sandbox(policy, workers, sessions=most))
        with_pytest = None
        if pytest:
            with_pytest = opened.enter_context(
                Sandbox(running_pytest(sandbox.policy), sandbox.workers)
            )
        loaded = _loaded(rewards or {}, policy, settings)
        # Beside a program, the function that wants it and another that it has executed.
        busy = sandbox.workers * (3 if loaded else 2 if pytest else 1)
        lasting = settings.connections * _PER_CLIENT + settings.sessions * _PER_SESSION
        _have_descriptors(lasting + busy * _PER_JOB + _OWN)
        config = uvicorn.Config(
            create_app(sandbox, settings, loaded, with_pytest),
            http=connection_class(settings),
            ws="none",
            loop="asyncio",
            lifespan="off",
            access_log=False,
            log_config=None,
            log_level="error",
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=round(settings.idle_seconds),
            timeout_graceful_shutdown=round(settings.grace_seconds),
        )
        # uvicorn raises the signal again once it has shut down: then it means nothing more.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        print(
            f"serving policy '{sandbox.policy.name}' with {sandbox.workers} workers"
            f" on http://{address_of(listener)}",
            file=sys.stderr,
            flush=True,
        )
        log = Log()
        for name in ("uvicorn", "sandbox"):
            logging.getLogger(name).handlers = [log]
            logging.getLogger(name).propagate = False
        # A client is told by its answer what it did wrong: in a log that the operator does not read
        # such lines would stop the server.
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        # What was imported stays: to go through it again would keep all clients waiting for 50 ms.
        gc.collect()
        gc.freeze()
        uvicorn.Server(config).run(sockets=[listener])
    close_all()  # what a client that left had begun to have graded ends now


def _loaded(
    rewards: "Mapping[str, str | PathLike[str]]",
    policy: "str | PathLike[str] | Policy",
    settings: Settings,
) -> "dict[str, ContainedReward]":
    """Load each of `rewards`. A call has the place of one worker, so it has one child at a time."""
    from sandbox.integrations.contained import located
    from sandbox.rewards.load import load_reward

    found = {}
    for name, file in rewards.items():
        path, function = located(Path(file))
        found[name] = load_reward(
            path,
            name=function,
            executing=policy,
            workers=1,
            budget_seconds=settings.reward_seconds,
        )
    if found:
        default_sandbox(policy)  # else the first client would wait for it to open
    return found


def _have_descriptors(wanted: int) -> None:
    """Allow as many descriptors as connections and jobs together may need, if the host does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
