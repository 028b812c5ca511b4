"""A real local Ray with two nodes: the same results as a `Sandbox` here, and the same errors."""

import itertools
import pickle
import signal
import threading
from collections import Counter
from pathlib import Path

import pytest

from sandbox import (
    Fault,
    Job,
    Policy,
    PolicyError,
    Sandbox,
    SandboxClosed,
    SandboxError,
    SandboxUnavailable,
    Status,
    grade_many,
)
from sandbox.integrations.ray import RaySandbox, client, dispatch
from sandbox.integrations.ray.node import Failure, portable

from .ray_nodes import ENDLESS, actors, until

ray = pytest.importorskip("ray", reason="ray is not installed")
pytestmark = pytest.mark.xdist_group("ray")


def test_every_way_to_run_gives_what_a_sandbox_here_gives(contest):
    double = "print(int(input()) * 2)"
    pair = "def pair(a, b=0):\n    return [a, b]"
    with Sandbox("contest", 2) as here:
        for sandbox in (here, contest):
            assert sandbox.run(double, "21\n").output == "42\n"
            assert sandbox.run(ENDLESS, cpu_seconds=0.2).status is Status.CPU_LIMIT
            assert sandbox.call(pair, "pair", [1], {"b": 2}).value == [1, 2]
            assert [r.output for r in sandbox.run_many(double, ["1", "2", "x"])] == [
                "2\n",
                "4\n",
                "",
            ]
            assert [r.value for r in sandbox.call_many(pair, "pair", [[1], [2, 3]])] == [
                [1, 0],
                [2, 3],
            ]
        for field in ("output", "error", "status", "traceback", "layers", "policy"):
            one, other = (getattr(each.run("print(1)\n1 / 0"), field) for each in (here, contest))
            assert one == other


def test_each_node_has_one_actor_with_as_many_places_as_ray_counts_processors(contest):
    until(lambda: len(contest.nodes) == 2, "two nodes take jobs")
    assert set(contest.nodes.values()) == {1}
    assert len(actors()) == 2


def test_map_is_lazy_over_an_endless_iterator_keeps_order_and_uses_every_node(contest):
    read = itertools.count()
    jobs = (Job(f"print({n})") for n in read)
    busy = Counter()
    results = contest.map(jobs)
    for number in range(200):
        assert next(results).output == f"{number}\n"
        busy.update(member.key for member in contest._cluster.members() if member.load)
    assert next(read) <= 200 + 4 * sum(contest.nodes.values()) + 1
    assert len(busy) == 2
    results.close()
    until(lambda: not any(m.load for m in contest._cluster.members()), "nothing is counted")


def test_rows_of_test_files_are_graded_on_the_nodes(contest):
    file = "import pytest\nfrom solution import add\n\n@pytest.mark.parametrize('n', [1, 2])\n"
    file += "def test_add(n):\n    assert add(n, n) == 2 * n\n"
    codes = (
        "def add(a, b): return a + b",
        "def add(a, b): return 2",
        "def add(a, b): return 1 / 0",
    )
    rows = [(code, {"test_code": file, "module": "solution"}) for code in codes]
    try:
        here = grade_many(rows, early_stop=False)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")
    graded = contest.grade_many(rows, early_stop=False)
    assert [grade.score for grade in graded] == [1.0, 0.0, 0.0]
    assert [grade.passed for grade in graded] == [2, 1, 0]
    assert graded == here


def test_grades_are_those_of_grade_many_here(contest):
    double = {"inputs": ["1", "2"], "outputs": ["2", "4"]}
    asserted = {"test_list": ["assert double(2) == 4"]}
    good = "def double(x):\n    return 2 * x\nprint(double(int(input() or 0)))"
    rows = [(good, double), ("print(2)", double), (good, asserted), ("", double), (good, None)]
    assert contest.grade_many(rows * 2) == grade_many(rows * 2)
    assert [g.score for g in contest.grade_many(rows[:2], comparator=lambda a, e: True)] == [1, 1]
    odd = [(good, {"what": 1})]
    assert contest.grade_many(odd) == grade_many(odd)
    assert "no known form" in grade_many(odd)[0].cases[0].reason
    with pytest.raises(PolicyError, match="cpu_seconds: 1000 is more than the policy"):
        contest.grade_many(rows, cpu_seconds=1000)


