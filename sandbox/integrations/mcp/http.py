"""The HTTP transport of the Model Context Protocol, for clients with a token."""

import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

import uvicorn
from mcp.server import MCPServer

from sandbox.integrations.server.admission.tokens import Tokens
from sandbox.integrations.server.listening import address_of, listen
from sandbox.integrations.server.settings import Settings

_PATH = "/mcp"
_MOST_TRANSPORTS = 1000  # of clients at once
_Scope = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[Any]]
_Send = Callable[[Any], Awaitable[None]]
_REFUSED = b'{"error": "the token is missing or wrong"}'


def owner_of(tokens: Tokens, headers: Mapping[str, str] | None) -> str:
    """Return whose sessions a request with `headers` finds: those of its token."""
    offered = (headers or {}).get("authorization", "")
    return str(tokens.number([offered.encode("latin-1", "replace")]))


def serve_http(server: MCPServer, settings: Settings, about: str) -> None:
    """Serve until SIGTERM or SIGINT. Raises OSError for an address that cannot be had."""
    tokens = Tokens(settings.tokens)
    with listen(settings) as listener:
        app = server.streamable_http_app(
            streamable_http_path=_PATH,
            host="0.0.0.0" if tokens.count else settings.host,
            max_request_body_size=settings.body_bytes,
            session_idle_timeout=settings.session_idle_seconds,
            max_sessions=_MOST_TRANSPORTS,
        )
        config = uvicorn.Config(
            _with_token(app, tokens) if tokens.count else app,
            ws="none",
            access_log=False,
            log_level="error",
            server_header=False,
            timeout_keep_alive=round(settings.idle_seconds),
            timeout_graceful_shutdown=1,  # a client keeps a stream open for as long as it lives
            limit_concurrency=settings.connections,
        )
        print(f"{about} on http://{address_of(listener)}{_PATH}", file=sys.stderr, flush=True)
        uvicorn.Server(config).run(sockets=[listener])


def _with_token(app: Any, tokens: Tokens) -> Any:
    """Return `app` behind a check of the token: without one nothing is asked of it."""

    async def checked(scope: _Scope, receive: _Receive, send: _Send) -> None:
        if scope["type"] == "http":
            offered = [value for name, value in scope["headers"] if name == b"authorization"]
            if tokens.number(offered) is None:
                headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
                start = {"type": "http.response.start", "status": 401, "headers": headers}
                await send(start)
                await send({"type": "http.response.body", "body": _REFUSED})
                return
        await app(scope, receive, send)

    return checked
