"""OpenRLHF's reward function from a source that runs in children, as its executor calls it."""

import importlib.util
import json
import math
from pathlib import Path
from typing import Any

import pytest

from sandbox import RewardError, SandboxError
from sandbox.integrations import openrlhf_contained
from sandbox.integrations.openrlhf_contained import make_contained_reward_func

from .contained_rows import evasive, failing

pytestmark = pytest.mark.xdist_group("torch")  # loaded by one process
SOURCE = """
import json

def reward_func(queries, prompts, labels, **kwargs):
    rewards, lengths = [], []
    for query, prompt, label in zip(queries, prompts, labels):
        answer = query[len(prompt):]
        lengths.append(len(answer))
        rewards.append(None if answer == "?" else float(answer == json.loads(label)["answer"]))
    scores = [None if r is None else r / 2 for r in rewards]
    return {"rewards": rewards, "scores": scores, "extra_logs": {"length": lengths}}

def plain(queries, prompts, labels):
    return [len(query) for query in queries]
"""
LABEL = json.dumps({"answer": "7"})


def ask(function: Any, *answers: str) -> Any:
    prompts = ["Q: "] * len(answers)
    return function([f"Q: {a}" for a in answers], prompts, [LABEL] * len(answers))


def lists(info: Any) -> Any:
    logs = {name: as_list(column) for name, column in info["extra_logs"].items()}
    return as_list(info["rewards"]), as_list(info["scores"]), logs


def as_list(column: Any) -> Any:
    return column if isinstance(column, list) else column.tolist()


@pytest.fixture(autouse=True)
def _without_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no PyTorch, all that is not about it is tested all the same."""
    if importlib.util.find_spec("torch") is None:
        monkeypatch.setattr(openrlhf_contained, "_as_tensors", lambda figures: figures)


@pytest.fixture(name="file", scope="module")
def _file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("openrlhf") / "reward.py"
    file.write_text(SOURCE, encoding="utf-8")
    return file


def test_a_dict_has_its_figures_and_a_list_is_both_rewards_and_scores(file: Path) -> None:
    info = ask(make_contained_reward_func(file), "7", "123")
    assert lists(info) == ([1.0, 0.0], [0.5, 0.0], {"length": [1.0, 3.0], "masked": [0.0, 0.0]})
    for way in ({"source": f"{file}::plain"}, {"source": SOURCE, "function": "plain"}):
        info = ask(make_contained_reward_func(**way), "7", "123")
        assert lists(info) == ([4.0, 6.0], [4.0, 6.0], {"masked": [0.0, 0.0]})


def test_rewards_scores_and_logs_are_tensors_of_floats(file: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    info = ask(make_contained_reward_func(file, masked=0), "7", "?")
    for column in (info["rewards"], info["scores"], *info["extra_logs"].values()):
        assert column.dtype == torch.float32
        assert column.shape == (2,)


def test_none_is_no_verdict(file: Path) -> None:
    with pytest.raises(SandboxError, match="no verdict"):
        ask(make_contained_reward_func(file), "7", "?")
    rewards, scores, logs = lists(ask(make_contained_reward_func(file, masked=-1), "7", "?"))
    assert (rewards, scores) == ([1.0, -1.0], [0.5, -1.0])
    assert logs == {"length": [1.0, 1.0], "masked": [0.0, 1.0]}


def test_a_fault_of_the_sandbox_raises_or_has_the_mask_that_was_asked_for(file: Path) -> None:
    masking = make_contained_reward_func(file, masked=math.nan)
    ask(masking, "7")
    with failing():
        with pytest.raises(SandboxError):
            ask(make_contained_reward_func(file), "7")
        rewards, scores, logs = lists(ask(masking, "7", "8"))
    assert all(map(math.isnan, rewards + scores + logs["length"]))
    assert logs["masked"] == [1.0, 1.0]
    assert lists(ask(masking, "7"))[0] == [1.0]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("return None", "None"),
        ("return 1.0", "float"),
        ("return [1.0]", "1 rewards for 2"),
        ("return [1.0, float('inf')]", "finite"),
        ("return [1.0, '1']", "str"),
        ("return {'scores': [1.0, 1.0]}", "rewards"),
        ("return {'rewards': [1, 1], 'other': 1}", "rewards"),
        ("return {'rewards': [1, 1], 'scores': [1]}", "1 rewards for 2"),
        ("return {'rewards': [1, 1], 'extra_logs': [1]}", "dict"),
        ("return {'rewards': [1, 1], 'extra_logs': {'a': [1]}}", r"extra_logs\['a'\]"),
        ("return {'rewards': [1, 1], 'extra_logs': {'a': [1, None]}}", "None"),
    ],
)
def test_a_fault_of_the_function_is_raised_whatever_the_mask(body: str, message: str) -> None:
    source = f"def reward_func(queries, prompts, labels):\n    {body}\n"
    with pytest.raises(RewardError, match=message):
        ask(make_contained_reward_func(source, masked=math.nan), "7", "8")


def test_an_evasive_source_does_nothing_outside_of_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    function = "def reward_func(queries, *rest):\n    strike()\n    return [1.0] * len(queries)"
    assert lists(ask(make_contained_reward_func(evasive(function, mark)), "7"))[0] == [1.0]
    assert not mark.exists()


# -- OpenRLHF itself


def test_its_executor_gets_the_reward_from_a_file_that_makes_it(file: Path) -> None:
    from .test_openrlhf import rollout_of

    rollout = rollout_of()
    remote = file.parent / "remote.py"
    remote.write_text(
        "from sandbox.integrations.openrlhf_contained import make_contained_reward_func\n"
        f"reward_func = make_contained_reward_func({str(file)!r})\n"
    )
    right = rollout(str(remote), "7", LABEL)
    assert (right["reward"].tolist(), right["scores"].tolist()) == ([1.0], [0.5])
    assert right["extra_logs"]["length"].tolist() == [1.0]
    without = rollout(str(remote), "?", LABEL)
    assert (without["reward"], without["scores"]) == (None, None)
