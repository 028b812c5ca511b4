"""Contained reward functions as TRL uses them: by path, by name, and called with keywords."""

import asyncio
import multiprocessing
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sandbox import RewardError, load_reward
from sandbox.integrations.contained import located
from sandbox.integrations.trl import contained_rewards

from .contained_rows import evasive, failing
from .trl_rows import as_trl, conversation

TWO = """
def has(text, words):
    return float(words in text)

def length(completions, **kwargs):
    return [min(len(text) / 10, 1.0) for text in completions]

def accuracy(completions, answer, **kwargs):
    return [has(text, words) for text, words in zip(completions, answer)]
"""
ALL = """
def reward(prompts, completions, completion_ids, trainer_state, log_extra, log_metric, answer):
    log_extra("answer", answer)
    log_metric("steps", trainer_state.global_step)
    ends = [text if isinstance(text, str) else text[-1]["content"] for text in completions]
    return [None if e == "?" else float(e == a) for e, a in zip(ends, answer)]
"""


@pytest.fixture(name="file")
def _file(tmp_path: Path) -> Path:
    file = tmp_path / "reward.py"
    file.write_text(TWO, encoding="utf-8")
    return file


def test_all_functions_of_a_file_are_taken_or_the_one_that_is_named(file: Path) -> None:
    texts, answer = ["the answer is 7", "none"], {"answer": ["7", "7"]}
    for source in (file, str(file), TWO):
        rewards = contained_rewards(source)
        assert [reward.__name__ for reward in rewards] == ["length", "accuracy"]
        assert [as_trl(texts, answer, reward) for reward in rewards] == [[1.0, 0.4], [1.0, 0.0]]
    for source in (f"{file}::accuracy", Path(f"{file}::accuracy")):
        [reward] = contained_rewards(source)
        assert as_trl(texts, answer, reward) == [1.0, 0.0]
    names = [each.__name__ for each in contained_rewards(f"{file}::has", file, workers=1)]
    assert names == ["has", "length", "accuracy"]


def test_what_is_no_reward_function_is_told_as_the_sources_are_loaded(file: Path) -> None:
    with pytest.raises(ValueError, match="no function 'other'"):
        contained_rewards(f"{file}::other")
    with pytest.raises(ValueError, match="no function with a parameter 'completions'"):
        contained_rewards("x = 1\n")
    with pytest.raises(RewardError, match="ZeroDivisionError"):
        contained_rewards("1 / 0\n")
    with pytest.raises(FileNotFoundError):
        contained_rewards(str(file.parent / "missing.py"))


@pytest.mark.parametrize(
    ("source", "where", "function"),
    [
        ("a/reward.py", Path("a/reward.py"), None),
        ("a/reward.py::f", Path("a/reward.py"), "f"),
        (Path("reward.txt::f"), Path("reward.txt"), "f"),
        (Path("reward"), Path("reward"), None),
        ("f = lambda completions: [1]", "f = lambda completions: [1]", None),
        ("x = 'a.py::f'\n", "x = 'a.py::f'\n", None),
        ("", "", None),
    ],
)
def test_a_text_of_one_line_with_the_ending_of_a_module_is_a_path(
    source: Any, where: Any, function: Any
) -> None:
    assert located(source) == (where, function)


def test_it_gets_what_the_trainer_passes_and_logs_by_the_trainer_s_functions() -> None:
    said: list[Any] = []
    [reward] = contained_rewards(ALL)
    for texts in (["7", "8", "?"], list(map(conversation, ["7", "8", "?"]))):
        rewards = reward(
            prompts=["?"] * 3,
            completions=texts,
            completion_ids=[[1], [2], [3]],
            trainer_state=SimpleNamespace(global_step=5),
            log_extra=lambda *words: said.append(words),
            log_metric=lambda *words: said.append(words),
            environments=[object(), object(), object()],  # TRL's own, which no child can have
            answer=["7", "7", "7"],
        )
        assert rewards == [1.0, 0.0, None]
    assert said[:2] == [("answer", ["7"] * 3), ("steps", 5)]
    assert said[2] == ("reward/masked", pytest.approx(1 / 3))


def test_an_evasive_source_does_nothing_outside_of_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    function = (
        "def reward(completions, **kwargs):\n    strike()\n    return [1.0] * len(completions)"
    )
    source = evasive(function, mark)
    [reward] = contained_rewards(source)
    assert as_trl(["a", "b"], {}, reward) == [1.0, 1.0]
    assert not mark.exists()
    subprocess.run([sys.executable, "-c", source], check=True)
    assert mark.exists(), "it is not evasive"


def test_a_fault_of_the_sandbox_masks_the_rows_and_passes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    source = "def reward(completions, **kwargs):\n    return [1.0] * len(completions)"
    [reward] = contained_rewards(source)
    said: list[Any] = []
    with failing():
        rewards = reward(completions=["a", "b"], log_metric=lambda *words: said.append(words))
    assert rewards == [None, None]
    assert said == [("reward/masked", 1.0)]
    assert "reward masks 2 completions" in caplog.text
    assert reward(completions=["a", "b"]) == [1.0, 1.0]


def test_a_sandbox_that_runs_nothing_masks_a_batch_without_trying_each_row(
    caplog: pytest.LogCaptureFixture,
) -> None:
    source = "def reward(completions, **kwargs):\n    return [float(len(c)) for c in completions]"
    [reward] = contained_rewards(source, workers=1)
    texts = ["a" * n for n in range(64)]
    assert reward(completions=texts) == [float(n) for n in range(64)]
    assert reward.row_wise
    with failing():
        assert reward(completions=texts[:63]) == [None] * 63
    masked = [rows for _, rows, _ in (record.args for record in caplog.records)]
    assert sum(masked) == 63
    assert len(masked) <= 4  # in as many parts as rows that are slow are worth, for one worker


def test_a_fault_of_the_function_is_raised() -> None:
    [reward] = contained_rewards("def reward(completions):\n    return [1 / 0]")
    with pytest.raises(RewardError, match="ZeroDivisionError") as raised:
        as_trl(["a"], {}, reward)
    assert raised.value.status == "ERROR"


def counted(reward: Any, results: Any) -> None:
    results.put((reward.__name__, reward(completions=["a"])))


COUNTING = "SEEN = []\ndef seen(completions):\n    SEEN.append(1)\n    return [float(len(SEEN))]"


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_it_goes_to_other_processes_and_its_state_does_not(method: str) -> None:
    [reward] = contained_rewards(COUNTING, stateful=True)
    context: Any = multiprocessing.get_context(method)
    assert [reward(completions=["a"]) for _ in range(2)] == [[1.0], [2.0]]
    results = context.Queue()
    process = context.Process(target=counted, args=(reward, results))
    process.start()
    assert results.get(timeout=60) == ("seen", [1.0])
    process.join()
    assert reward(completions=["a"]) == [3.0]
    assert pickle.loads(pickle.dumps(reward))(completions=["a"]) == [1.0]
    reward.close()


SLOW = """
from sandbox import restricted_execution

def reward(completions, log_metric, **kwargs):
    for n in range(10_000):
        log_metric("n", n)
        restricted_execution(f"print({n})")
    return [1.0] * len(completions)
"""


def test_what_nobody_waits_for_any_more_ends_with_the_next_program() -> None:
    reward = load_reward(SLOW)
    said: list[Any] = []

    async def cancelled() -> None:
        task = asyncio.ensure_future(
            reward.acall(completions=["a"], log_metric=lambda *words: said.append(words))
        )
        while not said:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())  # which waits for its threads
    assert 0 < len(said) < 10_000
