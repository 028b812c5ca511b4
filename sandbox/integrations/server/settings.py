"""The bounds of a server: what it may hold, wait for and answer.

`sandbox serve` has options for the address, the tokens, `jobs`, `wait_seconds`, `body_bytes`,
`sessions`, `client_sessions` and `session_idle_seconds`; `held_bytes` grows with `body_bytes`. The
other figures are changed in code, for `server.run.serve`.
"""

import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

TOKEN_VARIABLE = "SANDBOX_TOKEN"
_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One server's bounds. Times are seconds; zero means none, never unlimited.

    `jobs` are run or wait at once, at most; a job that has waited `wait_seconds` is turned away.
    `body_bytes` is the largest request, `held_bytes` what all requests and unsent answers may hold
    together, `batch` the jobs of a batch and `answer_bytes` what their results may be; of `jobs`
    and `held_bytes` no client gets all: see `Budget`. `value_items` and `value_kib` bound a value
    that a program returns, where the policy has more, as it is read in the event loop. A call of
    `/score` has `reward_seconds` with all that its function has executed.

    `helpers` processes read what is too dear for the event loop, with `helper_cpu_seconds` and
    `helper_mib` of address space for each task.

    A client has `read_seconds` for its headers, the same for its body, and for each part of an
    answer that it does not take. Of an answer it has to have taken `least_rate` bytes for every
    second after those. A shutdown waits `grace_seconds` for what was accepted.

    Of `sessions`, their branches among them, a client may have `client_sessions`. One that nobody
    has used for `session_idle_seconds` is evicted.

    Clients are told apart by their token where there are several `tokens`, by their address where
    there is one or none.
    """

    host: str = "127.0.0.1"
    port: int = 8080
    tokens: tuple[str, ...] = ()
    jobs: int = 2048
    batch: int = 1024
    wait_seconds: float = 15.0
    read_seconds: float = 30.0
    grace_seconds: float = 120.0
    idle_seconds: float = 75.0
    body_bytes: int = 16 << 20
    held_bytes: int = 512 << 20
    answer_bytes: int = 128 << 20
    value_items: int = 100_000
    value_kib: int = 4096
    reward_seconds: float = 120.0
    helpers: int = 2
    helper_cpu_seconds: int = 5
    helper_mib: int = 2048
    least_rate: int = 512 << 10
    connections: int = 4096
    sessions: int = 64
    client_sessions: int = 32
    session_idle_seconds: float = 600.0

    def __post_init__(self) -> None:
        if any(len(token) < _SHORTEST_TOKEN for token in self.tokens):
            raise ValueError(f"the token has fewer than {_SHORTEST_TOKEN} characters")
        if not self.tokens and not is_loopback(self.host):
            raise ValueError(
                f"{self.host} can be reached from other machines, and no token is asked for: name a"
                f" file with --token-file or set {TOKEN_VARIABLE}, or stay on 127.0.0.1"
            )


def is_loopback(host: str) -> bool:
    """Return True if only this machine can connect to `host`."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name may mean anything
        return False


def read_tokens(file: Path | None) -> tuple[str, ...]:
    """Read the tokens in `file`, one a line, or the one in the environment.

    Never on the command line, which others can read. Raises ValueError for a file without any,
    for a line that is not one word of ASCII characters and for a token that is there twice;
    OSError.
    """
    text = os.environ.get(TOKEN_VARIABLE, "") if file is None else file.read_text("utf-8")
    tokens = tuple(line.strip() for line in text.splitlines() if line.strip())
    if file is not None and not tokens:
        raise ValueError(f"{file} has no token")
    if not all(token.isascii() and len(token.split()) == 1 for token in tokens):
        raise ValueError("a token is one word of ASCII characters")
    if len(set(tokens)) < len(tokens):
        raise ValueError("the same token is there twice")
    return tokens
