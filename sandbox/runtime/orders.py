"""From a user's call to an `Order`: sizes checked, limits tightened, the job's bytes made."""


import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.policy.plan import Limits, Plan
from sandbox.policy.tighten import tighten
from sandbox.result import Result, Status
from sandbox.runtime.execution import Order
from sandbox.runtime.job import CALL, COMPILE, RUN, ChildJob
from sandbox.runtime.protocol import FINAL_BYTES, Caps

_CODE_BYTES = 64 << 20


class TooLarge(Exception):
    """A source or a standard input over the policy's cap; never sent to a child."""


class Clerk:
    """Makes the orders of one sandbox."""

    def __init__(self, plan: Plan, *, wait_for_exit: bool) -> None:
        self._plan = plan
        self._wait_for_exit = wait_for_exit

    def limits(self, overrides: Mapping[str, Any]) -> Limits:
        """The policy's limits, tightened. Raises PolicyError for a wider or unknown one."""
        return tighten(self._plan.limits, overrides) if overrides else self._plan.limits

    def run(self, source: str, stdin: str, limits: Limits, code: bytes = b"") -> Order:
        """Run `source` (or `code`, compiled from it before). Raises TooLarge."""
        return self._order(RUN, source, stdin, limits, code=code)

    def call(
        self, source: str, entry: str, args: Sequence[Any], kwargs: Mapping[str, Any], limits: Limits
    ) -> Order:
        """Run `source`, then call its function `entry`. Raises TooLarge, ValueError."""
        return self._order(
            CALL, source, "", limits, entry=entry, args=_plain(args), kwargs=_plain_dict(kwargs)
        )

    def compile(self, source: str, limits: Limits) -> Order:
        """Only compile. Raises TooLarge."""
        return self._order(COMPILE, source, "", limits)

    def refused(self, error: TooLarge, layers: tuple[str, ...]) -> Result:
        """What a job that is too large gets."""
        return Result(
            output="",
            error=f"{error} (policy '{self._plan.name}')",
            status=Status.DENIED,
            layers=layers,
            policy=self._plan.name,
        )

    def _order(
        self,
        mode: str,
        source: str,
        stdin: str,
        limits: Limits,
        *,
        code: bytes = b"",
        entry: str = "",
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Order:
        _check_size("source", source, limits.source_kib)
        _check_size("stdin", stdin, limits.stdin_kib)
        output_bytes = limits.output_kib << 10
        job = ChildJob(
            mode, source, code, stdin, entry, args, kwargs or {}, output_bytes,
            limits.recursion_limit,
        )  # fmt: skip
        value_bytes = output_bytes if mode == CALL else 0
        return Order(
            name=f"job {fingerprint(source)}",
            job=job.encode(),
            caps=Caps(
                output=output_bytes,
                final=FINAL_BYTES + value_bytes,
                code=_CODE_BYTES if mode == COMPILE else 0,
            ),
            cpu_seconds=limits.cpu_seconds,
            wall_seconds=limits.wall_seconds,
            less_memory_bytes=(self._plan.limits.memory_mib - limits.memory_mib) << 20,
            wait_for_exit=self._wait_for_exit,
        )


def fingerprint(source: str) -> str:
    """The first 12 hexadecimal digits of the source's SHA-256: names a job in a message."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]



def _check_size(what: str, text: str, cap_kib: int) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if len(text) > cap_kib << 10 or _utf8_length(text) > cap_kib << 10:
        raise TooLarge(f"{what}_kib: the {what} is larger than {cap_kib} KiB")


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _plain(args: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_copy(value) for value in args)


def _plain_dict(kwargs: Mapping[str, Any]) -> dict[str, Any]:
    if not all(type(name) is str for name in kwargs):
        raise ValueError("kwargs: every name must be a str")
    return {name: _copy(value) for name, value in kwargs.items()}


def _copy(value: Any) -> Any:
    """`value` made of exact built-in types; raises ValueError for what is not plain data."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        return type(value)(_copy(item) for item in value)
    if type(value) is dict:
        return {_copy(key): _copy(item) for key, item in value.items()}
    raise ValueError(f"an argument of type {type(value).__name__} is not plain data")
