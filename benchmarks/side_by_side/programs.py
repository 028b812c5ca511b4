"""The programs that every contender runs, and what they print."""

from typing import NamedTuple


class Program(NamedTuple):
    name: str
    source: str
    output: str


ONE_LINE = Program("one line", "print('hello')\n", "hello\n")

NINE_LINES = Program(
    "nine lines",
    """\
def fibonacci(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n = n - 1
    return a

for index in range(10, 16):
    print(index, fibonacci(index))
""",
    "10 55\n11 89\n12 144\n13 233\n14 377\n15 610\n",
)

PROGRAMS = (ONE_LINE, NINE_LINES)
