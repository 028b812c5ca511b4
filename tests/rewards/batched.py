"""Reward functions whose rows see no other, and those whose rows may."""

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
