"""How jobs are handed to nodes that come and go, with nodes of our own: Ray is not needed."""

from types import SimpleNamespace

import pytest

from sandbox import SandboxError
from sandbox.integrations.ray import dispatch
from sandbox.integrations.ray.cluster import Member
from sandbox.integrations.ray.dispatch import Dispatch
from sandbox.integrations.ray.node import Failure


class Lost(Exception):
    """An actor that is gone."""


class Rays:
    """As much of Ray as a dispatch uses: what an actor gave is there at once, or was lost."""

    exceptions = SimpleNamespace(RayTaskError=KeyError, RayActorError=Lost, RayError=Lost)

    def wait(self, refs, num_returns=1, timeout=None):
        return refs, []

    def get(self, ref):
        jobs, is_lost = ref
        if is_lost:
            raise Lost("the actor died")
        return [job * job for job in jobs]

    def cancel(self, ref):
        raise AssertionError("all that was sent has ended")


class Nodes:
    """One node, which goes at every seventh look, and is lost with every third batch.

    It is back a few looks later.
    """

    def __init__(self):
        self.looks, self.sent, self.absent = 0, 0, 3
        self.member = Member("key", "node", self, 1)
        self.work = SimpleNamespace(remote=self._work)

    def _work(self, kind, jobs, shared):
        self.sent += 1
        return tuple(jobs), self.sent % 3 == 0

    def members(self):
        self.looks += 1
        if self.looks % 7 == 0:
            self.absent = max(self.absent, 3)
        if self.absent:
            self.absent -= 1
            return []
        return [self.member]

    def private(self):
        return next(iter(self.members()), None)

    def load(self, member, jobs):
        member.load += jobs

    def lost(self, member):
        self.absent = 3

    def end(self, member):
        pass


def squares(nodes, jobs, wait_seconds=60.0):
    made = Dispatch(Rays(), nodes, ("map", {}), attempts=3, wait_seconds=wait_seconds)
    return list(made.in_order(jobs))


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    monkeypatch.setattr(dispatch, "_WAIT_SECONDS", 0.0)


@pytest.mark.parametrize("ahead", [1, 4])
def test_no_job_is_left_out_when_there_is_no_node_as_the_last_result_is_taken(ahead, monkeypatch):
    """With nothing on its way and nowhere to send to, the jobs are not at their end."""
    monkeypatch.setattr(dispatch, "_AHEAD", ahead)
    assert squares(Nodes(), range(50)) == [n * n for n in range(50)]


def test_jobs_that_no_node_takes_for_too_long_are_an_error_and_not_an_end():
    nodes = Nodes()
    nodes.absent = 10**9
    failed = squares(nodes, range(5), wait_seconds=0.05)
    assert [str(each.error)[:28] for each in failed] == ["no node of the Ray cluster w"] * 5
    assert {type(each.error) for each in failed} == {SandboxError}


def test_jobs_after_those_that_found_no_node_run_when_one_is_back():
    nodes = Nodes()
    nodes.absent = 10**9
    got = []
    made = Dispatch(Rays(), nodes, ("map", {}), attempts=3, wait_seconds=1.0)
    for outcome in made.in_order(range(8)):
        got.append(outcome)
        if len(got) == 3:  # there for the next looks
            nodes.absent = nodes.looks = 0
    assert all(isinstance(outcome, Failure) for outcome in got[:3])
    assert got[3:] == [9, 16, 25, 36, 49]


def test_an_iterator_that_has_ended_is_asked_no_more():
    asked = []

    def jobs():
        yield 2
        asked.append(1)

    assert squares(Nodes(), jobs()) == [4]
    assert asked == [1]
