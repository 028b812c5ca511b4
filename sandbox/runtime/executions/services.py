"""Serving what a guest asks of services: its words are parsed as text with a cap, nothing more."""

import time
from collections.abc import Mapping
from typing import Any

from sandbox.errors import SandboxError
from sandbox.job import Services
from sandbox.runtime.executions.execution import Execution
from sandbox.runtime.executions.record import Submission
from sandbox.runtime.wire.task import length_prefixed
from sandbox.runtime.wire.trusted_json import TooLarge, copy_plain, read_plain
from sandbox.runtime.wire.untrusted_json import Bounds


def answer_to(submission: Submission, request: bytes) -> tuple[bool, Any] | str:
    """Return what a service of `submission` answers to `request`.

    Returns a text for what no honest child asks. Raises SandboxError if a service does.
    """
    try:
        name, args, kwargs = _parse(request, submission.most)
    except TooLarge as error:
        return str(error)
    except ValueError as error:
        return False, f"ValueError: {error}"
    return _answer(submission.services or {}, name, args, kwargs)


def serve(execution: Execution) -> None:
    """Answer all that `execution` has asked. The guest's clock stands still while a service runs.

    Reading what it asks is on its own time: a guest that asks without end, or for much, meets its
    wall limit. Raises SandboxError if a service does: a fault of the sandbox is no answer.
    """
    services = execution.submission.services or {}
    while execution.asked and not execution.done:
        begun = time.monotonic()
        try:
            name, args, kwargs = _parse(execution.asked.popleft(), execution.submission.most)
            execution.attend(time.monotonic() - begun)
        except TooLarge as error:  # which an honest child says itself, before it sends anything
            execution.refuse(str(error))
            return
        except ValueError as error:
            execution.attend(time.monotonic() - begun)
            execution.answer(length_prefixed((False, f"ValueError: {error}")))
            continue
        before = time.monotonic()
        execution.record.called = True
        answer = _answer(services, name, args, kwargs)
        execution.excuse(time.monotonic() - before, served=True)
        execution.answer(length_prefixed(answer))


def _answer(
    services: Services, name: str, args: list[Any], kwargs: Mapping[str, Any]
) -> tuple[bool, Any]:
    try:
        return True, copy_plain(services[name](*args, **kwargs))
    except SandboxError:
        raise
    except Exception as error:  # the service's own: the guest sees it and may go on
        return False, f"{type(error).__name__}: {error}"[:1000]


def _parse(request: bytes, most: Bounds) -> tuple[str, list[Any], Mapping[str, Any]]:
    """Return the parts of a request. Raises TooLarge, and ValueError for anything else."""
    try:
        name, args, kwargs = read_plain(request, most)
    except TooLarge:
        raise
    except (ValueError, TypeError, RecursionError):
        raise ValueError("not a request") from None
    if not isinstance(name, str) or not isinstance(args, list) or not isinstance(kwargs, dict):
        raise ValueError("not a request")
    return name, args, kwargs
