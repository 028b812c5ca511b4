"""Reward functions that carry something from row to row, by title."""

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
