"""From a user's call to an `Order`: sizes checked, limits tightened, the job's bytes made."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any

from sandbox.errors import PolicyError
from sandbox.interpreter.vault.keys import KEY_BYTES
from sandbox.policy.plan import Limits, Plan
from sandbox.policy.tighten import tighten
from sandbox.result import Result, Status
from sandbox.runtime.executions.record import Order
from sandbox.runtime.executions.verdict import Setting
from sandbox.runtime.wire.job import CALL, COMPILE, RUN, ChildJob, Job, Services
from sandbox.runtime.wire.protocol import FINAL_BYTES, Caps, most_frames
from sandbox.runtime.wire.trusted_json import copy_kwargs, copy_plain
from sandbox.runtime.wire.untrusted_json import Bounds

_CODE_BYTES = 64 << 20

# An order with the limits that its result is judged by, or a result that needs no execution.
Item = tuple[Order | Result, Limits]


class _TooLarge(Exception):
    """A source or a standard input over the policy's cap; never sent to a child."""


class Clerk:
    """Makes the orders of one sandbox. Each comes with the limits that its result is judged by.

    Every method raises PolicyError for a limit that is wider than the policy's or unknown,
    TypeError for what is not text and ValueError for arguments that are not plain data.
    """

    def __init__(self, plan: Plan, setting: Setting, *, wait_for_exit: bool) -> None:
        self._plan, self._setting, self._wait_for_exit = plan, setting, wait_for_exit

    def job(self, job: Job) -> Item:
        """What a `Job` asks for."""
        if not isinstance(job, Job):
            raise TypeError(f"a job must be a sandbox.Job, not {type(job).__name__}")
        if job.entry is None:
            return self.run(
                job.code, job.stdin, job.limits, services=job.services, preamble=job.preamble
            )
        return self.call(
            job.code, job.entry, job.args, job.kwargs, job.limits, preamble=job.preamble
        )

    def run(
        self,
        source: str,
        stdin: str,
        overrides: Mapping[str, float],
        *,
        code: bytes = b"",
        services: Services | None = None,
        preamble: str = "",
        postamble: str = "",
        after: bytes = b"",
    ) -> Item:
        """Run `preamble`, `source` and `postamble`, or `code`: all three, compiled before.

        `after` is the postamble alone, compiled before.
        """
        if services and not self._plan.session:
            raise PolicyError(f"policy '{self._plan.name}' grants no session: no services")
        for name in services or ():
            if not (isinstance(name, str) and name.isidentifier()) or name.startswith("__"):
                raise ValueError(f"a service cannot be called {name!r}")
        job = ChildJob(
            RUN,
            source,
            code=code,
            stdin=stdin,
            services=tuple(services or ()),
            preamble=preamble,
            postamble=postamble,
            after=after,
        )
        return self._item(job, overrides, services)

    def call(
        self,
        source: str,
        entry: str,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        overrides: Mapping[str, float],
        *,
        code: bytes = b"",
        preamble: str = "",
        postamble: str = "",
    ) -> Item:
        """Run what `run` does, then call its function `entry`."""
        plain: dict[str, Any] = {"args": copy_plain(tuple(args)), "kwargs": copy_kwargs(kwargs)}
        plain.update(preamble=preamble, postamble=postamble)
        job = ChildJob(CALL, source, code=code, entry=entry, **plain)
        return self._item(job, overrides)

    def compile(self, source: str, preamble: str, postamble: str) -> Item:
        """Only compile."""
        job = ChildJob(COMPILE, source, preamble=preamble, postamble=postamble)
        return self._item(job, {})

    def _item(
        self, job: ChildJob, overrides: Mapping[str, float], services: Services | None = None
    ) -> Item:
        limits = tighten(self._plan.limits, overrides) if overrides else self._plan.limits
        try:
            _check_size("source", job.source, limits.source_kib)
            _check_size("preamble", job.preamble, limits.source_kib)
            _check_size("stdin", job.stdin, limits.stdin_kib)
        except _TooLarge as error:
            return self._refused(error), limits
        return self._order(job, limits, services), limits

    def _order(self, job: ChildJob, limits: Limits, services: Services | None) -> Order:
        output_bytes = limits.output_kib << 10
        job = job._replace(
            output_bytes=output_bytes,
            recursion_limit=limits.recursion_limit,
            value_items=limits.value_items,
            value_depth=limits.value_depth,
            stack_bytes=limits.stack_bytes,
        )
        key = os.urandom(KEY_BYTES)
        return Order(
            name=f"job {fingerprint(job.source)}",
            job=job.encode(key),
            key=key,
            caps=Caps(
                output=output_bytes,
                final=FINAL_BYTES + (output_bytes if job.mode == CALL else 0),
                code=_CODE_BYTES if job.mode == COMPILE else 0,
                ask=output_bytes if services else 0,
                frames=most_frames(output_bytes, limits.wall_seconds),
            ),
            cpu_seconds=limits.cpu_seconds,
            wall_seconds=limits.wall_seconds,
            most=Bounds(output_bytes, limits.value_items, limits.value_depth),
            less_memory_bytes=(self._plan.limits.memory_mib - limits.memory_mib) << 20,
            wait_for_exit=self._wait_for_exit,
            services=services,
        )

    def _refused(self, error: _TooLarge) -> Result:
        return Result(
            output="",
            error=f"{error} (policy '{self._plan.name}')",
            status=Status.DENIED,
            layers=self._setting.layers,
            policy=self._plan.name,
        )


def fingerprint(source: str) -> str:
    """The first 12 hexadecimal digits of the source's SHA-256: names a job in a message."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _check_size(what: str, text: str, cap_kib: int) -> None:
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    if len(text) > cap_kib << 10 or _utf8_length(text) > cap_kib << 10:
        key = "stdin" if what == "stdin" else "source"
        raise _TooLarge(f"{key}_kib: the {what} is larger than {cap_kib} KiB")


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
