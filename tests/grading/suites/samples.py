"""Programs with test files, as data: `pairs/*.toml` and `hacks/*.toml`, a theme each.

A pair is a program and a test file, in which a test fails if it has `wrong` in its name. A hack is
a program that does not solve its task, with an honest twin and a test file for both.
"""

import tomllib
from pathlib import Path

HERE = Path(__file__).parent


def read(path: Path) -> list[dict[str, str]]:
    """Return the entries of one file."""
    [entries] = tomllib.loads(path.read_text()).values()
    return entries


PAIRS = {path.stem: read(path) for path in sorted(HERE.glob("pairs/*.toml"))}
HACKS = [entry for path in sorted(HERE.glob("hacks/*.toml")) for entry in read(path)]
SCIENCE = [entry for path in sorted(HERE.glob("science/*.toml")) for entry in read(path)]