def test_what_cannot_be_is_raised_as_the_same_type_with_the_node_named(contest):
    with pytest.raises(PolicyError, match=r"cpu_seconds: 1000 .* \(Ray node [\d.]+ \w{8}\)"):
        contest.run("1", cpu_seconds=1000)
    with pytest.raises(ValueError, match="object is not plain data"):
        contest.call("def f(x): return x", "f", [object()])
    with pytest.raises(TypeError, match=r"a job must be a sandbox\.Job"):
        list(contest.map([b"print(1)"]))
    assert [result.output for result in contest.map(["print(1)"])] == ["1\n"]


def test_a_fault_concerns_its_job_and_those_before_it_have_their_results(contest):
    jobs = [Job(f"print({n})", limits={"cpu_seconds": 1000} if n == 5 else {}) for n in range(9)]
    results = contest.map(jobs)
    assert [next(results).output for _ in range(5)] == [f"{n}\n" for n in range(5)]
    with pytest.raises(PolicyError):
        next(results)


@pytest.mark.parametrize("on_fault", ["raise", "yield"])
@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (None, TypeError),
        (Job("print(1)", limits={"cpu_seconds": 1e9}), PolicyError),
        (Job(1), TypeError),
        (Job("f()", entry="f", args=[object()]), ValueError),
        (Job("1", services={"price": len}), ValueError),
    ],
    ids=["none", "limit", "code", "value", "services"],
)
def test_what_is_no_job_is_told_after_all_results_before_it(contest, on_fault, bad, kind):
    jobs = [*(Job(f"print({n})") for n in range(3)), bad, Job("print(4)")]
    results = contest.map(jobs, on_fault=on_fault)
    assert [next(results).output for _ in range(3)] == ["0\n", "1\n", "2\n"]
    with pytest.raises(kind):
        next(results)


@pytest.mark.parametrize("error", [KeyError("a row"), SandboxError("not this sandbox's")])
def test_what_the_iterator_of_jobs_raises_is_raised_after_all_results(contest, error):
    def jobs():
        yield from (Job(f"print({n})") for n in range(7))
        raise error

    results = contest.map(jobs(), on_fault="yield")
    assert [next(results).output for _ in range(7)] == [f"{n}\n" for n in range(7)]
    with pytest.raises(type(error)) as caught:
        next(results)
    assert caught.value is error


def test_a_fault_is_given_in_the_place_of_its_result(contest, monkeypatch):
    def lost(self, ref, batch):
        settle(self, ref, batch)
        for place in batch.places:
            if place.job.code == "print(2)":
                place.outcome = Failure(SandboxError("no machine"))

    settle = dispatch.Dispatch._settle
    monkeypatch.setattr(dispatch.Dispatch, "_settle", lost)
    jobs = [Job(f"print({n})") for n in range(5)]
    outcomes = list(contest.map(jobs, on_fault="yield"))
    fault = outcomes.pop(2)
    assert isinstance(fault, Fault)
    assert (fault.job, fault.reason) == (jobs[2], "no machine")
    assert [outcome.output for outcome in outcomes] == ["0\n", "1\n", "3\n", "4\n"]
    with pytest.raises(SandboxError, match="no machine"):
        list(contest.map(jobs))
    with pytest.raises(ValueError, match="on_fault"):
        contest.map([], on_fault="ignore")


def test_nodes_with_many_places_get_several_jobs_at_a_time(cluster, monkeypatch):
    """More batches at once than there are places: none waits for another."""
    monkeypatch.setattr(dispatch, "_PLACES_PER_JOB", 1)
    with RaySandbox("contest", workers=3) as sandbox:
        results = sandbox.map(Job(f"print({n})") for n in range(90))
        assert [result.output for result in results] == [f"{n}\n" for n in range(90)]


