"""Programs with tests that several test modules grade."""

from sandbox import Grade

ECHO = {"inputs": ["a", "b", "c"], "outputs": ["a", "b", "c"]}
COPY = "print(input())"
CHECKED = {"test_list": ["assert f(1) == 1", "assert f(2) == 2"]}


def verdicts(grade: Grade) -> list[str]:
    return [str(case.verdict) for case in grade.cases]
