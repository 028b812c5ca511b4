"""A real local Ray with two nodes: actors, workers, callers and a node are killed."""

import itertools
import os
import re
import signal
import subprocess
import sys
import threading

import psutil
import pytest

from sandbox import Fault, Job, SandboxClosed, SandboxError
from sandbox.integrations.ray import RaySandbox

from .ray_nodes import ENDLESS, NODE, actors, burning, is_there, until

ray = pytest.importorskip("ray", reason="ray is not installed")
pytestmark = pytest.mark.xdist_group("ray")

CALLER = """
import sys, ray
from sandbox import Job
from sandbox.integrations.ray import RaySandbox
ray.init(address=sys.argv[1], log_to_driver=False, logging_level="ERROR")
results = RaySandbox("contest").map(Job("while True: pass") for _ in range(8))
print("running", flush=True)
next(results)
"""


def squares(start=0):
    return (Job(f"print({n} ** 2)") for n in itertools.count(start))


def test_nothing_of_ours_survives_a_worker_that_is_killed(cluster):
    with RaySandbox("contest") as sandbox:
        mine = sandbox._cluster.members()[0]
        pid = ray.get(mine.actor.__ray_call__.remote(lambda self: os.getpid()))
        ref = mine.actor.work.remote("map", [Job(ENDLESS)], {})
        worker = psutil.Process(pid)
        until(lambda: burning(worker), "a guest runs")
        below = worker.children(recursive=True)
        assert len(below) > 2
        os.kill(pid, signal.SIGKILL)
        until(lambda: not any(map(is_there, below)), f"{below} end with the worker")
        with pytest.raises(ray.exceptions.RayActorError):
            ray.get(ref)
        assert sandbox.run("print(1)").output == "1\n"  # by another actor


def test_nothing_of_ours_survives_a_caller_that_is_killed(cluster):
    before = {actor.pid for actor in actors()}
    command = [sys.executable, "-c", CALLER, cluster.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as caller:
        assert caller.stdout.readline() == b"running\n"
        mine = [actor for actor in actors() if actor.pid not in before]
        until(lambda: any(map(burning, mine)), "a guest runs")
        ours = [*mine, *(below for actor in mine for below in actor.children(recursive=True))]
        assert len(mine) == 2
        assert len(ours) > 6
        caller.kill()
    until(lambda: not any(map(is_there, ours)), f"{ours} end with their caller")


def test_a_job_that_ends_its_node_each_time_is_a_fault_and_takes_no_other_with_it(cluster):
    stop, killed = threading.Event(), []

    def kill_what_burns():
        while not stop.wait(0.05):
            for actor in filter(burning, actors()):
                killed.append(actor.pid)
                actor.kill()

    def job(number):
        return Job(ENDLESS if number == 6 else f"print({number})")

    thread = threading.Thread(target=kill_what_burns)
    thread.start()
    try:
        with RaySandbox("contest", workers=2) as sandbox:
            outcomes = list(sandbox.map(map(job, range(12)), on_fault="yield"))
            graded = sandbox.grade_many(
                [(ENDLESS, {"inputs": ["", ""], "outputs": ["", ""]})], cpu_seconds=9
            )
    finally:
        stop.set()
        thread.join()
    assert len(set(killed)) == 6
    assert [isinstance(outcome, Fault) for outcome in outcomes] == [n == 6 for n in range(12)]
    assert outcomes[6].job == job(6)
    assert type(outcomes[6].error) is SandboxError
    assert re.search(r"lost 3 times .*\(Ray node", str(outcomes[6].error))
    assert [o.output for n, o in enumerate(outcomes) if n != 6] == [
        f"{n}\n" for n in range(12) if n != 6
    ]
    assert [(grade.masked, grade.score, grade.total) for grade in graded] == [(True, None, 2)]


def test_a_closed_sandbox_has_no_actor_and_says_so(cluster):
    before = set(actors())
    sandbox = RaySandbox("strict")
    ours = set(actors()) - before
    assert len(ours) == 2
    waiting = sandbox.map([Job(ENDLESS)])
    closer = threading.Timer(1.0, sandbox.close)
    closer.start()
    with pytest.raises(SandboxClosed):
        next(waiting)
    closer.join()
    sandbox.close()
    until(lambda: not ours & set(actors()), "its actors end")
    with pytest.raises(SandboxClosed):
        sandbox.run("print(1)")


def test_a_lost_node_loses_nothing_and_one_that_joins_is_taken_up(cluster, contest):
    """Last: it takes a node away. Jobs that were there run elsewhere; order and number stay."""
    until(lambda: len(contest.nodes) == 2, "two nodes take jobs")
    results, outputs = contest.map(squares()), []
    outputs += [result.output for result in itertools.islice(results, 50)]
    [second] = cluster.worker_nodes
    thread = threading.Thread(target=cluster.remove_node, args=(second, False))
    thread.start()
    outputs += [result.output for result in itertools.islice(results, 400)]
    thread.join()
    until(lambda: len(contest.nodes) == 1, "one node is left")
    cluster.add_node(**NODE)
    until(lambda: len(contest.nodes) == 2, "the node that joined takes jobs")
    outputs += [result.output for result in itertools.islice(results, 100)]
    assert outputs == [f"{n * n}\n" for n in range(550)]
