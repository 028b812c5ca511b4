"""The values and programs that `benchmarks.graders.parity` compares, as data.

A row with a `decision` is one where `grade` is meant to differ, and says why.
"""

from dataclasses import dataclass, replace

_SEPARATE = "a program's child and the caller share plain data in JSON, not objects"
_TUPLES = "a tuple anywhere counts as a list: JSON has one sequence"
_KEYS = "keys are text on both sides: JSON has no other"
_PLAIN = "only plain data can be returned, and an object that is like it is none"
_OWN_EQUALITY = f"nothing of a program's decides whether it is equal: {_SEPARATE}"
_HARNESS = "the program runs as a script, not as a function with patched input and output"


@dataclass(frozen=True)
class Row:
    """One thing to grade. `code` is an expression that a function returns, or a program."""

    code: str
    expected: str
    stdin: str = ""
    decision: str = ""


# What a function returns and what is expected in JSON, as LiveCodeBench has it.
VALUES = (
    Row("1", "1"),
    Row("2", "1"),
    Row("1.0", "1"),
    Row("1", "1.0"),
    Row("True", "1"),
    Row("1", "true"),
    Row("False", "0"),
    Row("None", "null"),
    Row("None", "0"),
    Row("0", "null"),
    Row("''", '""'),
    Row("'a'", '"a"'),
    Row("'A'", '"a"'),
    Row("'a '", '"a"'),
    Row("'1'", "1"),
    Row("1", '"1"'),
    Row("'caf\u00e9'", '"caf\u00e9"'),
    Row("[1, 2]", "[1, 2]"),
    Row("[2, 1]", "[1, 2]"),
    Row("[1, 2, 3]", "[1, 2]"),
    Row("[]", "[]"),
    Row("[]", "null"),
    Row("(1, 2)", "[1, 2]"),
    Row("()", "[]"),
    Row("[[1, 2], [3]]", "[[1, 2], [3]]"),
    Row("[(1, 2), (3, 4)]", "[[1, 2], [3, 4]]", decision=_TUPLES),
    Row("((1, 2), (3, 4))", "[[1, 2], [3, 4]]", decision=_TUPLES),
    Row("{'a': (1, 2)}", '{"a": [1, 2]}', decision=_TUPLES),
    Row("[[[1.0]], []]", "[[[1]], []]"),
    Row("[True, False]", "[1, 0]"),
    Row("[1, 0]", "[true, false]"),
    Row("0.1 + 0.2", "0.3"),
    Row("0.30000000000000004", "0.30000000000000004"),
    Row("[0.5, 1]", "[0.5, 1.0]"),
    Row("1e100", "1e100"),
    Row("10**100", "1e100"),
    Row("2**53 + 1", "9007199254740992.0"),
    Row("float(2**53)", "9007199254740993"),
    Row("10**400", "1e400"),
    Row("10**400", "1" + "0" * 400),
    Row("-0.0", "0"),
    Row("float('inf')", "Infinity"),
    Row("float('nan')", "0"),
    Row("{1, 2}", "[1, 2]"),
    Row("frozenset([1])", "[1]"),
    Row("range(3)", "[0, 1, 2]"),
    Row("(i for i in [1, 2])", "[1, 2]"),
    Row("iter([1, 2])", "[1, 2]"),
    Row("map(int, ['1'])", "[1]"),
    Row("{'a': 1}.keys()", '["a"]'),
    Row("b'a'", '"a"'),
    Row("bytearray(b'a')", "[97]"),
    Row("{'a': 1}", '{"a": 1}'),
    Row("{'b': 2, 'a': 1}", '{"a": 1, "b": 2}'),
    Row("{1: 2}", '{"1": 2}', decision=_KEYS),
    Row("{'1': 2}", '{"1": 2}'),
    Row("{1: 2}", '{"2": 1}'),
    Row("collections.deque([1])", "[1]"),
    Row("collections.Counter('aab')", '{"a": 2, "b": 1}'),
    Row("collections.OrderedDict(a=1)", '{"a": 1}'),
    Row("collections.defaultdict(int, a=1)", '{"a": 1}'),
    Row("collections.namedtuple('P', 'x y')(1, 2)", "[1, 2]"),
    Row("collections.UserList([1])", "[1]", decision=_PLAIN),
    Row("array.array('i', [1])", "[1]"),
    Row("fractions.Fraction(1, 2)", "0.5"),
    Row("decimal.Decimal('0.5')", "0.5"),
    Row("decimal.Decimal('0.1')", "0.1"),
    Row("decimal.Decimal('1')", "1"),
    Row("complex(1, 0)", "1"),
    Row("complex(1, 1)", "1"),
    Row("enum.IntEnum('E', 'a')(1)", "1"),
    Row("type('L', (list,), {})([1])", "[1]"),
    Row("type('S', (str,), {})('a')", '"a"'),
    Row("type('I', (int,), {})(1)", "1"),
    Row("type('T', (tuple,), {})((1,))", "[1]"),
    Row("type('D', (dict,), {})(a=1)", '{"a": 1}'),
    Row(
        "type('E', (), {'__eq__': lambda self, other: True})()",
        "1",
        decision=_OWN_EQUALITY,
    ),
    Row(
        "type('E', (list,), {'__eq__': lambda self, other: True})([7])",
        "[1]",
        decision=_OWN_EQUALITY,
    ),
    Row("NotImplemented", "1"),
    Row("...", "1"),
    Row("f", "1"),
)

# The same values where a test of HumanEval says `assert candidate(0) == ...`.
ASSERTED = tuple(
    row if row.decision == _OWN_EQUALITY else replace(row, decision="") for row in VALUES
)

