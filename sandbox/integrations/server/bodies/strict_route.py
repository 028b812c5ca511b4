"""Routes whose bodies are read as strictly as here: by the middleware, and in a helper at need."""

from collections.abc import Awaitable, Callable
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from sandbox.errors import SandboxError
from sandbox.integrations.server.admission.visits import current
from sandbox.integrations.server.bodies.helpers import TooDear
from sandbox.integrations.server.bodies.prepared import Refused, read_long
from sandbox.integrations.server.bodies.received import BODY, Received
from sandbox.integrations.server.bodies.strict_json import NotJson, read_json
from sandbox.integrations.server.endpoints import requests


class _Strict(Request):
    """A request whose body the middleware has received."""

    async def body(self) -> bytes:
        """Return its beginning: FastAPI asks only whether there is a body, and then for `json`."""
        held: Received = self.scope[BODY]
        return b"..." if held.is_long else bytes(held.short)

    async def json(self) -> Any:
        """Read the body, here or in a helper, and let go of it: its job may wait.

        Of a long one comes the model that the endpoint asks for, with orders that are made.

        Raises HTTPException: 400 for no JSON, 413 for too many items, 422 for a body that is wrong
        or too dear to read, 503 for a fault of the server.
        """
        held: Received = self.scope[BODY]
        try:
            value = await self._long(held) if held.is_long else self._short(held)
        except NotJson as error:
            raise HTTPException(400, f"the body is not JSON: {error}") from None
        except Refused as refused:
            raise HTTPException(refused.status, refused.reason) from None
        except TooDear as error:
            raise HTTPException(422, f"the body: {error}") from None
        except Exception as error:  # FastAPI's answer would be that the client sent it wrong
            raise HTTPException(503, blame(error)) from error
        held.close()
        return value

    def _short(self, held: Received) -> Any:
        value, reader = read_json(held.short), self.app.state.reader
        if reason := requests.too_many(value, reader.longest):
            raise Refused(413, reason)
        return value

    async def _long(self, held: Received) -> Any:
        helpers, reader = self.app.state.helpers, self.app.state.reader
        arguments = reader, self.scope["path"], held.path()
        return await helpers.run(current.get().client, read_long, *arguments)


class StrictRoute(APIRoute):
    """A route for a router of FastAPI's."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        """Return the route's handler, which reads the body strictly."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(_Strict(request.scope, request.receive))

        return strictly


def blame(error: Exception) -> str:
    """Return what a client is told of a fault that is not its own."""
    if isinstance(error, SandboxError):
        return str(error)
    return f"the server failed: {type(error).__name__}"
