"""One way into the sandbox, used without end by a process of its own, for `benchmarks.chaos`.

    python -m benchmarks.chaos.use DOOR SEED

After each batch, one line of JSON on standard output: how often each outcome was seen so far. It
ends when its standard input does, closes what it opened, and says what is left behind. SIGINT
interrupts a batch as Ctrl-C does, SIGUSR1 makes it fork amid a batch, SIGUSR2 makes it leave
results unread for a while.
"""

import random
import sys

from benchmarks.chaos.door import Door


def door(name: str, seed: int) -> Door:
    """Open the door of that name."""
    chance = random.Random(seed)
    if name == "server":
        from benchmarks.chaos.served import ServerDoor

        return ServerDoor(chance)
    if name == "ray":
        from benchmarks.chaos.cluster import RayDoor

        return RayDoor(chance)
    from benchmarks.chaos.local import LocalDoor

    return LocalDoor(name, chance)


if __name__ == "__main__":
    door(sys.argv[1], int(sys.argv[2])).live()
