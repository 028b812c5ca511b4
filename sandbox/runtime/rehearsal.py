"""A program that touches what ordinary programs touch; each spare runs it before it is needed."""

from sandbox.policy.plan import Plan

_PROGRAM = """
def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a

class Point:
    def __init__(self, x, y=2):
        self.x = x
        self.y = y
    def __repr__(self):
        return f"Point({self.x}, {self.y})"

items = [Point(i) for i in range(4)]
items.sort(key=lambda p: -p.x)
table = {str(p): p.x ** 2 for p in items if p.x != 1}
table["total"] = sum(table.values())
words = "a b c".split()
words[0] += ",".join(sorted(set(words)))
try:
    print(fibonacci(20), len(items), words[0], "x" * 3, 7 / 2, 10 // 3)
    print(items[0], table, sep=" | ", end="\\n")
except (ValueError, KeyError) as error:
    print("no", error)
while items:
    items.pop()
"""


def program_for(plan: Plan) -> str:
    """The rehearsal for `plan`, empty if its grants cannot run one."""
    needed = {"print", "range", "len", "sum", "sorted", "set", "str", "ValueError", "KeyError"}
    if plan.language and not needed <= set(plan.builtins):
        return ""
    return _PROGRAM
