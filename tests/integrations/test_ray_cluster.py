"""Which nodes take jobs, with actors of our own that fail to start: Ray is not needed."""

from types import SimpleNamespace

import pytest

from sandbox import Policy, SandboxError, SandboxUnavailable
from sandbox.integrations.ray import cluster
from sandbox.integrations.ray.cluster import Cluster
from sandbox.integrations.ray.node import Failure, Setup

FAULT = Failure(SandboxError("the supervisor failed to start: too many open files"))
WRONG = Failure(SandboxUnavailable("namespaces", "not permitted", "allow them"))


class Rays:
    """As much of Ray as a cluster uses; `answers` is what each actor that is started says."""

    def __init__(self, answers):
        self.answers, self.started, self.ended = iter(answers), 0, 0

    def nodes(self):
        node = {"NodeID": "n" * 8, "Alive": True, "NodeManagerAddress": "here"}
        return [{**node, "Resources": {"CPU": 2.0}}]

    def wait(self, refs, timeout):
        return refs, []

    def get(self, ref):
        if isinstance(ref, Exception):
            raise ref
        return ref

    def is_initialized(self):
        return True

    def kill(self, actor):
        self.ended += 1

    def actor(self, key, *, cpus, num_cpus):
        self.started += 1
        return SimpleNamespace(open=SimpleNamespace(remote=lambda: next(self.answers)))


@pytest.fixture
def nodes(monkeypatch):
    monkeypatch.setattr(cluster, "_LOOK_SECONDS", 0.0)

    def make(*answers):
        rays = Rays(answers)
        made = Cluster(rays, Setup(Policy.load("strict"), None, "child", 1, ""), num_cpus=0)
        monkeypatch.setattr(made, "_actor", rays.actor)
        return made, rays

    return make


def until_there(made, looks=50):
    return any(made.members() for _ in range(looks))


def test_a_node_whose_sandbox_fails_to_open_is_tried_again(nodes):
    """One supervisor that was killed as it started must not cost a node for good."""
    made, rays = nodes(FAULT, SandboxError("lost"), 2)
    made.open()
    assert [member.workers for member in made.members()] == [2]
    assert (rays.started, rays.ended) == (3, 2)


def test_a_node_that_failed_too_often_is_tried_again_later(nodes, monkeypatch):
    monkeypatch.setattr(cluster, "_REST_SECONDS", 0.0)
    made, rays = nodes(2, *[FAULT] * 7, 2)
    made.open()
    made.lost(made.members()[0])
    with pytest.warns(UserWarning, match="left out: the supervisor failed to start"):
        assert until_there(made)
    assert rays.started == 9


def test_a_node_that_fails_rests_between_its_attempts(nodes):
    made, rays = nodes(2, *[FAULT] * 7, 2)
    made.open()
    made.lost(made.members()[0])
    with pytest.warns(UserWarning, match="left out"):
        assert not until_there(made)
    assert rays.started == 4


def test_a_node_that_is_configured_wrongly_is_left_out_at_once(nodes):
    made, rays = nodes(WRONG, 2)
    with pytest.raises(SandboxUnavailable, match="not permitted"):
        made.open()
    assert rays.started == 1
