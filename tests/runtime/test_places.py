"""At most `workers` programs run at once, and no thread waits for ever for its turn."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox import Job, Policy, Sandbox


def in_time(work):
    """What `work` returns, in a thread that must end."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(work()), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    return answers[0]


def jobs(count, first=0):
    return [Job(f"print({number})") for number in range(first, first + count)]


def test_maps_in_several_threads_share_the_places_and_none_waits_for_ever():
    """One that held a place and waited for a second waited for another that did the same."""
    outputs = {}

    def consume(thread):
        jobs = (Job(f"print({thread}, {number})") for number in range(20))
        outputs[thread] = [result.output for result in sandbox.map(jobs)]

    with Sandbox("strict", 2) as sandbox:
        threads = [threading.Thread(target=consume, args=(n,), daemon=True) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)
    assert outputs == {n: [f"{n} {number}\n" for number in range(20)] for n in range(4)}


@pytest.mark.parametrize("workers", [1, 2])
def test_the_loop_over_a_map_may_run_programs_itself(workers):
    def work():
        return [
            (result.output, sandbox.run("print('inner')").output, *inner(number))
            for number, result in enumerate(sandbox.map(jobs(8)))
        ]

    def inner(number):
        return [result.output for result in sandbox.map(jobs(3, number))]

    with Sandbox("strict", workers) as sandbox:
        seen = in_time(work)
        assert sandbox.run("print('after')").output == "after\n"
    expected = [(f"{n}\n", "inner\n", f"{n}\n", f"{n + 1}\n", f"{n + 2}\n") for n in range(8)]
    assert seen == expected


def test_the_loop_over_a_map_may_wait_for_other_threads_that_run_programs():
    def work():
        with ThreadPoolExecutor(2) as others:
            return [(result.output, *others.map(run, "ab")) for result in sandbox.map(jobs(5))]

    def run(word):
        return sandbox.run(f"print({word!r})").output

    with Sandbox("strict", 2) as sandbox:
        assert in_time(work) == [(f"{n}\n", "a\n", "b\n") for n in range(5)]


def test_a_service_may_run_programs_in_the_sandbox_that_it_serves():
    def work():
        return sandbox.run("print(twice('4'))", services={"twice": twice}).output

    def twice(number):
        return sandbox.run("print(2 * int(input()))", stdin=number).output

    with Sandbox(Policy.load("strict").replaced(services=True), 1) as sandbox:
        assert in_time(work) == "8\n\n"


def test_no_more_than_the_workers_run_at_once_after_such_loops():
    """A program that ran without a place gives none back."""
    with Sandbox("strict", 2) as sandbox:
        for _ in sandbox.map(jobs(6)):
            sandbox.run("print(1)")
        runner = sandbox._runner
        assert runner._slots.qsize() == 2
