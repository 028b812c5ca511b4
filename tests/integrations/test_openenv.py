"""OpenEnv's environment: by itself, and behind OpenEnv's own server, asked by its own client."""

import contextlib
import threading
import time

import pytest

pytest.importorskip("openenv", reason="openenv-core is not installed")

import uvicorn

from sandbox import PolicyError
from sandbox.integrations.sessions import shared
from sandbox.integrations.sessions.openenv import (
    PythonAction,
    PythonClient,
    PythonEnvironment,
    app,
)

ECHO = {"inputs": ["1\n", "7\n"], "outputs": ["2\n", "8\n"]}
RIGHT, HALF = "print(int(input()) + 1)", "print(2)"


@pytest.fixture(name="environment")
def _environment():
    made = PythonEnvironment(partial=True, cpu_seconds=1)
    made.reset(episode_id="one", **ECHO)
    yield made
    made.close()


def run(environment, code, **options):
    return environment.step(PythonAction(code=code), **options)


def submit(environment, code):
    return environment.step(PythonAction(code=code, submit=True))


def test_variables_last_for_an_episode(environment):
    assert run(environment, "x = 20\nx + 1").output == "21\n"
    assert run(environment, "print(x)").output == "20\n"
    assert (environment.state.episode_id, environment.state.step_count) == ("one", 2)
    environment.reset(**ECHO)
    assert "NameError" in run(environment, "x").output
    assert environment.state.step_count == 1


def test_a_program_that_is_submitted_is_graded_and_ends_the_episode(environment):
    made = submit(environment, HALF)
    assert (made.done, made.reward, made.metadata) == (True, 0.5, {})
    assert submit(environment, f"```python\n{RIGHT}\n```").reward == 1.0


def test_without_tests_there_is_no_reward(environment):
    environment.reset()
    assert submit(environment, RIGHT).reward is None


def test_a_timeout_of_a_step_is_a_limit_of_the_cell(environment):
    before = time.monotonic()
    made = run(environment, "while True:\n    pass", timeout_s=0.3)
    assert "LIMIT" in made.output
    assert "Nothing that this cell did was kept" in made.output
    assert time.monotonic() - before < 30


def test_a_client_that_goes_does_not_wait_for_its_cell():
    environment = PythonEnvironment()
    cell = threading.Thread(target=run, args=(environment, "while True:\n    pass"))
    cell.start()
    while environment._rollout._session is None:
        time.sleep(0.01)
    time.sleep(0.5)
    before = time.monotonic()
    environment.close()
    cell.join(30)
    assert time.monotonic() - before < 8  # the policy gives the cell ten seconds of CPU time


def test_a_fault_masks_the_episode(environment):
    run(environment, "x = 1")
    shared.close_shared()
    made = run(environment, "x")
    assert "was restarted" in made.output
    assert made.metadata["fault"]
    made = submit(environment, RIGHT)
    assert made.reward is None
    assert made.metadata["fault"]


def test_wrong_settings_are_told_before_a_server_begins():
    with pytest.raises(PolicyError):
        app(cpu_seconds=1000)


@pytest.fixture(scope="module", name="url")
def _url():
    config = uvicorn.Config(app(partial=True, sessions=4), port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    with contextlib.ExitStack() as stack:
        stack.callback(thread.join, 30)
        stack.callback(setattr, server, "should_exit", True)
        deadline = time.monotonic() + 60
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"


def test_clients_have_an_episode_each(url):
    with PythonClient(base_url=url).sync() as one, PythonClient(base_url=url).sync() as other:
        for client in (one, other):
            assert client.reset(**ECHO).done is False
        one.step(PythonAction(code="x = 20"))
        assert one.step(PythonAction(code="x + 1")).observation.output == "21\n"
        assert "NameError" in other.step(PythonAction(code="x")).observation.output
        done = one.step(PythonAction(code=RIGHT, submit=True))
        assert (done.done, done.reward) == (True, 1.0)
        assert one.state().step_count == 3
        assert other.step(PythonAction(code=HALF, submit=True)).reward == 0.5
