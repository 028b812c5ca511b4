"""Programs that look at whatever can differ from run to run, made of parts by a seed."""

import random
from pathlib import Path

_FIRST, *_PARTS = Path(__file__).with_suffix(".txt").read_text().split("\n---\n")
# After these a program does not go on.
_ENDING = [part for part in _PARTS if part.startswith(("import {refused}", "raise "))]
_ORDINARY = [part for part in _PARTS if part not in _ENDING]
_REFUSED = ("ctypes", "secrets", "socket", "subprocess")
_ENDS = 0.15  # of all programs


def program(seed: int) -> str:
    """Make the program of `seed`: three to seven parts in a row."""
    chance = random.Random(seed)
    chosen = chance.sample(_ORDINARY, chance.randint(3, 7))
    if chance.random() < _ENDS:
        chosen.append(chance.choice(_ENDING))
    text = "\n".join([_FIRST, *chosen])
    for name, value in (
        ("{a}", str(chance.randint(1, 9))),
        ("{b}", str(chance.randint(20, 90))),
        ("{refused}", chance.choice(_REFUSED)),
    ):
        text = text.replace(name, value)
    return text


def every_part() -> list[str]:
    """Make a program for each part alone."""
    return [
        f"{_FIRST}\n{part}".replace("{a}", "3").replace("{b}", "20").replace("{refused}", "socket")
        for part in _PARTS
    ]
