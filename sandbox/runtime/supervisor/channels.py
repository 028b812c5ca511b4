"""The supervisor's side of its few words with the caller."""

from __future__ import annotations  # a class that is named in one would be found there

import _socket
import os
import struct
import sys
from typing import NamedTuple

from sandbox.runtime.wire import protocol


class Request(NamedTuple):
    """A caller waits on `channel` for a child."""

    channel: _socket.socket
    cpu_seconds: float
    less_bytes: int
    session: int  # 1 if a child is to be the keeper of one


def read_request(control: _socket.socket) -> Request:
    """Read one request. Ends the process if the caller is gone, or says anything else."""
    data, ancillary, _, _ = control.recvmsg(protocol.REQUEST.size, _socket.CMSG_SPACE(4))
    if not data:
        sys.exit()
    if len(data) != protocol.REQUEST.size or len(ancillary) != 1:
        sys.exit("a message on the control socket is not a request")
    (descriptor,) = struct.unpack("@i", ancillary[0][2][:4])
    channel = _socket.socket(fileno=descriptor)
    channel.setblocking(False)
    return Request(channel, *protocol.REQUEST.unpack(data))


def watch(pid: int) -> int | None:
    """Return a descriptor that tells when the caller ends, should a fork of it keep the socket."""
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:  # before Linux 5.3, or refused by a container's filter: the socket tells
        return None
    if os.getppid() != pid:
        sys.exit("the caller ended while the supervisor started")
    return descriptor


def wants_stop(channel: _socket.socket) -> bool:
    """Say whether the caller asks to end the child; False if it said anything else, or is gone."""
    try:
        return channel.recv(16) == protocol.STOP
    except OSError:
        return False


def refuse(channel: _socket.socket, reason: str) -> None:
    """Say that there will be no child, and why."""
    tell(channel, protocol.FAULT + reason.encode()[:1000])
    channel.close()


def tell(channel: _socket.socket, message: bytes) -> None:
    """Send `message`, if the caller still listens."""
    try:  # no `suppress`: to make one costs a supervisor two dozen pages
        channel.send(message)
    except OSError:
        return
