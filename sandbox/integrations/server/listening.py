"""The address that a server listens on."""

import errno
import socket

from sandbox.integrations.server.settings import Settings

BACKLOG = 2048


def listen(settings: Settings) -> socket.socket:
    """Return a socket that listens. Raises OSError, which says what to do."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:  # the latter for a port above 65,535
        listener.close()
        raise OSError(_told(settings, error)) from error
    return listener


def address_of(listener: socket.socket) -> str:
    """Return the address and port of `listener`, as they stand in a URL."""
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _told(settings: Settings, error: OSError | OverflowError) -> str:
    """Say which address the server cannot have, and what to do."""
    where = f"port {settings.port} of {settings.host}"
    if isinstance(error, OverflowError):
        return f"{where}: a port is a number from 0 to 65535"
    if error.errno == errno.EADDRINUSE:
        return (
            f"{where} is in use by another process (`ss -ltnp` tells which): end that, or take"
            " another with --port; --port 0 takes a free one"
        )
    if error.errno == errno.EACCES:
        return f"{where}: only root may listen below 1024: take a higher one with --port"
    return f"{where}: {error.strerror or error}: give an address of this machine with --host"
