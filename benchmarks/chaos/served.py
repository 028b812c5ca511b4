"""The door of a server: batches, single programs, and rewards, over HTTP."""

import json
import random
import re
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

from benchmarks.chaos.door import BATCH, Door
from benchmarks.chaos.jobs import LIMITS, Known
from benchmarks.serving import served
from sandbox import Fault, Result, SandboxError, Status

_WAIT_SECONDS = 120  # for one answer: a fault takes seconds, and each job has two chances
_NO_VERDICT = (503, 504)
_ROWS = 4
_HELD = re.compile(r"^sandbox_(jobs_held|jobs_running|held_bytes) (\S+)$", re.MULTILINE)


class ServerDoor(Door):
    """A server of our own, of which this process is the only client."""

    def __init__(self, chance: random.Random) -> None:
        """Start the server."""
        super().__init__(chance)
        self._server = served("--workers", "3")
        self._port = self._server.__enter__()

    def use(self) -> None:
        """Send one request, or a few."""
        ask: Callable[[], None] = self.chance.choice((self.batch, self.singles, self.rewards))
        ask()

    def batch(self) -> None:
        """Send many programs in one request."""
        batch = [self.known() for _ in range(BATCH)]
        status, answer = self._ask("/execute_batch", {"jobs": [_body(known) for known in batch]})
        if status in _NO_VERDICT:
            self.tally.note("masked", answer)
        elif status == 200:
            pairs = zip(batch, answer["results"], strict=False)
            self.compare(batch, [_item(known, item) for known, item in pairs])
        else:
            self.tally.note(f"HTTP {status}", answer)

    def singles(self) -> None:
        """Send one program in each of a few requests."""
        for known in (self.known() for _ in range(BATCH // 4)):
            status, answer = self._ask("/execute", _body(known))
            if status in _NO_VERDICT:
                self.tally.note("masked", answer)
            elif status == 200:
                self.compare([known], [_result(answer)])
            else:
                self.tally.note(f"HTTP {status}", answer)

    def rewards(self) -> None:
        """Send rows with assertions. One without a verdict leaves the others without an answer."""
        rows, scores = self.rows(_ROWS)
        queries = [f"p```python\n{code}```" for code, _ in rows]
        labels = [tests for _, tests in rows]
        asked = {"query": queries, "prompts": ["p"] * _ROWS, "labels": labels}
        status, answer = self._ask("/get_reward", asked)
        if status in _NO_VERDICT:
            self.tally.note("masked", answer)
        elif status == 200:
            self.count(len(scores), len(answer["rewards"]))
            for wanted, score in zip(scores, answer["rewards"], strict=False):
                self.compare_score(wanted, score)
        else:
            self.tally.note(f"HTTP {status}", answer)

    def _ask(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_WAIT_SECONDS)
        try:
            headers = {"content-type": "application/json"}
            connection.request("POST", path, json.dumps(body), headers)
            self.heed()
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()  # after an interrupt the server has no client to answer

    def close(self) -> None:
        """Note what the server still holds for clients that have gone, and end it."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=_WAIT_SECONDS)
        connection.request("GET", "/metrics")
        for name, count in _HELD.findall(connection.getresponse().read().decode()):
            if float(count):
                self.tally.note(f"held by the server: {name}", count)
        connection.close()
        self._server.__exit__(None, None, None)


def _body(known: Known) -> dict[str, Any]:
    return {"code": known.job.code, "stdin": known.job.stdin, "limits": LIMITS}


def _item(known: Known, item: dict[str, Any]) -> Result | Fault:
    if item["fault"] is not None:
        return Fault(known.job, SandboxError(item["fault"]))
    return _result(item["result"])


def _result(answer: dict[str, Any]) -> Result:
    return Result(**{**answer, "status": Status(answer["status"])})
