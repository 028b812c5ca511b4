"""An evaluation of Inspect's whose tool runs under a policy: `inspect eval inspect_sandbox.py`."""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import python

SAMPLES = [
    Sample(
        "How many lines of numbers.txt have an even number? Answer with the number alone.",
        target="2",
        files={"numbers.txt": "1\n2\n3\n4\n"},
    )
]


@task
def counting() -> Task:
    solver = [use_tools(python(timeout=10)), generate()]
    return Task(SAMPLES, solver=solver, scorer=match(), sandbox="restricted")
