"""Serving what a guest asks in a session: its words are parsed as text with a cap, nothing more."""

import time
from collections.abc import Mapping
from typing import Any

from sandbox.errors import SandboxError
from sandbox.runtime.execution import Execution
from sandbox.runtime.job import Services, length_prefixed
from sandbox.runtime.plaindata import copy_plain, read_plain


def serve(execution: Execution) -> None:
    """Answer all that `execution` has asked. The guest's clock stands still meanwhile.

    Raises SandboxError if a service does: a fault of the sandbox is no answer.
    """
    services = execution.order.services or {}
    while execution.asked and not execution.done:
        before = time.monotonic()
        execution.transcript.called = True
        answer = _answer(execution.asked.popleft(), services)
        execution.excuse(time.monotonic() - before, served=True)
        execution.answer(length_prefixed(answer))


def _answer(request: bytes, services: Services) -> tuple[bool, Any]:
    try:
        name, args, kwargs = _parse(request)
        return True, copy_plain(services[name](*args, **kwargs))
    except SandboxError:
        raise
    except Exception as error:  # the service's own: the guest sees it and may go on
        return False, f"{type(error).__name__}: {error}"[:1000]


def _parse(request: bytes) -> tuple[str, list[Any], Mapping[str, Any]]:
    try:
        name, args, kwargs = read_plain(request)
    except (ValueError, TypeError, RecursionError):
        raise ValueError("not a request") from None
    if not isinstance(name, str) or not isinstance(args, list) or not isinstance(kwargs, dict):
        raise TypeError("not a request")
    return name, args, kwargs
