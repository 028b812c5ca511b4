"""The nodes of a Ray cluster, each with an actor of ours: started, taken up, replaced."""

import contextlib
import math
import threading
import time
import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from sandbox.errors import SandboxClosed, SandboxError
from sandbox.integrations.ray.node import Failure, Node, Setup, is_fault

_LOOK_SECONDS = 1.0  # between two looks at which nodes there are
_START_SECONDS = 120.0
_START_ATTEMPTS = 3
_REST_SECONDS = 30.0  # of a node whose attempts have failed, by a fault that may be over then
_MORE_THREADS = 8  # in an actor: calls that wait for a place do not keep others from asking
_MOST_THREADS = 256  # calls are batches of jobs on nodes so large


def load_ray() -> Any:
    """Return the module `ray`. Raises ImportError, saying what to install."""
    try:
        import ray
    except ImportError as error:
        raise ImportError(
            "ray is not installed: pip install 'restricted-execution[ray]'"
        ) from error
    return ray


def connect(address: str | None) -> Any:
    """Return `ray`, connected to the cluster at `address`, or where it is connected already.

    Raises ImportError, and SandboxError if it is connected to another cluster.
    """
    ray = load_ray()
    if not ray.is_initialized():
        try:
            ray.init(address=address)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise SandboxError(f"no Ray cluster at {address!r}: {error}") from error
        return ray
    here = ray.get_runtime_context().gcs_address
    if address not in (None, "auto", here):
        raise SandboxError(
            f"Ray is connected to {here} and not to {address!r}: leave the address out, or call"
            " ray.shutdown() first"
        )
    return ray


class Member:
    """A node that takes jobs. `load` is how many it has, of all callers of this process."""

    __slots__ = ("actor", "key", "load", "name", "workers")

    def __init__(self, key: str, name: str, actor: Any, workers: int) -> None:
        self.key, self.name, self.actor, self.workers = key, name, actor, workers
        self.load = 0


class _Reason(NamedTuple):
    """Why a node is left out, and until when by the monotonic clock."""

    error: Exception
    until: float


