"""The command line of the fuzzer: `sandbox fuzz`, and `python -m fuzz` from a checkout."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from sandbox import Policy

if TYPE_CHECKING:
    from .judging.finds import Report

FOUND, INTERRUPTED = 1, 130
_WIDTH = 160  # where there is no terminal


def fuzz(
    policy: Annotated[
        str,
        typer.Option("--policy", "-p", metavar="POLICY", help="A shipped policy or a path."),
    ] = "strict",
    seconds: Annotated[
        float, typer.Option("--time", metavar="SECONDS", min=1.0, help="How long to attack it.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(help="The same seed, the same programs.")] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Programs at once.")] = 2,
    json_file: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the report as JSON.")
    ] = None,
    html_file: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write one self-contained page."),
    ] = None,
    depth: Annotated[
        bool, typer.Option("--depth", help="Also: which layers stop each attack on their own.")
    ] = False,
    guided: Annotated[
        bool, typer.Option("--guided", help="Also: coverage-guided, on the parsers (atheris).")
    ] = False,
    reentrance: Annotated[
        bool,
        typer.Option(
            "--reentrance", help="Only: memory errors of CPython, where C code calls the program."
        ),
    ] = False,
    finds: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where finds are kept, each to be run again.")
    ] = Path("fuzz-finds"),
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Run a kept find again, and nothing else.")
    ] = None,
) -> None:
    """Attack a policy, and say what got through. Exits with 1 if anything did."""
    console = Console(width=None if Console().is_terminal else _WIDTH)
    chosen = Policy.load(policy)
    if replay is not None:
        raise typer.Exit(_replay(console, chosen, replay))
    if reentrance:
        raise typer.Exit(_reentrance(console, policy, seconds, seed))
    raise typer.Exit(
        _campaign(
            console, policy, chosen, seconds, seed, jobs, json_file, html_file, depth, guided, finds
        )
    )


def _replay(console: Console, policy: Policy, file: Path) -> int:
    from .replay import replay

    told = replay(policy, file)
    for setup, evidence in told.items():
        seen = "; ".join(f"{each.oracle}: {each.detail}" for each in evidence)
        console.print(Text(f"{setup}: {seen or 'held'}", "red" if seen else "green"))
    return FOUND if any(told.values()) else 0


def _reentrance(console: Console, policy: str, seconds: float, seed: int) -> int:
    from .reentrance.hunt import hunt

    with console.status("C code that calls the program"):
        ran, crashes = hunt(policy, seconds=seconds, seed=seed)
    for crash in crashes:
        console.print(Text(f"{crash.what}\n{crash.source}", "red"))
    console.print(f"{ran} programs, {len(crashes)} found")
    return FOUND if crashes else 0


def _campaign(
    console: Console,
    given: str,
    policy: Policy,
    seconds: float,
    seed: int,
    jobs: int,
    json_file: Path | None,
    html_file: Path | None,
    depth: bool,
    guided: bool,
    finds: Path,
) -> int:
    from .campaign import Campaign
    from .console import Progress, summary
    from .judging.finds import save

    if guided:
        from .inner.guided import check_available

        check_available()
    with Progress(console, seconds) as progress:
        report = Campaign(
            policy, seconds=seconds, seed=seed, jobs=jobs, guided=guided, watch=progress.watch
        ).run()
    if depth:
        _measure(console, policy, report, jobs)
    summary(console, report)
    for find in report.finds:
        path = save(find, finds)
        again = f"again: sandbox fuzz --policy {given} --replay {path}"
        console.print(again, markup=False, soft_wrap=True)
    if json_file is not None:
        json_file.write_text(report.to_json(), encoding="utf-8")
    if html_file is not None:
        from .page import page

        html_file.write_text(page(report), encoding="utf-8")
    if report.finds:
        return FOUND
    return INTERRUPTED if report.interrupted else 0


def _measure(console: Console, policy: Policy, report: "Report", jobs: int) -> None:
    from .layers.depth import measure

    with console.status("depth of defence") as status:
        try:
            report.depth = measure(policy, jobs, lambda name: status.update(f"depth: {name}"))
        except KeyboardInterrupt:
            report.interrupted = True