# What a call-based test of EvalPlus expects as a float, or as floats.
CLOSE = (
    *(
        Row(value, wanted)
        for wanted in ("0.3", "1.0", "1e10", "[0.3, 1.0]", "[1.0]", "[[0.3]]", "[]", "[0.3, 1]")
        for value in (
            "0.3",
            "0.3000001",
            "0.3000009",
            "0.300002",
            "1",
            "1.0000001",
            "1.00001",
            "True",
            "1e10 + 100",
            "10**10 + 100",
            "1e10 + 2000",
            "[0.3, 1]",
            "[0.3000001, 1.0]",
            "[0.3000001, 1]",
            "[0.3000001, True]",
            "[0.3, 1.1]",
            "[0.3]",
            "[1]",
            "[True]",
            "[1.0000001]",
            "[[0.3000001]]",
            "['0.3']",
            "[None, 1.0]",
            "[10**400, 1.0]",
            "[10**20, 1.0]",
            "[float('nan'), 1.0]",
            "[float('inf'), 1.0]",
            "None",
            "'0.3'",
            "[]",
            "{}",
        )
    ),
    Row("[10**20 + 10**10]", "[1e20]"),
    Row("[2**64 - 1]", "[18446744073709551615.0]"),
    Row("[2**63 + 2**20]", "[9223372036854775808.0]"),
    Row("[float('inf')]", "[Infinity]"),
    Row("(0.3000001, 1.0)", "[0.3, 1.0]", decision=_TUPLES),
    Row("(0.3, 1.0)", "[0.3, 1.0]", decision=_TUPLES),
    Row("(1, 2)", "[1, 2]", decision=_TUPLES),
    Row(
        "[[0.3, 1.0], [0.3, 1.0]]",
        "[0.3, 1.0000001]",
        decision="numpy repeats what is expected to the shape that it was given",
    ),
)

# Programs whose output is right, and which a harness may meet in its own way.
PROGRAMS = (
    Row("print(input())", "1\n", "1\n"),
    Row("import sys\nprint(sys.stdin.readline().strip())", "1\n", "1\n"),
    Row("import sys\nprint(sys.stdin.read().strip())", "1\n", "1\n"),
    Row("import sys\nprint(len(sys.stdin.readlines()))", "2\n", "1\n2\n", _HARNESS),
    Row("import sys\nprint(sum(int(x) for x in sys.stdin))", "3\n", "1\n2\n", _HARNESS),
    Row("import sys\nprint(sys.stdin.buffer.read().decode().strip())", "1\n", "1\n"),
    Row(
        "import sys\nr = sys.stdin.buffer.readline\nprint(int(r()) + int(r()))",
        "3\n",
        "1\n2\n",
        _HARNESS,
    ),
    Row(
        "import sys\nsys.stdin.readline()\nprint(sys.stdin.read().strip())",
        "2\n",
        "1\n2\n",
        _HARNESS,
    ),
    Row("print(open(0).read().strip())", "1\n", "1\n", _HARNESS),
    Row("import sys\nsys.stdout.write('1')", "1\n"),
    Row("import sys\nsys.stdout.buffer.write(b'1')", "1\n", decision=_HARNESS),
    Row("import sys\nsys.stdout.flush()\nprint(1)", "1\n"),
    Row("import os\nos.write(1, b'1')", "1\n", decision=_HARNESS),
    Row("import sys\nprint(1, file=sys.stderr)", "1\n"),
    Row("import sys\nprint(2, file=sys.stderr)\nprint(1)", "1\n"),
    Row("import sys\nprint(1)\nsys.exit()", "1\n"),
    Row("import sys\nprint(1)\nsys.exit(0)", "1\n"),
    Row("import sys\nprint(1)\nraise SystemExit", "1\n"),
    Row(
        "import sys\nprint(1)\nsys.exit(1)",
        "1\n",
        decision="a program that says that it failed has failed",
    ),
    Row("print(1)\nexit()", "1\n"),
    Row("print(1)\nquit()", "1\n", decision=_HARNESS),
    Row("print(1)\n1 / 0", "1\n"),
    Row("if __name__ == '__main__':\n    print(1)", "1\n"),
    Row('if __name__ == "__main__":\n    print(1)', "1\n"),
    Row("def main():\n    print(1)\nmain()", "1\n"),
    Row(
        "if __name__ == '__main__':\n    print(1)\nx = 1",
        "1\n",
        decision="a `__main__` part runs wherever it stands",
    ),
    Row("n = 1\ndef f():\n    global n\n    n += 1\nf()\nprint(n)", "2\n", decision=_HARNESS),
    Row("import sys\nsys.set_int_max_str_digits(0)\nprint(10**5000)", "1" + "0" * 5000),
    Row("import sys\nsys.set_int_max_str_digits(0)\nprint(10**5000, 1)", "1" + "0" * 5000 + " 1.0"),
    Row(
        "print(10**5000)",
        "1" + "0" * 5000,
        decision="CPython's limit of 4,300 digits holds until the program sets another one",
    ),
    Row(
        "print(gcd(4, 6))",
        "2\n",
        decision='the block of imports stands before calls alone; `preamble="lcb"` has it here',
    ),
    Row("import math\nprint(math.gcd(4, 6))", "2\n"),
    Row("import sys\nsys.setrecursionlimit(10**5)\nprint(1)", "1\n"),
    Row("", ""),
    Row("pass", "\n"),
    Row("print()", ""),
    Row("print('', end='')", ""),
    Row("print(0.1 + 0.2)", "0.3\n"),
    Row("from decimal import Decimal\nprint(Decimal('0.1') + Decimal('0.2'))", "0.30\n"),
)
