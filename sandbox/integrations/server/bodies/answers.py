"""Answers as they leave: made and sent in pieces, and counted as long as they are held."""

import asyncio
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from fastapi.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from sandbox.integrations.server.admission.visits import current
from sandbox.integrations.server.bodies.strict_json import pieces, write_json

Rendered = list[bytes]


class Answer(JSONResponse):
    """JSON that every client can read, of what the server says itself, which is short."""

    def render(self, content: Any) -> bytes:
        """Return the body as JSON."""
        return write_json(content)


async def rendered(value: Any) -> Rendered:
    """Make `value` JSON, in pieces, each counted for the client; others are served between them.

    Raises ValueError for NaN and infinities.
    """
    share, made = current.get().share, Rendered()
    for piece in pieces(value):
        made.append(piece)
        share.add(len(piece))
        await asyncio.sleep(0)
    return made


class LongAnswer(Response):
    """JSON that was rendered before. What is sent is no longer held."""

    media_type = "application/json"

    def __init__(self, parts: Sequence[bytes]) -> None:
        """Make an answer of `parts`: what `rendered` gave, and what stands between."""
        super().__init__()
        self._parts = list(parts)
        self.headers["content-length"] = str(sum(map(len, self._parts)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        share = current.get().share
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        self._parts.reverse()
        while self._parts:
            part = self._parts.pop()
            await send({"type": "http.response.body", "body": part, "more_body": True})
            share.add(-min(len(part), share.held))
        await send({"type": "http.response.body", "body": b"", "more_body": False})


class FileContent(LongAnswer):
    """A file of a program's as it is, which no browser shows as a page."""

    media_type = "application/octet-stream"
    _HEADERS = MappingProxyType(
        {
            "content-disposition": "attachment",
            "x-content-type-options": "nosniff",
            "content-security-policy": "sandbox; default-src 'none'",
        }
    )

    def __init__(self, content: bytes) -> None:
        """Make an answer of `content`, which is counted for the client until it is sent."""
        super().__init__([content])
        current.get().share.add(len(content))
        self.headers.update(self._HEADERS)


async def long_answer(value: Any) -> LongAnswer:
    """Make `value` the answer: what a program gave, of whatever size."""
    return LongAnswer(await rendered(value))


def between(items: Sequence[Rendered], before: bytes, after: bytes) -> LongAnswer:
    """Make a list of `items` that were rendered one by one, with what stands around it."""
    parts = [before]
    for number, item in enumerate(items):
        parts += [b","] * bool(number) + item
    return LongAnswer([*parts, after])
