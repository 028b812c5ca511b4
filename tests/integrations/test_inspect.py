"""Inspect's evaluations, really run with its mock model: the tool and the scorer."""

import json
import math
import subprocess
import sys

import pytest

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match
from inspect_ai.solver import generate, use_tools

from sandbox import PolicyError
from sandbox.integrations.inspect import code_tests, restricted_python

pytestmark = pytest.mark.xdist_group("inspect")  # loaded by one process
MODEL = "mockllm/model"
ECHO = {"inputs": ["1\n", "7\n"], "outputs": ["2\n", "8\n"]}


def fenced(code):
    return f"Sure:\n```python\n{code}\n```"


RIGHT, HALF = fenced("print(int(input()) + 1)"), fenced("print(2)")
SUM = fenced("def add(a, b):\n    return a + b")


def used(output):
    """With figures of its own: the mock would count tokens with tables from the network."""
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


@pytest.fixture(name="run")
def _run(tmp_path):
    def run(task, answer):
        """The log of `task`, its model answering with `answer(messages)`."""

        def output(messages, tools, choice, config):
            return used(answer(messages))

        model = get_model(MODEL, custom_outputs=output, memoize=False)
        (log,) = eval(task, model=model, log_dir=str(tmp_path), display="none")
        return log

    return run


def calling(arguments):
    """A model that calls the tool once and repeats what it was told."""

    def answer(messages):
        if messages[-1].role == "tool":
            return ModelOutput.from_content(MODEL, f"ANSWER: {messages[-1].text.strip()}")
        return ModelOutput.for_tool_call(MODEL, "restricted_python", arguments)

    return answer


def using(tool, target):
    sample = Sample(input="How much is it?", target=target)
    return Task(dataset=[sample], solver=[use_tools(tool), generate()], scorer=match())


def told(log):
    (message,) = [each for each in log.samples[0].messages if each.role == "tool"]
    return message.text


def test_a_model_calls_the_tool_and_its_answer_is_scored(run):
    code = "a, b = map(int, input().split())\nprint(a * b)"
    log = run(using(restricted_python(), "42"), calling({"code": code, "stdin": "6 7\n"}))
    assert log.status == "success"
    assert told(log) == "42\n"
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    wrong = run(using(restricted_python(), "42"), calling({"code": "print(41)"}))
    assert wrong.results.scores[0].metrics["accuracy"].value == 0.0


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        ("print('so far')\nprint(1 / 0)", "so far\nTraceback (most recent call last):"),
        ("while True: pass", "CPU_LIMIT: "),
        ("import socket", "DENIED: import of module 'socket' is denied by policy 'algorithms'"),
        ("print(", "SYNTAX: "),
        ("'\x00'", "SYNTAX: "),
        ("x" * 10_000_000, "DENIED: "),
    ],
    ids=lambda text: repr(text)[:30],
)
def test_a_program_that_fails_is_told_to_the_model_and_ends_nothing(run, code, answer):
    log = run(using(restricted_python("algorithms", cpu_seconds=0.2), "?"), calling({"code": code}))
    assert log.status == "success"
    assert told(log).startswith(answer)


def test_the_model_is_told_what_the_tool_takes(tmp_path):
    seen = []

    def output(messages, tools, choice, config):
        seen.extend(tools)
        return used(ModelOutput.from_content(MODEL, "done"))

    model = get_model(MODEL, custom_outputs=output, memoize=False)
    eval(using(restricted_python(), "?"), model=model, display="none", log_dir=str(tmp_path))
    (tool,) = seen
    assert tool.name == "restricted_python"
    assert "nothing is kept" in tool.description
    assert set(tool.parameters.properties) == {"code", "stdin"}
    assert tool.parameters.required == ["code"]


def scored(run, answer, metadata, **options):
    sample = Sample(input="Write it.", target="", metadata=metadata)
    task = Task(dataset=[sample], solver=generate(), scorer=code_tests(**options))
    log = run(task, lambda messages: ModelOutput.from_content(MODEL, answer))
    if log.status != "success":
        raise RuntimeError(log.error.message)
    return log.samples[0].scores["code_tests"], log.results.scores[0]


HEAD = 'def add(a, b):\n    """The sum."""\n'
CHECK = "def check(candidate):\n    assert candidate(1, 2) == 3\n"


@pytest.mark.parametrize(
    ("answer", "metadata", "value"),
    [
        (RIGHT, ECHO, "C"),
        (HALF, ECHO, "I"),
        ("no idea", ECHO, "I"),
        (
            RIGHT,
            {"verification_info": json.dumps({"test_cases": [{"input": "1", "output": "2"}]})},
            "C",
        ),
        (SUM, {"test_list": ["assert add(1, 2) == 3"]}, "C"),
        (SUM, {"test_list": ["assert add(1, 2) == 4"]}, "I"),
        (SUM, {"prompt": HEAD, "test": CHECK, "entry_point": "add"}, "C"),
    ],
)
def test_a_program_is_scored_by_the_tests_in_the_metadata(run, answer, metadata, value):
    score, results = scored(run, answer, metadata)
    assert score.value == value
    assert results.metrics["accuracy"].value == (value == "C")
    assert score.answer == ("" if answer == "no idea" else answer[16:-3])


def test_partial_credit_is_the_share_and_the_explanation_says_what_failed(run):
    score, results = scored(run, HALF, {"unit": ECHO}, tests="unit", partial=True)
    assert score.value == results.metrics["accuracy"].value == 0.5
    assert score.metadata == {"passed": 1, "total": 2, "weaker": False}
    assert score.explanation == "1 of 2 tests passed\ntest 2: failed: wrong answer"


def test_what_a_program_may_rely_on_is_chosen(run):
    code = fenced("def f(x: List[int]):\n    return x[0]")
    tests = {"inputs": [[[1]]], "outputs": [1], "fn_name": "f"}
    assert scored(run, code, tests)[0].value == "C"
    assert scored(run, code, tests, preamble="")[0].value == "I"


def test_a_sample_without_a_verdict_is_left_unscored(run):
    score, results = scored(run, RIGHT, {"inputs": [], "outputs": []})
    assert math.isnan(score.value)
    assert score.reason == "scoring_failed"
    assert (results.scored_samples, results.unscored_samples) == (0, 1)


def test_tests_that_are_missing_or_malformed_are_an_error_of_the_sample(run):
    with pytest.raises(RuntimeError, match="sample 1: its tests cannot be read: 1 inputs and 0"):
        scored(run, RIGHT, {"inputs": ["1"], "outputs": []})
    with pytest.raises(RuntimeError, match=r"none of the columns .prompt. is known to have tests"):
        scored(run, RIGHT, {})
    with pytest.raises(RuntimeError, match="no column 'unit' for tests"):
        scored(run, RIGHT, ECHO, tests="unit")


def test_wrong_settings_are_refused_when_they_are_made():
    for make in (restricted_python, code_tests):
        with pytest.raises(PolicyError, match="nowhere"):
            make(policy="nowhere")
        with pytest.raises(PolicyError, match="did you mean cpu_seconds"):
            make(cpu_second=1)


def test_without_inspect_the_message_names_the_extra():
    code = (
        "import sys; sys.modules['inspect_ai.scorer'] = None; import sandbox.integrations.inspect"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'restricted-execution[inspect]'" in done.stderr.splitlines()[-1]
