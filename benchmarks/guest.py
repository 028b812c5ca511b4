"""What the language layer costs a guest: run time of CPU-heavy programs, and compile time.

    python -m benchmarks.guest [--rounds N]

Each round runs a program both ways, one after the other, each in a fresh fork and with only the
processor time of the compiled code counted; the fastest of the rounds is shown.
"""

import argparse
import os
import struct
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean

from rich.console import Console
from rich.table import Table

from sandbox import Policy
from sandbox.language.compiler import compile_program
from sandbox.language.linking import link
from sandbox.language.stdio import Collector
from sandbox.language.world import World, build_world, enter
from sandbox.policy.plan import Plan

PROGRAMS = Path(__file__).with_name("guest_programs.txt")
_COMPILES = 20


def programs() -> dict[str, str]:
    parts = PROGRAMS.read_text().split("### ")[1:]
    return dict(part.split("\n", 1) for part in parts)


def timed(world: World, source: str) -> float:
    """Seconds of processor time of one execution, in a child."""
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
    collector = Collector(lambda data: None, 1 << 30, lambda: os._exit(1))
    scope = enter(world, stdin="", output=collector, plan=world.plan)
    code = link(compile_program(source, world.plan), world.session.builtins)
    started = time.process_time()
    exec(code, scope)
    seconds = time.process_time() - started
    os.write(writing, struct.pack("d", seconds))
    os._exit(0)


def interleaved(
    ours: Callable[[], float], plain: Callable[[], float], rounds: int
) -> tuple[float, float]:
    """The fewest seconds of both, in turns: other work on the machine only adds to them."""
    pairs = [(ours(), plain()) for _ in range(rounds)]
    return min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)


def compiling(source: str, plan: Plan) -> Callable[[], float]:
    def once() -> float:
        started = time.perf_counter()
        for _ in range(_COMPILES):
            compile_program(source, plan)
        return (time.perf_counter() - started) / _COMPILES

    return once


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    restricted = Policy.load("contest").plan()
    unrestricted = replace(restricted, language=False)
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
