"""Time the cost of the language layer to a guest: CPU-heavy programs, and compiling.

    python -m benchmarks.guest [--rounds N]
    python -m benchmarks.guest --compile FILE.jsonl...

Each round runs a program both ways, one after the other, each in a fresh fork and with only the
processor time of the compiled code counted; the fastest of the rounds is shown. With `--compile`
nothing runs: the `code` of every line of the files is compiled both ways, the fastest of a dozen
times counts, and the programs of 40 to 60 lines are shown apart.
"""

import argparse
import contextlib
import gc
import json
import os
import struct
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean

from rich.console import Console
from rich.table import Table

from sandbox import Policy
from sandbox.language.compile.compiler import Refused, compile_program
from sandbox.language.guards.attributes.sealing import seal
from sandbox.language.guest.collector import Collector
from sandbox.language.guest.world import World, build_world, enter
from sandbox.policy.plan import Plan

PROGRAMS = Path(__file__).with_name("guest_programs.txt")
_COMPILES = 20


def programs() -> dict[str, str]:
    parts = PROGRAMS.read_text().split("### ")[1:]
    return dict(part.split("\n", 1) for part in parts)


def timed(world: World, source: str) -> float:
    """Return the seconds of processor time of one execution, in a child."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            _execute(world, source, writing)
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    if len(data) != 8:
        raise RuntimeError(
            f"a program failed under {'language' if world.plan.language else 'none'}"
        )
    seconds: float = struct.unpack("d", data)[0]
    return seconds


def _execute(world: World, source: str, writing: int) -> None:
    seal(world)
    collector = Collector(list.clear, 1 << 30, lambda: os._exit(1))
    scope = enter(world, stdin="", output=collector, plan=world.plan)
    code = compile_program(source, world.plan)
    gc.freeze()  # as before a child's program: the world is not gone through again
    started = time.process_time()
    exec(code, scope)
    seconds = time.process_time() - started
    os.write(writing, struct.pack("d", seconds))
    os._exit(0)


def interleaved(
    ours: Callable[[], float], plain: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """Return the fewest seconds of both, in turns: other work on the machine only adds to them."""
    pairs = [(ours(), plain()) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def compiling(source: str, plan: Plan, times: int = _COMPILES) -> Callable[[], float]:
    def once() -> float:
        started = time.perf_counter()
        for _ in range(times):
            with contextlib.suppress(Refused):
                compile_program(source, plan)
        return (time.perf_counter() - started) / times

    return once


def compile_files(files: list[Path], restricted: Plan, unrestricted: Plan) -> Table:
    """Measure what compiling costs real programs: how many times as long as by CPython alone."""
    table = Table("file", "programs", "all together", "median", "nine of ten", title="compile time")
    middling: list[tuple[float, float]] = []
    for path in files:
        found = []
        for source in _sources(path):
            pair = interleaved(
                compiling(source, restricted, 1), compiling(source, unrestricted, 1), 12
            )
            found.append(pair)
            if 40 <= source.count("\n") <= 60:
                middling.append(pair)
        table.add_row(path.stem, *_summary(found))
    table.add_section()
    table.add_row("of 40 to 60 lines", *_summary(middling))
    return table


def _sources(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            source = json.loads(line)["code"]
            with contextlib.suppress(SyntaxError):  # of another Python
                compile(source, "<program>", "exec")
                yield source


def _summary(pairs: list[tuple[float, float]]) -> list[str]:
    if not pairs:
        return ["0", "", "", ""]
    ratios = sorted(slow / fast for slow, fast in pairs)
    whole = sum(slow for slow, _ in pairs) / sum(fast for _, fast in pairs)
    shown = (whole, ratios[len(ratios) // 2], ratios[len(ratios) * 9 // 10])
    return [str(len(pairs)), *(f"{ratio:.2f}" for ratio in shown)]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--compile", nargs="+", type=Path, metavar="FILE", help="see above")
    arguments = parser.parse_args()
    rounds = arguments.rounds
    restricted = Policy.load("contest").plan()
    unrestricted = replace(restricted, language=False)
    if arguments.compile:
        warnings.simplefilter("ignore", SyntaxWarning)
        gc.disable()  # as in a child while it compiles
        Console().print(compile_files(arguments.compile, restricted, unrestricted))
        return
    ours, plain = build_world(restricted), build_world(unrestricted)
    table = Table("program", "plain ms", "language layer ms", "ratio", title="guest time")
    ratios = []
    sources = programs()
    typical = sources.pop("typical")
    for name, source in sources.items():
        slow, fast = interleaved(
            lambda text=source: timed(ours, text),  # type: ignore[misc]
            lambda text=source: timed(plain, text),  # type: ignore[misc]
            rounds,
        )
        ratios.append(slow / fast)
        table.add_row(name, f"{fast * 1e3:.1f}", f"{slow * 1e3:.1f}", f"{slow / fast:.3f}")
    table.add_section()
    table.add_row("geometric mean", "", "", f"{geometric_mean(ratios):.3f}")
    table.add_row("slowest", "", "", f"{max(ratios):.3f}")
    table.add_section()
    for name, source in {"typical": typical, **sources}.items():
        slow, fast = interleaved(compiling(source, restricted), compiling(source, unrestricted), 31)
        row = (f"{fast * 1e3:.3f}", f"{slow * 1e3:.3f}", f"{slow / fast:.3f}")
        table.add_row(f"compile {name}, {source.count(chr(10))} lines", *row)
    Console().print(table)


if __name__ == "__main__":
    main()
