"""verl's reward from a file of one's own, in children: what comes back, masked or raised."""

import logging
import math
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sandbox import PolicyError, RewardError, SandboxError
from sandbox.integrations import contained
from sandbox.integrations.verl_contained import compute_score

from .contained_rows import evasive, failing

SOURCE = """
def compute_score(data_source, solution_str, ground_truth, extra_info=None, **kwargs):
    if solution_str == "raises":
        raise KeyError("no answer")
    if solution_str == "nan":
        return float("nan")
    if solution_str == "text":
        return {"score": "1.0"}
    if solution_str == "none":
        return None
    if solution_str == "nothing":
        return {"acc": 1.0}
    if solution_str == "loops":
        while True:
            pass
    right = solution_str == ground_truth["answer"]
    seen = f"{data_source} {extra_info['index']} {sorted(kwargs)}"
    return {"score": right, "length": len(solution_str), "seen": seen}

def number(data_source, solution_str, ground_truth):
    return len(solution_str) / 2
"""
WRONG = ["raises", "nan", "text", "none", "nothing"]


@pytest.fixture(name="file", scope="module")
def _file(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("verl") / "reward.py"
    file.write_text(SOURCE, encoding="utf-8")
    return str(file)


def score(source: str, solution: str, **more: Any) -> Any:
    """As verl's managers ask: with what the configuration has, and more of their own."""
    row = {"data_source": "math", "solution_str": solution, "ground_truth": {"answer": "7"}}
    return compute_score(**row, extra_info={"index": 3}, source=source, **more)


def test_a_dict_keeps_its_figures_and_a_number_is_the_score(file: str) -> None:
    got = score(file, "7", strict=True, tokenizer=object())
    seen = "math 3 ['strict']"  # an object is no plain data
    assert got == {"score": 1.0, "length": 1, "seen": seen, "masked": 0.0}
    assert got[0] == score(file, "7")["score"] == 1.0
    assert type(got["score"]) is float
    assert score(file, "8")["score"] == 0.0
    for way in ({"source": file, "function": "number"}, {"source": f"{file}::number"}):
        assert score(solution="seven", **way) == {"score": 2.5, "masked": 0.0}
    assert compute_score("math", "7", {"answer": "7"}, {"index": 0}, source=SOURCE)["score"] == 1.0


def test_arrays_of_a_data_frame_reach_the_function_as_lists(file: str) -> None:
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")
    source = "def compute_score(data_source, solution_str, ground_truth, extra_info):\n"
    source += "    return sum(ground_truth) + extra_info['n'][0]\n"
    extra = {"n": numpy.array([1])}
    assert compute_score("a", "b", numpy.array([1, 2]), extra, source=source)["score"] == 4.0


@pytest.mark.parametrize("solution", WRONG)
def test_a_fault_of_the_function_is_raised_unless_a_score_is_given(
    file: str, solution: str, caplog: pytest.LogCaptureFixture
) -> None:
    score(file, "7")
    for more in ({}, {"masked_score": None}, {"masked_score": "faults"}):
        with pytest.raises(RewardError, match="compute_score"):
            score(file, solution, **more)
    with caplog.at_level(logging.ERROR):
        got = score(file, solution, masked_score=0.25)
    assert (got["score"], got["masked"]) == (0.25, 1.0)
    assert set(got) == {"score", "masked", "length", "seen"}
    assert math.isnan(got["length"])
    assert got["seen"] == ""
    assert "no verdict on a sample of math: RewardError(" in caplog.text


def test_limits_are_those_that_are_given(file: str) -> None:
    options = {"cpu_seconds": 0.2}
    with pytest.raises(RewardError) as raised:
        score(file, "loops", options=options)
    assert raised.value.status == "CPU_LIMIT"
    assert math.isnan(score(file, "loops", options=options, masked_score=math.nan)["score"])


def test_a_fault_of_the_sandbox_is_nan_with_the_figures_of_other_samples(file: str) -> None:
    keys = set(score(file, "7"))
    with failing():
        got = score(file, "7")
        assert math.isnan(got["score"])
        assert got["masked"] == 1.0
        assert set(got) == keys
        assert score(file, "7", masked_score=0.5)["score"] == 0.5
        with pytest.raises(SandboxError):
            score(file, "7", masked_score=None)
    assert score(file, "7")["masked"] == 0.0


@pytest.mark.parametrize(
    ("way", "error"),
    [
        ({"function": "missing"}, ValueError),
        ({"source": "/nowhere/reward.py"}, OSError),
        ({"source": "1 / 0\n"}, RewardError),
        ({"options": {"policy": "strict"}}, PolicyError),
        ({"options": {"cpu_seconds": 1e6}}, PolicyError),
        ({"options": {"unknown": 1}}, PolicyError),
        ({"extra": b"bytes"}, ValueError),
    ],
)
def test_what_would_be_the_same_for_every_sample_is_raised(
    file: str, way: Any, error: type[Exception]
) -> None:
    row = {"ground_truth": [way.pop("extra", None)], "solution_str": "7", "data_source": "math"}
    with pytest.raises(error):
        compute_score(**row, **{"source": file, **way})
    assert compute_score(**row, **{"source": file, **way}, masked_score=0.5)["score"] == 0.5


def test_an_evasive_source_does_nothing_outside_of_its_children(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    function = "def compute_score(*args, **kwargs):\n    strike()\n    return 1.0"
    assert score(evasive(function, mark), "7")["score"] == 1.0
    assert not mark.exists()


def test_threads_and_forks_load_it_once_for_each_process(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[Any] = []
    load = contained.load_reward
    monkeypatch.setattr(contained, "load_reward", lambda *a, **k: loads.append(k) or load(*a, **k))
    options = {"seed": 42}
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(score, file, "78"[n % 2], options=options) for n in range(8)]
        assert [each.result()["score"] for each in asked] == [1.0, 0.0] * 4
    score(file, "7", options={"seed": 43})
    assert [each["seed"] for each in loads] == [42, 43]
    with contained._lock:  # as another thread may have it
        context: Any = multiprocessing.get_context("fork")
        results = context.Queue()
        ask = lambda: results.put(score(file, "7", options=options)["score"])  # noqa: E731
        process = context.Process(target=ask)
        process.start()
        assert results.get(timeout=60) == 1.0
        process.join()


# -- verl itself


def test_verl_loads_it_by_its_package_path_and_its_managers_take_the_scores(file: str) -> None:
    managers = pytest.importorskip(
        "verl.workers.reward_manager", reason="verl is not installed", exc_type=ImportError
    )
    from verl.utils.import_utils import load_extern_object

    from .test_verl import Letters, batch

    function = load_extern_object("pkg://sandbox.integrations.verl_contained", "compute_score")
    assert function is compute_score
    ask = partial(function, source=file)
    rows = [("7", {"answer": "7"}), ("8", {"answer": "7"})]
    naive, prime = (
        managers.get_reward_manager_cls(name)(Letters(), 0, compute_score=ask)
        for name in ("naive", "prime")
    )
    answer = naive(batch(rows), return_dict=True)
    assert answer["reward_tensor"].sum(-1).tolist() == [1.0, 0.0]
    assert set(answer["reward_extra_info"]) == {"score", "masked", "length", "seen"}
    assert answer["reward_extra_info"]["length"] == [1, 1]
    assert prime(batch(rows)).sum(-1).tolist() == [1.0, 0.0]
