"""The server's figures for Prometheus. Every label has a closed list of values."""

from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import generate_latest

from sandbox.result import Result, Status

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
FAULT = "SANDBOX_FAULT"  # beside the statuses: a job without a verdict
ENDS = ("closed", "evicted", "lost")  # of a session
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """One server's figures, in a registry of its own."""

    def __init__(self, endpoint_of: Callable[[str], str]) -> None:
        self._endpoint_of = endpoint_of
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._answers = self._counter("answers", "Answers sent", ["endpoint", "code"])
        self._jobs = self._counter("jobs", "Jobs that ended, by status", ["status"])
        self._scores = self._counter("scores", "Completions at /score", ["reward", "outcome"])
        self._gone = self._counter("abandoned", "Requests whose client went away")
        self._wait = self._histogram("wait_seconds", "Time that a job waited for a worker")
        self._cpu = self._histogram("cpu_seconds", "CPU time of a job")
        self._begun = self._counter("sessions_begun", "Sessions that began, branches among them")
        self._ended = self._counter("sessions_ended", "Sessions that ended, by how", ["how"])
        for how in ENDS:
            self._ended.labels(how)
        for status in (*Status, FAULT):  # each is there before it happens
            self._jobs.labels(str(status))

    def watch(self, name: str, text: str, value: Callable[[], float]) -> None:
        """Show `value()` as the gauge `sandbox_<name>`."""
        Gauge(f"sandbox_{name}", text, registry=self._registry).set_function(value)

    def answered(self, path: str, code: int) -> None:
        """Count an answer with `code` that was sent; 0 if the client was gone before."""
        self._answers.labels(self._endpoint_of(path), str(code)).inc()

    def abandoned(self) -> None:
        """Count a client that went away before its answer."""
        self._gone.inc()

    def waited(self, seconds: float) -> None:
        """Note how many seconds a job waited until it got a worker."""
        self._wait.observe(seconds)

    def ended(self, result: Result | None) -> None:
        """Count a job that has its result, or has none."""
        self._jobs.labels(FAULT if result is None else str(result.status)).inc()
        if result is not None:
            self._cpu.observe(result.cpu_seconds)

    def begun(self, count: int) -> None:
        """Count sessions that began."""
        self._begun.inc(count)

    def session_ended(self, how: str) -> None:
        """Count a session that ended: one of `ENDS`."""
        self._ended.labels(how).inc()

    def scored(self, reward: str, rewards: Sequence[float | None]) -> None:
        """Count `rewards` that a reward function, one of the server's own, gave."""
        masked = rewards.count(None)
        self._scores.labels(reward, "scored").inc(len(rewards) - masked)
        self._scores.labels(reward, "masked").inc(masked)

    def score_failed(self, reward: str, count: int) -> None:
        """Count a reward function's failure, which gave none to `count` completions."""
        self._scores.labels(reward, "failed").inc(count)

    def text(self) -> bytes:
        """Return all figures, as Prometheus reads them."""
        return bytes(generate_latest(self._registry))

    def _counter(self, name: str, text: str, labels: list[str] | None = None) -> Counter:
        return Counter(f"sandbox_{name}", text, labels or [], registry=self._registry)

    def _histogram(self, name: str, text: str) -> Histogram:
        return Histogram(f"sandbox_{name}", text, buckets=_SECONDS, registry=self._registry)
