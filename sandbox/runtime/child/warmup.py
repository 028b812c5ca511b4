"""A program that touches what ordinary programs touch; each spare runs it before it is needed."""

from sandbox.policy.plan import Plan

_NEEDED = {"print", "range", "len", "str"}
_PROGRAM = """
def total(n, words):
    a, b = 0, 1
    for i in range(n):
        a, b = b, a + b
        words[i] = str(a)
    return a

words = {}
print(total(5, words), len(words), words[0] + "x")
for i in range(2):
    print(i, total(i * 2, {}))
"""


def program_for(plan: Plan) -> str:
    """Return the warm-up for `plan`; empty without a language layer or grants that can run one."""
    return _PROGRAM if plan.language and set(plan.builtins) >= _NEEDED else ""
