"""`sandbox reward run`: score a file of completions with a contained reward function."""

import json
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sandbox.audit.cli import read_rows
from sandbox.command_line import read

if TYPE_CHECKING:
    from sandbox.rewards.contained import ContainedReward

FAILED = 1  # the exit code where a function raised or returned what are no rewards

app = typer.Typer(no_args_is_help=True, help="Runs reward functions, contained.")


@dataclass(frozen=True, slots=True)
class Scored:
    """The rewards of one function for all rows, and the seconds that they took."""

    name: str
    rewards: list[float | None]
    seconds: float
    how: str


@app.callback()
def _group() -> None:
    """A group of its own, though it has one command."""


@app.command("run")
def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="The source of the function.")],
    rows: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="JSON objects, one per line: `completion`, `prompt`, and columns by their names.",
        ),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="One function; all of the file by default.")
    ] = None,
    policy: Annotated[
        str, typer.Option("--policy", "-p", help="For the programs that it has executed.")
    ] = "strict",
    batch: Annotated[
        int, typer.Option(min=1, help="Rows of one call, as a trainer would pass them.")
    ] = 1024,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write each row's rewards as JSON lines.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Score completions. Nothing of the function runs outside of the sandbox."""
    from sandbox.audit.reward.reading.look import printable
    from sandbox.errors import RewardError

    given = read_rows(read(str(rows), "--rows"))
    if any("completion" not in row for row in given):
        raise typer.BadParameter("every row needs a completion", param_hint="--rows")
    try:
        functions = list(_functions(read(file, "FILE"), name, policy))
        scored = [_score(function, given, batch) for function in functions]
    except RewardError as error:
        lines = map(printable, f"{file}: {error}".splitlines())
        typer.echo("\n".join(lines), err=True)
        raise typer.Exit(FAILED) from None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="FILE") from None
    if out is not None:
        _save(out, given, scored)
    if as_json:
        sys.stdout.write(json.dumps([_figures(each) for each in scored], indent=2) + "\n")
    else:
        _show(scored)


def _functions(source: str, name: str | None, policy: str) -> "Iterator[ContainedReward]":
    from sandbox.rewards.load import load_all, load_reward

    if name is None:
        yield from load_all(source, executing=policy)
    else:
        yield load_reward(source, name=name, executing=policy)


def _score(function: "ContainedReward", rows: Sequence[dict[str, Any]], batch: int) -> Scored:
    from tqdm import tqdm

    rewards = list[float | None]()
    begun = time.monotonic()
    with tqdm(total=len(rows), unit="row", desc=function.__name__, disable=None) as bar:
        for start in range(0, len(rows), batch):
            part = rows[start : start + batch]
            rewards += function(**_columns(part))
            bar.update(len(part))
    return Scored(function.__name__, rewards, time.monotonic() - begun, function.why)


def _columns(rows: Sequence[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return a list for each name, as trainers pass them; None where a row has nothing under it."""
    names = dict.fromkeys(name for row in rows for name in row)
    plural = {"completion": "completions", "prompt": "prompts"}
    return {plural.get(name, name): [row.get(name) for row in rows] for name in names}


def _figures(scored: Scored) -> dict[str, Any]:
    told = [reward for reward in scored.rewards if reward is not None]
    return {
        "function": scored.name,
        "rows": len(scored.rewards),
        "masked": len(scored.rewards) - len(told),
        "mean": statistics.fmean(told) if told else None,
        "spread": statistics.pstdev(told) if told else None,
        "least": min(told, default=None),
        "greatest": max(told, default=None),
        "ms_per_row": 1000 * scored.seconds / max(len(scored.rewards), 1),
        "batches": scored.how,
    }


def _show(scored: Sequence[Scored]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table()
    figures = [_figures(each) for each in scored]
    for name in figures[0]:
        table.add_column(name.replace("_", " "))
    for row in figures:
        table.add_row(*("-" if v is None else _number(v) for v in row.values()))
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def _number(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _save(path: Path, rows: Sequence[dict[str, Any]], scored: Sequence[Scored]) -> None:
    lines = (
        json.dumps({**row, "rewards": {each.name: each.rewards[at] for each in scored}})
        for at, row in enumerate(rows)
    )
    try:
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise typer.BadParameter(f"{path}: {error.strerror}", param_hint="--out") from None
