"""What the tests of the protocol between a program and its test files share."""

import pytest

from sandbox import Grade, SandboxUnavailable, grade

# The program's side of the protocol: it asks the tests' child of all that it may have a number of.
ASKING = """
def asked(number, act, *args):
    words = [*args, ["list", len(args), 0], ["dict", 0, 0], ["list", 0, 0], ["list", 3, 0]]
    return grade_exchange([["asks", [number, act, words], ""], "", "", []])

def all_handles(*args):
    found = [asked(number, "__call__", *args) for number in range(20)]
    return [request[3][:-2] for request in found if request[1] == "returned"]
"""


def graded(program: str, test: object, **options: object) -> Grade:
    """Grade `program` by a file, or by files with what they read, all of its tests."""
    row = {"test_code": test} if isinstance(test, str) else {"test_files": test}
    try:
        return grade(program, row, early_stop=False, **options)
    except SandboxUnavailable as error:
        pytest.skip(f"this host cannot show pytest to a child: {error}")
