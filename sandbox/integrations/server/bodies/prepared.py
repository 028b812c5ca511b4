"""A long body in a helper: read, validated and made into orders for children there.

Each of these steps holds an interpreter for as long as the body is long: ten to forty milliseconds
for sixteen megabytes, or for ninety thousand names. So the event loop makes no object of what is in
there: it gets the bytes for each child as memory, and what is short.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel, ValidationError

from sandbox.errors import PolicyError
from sandbox.integrations.server.bodies.received import read_file
from sandbox.integrations.server.endpoints.fusion import PYTHON, RunCode
from sandbox.integrations.server.endpoints.requests import (
    BatchBody,
    JobBody,
    problems,
    too_many,
    within_answers,
)
from sandbox.job import Job
from sandbox.policy.limits import Limits
from sandbox.runtime.caller.ahead import Sealed, sealed
from sandbox.runtime.caller.submission import Terms, submit

_LONGEST_LANGUAGE = 40  # of its name, where it is not known
_BODIES: dict[str, type[BaseModel]] = {
    "/execute": JobBody,
    "/execute_batch": BatchBody,
    "/run_code": RunCode,
}


class Refused(Exception):
    """The body asks for what is not to be had: a status of HTTP, and why."""

    @property
    def status(self) -> int:
        """The status of the answer."""
        return int(self.args[0])

    @property
    def reason(self) -> str:
        """The reason, for the client."""
        return str(self.args[1])


class Reader(NamedTuple):
    """Makes orders in a helper, within the bounds of the server that it was made for.

    `terms` are those of the sandbox that runs each language.
    """

    terms: Mapping[str, Terms]
    limits: Limits
    most_of_call: Mapping[str, int]
    longest: Mapping[str, tuple[str, int]]

    def read(self, endpoint: str, path: str) -> Any:
        """Read the body at `path`, as `endpoint` takes it. Raises NotJson and Refused.

        Queries and labels come back as they are: each is read further in a helper of its own.
        """
        value = read_file(path)
        if reason := too_many(value, self.longest):
            raise Refused(413, reason)
        if endpoint not in _BODIES:
            return value
        try:
            body = _BODIES[endpoint].model_validate(value, from_attributes=True)
        except ValidationError as error:
            raise Refused(422, problems(error.errors(include_input=False))) from None
        try:
            return self._made(body)
        except (PolicyError, ValueError, TypeError) as error:
            raise Refused(422, str(error)) from None

    def _made(self, body: BaseModel) -> BaseModel:
        """Make a body of the same kind that has the orders, and nothing else."""
        if isinstance(body, RunCode):
            reason, language = body.refusal(self.terms), body.language
            orders = [] if reason else [self._order(body.job(self.limits), language)]
            return RunCode.ready(language[:_LONGEST_LANGUAGE], reason, orders)
        if isinstance(body, BatchBody):
            return BatchBody.ready([self._order(job) for job in body.all_jobs()])
        assert isinstance(body, JobBody)
        return JobBody.ready(self._order(body.job()))

    def _order(self, job: Job | Sealed, language: str = PYTHON) -> Sealed:
        assert isinstance(job, Job)
        return sealed(submit(within_answers(job, self.most_of_call), self.terms[language]))


def read_long(reader: Reader, endpoint: str, path: str) -> Any:
    """Call `Reader.read`, in a helper."""
    return reader.read(endpoint, path)
