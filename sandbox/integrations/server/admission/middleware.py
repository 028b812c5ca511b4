"""The middleware of every request: it admits, counts, and ends jobs of clients that leave."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, MutableMapping
from ipaddress import ip_address
from typing import Any

from sandbox.integrations.server.admission.memory_budget import Share
from sandbox.integrations.server.admission.paths import WITHOUT_TOKEN, Takes, taken_by
from sandbox.integrations.server.admission.tokens import Tokens
from sandbox.integrations.server.admission.visits import Visit, by_address, current
from sandbox.integrations.server.bodies.received import BODY, Received, received
from sandbox.integrations.server.bodies.strict_json import write_json
from sandbox.integrations.server.jobs import JobQueue
from sandbox.integrations.server.metrics import Metrics
from sandbox.integrations.server.settings import Settings

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CUT = "sandbox.cut"  # in a scope: what ends its connection at once, whatever is still unsent
_PIECE_BYTES = 1 << 16
_DRAIN_SECONDS = 2.0
_STRANGERS = {400, 401, 421}  # a client refused so has not shown that it may send anything
_SERVER_GONE = 499  # no answer was sent: the client had left


class Refusal(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Admission:
    """The application behind its admission: an ASGI middleware."""

    def __init__(self, app: App, settings: Settings, jobs: JobQueue, metrics: Metrics) -> None:
        self._app, self._settings, self._jobs, self._metrics = app, settings, jobs, metrics
        self._budget = jobs.budget
        self._tokens = Tokens(settings.tokens)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request in, or say why not."""
        if scope["type"] != "http":
            return
        knows = self._tokens.number(_all(scope, "authorization"))
        client = self._client(scope, knows)
        with self._budget.share(client) as share:
            current.set(Visit(client, share, "" if knows is None else f"token {knows}"))
            reply = _Reply(send, scope.get(CUT), share, self._settings)
            try:
                self._check_caller(scope, knows is not None)
                await self._admit(scope, receive, reply, share)
            except Refusal as refusal:
                known = refusal.status not in _STRANGERS
                await _drain(receive, self._settings.body_bytes if known else _PIECE_BYTES)
                await reply.refuse(refusal)
            finally:
                self._metrics.answered(scope["path"], reply.status)

    # -- which client it is

    def _check_caller(self, scope: Scope, has_token: bool) -> None:
        if _all(scope, "transfer-encoding") and _all(scope, "content-length"):
            # A proxy in front may go by the one and find another request where we go by the other.
            raise Refusal(400, "a body has a length or comes in chunks, not both")
        if self._tokens.count:
            if scope["path"] not in WITHOUT_TOKEN and not has_token:
                raise Refusal(401, "the token is missing or wrong")
        elif not _is_own_name(_all(scope, "host"), self._settings.host):
            # A page in a browser can reach a loopback port under a name of its own (DNS rebinding).
            raise Refusal(421, "ask for this host by its address, or have a token")

    def _client(self, scope: Scope, token: int | None) -> str:
        """Return the client whose share of the server's this is."""
        if token is not None and self._tokens.count > 1:
            return f"token {token}"
        return by_address(scope["client"][0]) if scope.get("client") else ""

    # -- what

    async def _admit(self, scope: Scope, receive: Receive, reply: "_Reply", share: Share) -> None:
        takes = taken_by(scope["method"], scope["path"])
        if takes is Takes.NOTHING:
            await self._app(scope, receive, reply)
        elif takes is Takes.NO_BODY:
            await self._until_gone(scope, receive, reply)
        else:
            self._check_body(scope, share, is_json=takes is Takes.JSON)
            await self._with_body(scope, receive, reply, share)

    async def _with_body(
        self, scope: Scope, receive: Receive, reply: "_Reply", share: Share
    ) -> None:
        with received() as body:
            try:
                async with asyncio.timeout(self._settings.read_seconds):
                    is_whole = await self._read(body, receive, share)
            except TimeoutError:
                seconds = self._settings.read_seconds
                raise Refusal(408, f"the body did not come within {seconds:g} seconds") from None
            if is_whole:
                await self._until_gone({**scope, BODY: body}, receive, reply)

    def _check_body(self, scope: Scope, share: Share, *, is_json: bool) -> None:
        kinds = _all(scope, "content-type")
        if is_json and not _are_json(kinds):
            # Which also keeps a browser from sending a job for a page without asking first.
            raise Refusal(415, "the content type must be application/json")
        if _all(scope, "content-encoding"):
            raise Refusal(415, "a body is taken as it is: no content encoding")
        for length in _all(scope, "content-length"):
            if not length.isdigit() or int(length[:20]) > self._settings.body_bytes:
                raise self._too_large()
        if not self._jobs.queue.has_room(current.get().client) or not share.has_room():
            raise Refusal(504, "the server is full for this client: try again")

    async def _read(self, body: Received, receive: Receive, share: Share) -> bool:
        """Have all of the body; False if the client is gone. Raises Refusal before too much is
        held."""
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return False
            part = message.get("body", b"")
            refusal = self._refusal_of(len(part), share)
            if refusal is None:
                share.add(len(part))
                try:
                    body.add(part)
                except OSError:
                    refusal = Refusal(504, "the server has no room for the body: try again")
            if refusal is not None:
                body.close()
                share.add(-share.held)  # what follows is dropped as it comes
                raise refusal
            if not message.get("more_body", False):
                return True

    def _refusal_of(self, count: int, share: Share) -> Refusal | None:
        """Say why `count` more bytes of a body are not taken; None if they are."""
        if share.held + count > self._settings.body_bytes:
            return self._too_large()
        if not share.has_room(count):
            return Refusal(504, "the server holds too much for this client: try again")
        return None

    def _too_large(self) -> Refusal:
        return Refusal(413, f"the body is larger than {self._settings.body_bytes} bytes")

    # -- until when

    async def _until_gone(self, scope: Scope, receive: Receive, reply: "_Reply") -> None:
        """Run the application; a client that leaves takes its jobs with it."""
        running = asyncio.ensure_future(self._app(scope, _nothing_more, reply))
        leaving = asyncio.ensure_future(_wait_for_end(receive))
        try:
            await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                self._metrics.abandoned()
        finally:
            leaving.cancel()
            if not running.done():
                running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


