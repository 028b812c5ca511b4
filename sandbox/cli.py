"""The command `sandbox`: run a program, examine the host, look at policies."""

import json
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sandbox.audit.cli import app as audit_app
from sandbox.command_files import FileOption, OutOption, files_of, patterns_of, write_files
from sandbox.command_line import LimitOption, complain, is_given_input, limits_of, read
from sandbox.errors import PolicyError, Problem, SandboxError, SandboxUnavailable
from sandbox.grading.command import grade_command
from sandbox.integrations.mcp_command import mcp_command
from sandbox.integrations.server.command import serve_command
from sandbox.policy.files.document import schema as policy_schema
from sandbox.policy.files.loader import shipped
from sandbox.policy.files.notices import gathered
from sandbox.policy.model import Policy
from sandbox.repl.command import repl_command
from sandbox.result import Result, Status
from sandbox.rewards.command import app as reward_app
from sandbox.version import NAME, version

if TYPE_CHECKING:
    from sandbox.runtime.caller.doctor import Report

EXIT_CODES = {
    Status.OK: 0,
    Status.ERROR: 1,
    # 2 is a wrong command line or an unreadable file, as the shell has it
    Status.SYNTAX: 3,
    Status.DENIED: 4,
    Status.CPU_LIMIT: 5,
    Status.WALL_LIMIT: 6,
    Status.MEMORY_LIMIT: 7,
    Status.OUTPUT_LIMIT: 8,
    Status.RECURSION_LIMIT: 9,
    Status.CRASHED: 10,
    Status.VIOLATION: 11,
}
FAULT_CODES: dict[type[SandboxError], int] = {  # sysexits.h; the most special class first
    SandboxUnavailable: 69,
    PolicyError: 78,
    SandboxError: 70,
}
STATE_STYLES = {"active": "green", "missing": "red", "off": "dim"}

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Runs untrusted Python behind several independent layers.",
)
policy_app = typer.Typer(no_args_is_help=True, help="Looks at policies.")
app.add_typer(policy_app, name="policy")
app.add_typer(audit_app, name="audit")
app.add_typer(reward_app, name="reward")

