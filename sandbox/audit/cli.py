"""`sandbox audit`: policies, two policies compared, reward functions.

Everything heavy is imported inside the commands: `sandbox run` starts with this module too.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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
    from sandbox.audit.policy import audit_policy

    audits = [audit_policy(name, prove=prove) for name in policies]
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
    """What a guest can reach under policy B that it cannot reach under policy A."""
    from sandbox.audit.diff import audit_diff

    audits = [audit_diff(first, second)]
    report(audits, as_json=as_json, sarif=sarif, html=html, show_all=show_all)
    exit_by(audits, fail_on)


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
        from sandbox.audit.report_sarif import to_sarif

        _save(sarif, to_sarif(audits), "--sarif")
    if html is not None:
        from sandbox.audit.report_html import to_html

        _save(html, to_html(audits), "--html")
    if as_json:
        text = json.dumps([audit.to_dict() for audit in audits], indent=2)
        sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace") + b"\n")
        sys.stdout.buffer.flush()
        return
    from rich.console import Console

    from sandbox.audit.findings import Severity
    from sandbox.audit.report_text import show

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
