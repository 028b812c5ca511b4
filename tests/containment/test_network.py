"""No listener of the host is reached, by the filter and without it."""

import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from sandbox import Result, Sandbox, Status

Native = Callable[..., Result]


@pytest.fixture
def listener() -> Iterator[tuple[int, list[str]]]:
    """TCP, UDP and abstract Unix listeners of ours on one port number, and who reached them."""
    reached: list[str] = []
    tcp = socket.create_server(("127.0.0.1", 0))
    port = tcp.getsockname()[1]
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.bind(("127.0.0.1", port))
    unix = socket.socket(socket.AF_UNIX)
    unix.bind(f"\0containment-{port}")
    unix.listen()
    sockets = {"tcp": tcp, "udp": udp, "unix": unix}
    threads = [
        threading.Thread(target=_record, args=(name, s, reached)) for name, s in sockets.items()
    ]
    for thread in threads:
        thread.start()
    yield port, reached
    _reach_all(port)  # the positive control, and what ends the threads
    for thread in threads:
        thread.join(10)
    for each in sockets.values():
        each.close()
    assert sorted(reached) == ["tcp", "udp", "unix"]


def _record(name: str, listening: socket.socket, reached: list[str]) -> None:
    if name == "udp":
        said = listening.recv(100)
    else:
        connection, _ = listening.accept()
        with connection:
            said = connection.recv(100)
    reached.append(name if said == b"control" else f"{name} by a guest")


def _reach_all(port: int) -> None:
    for address, family, kind in (
        (("127.0.0.1", port), socket.AF_INET, socket.SOCK_STREAM),
        (("127.0.0.1", port), socket.AF_INET, socket.SOCK_DGRAM),
        (f"\0containment-{port}", socket.AF_UNIX, socket.SOCK_STREAM),
    ):
        with socket.socket(family, kind) as client:
            client.connect(address)
            client.send(b"control")


CONNECT = """
import socket
port, kind = int(input()), input()
family = socket.AF_UNIX if kind == "unix" else socket.AF_INET
client = socket.socket(family, socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM)
client.connect(f"\\0containment-{port}" if kind == "unix" else ("127.0.0.1", port))
client.send(b"guest")
print("through")
"""


# Of TCP what the kernel does not ask Landlock about.
UNASKED = """
import socket
port, kind = int(input()), input()
if kind == "mptcp":
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(("127.0.0.1", port))
else:
    socket.socket().sendto(b"guest", socket.MSG_FASTOPEN, ("127.0.0.1", port))
print("through")
"""
WAYS = {
    **dict.fromkeys(("tcp", "udp", "unix"), CONNECT),
    **dict.fromkeys(("mptcp", "fast open"), UNASKED),
}


@pytest.mark.parametrize("kind", WAYS)
def test_no_listener_of_the_host_is_reached(
    native: Native, listener: tuple[int, list[str]], kind: str
) -> None:
    port, reached = listener
    result = native(WAYS[kind], f"{port}\n{kind}\n")
    assert (result.status, result.stdout, reached) == (Status.ERROR, "", [])
    assert result.error.startswith("PermissionError")


def test_no_network_without_the_filter_either(
    without: Callable[..., Sandbox], listener: tuple[int, list[str]], native: Native
) -> None:
    sandbox = without("seccomp", "rlimits")
    if "namespaces" not in sandbox.layers:
        pytest.skip("this host has no namespaces; Landlock alone does not promise UDP")
    port, reached = listener
    for kind, code in WAYS.items():
        result = native(code, f"{port}\n{kind}\n", sandbox=sandbox)
        assert (result.status, reached) == (Status.ERROR, [])
