"""Bytes as a client of its own sends them, and what comes back."""

import re
import socket
import time

JOB = {"code": "print(6 * 7)"}
HEAD = b"POST /run_code HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"


def everything(connection: socket.socket) -> bytes:
    """What comes until the other side closes."""
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def dribbled_seconds(connection: socket.socket) -> float:
    """How long the server lets a client send one letter after the other."""
    begun = time.monotonic()
    try:
        while time.monotonic() - begun < 10:
            connection.sendall(b"G")
            time.sleep(0.05)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return time.monotonic() - begun


def status_of(answer: bytes) -> int:
    found = re.match(rb"HTTP/1\.1 (\d+) ", answer)
    assert found, answer[:200]
    return int(found[1])
