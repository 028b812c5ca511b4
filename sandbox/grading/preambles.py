"""Imports that graders put in front of a program, which it may then rely on.

Public graders prepend a fixed block to a program whose functions they call: the starter code of
these sets says `List[int]` and imports nothing.
"""

import re
from collections.abc import Callable, Container
from functools import cache

from sandbox.grading.asserts.test_names import public_names
from sandbox.grading.tests import CallTests, Tests
from sandbox.policy.model import Policy
from sandbox.policy.plan import Plan

Preamble = Callable[[str, Tests], str]  # of a program and its tests

CALLS, LCB, NONE = "calls", "lcb", ""
# `import_string` of LiveCodeBench, lcb_runner/evaluation/testing_util.py; the same, but for the
# recursion limit, in verl's reward_score/prime_code/testing_util.py. Every name of these modules,
# then of the builtins and of typing, then the modules themselves.
_MODULES = (
    *("string", "re", "datetime", "collections", "heapq", "bisect", "copy", "math", "random"),
    *("statistics", "itertools", "functools", "operator", "io", "sys", "json"),
)
_RECURSION_LIMIT = 50_000
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def preamble(choice: str, policy: Policy) -> Preamble:
    """Return what stands before a program under `policy`.

    `"lcb"` is LiveCodeBench's block; `"calls"` is that where functions are called by their name,
    nothing otherwise; `""` is nothing; any other text is the preamble itself.
    """
    if choice == CALLS:
        block = _Block(policy.plan())
        return lambda code, tests: block(code, tests) if isinstance(tests, CallTests) else ""
    if choice == LCB:
        return _Block(policy.plan())
    return lambda code, tests: choice


class _Block:
    """LiveCodeBench's block, cut down to the names that stand in a program: few of all.

    What a policy does not grant is left out.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        recursion = min(_RECURSION_LIMIT, plan.limits.recursion_limit)
        self._last = (
            f"import sys\nsys.setrecursionlimit({recursion})\n"
            if self._grants("sys", "setrecursionlimit")
            else ""
        )

    def __call__(self, code: str, tests: Tests) -> str:
        if len(code) > self._plan.limits.source_kib << 10:  # it is refused, unread
            return ""
        names = _names()
        words = dict.fromkeys(_WORD.findall(code))
        wanted: dict[str, list[str]] = {}
        for word in words:
            module, is_module = names.get(word, ("", False))
            if is_module and self._has(module):
                wanted.setdefault("", []).append(word)
            elif module and not is_module and self._grants(module, word):
                wanted.setdefault(module, []).append(word)
        if isinstance(tests, CallTests) and tests.name:
            _without(wanted, tests.name, words)
        modules = wanted.pop("", [])
        lines = [f"from {module} import {', '.join(i)}\n" for module, i in wanted.items() if i]
        lines += [f"import {', '.join(modules)}\n"] if modules else []
        return "".join([*lines, self._last])

    def _has(self, module: str) -> bool:
        return not self._plan.language or module in self._plan.modules

    def _grants(self, module: str, name: str) -> bool:
        return not self._plan.language or name in self._plan.modules.get(module, ())


def _without(wanted: dict[str, list[str]], name: str, words: Container[str]) -> None:
    """Leave out what the program is to write: `gcd`, unless that is a method it is to write."""
    if "Solution" in words:
        return
    for items in wanted.values():
        if name in items:
            items.remove(name)


@cache
def _names() -> dict[str, tuple[str, bool]]:
    """Return for each name of the block, after it ran, the module it is from; or is, if True."""
    names: dict[str, tuple[str, bool]] = {}
    for module in _MODULES:
        names.update(dict.fromkeys(public_names(module), (module, False)))
    for name in public_names("builtins"):
        names.pop(name, None)
    # Of two Counters, that of collections can do all of the other's.
    for name in public_names("typing"):
        names.setdefault(name, ("typing", False))
    names.update({module: (module, True) for module in _MODULES})
    return names
