"""verl's tools: loaded as verl loads them, and called by verl's own agent loop."""

import asyncio
import gc
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("verl", reason="verl is not installed")

from verl.experimental.agent_loop.tool_agent_loop import AgentData, ToolAgentLoop
from verl.experimental.agent_loop.tool_parser import FunctionCall
from verl.tools.tool_registry import load_all_tools

from sandbox import PolicyError
from sandbox.integrations import sessions
from sandbox.integrations.sessions import shared
from sandbox.integrations.sessions.verl import PythonSession

pytestmark = pytest.mark.xdist_group("torch")
ROOT = Path(__file__).resolve().parents[2]
YAML = str(ROOT / "examples/callers/verl_tools.yaml")
FUNCTIONS = str(Path(sessions.__path__[0]) / "verl_functions.py")


def trajectory(name):
    return AgentData(
        messages=[],
        image_data=None,
        video_data=None,
        audio_data=None,
        mm_processor_kwargs={},
        metrics={},
        request_id=name,
        tools_kwargs={},
    )


def call(tools, agent_data, **arguments):
    """As verl's agent loop does: create, execute, release."""
    loop = SimpleNamespace(
        tools={}, max_tool_response_length=2000, tool_response_truncate_side="middle"
    )
    agent_data._active_tools = {tool.name: tool for tool in tools}
    asked = FunctionCall(name="run_python", arguments=json.dumps(arguments))
    done = ToolAgentLoop._call_tool(loop, asked, {}, agent_data)
    response, reward, metrics = asyncio.run(done)
    return response.text, reward, metrics


@pytest.fixture(name="tools")
def _tools():
    return load_all_tools(YAML, None)


def test_variables_last_for_a_trajectory_and_no_longer(tools):
    first, second = trajectory("a"), trajectory("b")
    assert call(tools, first, code="x = 20\nx + 1") == ("21\n", 0.0, {"fault": 0.0})
    assert "NameError" in call(tools, second, code="x")[0]
    assert call(tools, first, code="print(x)")[0] == "20\n"


def test_an_id_that_is_used_again_is_another_trajectory(tools):
    first = trajectory("det-0")
    call(tools, first, code="x = 1")
    assert "NameError" in call(tools, trajectory("det-0"), code="x")[0]


def test_a_trajectory_that_is_over_leaves_no_session(tools):
    (tool,) = tools
    over = trajectory("over")
    call(tools, over, code="x = 1")
    session = tool._rollouts["over"][1].session
    del over
    gc.collect()
    call(tools, trajectory("next"), code="1")
    assert "over" not in tool._rollouts
    assert not session.is_alive


def test_a_fault_is_told_and_is_a_metric(tools):
    agent_data = trajectory("faulty")
    call(tools, agent_data, code="x = 1")
    shared.close_shared()
    told, _, metrics = call(tools, agent_data, code="x")
    assert told == "The interpreter failed and was restarted: no variable is left.\n"
    assert metrics == {"fault": 1.0}
    assert call(tools, agent_data, code="1 + 1")[0] == "2\n"


def test_what_the_model_gets_wrong_is_told(tools):
    assert "must be a text" in call(tools, trajectory("c"), code=1)[0]
    assert "must be a text" in call(tools, trajectory("c"))[0]


def test_the_settings_are_checked_as_the_yaml_is_loaded():
    assert PythonSession({"type": "native"}).name == "run_python"
    with pytest.raises(PolicyError):
        PythonSession({"type": "native", "limits": {"cpu_seconds": 1000}})
    with pytest.raises(ValueError, match="unknown settings of a tool: idle"):
        PythonSession({"type": "native", "idle": 1})


def test_the_function_tool_is_a_program_for_each_call():
    tools = load_all_tools(None, FUNCTIONS)
    agent_data = trajectory("d")
    assert call(tools, agent_data, code="x = input()\nprint(x)", stdin="hello")[0] == "hello\n"
    assert "NameError" in call(tools, agent_data, code="print(x)")[0]
    parameters = tools[0].tool_schema.function.parameters
    assert parameters.required == ["code"]
    assert set(parameters.properties) == {"code", "stdin"}
