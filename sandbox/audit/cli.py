"""`sandbox audit`: policies, two policies compared, reward functions.

Everything heavy is imported inside the commands: `sandbox run` starts with this module too.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sandbox.command_line import read

if TYPE_CHECKING:
    from sandbox.audit.findings import Audit

FOUND = 1  # the exit code when something was found that is as bad as --fail-on
LEVELS = ("info", "low", "medium", "high", "critical", "never")

app = typer.Typer(no_args_is_help=True, help="Proves what a policy lets out.")


def _level(text: str) -> str:
    if text.lower() not in LEVELS:
        raise typer.BadParameter(f"{text!r} is not one of {', '.join(LEVELS)}")
    return text.lower()


FailOn = Annotated[
    str,
    typer.Option(
        "--fail-on",
        metavar="SEVERITY",
        callback=_level,
        help=f"Exit with {FOUND} from this severity on: {', '.join(LEVELS)}.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Sarif = Annotated[
    Path | None, typer.Option("--sarif", metavar="FILE", help="Write SARIF 2.1.0 for code hosts.")
]
Html = Annotated[
    Path | None, typer.Option("--html", metavar="FILE", help="Write one self-contained page.")
]
All = Annotated[bool, typer.Option("--all", help="Show what is only for information, too.")]


@app.command("policy")
def audit_policies(
    policies: Annotated[list[str], typer.Argument(help="Names or paths to .toml files.")],
    fail_on: FailOn = "high",
    as_json: AsJson = False,
    sarif: Sarif = None,
    html: Html = None,
    show_all: All = False,
    prove: Annotated[
        bool,
        typer.Option("--proofs/--no-proofs", help="Run a program for each path that is found."),
    ] = True,
) -> None:
    """Search everything that a guest can reach under each policy, and check what else it says.

    Works for a policy that does not load, too, and says what is wrong with it.
    """
    from sandbox.audit.policy.audit import audit_policy

    audits = [audit_policy(name, prove=prove) for name in _watched(policies)]
    report(audits, as_json=as_json, sarif=sarif, html=html, show_all=show_all)
    exit_by(audits, fail_on)


@app.command("diff")
def diff(
    first: Annotated[str, typer.Argument(metavar="A", help="A name or a path to a .toml file.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one.")],
    fail_on: FailOn = "high",
    as_json: AsJson = False,
    sarif: Sarif = None,
    html: Html = None,
    show_all: All = False,
) -> None:
    """Show what a guest can reach under policy B that it cannot reach under policy A."""
    from sandbox.audit.policy.diff import audit_diff

    audits = [audit_diff(first, second)]
    report(audits, as_json=as_json, sarif=sarif, html=html, show_all=show_all)
    exit_by(audits, fail_on)


@app.command("reward")
def reward(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="The source of the function.")],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="The function, if there are several.")
    ] = None,
    policy: Annotated[
        str, typer.Option("--policy", "-p", help="For the programs that it has executed.")
    ] = "strict",
    rows: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rows of the data set: JSON objects, one per line."),
    ] = None,
    require: Annotated[
        str,
        typer.Option(
            metavar="VERDICT",
            help=f"Exit with {FOUND} unless it is `contained` or `native`, or only if it is "
            "not `native`.",
        ),
    ] = "contained",
    fail_on: FailOn = "high",
    as_json: AsJson = False,
    sarif: Sarif = None,
    html: Html = None,
    show_all: All = False,
) -> None:
    """Decide how a reward function may be used: contained, natively in the trainer, or not at all.

    Its source is looked at, and it is run in the sandbox over sample completions.
    """
    if require not in ("contained", "native"):
        raise typer.BadParameter(
            f"{require!r} is neither contained nor native", param_hint="--require"
        )
    from sandbox.audit.reward.gate import audit_reward

    given = [] if rows is None else read_rows(read(str(rows), "--rows"))
    source = read(file, "FILE")
    shown = None if file == "-" else file
    audits = [audit_reward(source, name=name, policy=policy, rows=given, file=shown)]
    report(audits, as_json=as_json, sarif=sarif, html=html, show_all=show_all)
    exit_by(audits, fail_on)
    if require == "native" and audits[0].verdict != "native":
        raise typer.Exit(FOUND)


def _watched(policies: Sequence[str]) -> Iterator[str]:
    """Yield each of `policies`, with a bar on standard error, if that is a terminal.

    A search is one step and does not say how far it has come: the bar moves and shows the time.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not _is_terminal()) as bar:
        task = bar.add_task("", total=None)
        for number, name in enumerate(policies, 1):
            some = "some 20 s each" if len(policies) > 1 else "some 20 s"
            bar.update(task, description=f"{name} ({number} of {len(policies)}, {some})")
            yield name


def _is_terminal() -> bool:
    return sys.stderr.isatty()


def read_rows(text: str) -> list[dict[str, object]]:
    """Return the rows of a file of JSON lines. Raises typer.BadParameter."""
    try:
        found = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"not JSON: {error}", param_hint="--rows") from None
    if not found or not all(isinstance(row, dict) for row in found):
        raise typer.BadParameter("every line must be a JSON object", param_hint="--rows")
    return found


def report(
    audits: "Sequence[Audit]",
    *,
    as_json: bool,
    sarif: Path | None,
    html: Path | None,
    show_all: bool,
) -> None:
    """Print `audits` and write the files that were asked for."""
    if sarif is not None:
        from sandbox.audit.report.sarif import to_sarif

        _save(sarif, to_sarif(audits), "--sarif")
    if html is not None:
        from sandbox.audit.report.html import to_html

        _save(html, to_html(audits), "--html")
    if as_json:
        text = json.dumps([audit.to_dict() for audit in audits], indent=2)
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
        sys.stdout.buffer.flush()
        return
    from rich.console import Console

    from sandbox.audit.findings import Severity
    from sandbox.audit.report.text import show

    console = Console(width=None if sys.stdout.isatty() else 120)
    for audit in audits:
        show(audit, console, lowest=Severity.INFO if show_all else Severity.LOW)


def exit_by(audits: "Sequence[Audit]", fail_on: str) -> None:
    """End the command with `FOUND` if there is a finding as bad as `fail_on`. Raises typer.Exit."""
    from sandbox.audit.findings import Severity

    if fail_on == "never":
        return
    if any(audit.at_least(Severity.parse(fail_on)) for audit in audits):
        raise typer.Exit(FOUND)


def _save(path: Path, text: str, option: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror}", param_hint=option) from None
