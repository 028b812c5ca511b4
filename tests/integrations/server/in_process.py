"""Asking an application of ours within this process, over ASGI, as a server would."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from typing import Any

from sandbox import Sandbox
from sandbox.integrations.server.app import create_app
from sandbox.integrations.server.settings import Settings

Ask = Callable[..., Awaitable[tuple[int, bytes]]]
_PART_BYTES = 1 << 12  # as a connection reads them


def served(sandbox: Sandbox, use: Callable[[Ask], Awaitable[None]], **settings: Any) -> None:
    """Let `use` ask `path` with a body, which is made JSON unless it is bytes.

    `leaves` has the client go before the last part; `took` is called with each part of the answer.
    """

    async def main() -> None:
        app = create_app(sandbox, Settings(**settings))

        async def ask(
            path: str,
            body: Any,
            *,
            leaves: bool = False,
            took: Callable[[bytes], object] = lambda _: None,
        ) -> tuple[int, bytes]:
            data = memoryview(body if isinstance(body, bytes) else json.dumps(body).encode())
            starts = iter(range(0, max(len(data), 1), _PART_BYTES))
            parts: list[bytes] = []
            status = 0

            async def receive() -> Any:
                start = next(starts, None)
                if start is None:
                    return await asyncio.Future()
                end = start + _PART_BYTES
                more = end < len(data)
                if leaves and not more:
                    return {"type": "http.disconnect"}
                part = bytes(data[start:end])
                return {"type": "http.request", "body": part, "more_body": more}

            async def send(message: Any) -> None:
                nonlocal status
                status = message.get("status", status)
                parts.append(message.get("body", b""))
                took(parts[-1])

            headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
            scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
            rest = {"query_string": b"", "client": ("127.0.0.1", 1), "raw_path": path.encode()}
            with contextlib.suppress(LookupError):  # answered, and raised again for the log
                await app({**scope, **rest}, receive, send)
            return status, b"".join(parts)

        await use(ask)

    asyncio.run(main())
