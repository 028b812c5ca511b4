"""One connection's clocks, which uvicorn does not have: a client that stalls is let go."""

import asyncio
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from sandbox.integrations.server.admission.middleware import CUT
from sandbox.integrations.server.settings import Settings

_FULL = b"HTTP/1.1 504 Gateway Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_HEARING_SECONDS = 1.0
# At once from one client: the parser's work is per chunk, and a chunk can be a single byte. What
# asyncio reads otherwise, 256 KiB, can keep all other clients waiting for seconds.
_READ_BYTES = 1 << 12


def connection_class(settings: Settings) -> type[H11Protocol]:
    """Return the protocol for uvicorn, held to `settings`."""

    class Connection(_Connection):
        read_seconds = settings.read_seconds
        most = settings.connections

    return Connection


class _Connection(H11Protocol):
    """HTTP/1.1 with a time for headers, and one for each part of an answer to be taken."""

    read_seconds: float
    most: int

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._asking: asyncio.TimerHandle | None = None
        self._taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a client that came; one too many is told so, and jobs keep their descriptors."""
        super().connection_made(transport)
        transport.max_size = _READ_BYTES  # type: ignore[attr-defined]
        if len(self.connections) > self.most:
            transport.write(_FULL)
            transport.close()
        else:
            self._start_asking()

    def connection_lost(self, exc: Exception | None) -> None:
        """End what belongs to the connection, however it ended."""
        self._stop_asking()
        self._stop_taking()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes: headers, or a body's, whose time is for the middleware to bound."""
        if self._asking is None and self._is_between_requests():
            self._start_asking()
        super().data_received(data)

    def handle_events(self) -> None:
        """Look at whatever came; once a request is there, its headers are."""
        super().handle_events()
        if self.scope is not None:
            cast("dict[str, Any]", self.scope)[CUT] = self.transport.abort
        if not self._is_between_requests():
            self._stop_asking()

    def shutdown(self) -> None:
        """Stop with the server. A client that has just come may have asked already: it is heard."""
        if self.cycle is None and not self.transport.is_closing():
            self.loop.call_later(_HEARING_SECONDS, self._shut_down)
        else:
            self._shut_down()

    def on_response_complete(self) -> None:
        """Start the time for what the client has not taken yet, as an answer is written."""
        super().on_response_complete()
        if self.transport.get_write_buffer_size():
            self._start_taking()

    def pause_writing(self) -> None:
        """Note that the client takes nothing at the moment."""
        super().pause_writing()
        self._start_taking()

    def resume_writing(self) -> None:
        """Note that the client has taken what was written."""
        self._stop_taking()
        super().resume_writing()

    def _shut_down(self) -> None:
        if not self.transport.is_closing():
            super().shutdown()

    def _is_between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _start_asking(self) -> None:
        self._asking = self.loop.call_later(self.read_seconds, self._give_up_asking)

    def _stop_asking(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None

    def _give_up_asking(self) -> None:
        self._asking = None
        self.transport.abort()

    def _start_taking(self) -> None:
        self._stop_taking()
        self._taking = self.loop.call_later(self.read_seconds, self._give_up_taking)

    def _stop_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _give_up_taking(self) -> None:
        self._taking = None
        if self.transport.get_write_buffer_size():
            self.transport.abort()
