"""Which functions may have their batch split over children, and what is made of it."""

import ast

import pytest

from sandbox import load_reward
from sandbox.audit.reward_entry import entries
from sandbox.rewards import batches
from sandbox.rewards.batches import Independence, part_of, slices
from sandbox.rewards.child import Run
from sandbox.rewards.independence import reason_against

INDEPENDENT = [
    "def f(completions, **kw):\n    return [len(c) for c in completions]",
    "def f(completions, answer, **kw):\n    return [c == a for c, a in zip(completions, answer)]",
    "def f(completions, **kw):\n    a = kw['answer']\n"
    "    return [c == x for c, x in zip(completions, a)]",
    "def f(completions, **kw):\n    a = kw.get('answer') or [None] * len(completions)\n"
    "    return [c == x for c, x in zip(completions, a, strict=True)]",
    "import re\nP = re.compile('x')\ndef f(completions, **kw):\n"
    "    return [bool(P.search(c)) for c in completions]",
    "def f(completions, **kw):\n    out = []\n    for i, c in enumerate(completions):\n"
    "        out.append(float(i is not None) + len(c))\n    return out",
    "def f(completions, **kw):\n    out = []\n    for c in completions:\n        try:\n"
    "            x = float(c)\n"
    "        except ValueError:\n            x = 0.0\n        out.append(x)\n    return out",
    "def f(completions, **kw):\n    out = []\n    for c in completions:\n        n = 0\n"
    "        for w in c.split():\n"
    "            if w == 'end':\n                break\n            n += 1\n"
    "        out.append(n)\n    return out",
    "def f(completions, **kw):\n    texts = [c[0]['content'] for c in completions]\n"
    "    return [len(t) for t in texts]",
    "def g(c):\n    return len(c)\ndef f(completions, **kw):\n    return list(map(g, completions))",
    "def f(completions, **kw):\n    def g(c):\n        return len(c)\n"
    "    return [g(c) for c in completions]",
    "def f(completions, **kw):\n    weight: float = 0.5\n"
    "    return [weight * len(c) for c in completions]",
    "def f(completions, **kw):\n    out = []\n    for c in completions:\n        if not c:\n"
    "            out.append(None)\n"
    "            continue\n        seen = set()\n        seen.add(c)\n"
    "        out.append(len(seen))\n    return out",
    "from sandbox import restricted_execution\ndef f(completions, **kw):\n    out = []\n"
    "    for c in completions:\n"
    "        o, e = restricted_execution(c, '')\n        out.append(float(o == '1'))\n"
    "    return out",
]
TOGETHER = [
    "def f(completions, **kw):\n    return [len(c) / len(completions) for c in completions]",
    "def f(completions, **kw):\n    m = max(map(len, completions))\n"
    "    return [len(c) / m for c in completions]",
    "def f(completions, **kw):\n    return [completions.count(c) for c in completions]",
    "def f(completions, **kw):\n    return [float(c == completions[0]) for c in completions]",
    "def f(completions, **kw):\n    out = []\n    seen = set()\n    for c in completions:\n"
    "        out.append(c in seen)\n        seen.add(c)\n    return out",
    "def f(completions, **kw):\n    out = []\n    for c in completions:\n"
    "        out.append(c in out)\n    return out",
    "def f(completions, **kw):\n    out = []\n    n = 0\n    for c in completions:\n"
    "        n += 1\n        out.append(n)\n"
    "    return out",
    "def f(completions, **kw):\n    out = []\n    for c in completions:\n        if out:\n"
    "            out.append(0)\n"
    "        else:\n            out.append(1)\n    return out",
    "def f(completions, **kw):\n    out = []\n    for c in completions:\n        if c:\n"
    "            last = c\n"
    "        out.append(len(last))\n    return out",
    "def f(completions, **kw):\n    out = []\n    for c in completions:\n"
    "        if len(c) > 3:\n            break\n"
    "        out.append(1)\n    return out + [0] * (len(completions) - len(out))",
    "def f(completions, **kw):\n    out = [len(c) for c in completions]\n    out.sort()\n"
    "    return out",
    "def f(completions, **kw):\n    return sorted(len(c) for c in completions)",
    "def f(completions, **kw):\n    return [len(c) for c in completions if c]",
    "def f(completions, **kw):\n"
    "    return [a < b for a, b in zip(completions, completions[1:] + [''])]",
    "def g(cs):\n    return [len(set(cs))] * len(cs)\ndef f(completions, **kw):\n"
    "    return g(completions)",
    "seen = []\ndef f(completions, **kw):\n    out = []\n    for c in completions:\n"
    "        seen.append(c)\n"
    "        out.append(len(seen))\n    return out",
    "n = 0\ndef f(completions, **kw):\n    global n\n    n += 1\n"
    "    return [n for c in completions]",
    "from collections import Counter\nC = Counter()\ndef f(completions, **kw):\n"
    "    return [len(C) for c in completions]",
    "class F:\n    def __call__(self, completions, **kw):\n"
    "        return [len(c) for c in completions]\nf = F()",
    "def f(completions, log_metric=None, **kw):\n    return [len(c) for c in completions]",
    "def f(completions, **kw):\n    kw['log_metric']('x', 1)\n"
    "    return [len(c) for c in completions]",
    "def f(completions, **kw):\n    return [(m := max(len(c), 1)) for c in completions]",
    "memo = {}\ndef f(completions, **kw):\n    out = []\n    for c in completions:\n"
    "        memo[c] = memo.get(c, 0) + 1\n"
    "        out.append(memo[c])\n    return out",
    "def f(completions, **kw):\n    best = {}\n"
    "    return [best.setdefault(c[:1], len(c)) for c in completions]",
    "def f(completions, memo={}, **kw):\n"
    "    return [memo.setdefault(c[:1], len(c)) for c in completions]",
    "def g(c, seen=[]):\n    seen.append(c)\n    return len(seen)\ndef f(completions, **kw):\n"
    "    return [g(c) for c in completions]",
]


def _reason(source):
    tree = ast.parse(source)
    return reason_against(tree, entries(tree)[-1])


@pytest.mark.parametrize("source", INDEPENDENT)
def test_rows_that_see_no_other_may_be_parted(source):
    assert _reason(source) == ""


@pytest.mark.parametrize("source", TOGETHER)
def test_rows_that_may_see_another_stay_together(source):
    assert _reason(source) != ""


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


def test_a_function_that_only_looks_independent_is_found_out():
    """By a default argument of another function, which no reading of this one shows."""
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
