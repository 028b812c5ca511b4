"""Jobs to nodes, results back: bounded in flight, in order, again elsewhere if a node is lost."""

import contextlib
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from sandbox.errors import SandboxError
from sandbox.integrations.ray.cluster import Cluster, Member
from sandbox.integrations.ray.node import Failure, Raised

_AHEAD = 4  # jobs on a node, and results that may wait for an earlier one, per place
_LARGEST_BATCH = 8
_PLACES_PER_JOB = 8  # a batch ends with its slowest job: a small part of a node waits for one
_GATHER_SECONDS = 0.005  # what a slow iterator has given by then is sent
_WAIT_SECONDS = 0.5  # until nodes are looked for again


class Place:
    """One job's place in the queue of results."""

    __slots__ = ("job", "losses", "outcome")

    def __init__(self, job: Any) -> None:
        self.job = job
        self.outcome: Any = None
        self.losses = 0


class _Batch(NamedTuple):
    """A batch on its way: the member that has it, and whether its actor serves nothing else."""

    member: Member
    places: Sequence[Place]
    is_alone: bool


class Dispatch:
    """One iteration over jobs of one kind. Used by one thread.

    A job whose node is lost is run again; the last of `attempts` is in an actor of its own, so that
    a job that ends its actor takes no other job with it. `wait_seconds` is how long jobs wait while
    there is no node at all.
    """

    def __init__(
        self,
        ray: Any,
        cluster: Cluster,
        work: tuple[str, dict[str, Any]],
        *,
        attempts: int,
        wait_seconds: float,
    ) -> None:
        self._ray, self._cluster, self._work = ray, cluster, work
        self._attempts, self._wait_seconds = attempts, wait_seconds
        self._queue: deque[Place] = deque()
        self._again: deque[Place] = deque()
        self._alone: deque[Place] = deque()
        self._running: dict[Any, _Batch] = {}
        self._sent: Counter[Member] = Counter()
        self._idle_since: float | None = None
        self._is_over = False  # what gives the jobs has no more

    def in_order(self, jobs: Iterable[Any]) -> Iterator[Any]:
        """Yield a result or a `Failure` for each of `jobs`, in order; read only a little ahead.

        What `jobs` raises is `Raised`, the last one. Raises SandboxClosed. A job that waits when
        there was no node for too long is a `Failure`, and so are all after it until one is back.
        """
        source = iter(jobs)
        try:
            while True:
                self._fill(source)
                if self._queue and self._queue[0].outcome is not None:
                    yield self._queue.popleft().outcome
                elif self._queue or not self._is_over:  # without a node, no job may be read yet
                    self._advance(source)
                else:
                    return
        finally:
            self._abandon()

    # -- sending

    def _fill(self, source: Iterator[Any]) -> None:
        members = self._cluster.members()
        self._send_alone(len(members))
        window = _AHEAD * sum(member.workers for member in members)
        while (member := self._with_room(members)) is not None:
            size = min(max(member.workers // _PLACES_PER_JOB, 1), _LARGEST_BATCH)
            places = self._lost_before(size) or self._new(source, size, window)
            if not places:
                return
            self._send(member, places, is_alone=False)

    def _send_alone(self, most: int) -> None:
        running = sum(batch.is_alone for batch in self._running.values())
        for _ in range(min(len(self._alone), most - running)):
            member = self._cluster.private()
            if member is None:
                return
            self._send(member, [self._alone.popleft()], is_alone=True)

    def _with_room(self, members: Sequence[Member]) -> Member | None:
        """Return the member with the least to do that has room for more of these jobs, or None."""
        free = [each for each in members if self._sent[each] < _AHEAD * each.workers]
        return min(free, key=lambda member: member.load / member.workers, default=None)

    def _lost_before(self, size: int) -> list[Place]:
        return [self._again.popleft() for _ in range(min(size, len(self._again)))]

    def _new(self, source: Iterator[Any], size: int, window: int) -> list[Place]:
        until = time.monotonic() + _GATHER_SECONDS
        places: list[Place] = []
        while not self._is_over and len(places) < size and len(self._queue) < window:
            try:
                places.append(Place(next(source)))
            except StopIteration:
                self._is_over = True
                break
            except Exception as error:  # told when all before it have their results
                self._queue.append(Place(None))
                self._queue[-1].outcome = Raised(error)
                self._is_over = True
                break
            self._queue.append(places[-1])
            if time.monotonic() > until:
                break
        return places

    def _send(self, member: Member, places: Sequence[Place], *, is_alone: bool) -> None:
        kind, shared = self._work
        ref = member.actor.work.remote(kind, [place.job for place in places], shared)
        self._running[ref] = _Batch(member, places, is_alone)
        self._count(member, len(places))

    def _count(self, member: Member, jobs: int) -> None:
        self._sent[member] += jobs
        self._cluster.load(member, jobs)

    # -- receiving

    def _advance(self, source: Iterator[Any]) -> None:
        """Wait for something to end."""
        if not self._running:
            self._wait_for_a_node(source)
            return
        self._idle_since = None
        refs = list(self._running)
        self._ray.wait(refs, timeout=_WAIT_SECONDS)
        done, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        for ref in done:
            batch = self._running.pop(ref)
            self._count(batch.member, -len(batch.places))
            self._settle(ref, batch)
            if batch.is_alone:
                self._cluster.end(batch.member)

    def _wait_for_a_node(self, source: Iterator[Any]) -> None:
        now = time.monotonic()
        self._idle_since = self._idle_since or now
        if now - self._idle_since <= self._wait_seconds:
            time.sleep(_WAIT_SECONDS / 10)
            return
        text = (
            f"no node of the Ray cluster was there to run a job for {self._wait_seconds:.0f}"
            " seconds; see `ray status`"
        )
        waiting = [place for place in self._queue if place.outcome is None]
        for place in waiting or self._new(source, 1, 1):
            place.outcome = Failure(SandboxError(text))
        self._again.clear()
        self._alone.clear()

    def _settle(self, ref: Any, batch: _Batch) -> None:
        faults = self._ray.exceptions
        try:
            outcomes = self._ray.get(ref)
        except faults.RayTaskError as error:  # our own code failed there: it would again
            failure = Failure(SandboxError(str(error))).named(batch.member.name)
            outcomes = [failure] * len(batch.places)
        except faults.RayError as error:
            if isinstance(error, faults.RayActorError) and not batch.is_alone:
                self._cluster.lost(batch.member)
            for place in reversed(batch.places):
                self._lose(place, batch.member, error)
            return
        for place, outcome in zip(batch.places, outcomes, strict=True):
            is_failure = isinstance(outcome, Failure)
            place.outcome = outcome.named(batch.member.name) if is_failure else outcome

    def _lose(self, place: Place, member: Member, error: Exception) -> None:
        place.losses += 1
        if place.losses >= self._attempts:
            reason = str(error).strip().replace("\n", " ")[:500]
            text = f"a job's node was lost {place.losses} times while it ran, at last: {reason}"
            place.outcome = Failure(SandboxError(text)).named(member.name)
        elif place.losses == self._attempts - 1:
            self._alone.appendleft(place)
        else:
            self._again.appendleft(place)

    def _abandon(self) -> None:
        for ref, batch in self._running.items():
            self._count(batch.member, -len(batch.places))
            if batch.is_alone:
                self._cluster.end(batch.member)
            with contextlib.suppress(Exception):  # what has begun is bounded by its limits
                self._ray.cancel(ref)
        self._running.clear()
