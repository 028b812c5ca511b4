"""Does a server answer an honest client in time while another attacks it with what it sends?

Used by `benchmarks.hostile`. The attacker has another address of loopback, and keeps a few
connections busy. It is a process of its own: as threads of the honest client's process it would
keep that client waiting for the interpreter's lock, which is no fault of the server's. Server,
honest client and attacker share this machine's processors all the same, and with whatever else runs
on it, so quiet stretches stand between the attacks: each attack is held against the one before and
the one after it. A p99 of fewer than 300 answers is no more than its slowest three: it is marked.
"""

import json
import multiprocessing
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from statistics import quantiles
from typing import NamedTuple

from rich.table import Table

from benchmarks.serving import served

_ATTACKER, _CONNECTIONS = "127.0.0.2", 4
_HEAD = "POST {} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
_HONEST = json.dumps({"code": "print(int(input()) + 1)", "stdin": "41"}).encode()
_TYPE = {"content-type": "application/json"}
_PAUSE_SECONDS = 0.01
_MOST_TIMES = 5  # that an honest client's slowest answers may take longer
_MOST_PING_MS = 100
_FEWEST = 300  # answers, for a p99 that is more than its two or three slowest
_QUIET_SHARE = 0.5  # of the time that an attack has, before and after each


def _asking(path: str, body: bytes) -> bytes:
    head = _HEAD.format(path) + f"content-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def _reward(label: object) -> bytes:
    code = "p```python\ndef f(x=0):\n    return x\nprint(input())\n```"
    body = {"query": [code], "prompts": ["p"], "labels": [label]}
    return _asking("/get_reward", json.dumps(body).encode())


def _execute(**job: object) -> bytes:
    return _asking("/execute", json.dumps(job).encode())


_COLLIDING = {str((2**61 - 1) * n): 0 for n in range(1, 60_000)}
_PRINTS = "import sys\nfor _ in range(15):\n    print({!r} * (1 << 20))"
# What is sent again and again; each is as dear as a server takes it.
ATTACKS: dict[str, Callable[[], bytes]] = {
    "a body of escapes": lambda: _asking("/execute", b'["' + b"\\n" * ((8 << 20) - 2) + b'"]'),
    "a body of escapes and commas": lambda: _asking(
        "/execute", b'["' + b"\\n" * (7 << 20) + b'","' + b"," * (1 << 20) + b'"]'
    ),
    "many values": lambda: _execute(
        code="def f(*a): return 1", entry="f", args=[[]] * 95_000, stdin="x" * (1 << 16)
    ),
    "long integers": lambda: _asking("/execute", b"[" + (b"9" * 4300 + b",") * 3800 + b"1]"),
    "many fields": lambda: _execute(code="1", **{f"x{n}": n for n in range(90_000)}),
    "many names of arguments": lambda: _execute(
        code="def f(**a): return 1", entry="f", kwargs={f"x{n}": n for n in range(47_000)}
    ),
    "a long stdin": lambda: _execute(code="1", stdin="x" * (15 << 20)),
    "a long program": lambda: _execute(code="x" * (15 << 20)),
    "a long argument": lambda: _execute(code="def f(a): 1", entry="f", args=["é" * (2 << 20)]),
    "a batch of long inputs": lambda: _asking(
        "/execute_batch",
        json.dumps({"jobs": [{"code": "1", "stdin": "x" * (1 << 20)}] * 15}).encode(),
    ),
    "a batch of wrong jobs": lambda: _asking(
        "/execute_batch", json.dumps({"jobs": [dict.fromkeys("abcdefgh", 1)] * 1024}).encode()
    ),
    "tests: fields in an f-string": lambda: _reward({"test_list": ["x = f'" + "{a}" * 300_000]}),
    "tests: names": lambda: _reward({"test_list": ["a\n" * 500_000]}),
    "tests: keys of one hash": lambda: _reward(
        {"fn_name": "f", "inputs": [[_COLLIDING]], "outputs": [1]}
    ),
    "tests: values": lambda: _reward(
        {"fn_name": "f", "inputs": ["[" + "[]," * 240_000 + "1]"], "outputs": ["1"]}
    ),
    "tests: thousands": lambda: _reward({"inputs": ["1"] * 5000, "outputs": ["1"] * 5000}),
    "tests: a long text": lambda: _reward({"test_list": ["x" * (15 << 20)]}),
    "tests: a long input": lambda: _reward({"inputs": ["1" * (15 << 20)], "outputs": ["1"]}),
    "a long output, asked for twice": lambda: _execute(code=_PRINTS.format("\ufffd"[:1])),
    "a batch of long outputs": lambda: _asking(
        "/execute_batch", json.dumps({"jobs": [{"code": _PRINTS.format("x")}] * 8}).encode()
    ),
    "a returned value of escapes": lambda: _execute(
        code="def f(): return '\\n' * (1 << 20)", entry="f"
    ),
    "a returned value of many items": lambda: _execute(
        code="def f(): return [[]] * 90_000", entry="f"
    ),
}


