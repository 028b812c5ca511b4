"""`sandbox grade`: one program held against its tests, a line for each."""

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from sandbox.command_line import LimitOption, limits_of, read

FAILED, NO_VERDICT = 1, 70  # exit codes: as a fault of the sandbox, where nothing can be said


def grade_command(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="The program.")],
    tests: Annotated[
        str,
        typer.Option(metavar="FILE|-", help="Its tests: JSON in a form of docs/grading.md."),
    ],
    policy: Annotated[
        str, typer.Option("--policy", "-p", metavar="POLICY", help="What the program runs under.")
    ] = "contest",
    comparator: Annotated[str, typer.Option(metavar="NAME", help="How answers compare.")] = "lcb",
    limit: LimitOption = None,
    run_all: Annotated[
        bool, typer.Option("--all", help="Run every test; else the first failure ends it.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Grade one program. Exits with 0 if it passes all tests, 1 if not, 70 without a verdict."""
    from sandbox.errors import SandboxError
    from sandbox.grading.grade import grade
    from sandbox.grading.verdicts import Verdict

    if file == "-" and tests == "-":
        raise typer.BadParameter("the program itself comes from there", param_hint="--tests")
    code, given = read(file, "FILE"), read(tests, "--tests")
    try:
        read_as = json.loads(given)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"{tests}: not JSON: {error}", param_hint="--tests") from None
    limits = limits_of(limit)
    options = {"comparator": comparator, "policy": policy, "early_stop": not run_all, **limits}
    try:
        done = grade(code, read_as, **options)
    except SandboxError:  # a wrong policy is a ValueError as well, and has an exit code of its own
        raise
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if as_json:
        lines = [json.dumps({**asdict(done), "score": done.score}, indent=2)]
    else:
        lines = [
            f"{case.name or f'test {number}'}: {': '.join(filter(None, told))}"
            for number, case in enumerate(done.cases, 1)
            for told in [(case.verdict, case.reason)]
        ]
        of_all = f"{done.passed} of {done.total} tests passed"
        lines.append(of_all if done.total else "there are no tests")
        if any(case.verdict is Verdict.MASKED for case in done.cases):
            lines.append("no verdict: a test could not be run, for no fault of the program")
    sys.stdout.buffer.write("\n".join([*lines, ""]).encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()
    raise typer.Exit(NO_VERDICT if done.masked else 0 if done.score else FAILED)