class Cluster:
    """Every live node that has processors to give, with one actor each. Thread-safe."""

    def __init__(self, ray: Any, setup: Setup, *, num_cpus: float) -> None:
        self._ray, self._setup, self._num_cpus = ray, setup, num_cpus
        self._lock = threading.Lock()
        self._members: dict[str, Member] = {}
        self._opening: dict[str, tuple[Member, Any]] = {}
        self._left_out: dict[str, _Reason] = {}
        self._failures: Counter[str] = Counter()
        self._next_look = 0.0
        self._is_open = self._is_closed = False

    def open(self) -> None:
        """Start an actor on every node that there is now.

        Raises what opening a `Sandbox` raises, with the node named, if one of them cannot, and
        SandboxError if there is none.
        """
        deadline = time.monotonic() + _START_SECONDS
        with self._lock:
            self._look()
            while (self._opening or self._failures) and time.monotonic() < deadline:
                if self._opening:
                    refs = [ref for _, ref in self._opening.values()]
                    self._ray.wait(refs, timeout=_LOOK_SECONDS)
                self._look()
            if self._left_out:
                raise next(iter(self._left_out.values())).error
            if not self._members:
                raise SandboxError(
                    f"no node of the Ray cluster took an actor within {_START_SECONDS:.0f} seconds:"
                    " it takes one with at least one logical CPU"
                )
            self._is_open = True

    def members(self) -> list[Member]:
        """Return the nodes that take jobs now. Raises SandboxClosed."""
        with self._lock:
            if self._is_closed:
                raise SandboxClosed("the sandbox is closed")
            if time.monotonic() >= self._next_look:
                self._look()
            return list(self._members.values())

    def load(self, member: Member, jobs: int) -> None:
        """Give `member` so many jobs more, or fewer."""
        with self._lock:
            member.load += jobs

    def lost(self, member: Member) -> None:
        """Note that the actor of `member` is gone: its node gets another, if it is there."""
        self.end(member)
        with self._lock:
            if self._members.get(member.key) is member:
                del self._members[member.key]
                self._next_look = 0.0

    def private(self) -> Member | None:
        """Start an actor for one job, on the node with the least to do; None without nodes."""
        members = self.members()
        if not members:
            return None
        beside = min(members, key=lambda member: member.load / member.workers)
        actor = self._actor(beside.key, cpus=1, num_cpus=0)
        return Member(beside.key, beside.name, actor, 1)

    def end(self, member: Member) -> None:
        """End an actor at once; its supervisor and children end with it."""
        if self._ray.is_initialized():
            with contextlib.suppress(Exception):  # it is gone already
                self._ray.kill(member.actor)

    def close(self) -> None:
        """End every actor. Idempotent."""
        with self._lock:
            self._is_closed = True
            members = [*self._members.values(), *(each for each, _ in self._opening.values())]
            self._members.clear()
            self._opening.clear()
        for member in members:
            self.end(member)

    # -- with the lock held

    def _look(self) -> None:
        """Find out which nodes are there, and which of their actors are ready."""
        try:
            nodes = {n["NodeID"]: n for n in self._ray.nodes() if n["Alive"] and _cpus(n)}
        except Exception as error:
            raise SandboxError(f"the Ray cluster does not answer: {error}") from error
        for known in (self._members, self._opening, self._left_out, self._failures):
            for key in known.keys() - nodes.keys():
                del known[key]
        for key, reason in list(self._left_out.items()):
            if time.monotonic() >= reason.until:
                del self._left_out[key]
        for key in nodes.keys() - self._members.keys() - self._opening.keys():
            if key not in self._left_out:
                self._start(nodes[key])
        for key, (member, ref) in list(self._opening.items()):
            if self._ray.wait([ref], timeout=0)[0]:
                del self._opening[key]
                self._greet(member, ref)
        self._next_look = time.monotonic() + _LOOK_SECONDS

    def _start(self, node: Mapping[str, Any]) -> None:
        key, cpus = node["NodeID"], _cpus(node)
        actor = self._actor(key, cpus=cpus, num_cpus=self._num_cpus)
        name = f"{node['NodeManagerAddress']} {key[:8]}"
        self._opening[key] = Member(key, name, actor, cpus), actor.open.remote()

    def _actor(self, key: str, *, cpus: int, num_cpus: float) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        workers = self._setup.workers or cpus
        return (
            self._ray.remote(Node)
            .options(
                num_cpus=num_cpus,
                max_concurrency=min(workers + _MORE_THREADS, _MOST_THREADS),
                max_restarts=0,
                scheduling_strategy=NodeAffinitySchedulingStrategy(key, soft=False),
            )
            .remote(self._setup, cpus)
        )

    def _greet(self, member: Member, ref: Any) -> None:
        try:
            answer = self._ray.get(ref)
        except Exception as error:
            answer = Failure(SandboxError(f"its actor ends while it starts: {error}"))
        if isinstance(answer, Failure):
            self.end(member)
            self._failed(member, answer.named(member.name).error)
        else:
            self._failures.pop(member.key, None)
            member.workers = answer
            self._members[member.key] = member

    def _failed(self, member: Member, error: Exception) -> None:
        """Leave a node out: for good if it is configured wrongly, else after a few attempts."""
        may_pass = is_fault(error)
        self._failures[member.key] += 1
        if may_pass and self._failures[member.key] < _START_ATTEMPTS:
            return  # tried again at the next look
        self._failures.pop(member.key)
        until = time.monotonic() + _REST_SECONDS if may_pass else math.inf
        self._left_out[member.key] = _Reason(error, until)
        if self._is_open:  # the others go on without it
            warnings.warn(f"a node that joined is left out: {error}", stacklevel=3)


def _cpus(node: Mapping[str, Any]) -> int:
    """Return the logical processors of a node; none of a head node that is to do no work."""
    return int(node["Resources"].get("CPU", 0))
