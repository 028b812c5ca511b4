"""Grades programs by pytest files, as KodCode and BigCodeBench ship their rows.

    pip install 'restricted-execution[pytest]'
    python examples/callers/test_files.py

Each row has a program and a file of tests. Real pytest runs the file, in a process that the program
has no part in.
"""

from sandbox import grade_many

KODCODE = {
    "test": """
import pytest
from solution import running_mean

@pytest.mark.parametrize("numbers, means", [([2, 4], [2, 3]), ([], [])])
def test_means(numbers, means):
    assert running_mean(numbers) == pytest.approx(means)

def test_no_number():
    with pytest.raises(TypeError):
        running_mean(["a"])
""",
}
BIGCODEBENCH = {
    "entry_point": "task_func",
    "test": """
import unittest
from unittest.mock import patch

class TestCases(unittest.TestCase):
    def test_roll(self):
        with patch("random.randint", return_value=6):
            self.assertEqual(task_func(2), [6, 6])
""",
}
RIGHT = """
def running_mean(numbers):
    total, means = 0, []
    for count, number in enumerate(numbers, 1):
        total += number
        means.append(total / count)
    return means
"""
CHEATING = """
class Anything:
    def __eq__(self, other):
        return True

def running_mean(numbers):
    return Anything()
"""
ROLLING = """
import random

def task_func(n):
    return [random.randint(1, 6) for _ in range(n)]
"""
ROWS = [(RIGHT, KODCODE), (CHEATING, KODCODE), (ROLLING, BIGCODEBENCH)]

if __name__ == "__main__":
    for grade in grade_many(ROWS, early_stop=False):
        print(grade.score)
        for case in grade.cases:
            print(f"  {case.name}: {case.verdict} {case.reason}".rstrip())
