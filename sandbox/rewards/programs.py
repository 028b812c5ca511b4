"""The trusted side of one call: programs and grades that a contained function asks for.

What it asks is untrusted and checked field by field. Each program goes to a child of its own, under
a policy that the function does not choose. All of a call has a deadline, as the function's own
clock stands still while it is served.
"""

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn

from sandbox.audit.reward.grading import MOST_TEXT, Grading
from sandbox.audit.reward.jobs import checked_job, plain_result
from sandbox.audit.reward.reading.look import printable
from sandbox.errors import PolicyError, SandboxClosed
from sandbox.job import Job
from sandbox.language.stdlib.served.grading import EXTRACT, GRADE, MANY
from sandbox.language.stdlib.served.sandbox import SERVICE
from sandbox.language.stdlib.system.logging import LOG
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Result
from sandbox.rewards.arguments import said_to
from sandbox.rewards.call_time import CallTime
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.caller.fault import twice

NAMES = (SERVICE, GRADE, EXTRACT, MANY, LOG)  # of what is lent
MOST_AT_ONCE = 4096  # requests in one
_MOST_LINES, _MOST_CHARACTERS = 100, 2000  # of a log, for each call
_MOST_FORWARDED, _MOST_VALUES = 1000, 1_000_000  # to the trainer's log, which keeps it
_LEAST_TEXTS = 32
_log = logging.getLogger(__name__)


class OverBudget(RuntimeError):
    """A call has taken longer than it may."""


class Programs:
    """The programs that one call of a reward function has executed, in its `time`.

    Where `is_over()` says that the caller waits for no rewards any more, whatever the function asks
    for next ends the call: SandboxClosed.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        rows: int,
        time: CallTime,
        is_over: Callable[[], bool] = bool,
    ) -> None:
        self._sandbox, self.time, self._is_over = sandbox, time, is_over
        self._limits = sandbox.policy.limits.plain()
        self._grading = Grading(self, most_text=MOST_TEXT * max(rows, _LEAST_TEXTS), at_once=True)
        self.exhausted = ""
        self._lines = self._forwarded = self._values = 0

    def services(self) -> dict[str, Callable[..., Any]]:
        """Return the services that are lent to the function's child, by name."""
        return {
            SERVICE: self._serve,
            GRADE: self._grading.serve,
            EXTRACT: self._grading.extract,
            MANY: self._serve_many,
            LOG: self._say,
        }

    @property
    def deadline(self) -> float:
        """When the call is over, by `time.monotonic`."""
        return self.time.deadline

    @property
    def policy(self) -> Policy:
        """The policy that programs run under."""
        return self._sandbox.policy

    def limits(self, asked: Mapping[str, float]) -> dict[str, float]:
        """Return the limits asked for, if the policy's are no tighter. Raises ValueError."""
        try:
            wanted = tighten(self._limits, asked)
        except PolicyError as error:  # as a fault of the sandbox it would mask the rows
            raise ValueError(str(error)) from None
        return {name: getattr(wanted, name) for name in asked}

    def check(self) -> None:
        """Raise SandboxClosed if the caller does not wait any more."""
        if self._is_over():
            raise SandboxClosed("the call was ended before it was done")

    def pay(self, programs: int, cpu_seconds: float) -> None:
        """Raise OverBudget if the time is over, SandboxClosed if the caller waits no more."""
        self.check()
        if self.time.is_over():
            self.exhaust("the call took longer than budget_seconds")

    def add(self, programs: int, cpu_seconds: float) -> None:
        """Do nothing: time is what counts here, and it passes by itself."""

    def exhaust(self, reason: str) -> NoReturn:
        """Serve no more. Raises OverBudget."""
        self.exhausted = reason
        raise OverBudget(reason)

    def forward(self, to: Mapping[str, Callable[..., Any]], name: Any, said: Any) -> None:
        """Hand what was logged to the trainer's functions. Raises ValueError for too much of it."""
        self.pay(0, 0.0)
        if not isinstance(said, list):
            raise ValueError("not something to log")
        self._forwarded += 1
        texts_and_lists = [each for each in said if isinstance(each, (list, str))]
        self._values += sum(map(len, texts_and_lists))
        if self._forwarded > _MOST_FORWARDED or self._values > _MOST_VALUES:
            raise ValueError("one call logs no more than that")
        said_to(to, name, said)

    def _serve(self, job: Any) -> dict[str, Any]:
        fields = checked_job(job)
        limits = self.limits(fields["limits"])
        self.pay(1, 0.0)
        result = twice(lambda: self._run(fields, limits), self.time.note_fault)
        self.pay(0, 0.0)  # one that was over with the call had less than its own time
        return plain_result(result)

    def _run(self, fields: Mapping[str, Any], limits: Mapping[str, Any]) -> Result:
        wall = limits.get("wall_seconds", self._limits.wall_seconds)
        within = {**limits, "wall_seconds": self.time.within(wall)}
        return self._sandbox.run_job(Job(**{**fields, "limits": within}))

    def _serve_many(self, service: Any, requests: Any) -> list[Any]:
        """Serve many requests for one service, as many at once as there are workers."""
        if type(requests) is not list or len(requests) > MOST_AT_ONCE:
            raise TypeError("not requests to run programs")
        if service == GRADE:
            return self._grading.serve_many(requests)
        if service != SERVICE:
            raise TypeError("not a service for many requests")
        with ThreadPoolExecutor(self._sandbox.workers, "reward") as threads:
            running = [threads.submit(self._serve, request) for request in requests]
            try:
                return [each.result() for each in running]
            finally:
                for each in running:
                    each.cancel()

    def _say(self, level: Any, name: Any, message: Any) -> None:
        if self._lines < _MOST_LINES and type(level) is int and type(message) is str:
            self._lines += 1
            shown = printable(f"{name}"[:100]), printable(message[:_MOST_CHARACTERS])
            _log.log(min(max(level, 0), 50), "%s: %s", *shown)
