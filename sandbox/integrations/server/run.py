"""Opens a sandbox and serves it until a signal ends it; what was accepted is answered first."""

import contextlib
import errno
import gc
import logging
import resource
import signal
import socket
import sys
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox.integrations.server.log import Log
from sandbox.integrations.server.settings import Settings
from sandbox.policy.model import Policy
from sandbox.runtime.caller.client import Sandbox, close_all
from sandbox.runtime.caller.defaults import default_sandbox

if TYPE_CHECKING:
    from sandbox.rewards.contained import ContainedReward

_MISSING = "sandbox serve needs the extra 'server': pip install 'restricted-execution[server]' ({})"
_PER_CLIENT, _PER_JOB, _PER_SESSION, _OWN = 2, 4, 4, 256  # descriptors
_BACKLOG = 2048


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
    listener = _listen(settings)
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
            backlog=_BACKLOG,
            timeout_keep_alive=round(settings.idle_seconds),
            timeout_graceful_shutdown=round(settings.grace_seconds),
        )
        # uvicorn raises the signal again once it has shut down: then it means nothing more.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: None)
        host, port = listener.getsockname()[:2]
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        print(
            f"serving policy '{sandbox.policy.name}' with {sandbox.workers} workers"
            f" on http://{address}",
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


def _listen(settings: Settings) -> socket.socket:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise OSError(_told(settings, error)) from error
    return listener


def _told(settings: Settings, error: OSError) -> str:
    """Say which address the server cannot have, and what to do."""
    where = f"port {settings.port} of {settings.host}"
    if error.errno == errno.EADDRINUSE:
        return (
            f"{where} is in use by another process (`ss -ltnp` tells which): end that, or take"
            " another with --port; --port 0 takes a free one"
        )
    if error.errno == errno.EACCES:
        return f"{where}: only root may listen below 1024: take a higher one with --port"
    return f"{where}: {error.strerror or error}: give an address of this machine with --host"


def _have_descriptors(wanted: int) -> None:
    """Allow as many descriptors as connections and jobs together may need, if the host does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
