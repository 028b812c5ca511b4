"""Which functions may have their batch split over children, and what is made of it."""

import ast

import pytest

from sandbox import load_reward
from sandbox.audit.reward.reading.entry import entries
from sandbox.rewards import batches, independence
from sandbox.rewards.batches import Independence, part_of, slices
from sandbox.rewards.child import Run
from sandbox.rewards.independence import reason_against

from .batched import INDEPENDENT, TOGETHER
from .carrying import CARRYING


def _reason(source):
    tree = ast.parse(source)
    return reason_against(tree, entries(tree)[-1])


@pytest.mark.parametrize("source", INDEPENDENT)
def test_rows_that_see_no_other_may_be_parted(source):
    assert _reason(source) == ""


@pytest.mark.parametrize("source", TOGETHER)
def test_rows_that_may_see_another_stay_together(source):
    assert _reason(source) != ""


@pytest.mark.parametrize("title", CARRYING)
def test_what_is_carried_from_row_to_row_keeps_them_together(title):
    assert _reason(CARRYING[title]) != ""


def test_a_function_is_tried_before_its_batches_are_parted(monkeypatch):
    sizes = []
    once = Run.once

    def noted(self, case, lent):
        sizes.append(len(case["named"]["completions"]))
        return once(self, case, lent)

    monkeypatch.setattr(Run, "once", noted)
    monkeypatch.setattr(batches, "WORTH_SECONDS", 1e-9)
    reward = load_reward(INDEPENDENT[0], workers=2)
    assert reward.row_wise is None
    assert reward(completions=["a"] * 6) == [1.0] * 6
    assert (sizes, reward.row_wise) == ([6], None)  # equal rewards say nothing
    assert reward(completions=["a", "bb", "c"]) == [1.0, 2.0, 1.0]
    assert (sizes, reward.row_wise) == ([6, 3, 1, 1], True)
    del sizes[:]
    assert reward(completions=["a", "bb", "c", "d"]) == [1.0, 2.0, 1.0, 1.0]
    assert sorted(sizes) == [1, 1, 1, 1]
    del sizes[:]
    assert reward(completions=["a", "bb"] * 3) == [1.0, 2.0] * 3
    assert sizes == [6, 1, 1]  # twice as many as before: tried again
    assert "batch of 6" in reward.why


def test_a_function_that_only_looks_independent_is_found_out(monkeypatch):
    """By trying it, whatever the reading of its text has missed."""
    monkeypatch.setattr(independence, "reason_against", lambda *_: "")
    source = """
import random
def f(completions, **kwargs):
    return [len(c) + random.random() for c in completions]
"""
    reward = load_reward(source)
    first = reward(completions=["a", "b", "c"])
    assert reward.row_wise is False
    assert "another reward alone" in reward.why
    assert reward(completions=["a", "b", "c"]) == first


def test_what_the_caller_says_of_it_counts():
    assert load_reward(INDEPENDENT[0], row_wise=False).row_wise is False
    reward = load_reward(TOGETHER[0], row_wise=True, workers=2)
    assert reward(completions=["a"] * 4) == [1.0] * 4
    assert reward.why == "as you said"


def test_columns_are_parted_and_all_else_is_not():
    named = {"completions": ["a", "b", "c"], "one": [1, 2, 3], "other": [1], "text": "abc"}
    given = part_of(named, 3, slice(1, 3))
    assert given == {"completions": ["b", "c"], "one": [2, 3], "other": [1], "text": "abc"}


@pytest.mark.parametrize(("count", "parts"), [(1, 1), (7, 3), (10, 4), (1024, 8), (3, 9)])
def test_parts_are_the_whole(count, parts):
    rows = [row for part in slices(count, parts) for row in range(part.start, part.stop)]
    assert rows == list(range(count))


def test_a_batch_that_is_soon_done_is_not_parted():
    known = Independence("", None)
    known.took(100, 0.01)
    known.tried(100, same=True)
    assert known.parts(100, 4) == 1
    known.took(100, 10.0)
    assert known.parts(100, 4) == 16
    assert known.parts(200, 4) == 1  # to be tried first
