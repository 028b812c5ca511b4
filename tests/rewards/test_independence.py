"""Which functions may have their batch split over children, and what is made of it."""

import ast

import pytest

from sandbox import load_reward
from sandbox.audit.reward_entry import entries
from sandbox.rewards import batches, independence
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
    "        out.append(float(len(c)))\n    return out",
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
INDEPENDENT += [
    "def f(completions, **kw):\n    out = []\n    for i, c in enumerate(completions):\n"
    "        if (m := c.strip()) and len(m) > 3:\n            out.append(len(m))\n"
    "            continue\n        for w in c.split():\n            n = len(w)\n"
    "            if n > 3:\n                break\n        out.append(sum(w == c for w in c))\n"
    "    return out",
    "LEAST = {'a': 1, 'b': 2}\ndef f(completions, **kw):\n"
    "    return [float(c in LEAST and LEAST[c] + LEAST.get(c, 0)) for c in completions]",
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

# Each was split, and a row had part in another's reward.
CARRYING = {
    "subscript target read": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        t = {}\n"
        "        try:\n"
        "            t[prev] = 1\n"
        "        except NameError:\n"
        "            prev = ''\n"
        "        out.append(float(c in t))\n"
        "        prev = c\n"
        "    return out\n"
    ),
    "for target leaks": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        for w in c.split():\n"
        "            pass\n"
        "        out.append(float(len(w)))\n"
        "    return out\n"
    ),
    "match capture": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        try:\n"
        "            x = float(prev == c)\n"
        "        except NameError:\n"
        "            x = 0.0\n"
        "        match c:\n"
        "            case prev:\n"
        "                pass\n"
        "        out.append(x)\n"
        "    return out\n"
    ),
    "function name": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        try:\n"
        "            x = g()\n"
        "        except NameError:\n"
        "            x = 0.0\n"
        "        def g(c=c):\n"
        "            return len(c)\n"
        "        out.append(x)\n"
        "    return out\n"
    ),
    "alias module": (
        "SEEN = []\n"
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        s = SEEN\n"
        "        out.append(float(c in s))\n"
        "        s.append(c)\n"
        "    return out\n"
    ),
    "alias local": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    seen = {'': 0}\n"
        "    for c in completions:\n"
        "        s = seen\n"
        "        out.append(float(c in s))\n"
        "        s.update({c: 1})\n"
        "    return out\n"
    ),
    "helper param": (
        "SEEN = []\n"
        "def note(s, c):\n"
        "    s.append(c)\n"
        "    return len(s)\n"
        "def f(completions, **kw):\n"
        "    return [note(SEEN, c) for c in completions]\n"
    ),
    "list.append": (
        "SEEN = []\n"
        "def note(c):\n"
        "    list.append(SEEN, c)\n"
        "    return len(SEEN)\n"
        "def f(completions, **kw):\n"
        "    return [note(c) for c in completions]\n"
    ),
    "subscripted": (
        "SEEN = [[]]\n"
        "def note(c):\n"
        "    SEEN[0].append(c)\n"
        "    return len(SEEN[0])\n"
        "def f(completions, **kw):\n"
        "    return [note(c) for c in completions]\n"
    ),
    "module generator": (
        "G = (i for i in range(1000))\n"
        "def f(completions, **kw):\n"
        "    return [next(G) for c in completions]\n"
    ),
    "random": (
        "import random\n"
        "def f(completions, **kw):\n"
        "    return [random.random() for c in completions]\n"
    ),
    "function attr alias": (
        "def g(c):\n"
        "    h = g\n"
        "    h.n = c\n"
        "    return 1\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "setattr": (
        "def g(c):\n"
        "    setattr(g, 'n', c)\n"
        "    return 1\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "heapq": (
        "import heapq\n"
        "H = []\n"
        "def g(c):\n"
        "    heapq.heappush(H, c)\n"
        "    return len(H)\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "cache": (
        "import functools\n"
        "@functools.cache\n"
        "def t():\n"
        "    return []\n"
        "def g(c):\n"
        "    t().append(c)\n"
        "    return len(t())\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "aug list": (
        "S = []\n"
        "def g(c, s):\n"
        "    s += [c]\n"
        "    return len(s)\n"
        "def f(completions, **kw):\n"
        "    return [g(c, S) for c in completions]\n"
    ),
    "inner def default": (
        "def f(completions, **kw):\n"
        "    n = [0]\n"
        "    def g(c):\n"
        "        n[0] += 1\n"
        "        return n[0]\n"
        "    return [g(c) for c in completions]\n"
    ),
    "inner def append": (
        "def f(completions, **kw):\n"
        "    n = (0,)\n"
        "    m = {0: 0}\n"
        "    def g(c):\n"
        "        m.update({c: 1})\n"
        "        return len(m)\n"
        "    return [g(c) for c in completions]\n"
    ),
    "logging": (
        "import logging\n"
        "log = logging.getLogger('a')\n"
        "def g(c):\n"
        "    log.n = getattr(log, 'n', 0) + 1\n"
        "    return log.n\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "if module": (
        "if True:\n"
        "    S = []\n"
        "def g(c):\n"
        "    S.append(c)\n"
        "    return len(S)\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "tuple module": (
        "A, S = 1, []\n"
        "def g(c):\n"
        "    S.append(c)\n"
        "    return len(S)\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "sandbox obj": (
        "import decimal\n"
        "def g(c):\n"
        "    decimal.getcontext().prec += 1\n"
        "    return decimal.getcontext().prec\n"
        "def f(completions, **kw):\n"
        "    return [g(c) for c in completions]\n"
    ),
    "del": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        try:\n"
        "            del q\n"
        "            x = 1.0\n"
        "        except NameError:\n"
        "            x = 0.0\n"
        "        q = c\n"
        "        out.append(x)\n"
        "    return out\n"
    ),
    "walrus": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        x = 0.0\n"
        "        if len(c) > 3 and (m := c):\n"
        "            x = 1.0\n"
        "        out.append(x + len(m))\n"
        "    return out\n"
    ),
    "with suppress": (
        "import contextlib\n"
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for c in completions:\n"
        "        with contextlib.suppress(Exception):\n"
        "            v = float(c)\n"
        "        out.append(v)\n"
        "    return out\n"
    ),
    "completions alias": (
        "def f(completions, **kw):\n"
        "    return [len(c) for c in zip(completions, reversed(completions))]\n"
    ),
    "reversed": (
        "def f(completions, answer, **kw):\n"
        "    return [float(c == a) for c, a in zip(reversed(completions), answer)]\n"
    ),
    "enumerate index": (
        "def f(completions, **kw):\n    return [float(i) for i, c in enumerate(completions)]\n"
    ),
    "iter": ("def f(completions, **kw):\n    return [float(len(c)) for c in iter(completions)]\n"),
    "enumerate loop": (
        "def f(completions, **kw):\n"
        "    out = []\n"
        "    for i, c in enumerate(completions):\n"
        "        out.append(float(i))\n"
        "    return out\n"
    ),
}


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
