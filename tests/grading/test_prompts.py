"""A completion of HumanEval is judged as CPython judges its prompt and itself as one text."""

import pytest

from sandbox import grade

PROMPT = (
    "from typing import List\n\n\ndef helper(x):\n    return x + 1\n\n\n"
    'def f(x: int) -> int:\n    """ One more. """\n'
)
TEST = "def check(candidate):\n    assert candidate(1) == 2\n    assert candidate(5) == 6\n"
COMPLETIONS = [
    "    return x + 1\n",
    "    return helper(x)",
    "\n    return x + 1",
    "def f(x):\n    return helper(x)",
    "def f(x: List[int]):\n    return x + 1\ns = '''",
    "def f(x):\n    return x + 1\n\\",
    "def f(x):\n    return x + 1\n#\\",
    "    return x + 1\n\n\ny = '''",
    "    return x + 1\n\\",
    "    return x + 1\n\\\n",
    "    return x + 1\nz = (",
    "    '''a\n    return x + 1",
    "\x0c    return x + 1\n",
    "  \x0c    return x + 1\n",
    "\x0c\n    return x + 1",
    "\x0cdef f(x):\n    return x + 1",
    " \x0cdef f(x):\n    return x + 1",
    "   return x + 1\n",
    "\treturn x + 1\n",
    "        return x + 1\n",
    "# one\n    return x + 1",
    "\r\n    return x + 1\r\n",
    "\r    return x + 1\r",
    "\\\n    return x + 1\n",
    "    return x + 1  # from __future__ import annotations",
    "x = 1\n    return x",
    "    s = '''\nnothing\n'''\n    return x + 1",
    "    if x:\n\treturn x + 1\n",
    "    return x + 1\n  # odd",
    "    return x + 1\n  y = 2",
    "    return (x +\n1)\n",
    "    return x \\\n+ 1",
    "    return x + 1\n\ndef g():\n    pass",
]


def as_one_text(prompt, completion):
    scope = {"__name__": "solution"}
    try:
        exec(compile(prompt + completion, "<program>", "exec"), scope)
        exec(TEST, scope)
        scope["check"](scope["f"])
    except Exception:
        return 0.0
    return 1.0


@pytest.mark.parametrize("head", ["", "from __future__ import annotations\n"])
@pytest.mark.parametrize("completion", COMPLETIONS)
def test_a_completion_is_judged_as_one_text_with_its_prompt(completion, head):
    tests = {"prompt": head + PROMPT, "test": TEST, "entry_point": "f"}
    assert grade(completion, tests).score == as_one_text(head + PROMPT, completion)


@pytest.mark.parametrize(
    "completion",
    ["return x + 1", "y = x\n    return y + 1", "import math\n    return x + 1"],
)
def test_a_prompt_may_end_within_the_line_that_is_to_be_continued(completion):
    tests = {"prompt": f"{PROMPT}    ", "test": TEST, "entry_point": "f"}
    assert grade(completion, tests).score == as_one_text(f"{PROMPT}    ", completion) == 1.0


@pytest.mark.parametrize("end", ["", "    "])
@pytest.mark.parametrize(
    "program",
    [
        "def f(x):\n    return x + 1",
        "import math\ndef f(x):\n    return x + 1",
        "from __future__ import annotations\ndef f(x: No) -> No:\n    return x + 1",
    ],
)
def test_a_whole_program_runs_below_its_prompt_wherever_that_ends(program, end):
    """More than CPython takes as one text: a function that is only begun gets an empty body."""
    for prompt in (PROMPT, PROMPT.rstrip(), PROMPT[: PROMPT.index('    """')]):
        tests = {"prompt": prompt + end, "test": TEST, "entry_point": "f"}
        assert grade(program, tests).score == 1.0
        assert grade(program.replace("+ 1", "+ 2"), tests).score == 0.0


@pytest.mark.parametrize(
    ("prompt", "score"),
    [
        ("import random\nfrom typing import *\n\ninf = float('inf')\n", 1.0),
        ("from typing import List\nfrom math import inf\n", 1.0),
        ("Sum up a list.", 0.0),
        ("import\nof goods from typing import List", 0.0),
    ],
)
def test_a_prompt_that_only_imports_is_a_program_and_prose_is_none(prompt, score):
    program = (
        "class Solution:\n    def top(self, x: List[int]):\n        return max(x, default=inf)\n"
    )
    test = "def check(candidate):\n    assert candidate([]) > 3 and candidate([1]) == 1"
    tests = {"prompt": prompt, "test": test, "entry_point": "Solution().top"}
    result = grade(program, tests)
    assert (result.score, result.masked) == (score, False), result.cases
