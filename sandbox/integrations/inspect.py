"""For Inspect's evaluations: a tool that runs Python, and a scorer for programs that have tests.

Task(dataset, solver=[use_tools(restricted_python()), generate()], scorer=code_tests())
"""

import functools
from typing import Any, Unpack

try:
    from anyio import to_thread
    from inspect_ai.scorer import (
        CORRECT,
        INCORRECT,
        Score,
        Scorer,
        Target,
        accuracy,
        scorer,
        stderr,
    )
    from inspect_ai.solver import TaskState
    from inspect_ai.tool import Tool, tool
except ImportError as error:
    raise ImportError(
        "sandbox.integrations.inspect needs the extra 'inspect':"
        f" pip install 'restricted-execution[inspect]' ({error})"
    ) from error

from sandbox.grading.block import ending
from sandbox.grading.extraction import extract_code
from sandbox.grading.grade import grade
from sandbox.grading.options import GradeOptions, scored
from sandbox.grading.verdicts import Grade, Verdict
from sandbox.integrations.columns import Choice, Reader
from sandbox.integrations.tool_text import tool_text
from sandbox.job import Job, Options
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Result
from sandbox.runtime.caller.defaults import default_sandbox

__all__ = ["code_tests", "restricted_python"]


@tool(parallel=True)
def restricted_python(policy: str = "contest", **options: Unpack[Options]) -> Tool:
    """The tool `restricted_python(code, stdin)`: a Python program, in a process of its own.

    The model gets what the program printed, or how it failed. `policy` is a shipped policy's name
    or the path of a .toml file; `options` are those of `Sandbox.run`, limits that tighten it among
    them (`cpu_seconds=2`). The sandbox starts at the first call. A fault of the sandbox raises,
    which is an error of the sample and no answer.

    Raises PolicyError for a wrong policy or limit.
    """
    tighten(Policy.load(policy).limits.plain(), Job.of("", options).limits)

    def run(code: str, stdin: str) -> Result:
        return default_sandbox(policy).run(code, stdin, **options)

    async def execute(code: str, stdin: str = "") -> str:
        """
        Run a Python program in a sandbox and get what it printed, or how it failed.

        Each call is a new process: nothing is kept from one to the next. There are no files, no
        network and no third-party packages. Print what you want to see.

        Args:
          code: The Python program.
          stdin: What the program reads from standard input.

        Returns:
          What the program printed, and the traceback or the limit that ended it, if it failed.
        """
        return tool_text(await to_thread.run_sync(run, code, stdin, abandon_on_cancel=True))

    return execute


@scorer(metrics=[accuracy(), stderr()])
def code_tests(
    tests: Choice = None,
    partial: bool = False,
    **options: Unpack[GradeOptions],
) -> Scorer:
    """Make a scorer of the program in a model's answer by the tests in its sample's metadata.

    `tests` is the key of the metadata that has them, in a form of docs/grading.md, or a dict from
    the parts of a form to keys, or None for those of HumanEval, MBPP, APPS and their like. With
    `partial` the score is the share of tests passed. `options` are those of `grade`; `early_stop`
    is on unless `partial`: a score needs no further test after the first failure.

    A sample is left unscored where it has no tests, or where the sandbox, the machine or a test
    failed. Malformed tests are a ValueError, an error of the sample.

    Raises PolicyError for a wrong policy, option or limit, ValueError for an unknown comparator.
    """
    chosen = scored(options, partial=partial)
    reader = Reader(tests)

    async def score(state: TaskState, target: Target) -> Score:
        row = {"prompt": state.input_text, **state.metadata}
        found = reader.read(row, f"sample {state.sample_id}")
        code = extract_code(state.output.completion)
        grading = functools.partial(grade, code, found, **chosen)
        with ending():
            done = await to_thread.run_sync(grading, abandon_on_cancel=True)
        told: dict[str, Any] = {"answer": code, "explanation": _explained(done)}
        if done.fraction is None:
            return Score.unscored(reason="scoring_failed", **told)
        whole = CORRECT if done.score else INCORRECT
        value = done.fraction if partial else whole
        return Score(value=value, metadata=_figures(done), **told)

    return score


def _figures(done: Grade) -> dict[str, Any]:
    return {"passed": done.passed, "total": done.total, "weaker": done.weaker}


def _explained(done: Grade) -> str:
    reasons = [
        f"{case.name or f'test {number}'}: {case.verdict}: {case.reason}"
        for number, case in enumerate(done.cases, 1)
        if case.verdict is not Verdict.PASSED
    ]
    return "\n".join([f"{done.passed} of {done.total} tests passed", *reasons])
