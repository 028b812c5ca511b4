"""Services in the child: functions of the caller that a guest calls with plain data.

An ASK frame goes out with the service's name and arguments as JSON text; the answer comes back down
the job pipe from the trusted side. The child's filter is the same as without: it may read the job
pipe and write the result pipe, and of a job with services the former is still open.
"""

from collections.abc import Callable
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.runtime.wire import untrusted_json


class ServiceError(Exception):
    """Raised in the guest when a service failed; the message is the caller's."""


def offer(names: tuple[str, ...], most: untrusted_json.Bounds) -> dict[str, Callable[..., Any]]:
    """Make one function for each service."""
    return {name: _stub(name, most) for name in names}


def _stub(name: str, most: untrusted_json.Bounds) -> Callable[..., Any]:
    def service(*args: Any, **kwargs: Any) -> Any:
        asking.flush()  # what was printed before the call is seen before the call
        given = untrusted_json.encode_told(f"what {name}() was given", [name, args, kwargs], most)
        ok, answer = asking.ask(given.encode("ascii"))
        if not ok:
            raise ServiceError(answer)
        return answer

    return service
