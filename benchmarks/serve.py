"""Many connections at once to `sandbox serve`: is every request answered, and none wrongly?

    python -m benchmarks.serve [--seconds 60] [--connections 512] [--workers N]

Starts a server on loopback, and keeps so many connections in flight for so long. Each is new, as
verl's are, and asks for a program of its own whose output no other has. Exit status 1 if one is
answered wrongly, or not at all. Client and server share the machine's processors.
"""

import argparse
import asyncio
import json
import os
import sys
import time
from collections import Counter
from statistics import quantiles

from rich.console import Console

from benchmarks.serving import served

_CODE = """\
def fibonacci(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n = n - 1
    return a

number = int(input())
print({salt}, number, fibonacci(number % 100))
"""
_WAIT_SECONDS = 300  # for one answer; the server's queue is as patient


def fibonacci(n: int) -> int:
    """Compute here what the programs compute."""
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def request(number: int) -> tuple[bytes, str]:
    """Return the bytes that ask for program `number`, and what it must print."""
    asked = {"code": _CODE.format(salt=number * 7919), "stdin": f"{number}\n", "run_timeout": 10}
    body = json.dumps({**asked, "language": "python", "compile_timeout": 10}).encode()
    head = (
        "POST /run_code HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        f"connection: close\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body, f"{number * 7919} {number} {fibonacci(number % 100)}\n"


class Tally:
    """The outcomes of the requests."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.next = 0

    async def ask(self, port: int) -> None:
        """Send one request on a connection of its own."""
        self.next += 1
        data, expected = request(self.next)
        begun = time.perf_counter()
        try:
            async with asyncio.timeout(_WAIT_SECONDS):
                answer = await _exchange(port, data)
        except (OSError, TimeoutError, ValueError) as error:
            self.outcomes[f"lost: {type(error).__name__}"] += 1
            return
        self.seconds.append(time.perf_counter() - begun)
        self.outcomes[_judge(answer, expected)] += 1


async def _exchange(port: int, data: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(data)
        return await reader.read()
    finally:
        writer.close()


def _judge(answer: bytes, expected: str) -> str:
    head, _, body = answer.partition(b"\r\n\r\n")
    status = head.split(b" ")[1:2]
    if status != [b"200"]:
        return f"lost: HTTP {b''.join(status).decode()}"
    said = json.loads(body)
    right = said["status"] == "Success" and said["run_result"]["stdout"] == expected
    return "right" if right else f"wrong: {said['status']}"


def options(connections: int, workers: int | None) -> list[str]:
    """Return the options for starting the server so that it has room for so many connections."""
    jobs = connections * 2  # one client alone may have four fifths of them
    chosen = ["--wait", str(_WAIT_SECONDS), "--jobs", str(jobs)]
    return chosen if workers is None else [*chosen, "--workers", str(workers)]


async def load(port: int, connections: int, seconds: float) -> tuple[Tally, float]:
    """Keep `connections` in flight for `seconds`, then let each have its answer."""
    tally, begun = Tally(), time.perf_counter()

    async def one() -> None:
        while time.perf_counter() - begun < seconds:
            await tally.ask(port)

    await asyncio.gather(*(one() for _ in range(connections)))
    return tally, time.perf_counter() - begun


def main() -> int:
    """Run the benchmark and print what was seen."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--connections", type=int, default=512)
    parser.add_argument("--workers", type=int, default=None)
    arguments = parser.parse_args()
    before = os.getloadavg()[0]
    with served(*options(arguments.connections, arguments.workers)) as port:
        tally, took = asyncio.run(load(port, arguments.connections, arguments.seconds))
    console = Console(highlight=False)
    asked, right = tally.next, tally.outcomes["right"]
    console.print(f"{asked} requests in {took:.1f} s, {arguments.connections} at once")
    console.print(", ".join(f"{name} {count}" for name, count in sorted(tally.outcomes.items())))
    if len(tally.seconds) > 1:
        cuts = quantiles(tally.seconds, n=100)
        console.print(
            f"p50 {cuts[49] * 1000:.0f} ms, p99 {cuts[98] * 1000:.0f} ms,"
            f" {len(tally.seconds) / took:.0f} answers/s"
        )
    console.print(f"load of the machine before: {before:.1f}, processors: {os.cpu_count()}")
    return 0 if right == asked > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