def test_services_do_not_cross_and_it_says_so(contest):
    for attempt in (
        lambda: contest.run("1", services={"price": len}),
        lambda: contest.run_many("1", [""], services={"price": len}),
        lambda: list(contest.map([Job("1", services={"price": len})])),
    ):
        with pytest.raises(ValueError, match="services are functions of this process"):
            attempt()


def test_a_node_that_cannot_open_a_sandbox_is_named(cluster):
    with pytest.raises(SandboxError, match=r"do not fit .*\(Ray node") as caught:
        RaySandbox("strict", workers=10**6)
    assert type(caught.value) is SandboxError
    with Sandbox("strict", 1) as here:
        missing = {"cgroup", "landlock", "namespaces"} - set(here.layers)
    if not missing:
        pytest.skip("this host has every layer that it could lack")
    layer = missing.pop()
    with pytest.raises(SandboxUnavailable, match="Ray node") as refused:
        RaySandbox(Policy.load("strict").replaced(layers={layer: "required"}))
    assert refused.value.layer == layer
    until(lambda: len(actors()) <= 2, "the actors of a sandbox that did not open end")


def test_a_node_with_another_version_of_the_package_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(client, "version", lambda: "0.0.7")
    with pytest.raises(SandboxError, match=r"and 0\.0\.7 where the jobs come from.*Ray node"):
        RaySandbox("strict")


@pytest.mark.parametrize(
    "error",
    [
        SandboxUnavailable("seccomp", "it is not there", "Update the kernel."),
        SandboxClosed("closed"),
        PolicyError("wrong"),
        SandboxError("failed"),
        ValueError("a value"),
    ],
)
def test_an_exception_keeps_its_type_and_fields_on_its_way(error):
    there = pickle.loads(pickle.dumps(Failure(portable(error)).named("10.0.0.1 ab")))
    assert type(there.error) is type(error)
    assert "(Ray node 10.0.0.1 ab)" in str(there.error)
    assert getattr(there.error, "layer", None) == getattr(error, "layer", None)


def test_an_unknown_exception_is_a_fault_of_the_sandbox():
    assert type(portable(OSError("disk"))) is SandboxError


def test_an_address_of_another_cluster_is_refused(cluster):
    with pytest.raises(SandboxError, match="Ray is connected to"):
        RaySandbox("strict", "10.255.255.1:6379")


def test_it_starts_inside_of_actors_that_have_reserved_every_processor(cluster):
    def train():
        with RaySandbox("contest") as sandbox:
            results = sandbox.map(Job(f"print({n})") for n in range(10))
            return len(sandbox.nodes), [result.output for result in results]

    class Trainer:
        def train(self):
            return train()

    actor = ray.remote(Trainer).options(num_cpus=1)
    trainers = [actor.remote() for _ in range(2)]
    for answer in ray.get([trainer.train.remote() for trainer in trainers]):
        assert answer == (2, [f"{n}\n" for n in range(10)])
    for trainer in trainers:
        ray.kill(trainer)


def test_a_worker_of_ray_changes_nothing_of_what_confines_a_guest(contest):
    """Its blocked signals, threads, descriptors and environment stay outside."""

    def look(node):
        pid = node._opened()._pool._current.pid
        status = Path(f"/proc/{pid}/status").read_text()
        [blocked] = [line.split()[1] for line in status.splitlines() if line[:7] == "SigBlk:"]
        return Path(f"/proc/{pid}/environ").read_text(), int(blocked, 16), status

    [member, *_] = contest._cluster.members()
    environment, blocked, status = ray.get(member.actor.__ray_call__.remote(look))
    assert "RAY" not in environment
    assert not blocked & 1 << signal.SIGINT - 1  # which Ray blocks in threads that run tasks
    assert "Threads:\t1\n" in status
    assert contest.run("import os\nprint(os.environ)").output == "{}\n"
    assert "No such file" in contest.run("open('/proc/self/environ')").error


def test_many_threads_share_the_nodes(contest):
    answers = {}

    def ask(number):
        answers[number] = [contest.run(f"print({number} + {n})").output for n in range(10)]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == {number: [f"{number + n}\n" for n in range(10)] for number in range(8)}
