"""Submissions that are made in one process and run by a sandbox of another.

To check, copy and marshal a long job takes as long as the job is long. A server with one event loop
has another process do that, and gets the bytes for the child as memory that neither process copies.
"""

import pickle
from dataclasses import replace
from typing import Any, NamedTuple

from sandbox.job import Job
from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.caller.submission import Terms, submit
from sandbox.runtime.executions.record import Submission


class Sealed(NamedTuple):
    """A submission as it crosses between processes of ours: all but the job's bytes, and those."""

    rest: bytes
    data: Any  # a buffer

    def opened(self) -> Submission | Result:
        """Return what was sealed. Never for bytes that come from elsewhere: they are unpickled."""
        submission: Submission | Result = pickle.loads(self.rest)
        if isinstance(submission, Result):
            return submission
        return replace(submission, data=self.data)


def terms_of(sandbox: Sandbox) -> Terms:
    """Return what a submission to `sandbox` is made with; it can be pickled."""
    return sandbox._terms


def sealed(submission: Submission | Result) -> Sealed:
    """Seal `submission` for another process: a pickler that knows buffers does not copy its job."""
    if isinstance(submission, Result):
        return Sealed(pickle.dumps(submission), b"")
    rest = pickle.dumps(replace(submission, data=b""))
    return Sealed(rest, pickle.PickleBuffer(submission.data))


async def carry_out(sandbox: Sandbox, job: Job | Sealed) -> Result:
    """Run a job, or one that was submitted elsewhere with `terms_of(sandbox)`.

    Raises as `Sandbox.arun` does.
    """
    submission = job.opened() if isinstance(job, Sealed) else submit(job, sandbox._terms)
    return await sandbox._runner.arun(submission)
