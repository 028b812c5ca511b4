"""Inspect's sandboxes: its own checks of one, and evaluations whose tools run in it."""

from importlib.metadata import entry_points

import pytest

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import python
from inspect_ai.util import (
    OutputLimitExceededError,
    SandboxEnvironmentSpec,
    SandboxUserUnsupportedError,
)
from inspect_ai.util._sandbox import self_check
from inspect_ai.util._sandbox.self_check import *  # noqa: F403

from sandbox import PolicyError
from sandbox.integrations.sessions.inspect import RestrictedConfig, RestrictedSandboxEnvironment

pytestmark = [pytest.mark.xdist_group("inspect"), pytest.mark.anyio]

# Of Inspect's own checks of a sandbox, those that a sandbox without this cannot pass.
MISSED = {
    "a shell": {
        "test_exec_output",
        "test_exec_stderr",
        "test_exec_output_utf",
        "test_exec_stderr_utf",
        "test_exec_returncode",
        "test_exec_env_vars",
        "test_exec_input_binary",
        "test_exec_timeout_not_raised_on_fast_signal_death",
        "test_exec_timeout_kills_process",
        "test_exec_timeout_kills_child_processes",
    },
    "users": {"test_exec_as_user"},
    "a file system of the host's (/etc, /usr/bin)": {
        "test_read_file_is_directory",
        "test_cwd_custom",
    },
}


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(name="sandbox_env")
async def _sandbox_env(request):
    found = [why for why, names in MISSED.items() if request.node.originalname in names]
    if found:
        request.applymarker(
            pytest.mark.xfail(strict=True, reason=f"there is no such thing as {found[0]}")
        )
    made = await RestrictedSandboxEnvironment.sample_init("task", None, {})
    yield made["default"]
    await RestrictedSandboxEnvironment.sample_cleanup("task", None, made, False)


def test_inspect_finds_it_by_an_entry_point():
    (found,) = entry_points(group="inspect_ai", name="restricted_execution")
    assert found.load().RestrictedSandboxEnvironment is RestrictedSandboxEnvironment


def test_every_miss_is_a_check_of_inspects():
    assert set().union(*MISSED.values()) <= set(self_check.__all__)


async def started(code, env, **options):
    command = ["bash", "--login", "-c", "python3 -"]
    return await env.exec(command, input=code, **options)


async def test_a_program_is_run_as_the_tool_python_sends_it(sandbox_env):
    result = await started("print(6 * 7)", sandbox_env)
    assert (result.success, result.returncode, result.stdout) == (True, 0, "42\n")
    result = await started("print(1)\n1 / 0", sandbox_env)
    assert (result.returncode, result.stdout) == (1, "1\n")
    assert result.stderr.endswith("ZeroDivisionError: division by zero\n")
    result = await started("import sys\nsys.exit(70)", sandbox_env)
    assert (result.success, result.returncode, result.stderr) == (False, 70, "")


async def test_files_last_for_the_sample_and_variables_for_a_program(sandbox_env):
    await sandbox_env.write_file("data/in.txt", "20")
    code = "x = int(open('data/in.txt').read())\nopen('/tmp/out.txt', 'w').write(str(x + 1))"
    assert (await started(code, sandbox_env)).success
    assert await sandbox_env.read_file("/tmp/out.txt") == "21"
    assert not (await started("x", sandbox_env)).success
    await sandbox_env.write_file("main.py", "print(input(), open('data/in.txt').read())")
    result = await sandbox_env.exec(["python3", "main.py"], input="said\n")
    assert result.stdout == "said 20\n"
    result = await sandbox_env.exec(["python3", "-c", "import os\nos.remove('data/in.txt')"])
    assert result.success
    with pytest.raises(FileNotFoundError):
        await sandbox_env.read_file("data/in.txt")


async def test_limits_are_errors_as_inspect_knows_them(sandbox_env):
    with pytest.raises(TimeoutError):
        await started("while True:\n    pass", sandbox_env, timeout=1)
    with pytest.raises(OutputLimitExceededError):
        await started("while True:\n    print('x' * 10000)", sandbox_env)
    limited = RestrictedConfig(cpu_seconds=0.5)
    made = await RestrictedSandboxEnvironment.sample_init("task", limited, {})
    result = await started("while True:\n    pass", made["default"])
    assert result.returncode == 137
    assert "CPU_LIMIT" in result.stderr


async def test_what_there_is_not_is_said(sandbox_env):
    result = await sandbox_env.exec(["sh", "-c", "python3 - | cat"], input="print(1)")
    assert result.returncode == 127
    assert "there is no shell" in result.stderr
    result = await sandbox_env.exec(["gcc", "main.c"])
    assert result.returncode == 127
    assert "gcc: not found" in result.stderr
    result = await sandbox_env.exec(["python3", "-m", "http.server"])
    assert result.returncode == 2
    with pytest.raises(SandboxUserUnsupportedError):
        await sandbox_env.exec(["python3", "-"], user="root")
    with pytest.raises(PermissionError):
        await sandbox_env.write_file("/etc/passwd", "x")
    with pytest.raises(PolicyError):
        await RestrictedSandboxEnvironment.sample_init("task", "no-such-policy", {})


def asking(code):
    """A model that calls the tool, and then answers what the tool said."""

    def answer(messages, *_):
        if messages[-1].role == "tool":
            output = ModelOutput.from_content("mockllm/model", messages[-1].text)
        else:
            output = ModelOutput.for_tool_call("mockllm/model", "python", {"code": code})
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=answer)


@pytest.mark.parametrize(
    "sandbox",
    [
        "restricted",
        ("restricted", "algorithms"),
        SandboxEnvironmentSpec("restricted", RestrictedConfig(cpu_seconds=5)),
    ],
    ids=["name", "policy", "config"],
)
def test_an_evaluation_runs_inspects_own_tool_in_it(sandbox, tmp_path):
    sample = Sample("Read the file.", target="21", files={"n.txt": "20"})
    code = "print(int(open('n.txt').read()) + 1)"
    task = Task([sample], solver=[use_tools(python()), generate()], scorer=match(), sandbox=sandbox)
    (log,) = eval(task, model=asking(code), log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
