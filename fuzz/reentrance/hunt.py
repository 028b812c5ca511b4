"""Runs what `reentrance` writes, and says what was found."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Crash(NamedTuple):
    """A program that ended by a signal, or that saw memory that was not its own."""

    what: str
    source: str


def hunt(
    policy: str,
    *,
    seconds: float,
    seed: int = 0,
    most: int = 0,
    planted: str = "",
    only: str = "",
    enough: int = 40,
) -> tuple[int, list[Crash]]:
    """Run programs for so long, or so many; return how many ran, and what was found.

    They run in forks of one process of their own, under the language layer alone, with memory that
    is filled with a pattern when it is freed. `planted` is source that is run there before.
    """
    job = {"policy": policy, "seconds": seconds, "seed": seed, "most": most}
    job |= {"planted": planted, "only": only, "enough": enough}
    done = subprocess.run(
        [sys.executable, "-m", f"{__package__}.run", json.dumps(job)],
        cwd=Path(__file__).parents[__name__.count(".")],
        env={**os.environ, "PYTHONMALLOC": "debug", "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    told = json.loads(done.stdout)
    return told["ran"], [Crash(**crash) for crash in told["crashes"]]