class Seen(NamedTuple):
    """The seconds that an honest client waited for its answers, for /v1/ping and for /metrics."""

    answers: list[float]
    pings: list[float]
    refused: int

    @property
    def p50(self) -> float:
        """The median of the answers, in milliseconds."""
        return self._quantile(50)

    @property
    def p99(self) -> float:
        """The 99th percentile of the answers, in milliseconds."""
        return self._quantile(99)

    def _quantile(self, number: int) -> float:
        cuts = quantiles(self.answers, n=100) if len(self.answers) > 1 else [0.0] * 99
        return cuts[number - 1] * 1000

    def and_(self, other: "Seen") -> "Seen":
        """Return both stretches as one."""
        both = self.answers + other.answers, self.pings + other.pings
        return Seen(*both, self.refused + other.refused)


def honest(port: int, seconds: float) -> Seen:
    """Ask one thing after the other, each on a connection of its own, as verl's client does."""
    seen = Seen([], [], 0)
    refused, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        status, took = _timed(port, "POST", "/run_code")
        if status == 200:
            seen.answers.append(took)
        else:
            refused += 1
        for path in ("/v1/ping", "/metrics"):
            seen.pings.append(_timed(port, "GET", path)[1])
        time.sleep(_PAUSE_SECONDS)
    return seen._replace(refused=refused)


def _timed(port: int, verb: str, path: str) -> tuple[int, float]:
    begun = time.perf_counter()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        post = verb == "POST"
        connection.request(verb, path, _HONEST if post else None, _TYPE if post else {})
        response = connection.getresponse()
        response.read()
    finally:
        connection.close()
    return response.status, time.perf_counter() - begun


@contextmanager
def attacked(port: int, data: bytes, *, reads_slowly: bool = False) -> Iterator[None]:
    """Have a process send `data` again and again, on a few connections, to the end of the block."""
    arguments = port, data, reads_slowly
    attacker = multiprocessing.get_context("spawn").Process(
        target=_attack, args=arguments, daemon=True
    )
    attacker.start()
    try:
        yield
    finally:
        attacker.kill()
        attacker.join()


def _attack(port: int, data: bytes, reads_slowly: bool) -> None:
    """Attack the server, in the attacker's process, until it is killed."""

    def attack() -> None:
        while True:
            with suppress(OSError), _connect(port) as connection:
                connection.sendall(data)
                while connection.recv(1 << (12 if reads_slowly else 18)):
                    if reads_slowly:
                        time.sleep(0.05)
                    connection.settimeout(1)
            time.sleep(_PAUSE_SECONDS)

    for _ in range(_CONNECTIONS):
        threading.Thread(target=attack).start()


def _connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), 30, (_ATTACKER, 0))
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
    return connection


def measure(seconds: float) -> Table:
    """Measure the honest client's figures without an attack, and under each."""
    table = Table(title=f"an honest client of a server under attack, {seconds:g} s each")
    columns = ("attack", "answers", "refused", "p50 ms", "p99 ms", "quiet p99 ms")
    columns += ("times quiet", "slowest ping, /metrics ms")
    for column in columns:
        table.add_column(column)
    slow = {"slow readers": ATTACKS["a batch of long outputs"]}
    with served("--workers", "2") as port:
        with attacked(port, ATTACKS["tests: thousands"]()):
            honest(port, 2)  # so that all that is started at its first use has been
        before = honest(port, seconds * _QUIET_SHARE)
        for name, data in {**ATTACKS, **slow}.items():
            with attacked(port, data(), reads_slowly=name in slow):
                time.sleep(1)
                seen = honest(port, seconds)
            time.sleep(1)  # what it left behind ends
            after = honest(port, seconds * _QUIET_SHARE)
            _add(table, name, seen, before.and_(after))
            before = after
    return table


def _add(table: Table, name: str, seen: Seen, quiet: Seen) -> None:
    times, ping = seen.p99 / max(quiet.p99, 1e-3), max(seen.pings) * 1000
    few = "" if min(len(seen.answers), len(quiet.answers)) >= _FEWEST else "  few answers"
    late = "" if times <= _MOST_TIMES else "  late"
    row = (name, f"{len(seen.answers)}, quiet {len(quiet.answers)}", str(seen.refused))
    figures = (f"{seen.p50:.1f}", f"{seen.p99:.1f}", f"{quiet.p99:.1f}", f"{times:.1f}{late}{few}")
    table.add_row(*row, *figures, f"{ping:.0f}" + ("" if ping <= _MOST_PING_MS else "  late"))
