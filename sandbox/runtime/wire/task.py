"""The part of a job that crosses to a child."""

import marshal
import operator
from collections.abc import Iterable
from typing import Any, NamedTuple

from sandbox.job import FIELDS, Job
from sandbox.runtime.wire.protocol import JOB_LENGTH

RUN, CALL, COMPILE = "run", "call", "compile"
# A child sets them by these. `Job.__init__` goes by `object.__setattr__`, which is code of ours in
# a child (`language/natives/types/class_stores`): forty more pages to copy for each job.
_SLOTS = tuple(vars(Job)[name] for name in FIELDS)
_DEFAULTS = [getattr(Job(""), name) for name in FIELDS]
_values_of = operator.attrgetter(*FIELDS)
_LIMITS, _SERVICES = FIELDS.index("limits"), FIELDS.index("services")


class Task(NamedTuple):
    """A job and what a child does with it: run it, call its function, or only compile it.

    `code` is what a child that only compiled gave back for the program, and `after` what one gave
    back for the postamble alone, after no program.
    """

    mode: str
    job: Job
    code: bytes = b""
    after: bytes = b""

    def encode(self, key: bytes) -> bytes:
        """Return the bytes for the job pipe. Raises ValueError if the arguments are not plain data.

        `key` stands between length and data: the child's vault reads it, and no Python code does.
        """
        data = marshal.dumps(self.parts())
        return b"".join((JOB_LENGTH.pack(len(data)), key, data))  # may be long: copied once

    def parts(self) -> list[Any]:
        """Return what of the task crosses, in order; of services, which stay behind, the names."""
        job = list(_values_of(self.job))
        job[_LIMITS], job[_SERVICES] = dict(self.job.limits), dict.fromkeys(self.job.services)
        return [self.mode, job, self.code, self.after]

    @classmethod
    def running(cls, source: str) -> "Task":
        """Make the task of running `source` alone, as if it had come by the pipe."""
        return cls.of(RUN, [source, *_DEFAULTS[1:]], b"", b"")

    @classmethod
    def of(cls, mode: str, fields: Iterable[Any], code: bytes, after: bytes) -> "Task":
        """Make a task of its `parts`, which come from the trusted side and are built-in data."""
        job = object.__new__(Job)
        for slot, value in zip(_SLOTS, fields, strict=True):
            slot.__set__(job, value)
        return cls(mode, job, code, after)


def length_prefixed(value: Any) -> bytes:
    """Return `value` as bytes for a child's job pipe. Raises ValueError if not plain data."""
    data = marshal.dumps(value)
    return JOB_LENGTH.pack(len(data)) + data
