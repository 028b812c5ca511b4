"""The part of a job that crosses to a child."""

import marshal
from dataclasses import fields
from typing import Any, NamedTuple

from sandbox.job import FIELDS, Job
from sandbox.policy.limits import Limits
from sandbox.runtime.wire.protocol import JOB_LENGTH

RUN, CALL, COMPILE = "run", "call", "compile"
_LIMITS = tuple(field.name for field in fields(Limits))


class Task(NamedTuple):
    """A job and what a child does with it: run it, call its function, or only compile it.

    `limits` are those in force. `code` is what a child that only compiled gave back for the
    program, and `after` what one gave back for the postamble alone, after no program.
    """

    mode: str
    job: Job
    limits: Limits
    code: bytes = b""
    after: bytes = b""

    @property
    def output_bytes(self) -> int:
        """The most bytes that may be printed, and characters of a returned value as text."""
        return self.limits.output_kib << 10

    def encode(self, key: bytes) -> bytes:
        """Return the bytes for the job pipe. Raises ValueError if the arguments are not plain data.

        `key` stands between length and data: the child's vault reads it, and no Python code does.
        Functions stay behind: of the services their names cross.
        """
        job = [getattr(self.job, name) for name in FIELDS]
        job[FIELDS.index("limits")] = {}
        job[FIELDS.index("services")] = dict.fromkeys(self.job.services)
        limits = [getattr(self.limits, name) for name in _LIMITS]
        data = marshal.dumps([self.mode, job, limits, self.code, self.after])
        return b"".join((JOB_LENGTH.pack(len(data)), key, data))  # may be long: copied once

    @classmethod
    def decode(cls, mode: str, job: Any, limits: Any, code: bytes, after: bytes) -> "Task":
        """Read what `encode` wrote. It comes from the trusted side and is built-in data."""
        known = dict(zip(_LIMITS, limits, strict=True))
        return cls(mode, Job(*job), Limits(**known), code, after)


def length_prefixed(value: Any) -> bytes:
    """Return `value` as bytes for a child's job pipe. Raises ValueError if not plain data."""
    data = marshal.dumps(value)
    return JOB_LENGTH.pack(len(data)) + data