PolicyOption = Annotated[
    str,
    typer.Option("--policy", "-p", metavar="POLICY", help="A shipped policy or a path to a .toml."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


def main() -> None:
    """The entry point: a fault of the sandbox becomes a message and an exit code."""
    try:
        app()
    except SandboxError as error:
        code = next(code for kind, code in FAULT_CODES.items() if isinstance(error, kind))
        complain(f"{type(error).__name__}: {error}")
        sys.exit(code)


@app.callback(invoke_without_command=True)
def _root(
    show_version: Annotated[
        bool, typer.Option("--version", "-V", help="Print the version.")
    ] = False,
) -> None:
    if show_version:
        typer.echo(f"{NAME} {version()}")
        raise typer.Exit


@app.command()
def run(
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="The program.")],
    policy: PolicyOption = "strict",
    stdin: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-",
            help="What the program reads; by default what is piped or redirected to the command.",
        ),
    ] = None,
    limit: LimitOption = None,
    files: FileOption = None,
    out: OutOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run one program. The exit code tells the status; with --json files are in it as base64."""
    if file == "-" and stdin == "-":
        raise typer.BadParameter("the program itself comes from there", param_hint="--stdin")
    code = read(file, "FILE")
    limits, found, fetch = limits_of(limit), files_of(files), patterns_of(out)
    if stdin is None and file != "-" and is_given_input():
        stdin = "-"
    given = "" if stdin is None else read(stdin, "--stdin")
    from sandbox import Sandbox

    with Sandbox(policy=policy, workers=1) as sandbox:
        result = sandbox.run(code, given, files=found, fetch=fetch, **limits)
    if as_json:
        _write(result.to_json() + "\n")
    else:
        _tell(result)
        write_files(result.files)
    raise typer.Exit(EXIT_CODES[result.status])


@app.command()
def doctor(policy: PolicyOption = "strict", as_json: JsonOption = False) -> None:
    """Examine this host: each layer, the probes that were tried, and what to do.

    Exits with 69 if a sandbox does not open under the policy, with 70 if a probe got through.
    """
    from sandbox.runtime.caller.doctor import examine

    chosen = Policy.load(policy)
    report = examine(chosen)
    if as_json:
        _write(json.dumps(report.to_dict(), indent=2) + "\n")
    else:
        _show_report(report, chosen)
    if not all(probe.held for layer in report.layers for probe in layer.probes):
        raise typer.Exit(FAULT_CODES[SandboxError])
    if report.problem:
        raise typer.Exit(FAULT_CODES[SandboxUnavailable])


@policy_app.command("list")
def policy_list(as_json: JsonOption = False) -> None:
    """List the shipped policies."""
    policies = [Policy.load(name) for name in shipped()]
    if as_json:
        rows = [{"name": p.name, "description": p.description} for p in policies]
        _write(json.dumps(rows, indent=2) + "\n")
        return
    table = _table("policy", "language", "CPU s", "memory MiB", "modules", "description")
    for each in policies:
        limits = each.limits
        figures = (f"{limits.cpu_seconds:g}", str(limits.memory_mib), str(len(each.plan().modules)))
        table.add_row(each.name, each.language, *figures, each.description)
    _console().print(table)


@policy_app.command("show")
def policy_show(
    policy: Annotated[str, typer.Argument(help="A shipped policy or a path to a .toml.")],
    as_json: JsonOption = False,
) -> None:
    """Print one policy, with what it extends merged in."""
    with gathered() as notices:
        chosen = Policy.load(policy)
    _tell_notices(notices)
    _write(chosen.model_dump_json(indent=2) + "\n" if as_json else chosen.to_toml())


@policy_app.command("check")
def policy_check(
    policies: Annotated[list[str], typer.Argument(help="Names or paths to .toml files.")],
) -> None:
    """Check policies. Exits with 78 if one is wrong, and says what and where."""
    wrong = False
    for name in policies:
        try:
            with gathered() as notices:
                found = Policy.load(name)
        except PolicyError as error:
            wrong = True
            complain(str(error))
        else:
            _tell_notices(notices)
            _write(f"{name}: ok, policy '{found.name}'\n")
    if wrong:
        raise typer.Exit(FAULT_CODES[PolicyError])


@policy_app.command("schema")
def policy_schema_command() -> None:
    """Print the JSON schema of a policy file, for editors."""
    _write(json.dumps(policy_schema(), indent=2) + "\n")


def _fuzzer() -> Callable[..., None]:
    """The command of the fuzzer, which stands beside the package in a checkout."""
    try:
        command = import_module("sandbox.fuzz.command")
    except ModuleNotFoundError:  # a checkout that is on sys.path but not installed
        command = import_module("fuzz.command")
    function: Callable[..., None] = command.fuzz
    return function


app.command("grade")(grade_command)
app.command("repl")(repl_command)
app.command("serve")(serve_command)
app.command("mcp")(mcp_command)
app.command()(_fuzzer())


def _write(text: str) -> None:
    """Exactly `text`: no translation of newlines, no failure on what the locale cannot encode."""
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _tell_notices(notices: Iterable[Problem]) -> None:
    for notice in notices:
        complain(str(notice), "yellow")


def _tell(result: Result) -> None:
    _write(result.stdout or result.output)
    sys.stderr.buffer.write(result.stderr.encode("utf-8", "backslashreplace"))
    sys.stderr.buffer.flush()
    if not result.ok:
        complain(f"{result.traceback}{result.status}: {result.error}")


def _show_report(report: "Report", policy: Policy) -> None:
    console = _console()
    strengths = policy.layers.plain()
    for name, value in report.host.items():
        console.print(f"{name}: {value}", markup=False)
    layers = _table("layer", "state", "policy", "detail")
    probes = _table("layer", "tried", "answer", "held")
    for layer in report.layers:
        state = Text(layer.state, style=STATE_STYLES.get(layer.state, ""))
        layers.add_row(layer.name, state, strengths[layer.name], Text(layer.detail))
        for probe in layer.probes:
            held = Text("yes", style="green") if probe.held else Text("NO", style="bold red")
            probes.add_row(layer.name, Text(probe.attempt), Text(probe.answer), held)
    console.print(layers)
    if probes.row_count:
        console.print(probes)
    for layer in report.layers:
        if layer.state == "missing":
            console.print(Text(f"{layer.name} is missing: {layer.reason}", style="red"))
            console.print(Text(f"  what to do: {layer.remedy}"))
    if report.shown:
        console.print(Text(f"a guest can read {report.readable()}"))
    if report.scratch:
        console.print(Text(f"a program has {report.scratch}"))
    if report.problem:
        console.print(Text(f"policy '{policy.name}' does not open: {report.problem}", style="red"))
    else:
        console.print(Text(f"policy '{policy.name}' opens", style="green"))


def _table(*headings: str) -> Table:
    table = Table(title_justify="left")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    return table


def _console() -> Console:
    """As wide as the terminal; wide enough for every row where there is none."""
    return Console(width=None if sys.stdout.isatty() else 140)


if __name__ == "__main__":
    main()