class _Reply:
    """Sends an answer in pieces, each when the client has taken enough of those before.

    A client that takes fewer than `least_rate` bytes a second, over all of it, is cut off.
    """

    def __init__(
        self, send: Send, cut: Callable[[], None] | None, share: Share, settings: Settings
    ) -> None:
        self._send, self._cut, self._share = send, cut, share
        self._settings = settings
        self._begun, self._sent = 0.0, 0
        self.status = _SERVER_GONE

    async def __call__(self, message: Message) -> None:
        if message["type"] != "http.response.body":
            self._begun = asyncio.get_running_loop().time()
            self.status = message["status"]
            await self._send(message)
            return
        body = memoryview(message.get("body", b""))
        more = message.get("more_body", False)
        for start in range(0, max(len(body), 1), _PIECE_BYTES):
            piece = bytes(body[start : start + _PIECE_BYTES])
            await self._deliver(piece, more or start + _PIECE_BYTES < len(body))
            await asyncio.sleep(0)  # a client that takes all at once would have the loop to itself

    async def _deliver(self, piece: bytes, more: bool) -> None:
        patience = self._settings.read_seconds + self._sent / self._settings.least_rate
        self._share.add(len(piece))
        try:
            async with asyncio.timeout_at(self._begun + patience):
                message = {"type": "http.response.body", "body": piece, "more_body": more}
                await self._send(message)
        except TimeoutError:
            if self._cut is None:
                raise
            self._cut()
            await asyncio.sleep(0)  # from here on the server knows, and takes what comes as sent
        finally:
            self._share.add(-len(piece))
        self._sent += len(piece)

    async def refuse(self, refusal: Refusal) -> None:
        """Answer with the reason, and end the connection: what follows is not read."""
        headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
        if refusal.status == 401:
            headers.append((b"www-authenticate", b"Bearer"))
        body = write_json({"fault": refusal.reason})
        headers.append((b"content-length", str(len(body)).encode()))
        await self({"type": "http.response.start", "status": refusal.status, "headers": headers})
        await self({"type": "http.response.body", "body": body})


async def _drain(receive: Receive, most: int) -> None:
    """Read on for a moment: a client that is still sending would never see the answer."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            more = True
            while more and most > 0:
                message = await receive()
                most -= len(message.get("body", b""))
                more = message["type"] == "http.request" and message.get("more_body", False)


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _nothing_more() -> Message:
    """Tell an application, which finds the body in its scope, that none is left to receive."""
    return {"type": "http.request", "body": b"", "more_body": False}


def _all(scope: Scope, name: str) -> list[bytes]:
    return [value for key, value in scope["headers"] if key == name.encode()]


def _are_json(kinds: list[bytes]) -> bool:
    return len(kinds) == 1 and kinds[0].split(b";")[0].strip().lower() == b"application/json"


def _is_own_name(headers: list[bytes], host: str) -> bool:
    name = headers[0].decode("latin-1") if len(headers) == 1 else ""
    bare = name.rsplit(":", 1)[0] if not name.endswith("]") else name
    if bare in ("localhost", host):
        return True
    try:
        ip_address(bare.strip("[]"))
    except ValueError:
        return False
    return True
