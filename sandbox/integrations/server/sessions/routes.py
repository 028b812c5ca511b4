"""The endpoints of sessions. Each finds the session, has it do something, and answers."""

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response

from sandbox.errors import PolicyError, SandboxError
from sandbox.integrations.server.bodies.answers import Answer, FileContent, long_answer
from sandbox.integrations.server.bodies.received import BODY, Received
from sandbox.integrations.server.bodies.strict_route import StrictRoute
from sandbox.integrations.server.metrics import Metrics
from sandbox.integrations.server.sessions import bodies
from sandbox.integrations.server.sessions.held import Gone, Held
from sandbox.integrations.server.sessions.registry import HeldSessions
from sandbox.integrations.server.settings import Settings
from sandbox.runtime.sessions.result import CellResult

Faults = Mapping[int | str, dict[str, Any]]


def session_routes(
    held: HeldSessions, settings: Settings, metrics: Metrics, policy: str, faults: Faults
) -> list[APIRouter]:
    """Return the routers of all endpoints below `/sessions`."""
    router = APIRouter(route_class=StrictRoute, responses={**faults})

    def told(one: Held) -> dict[str, Any]:
        idle = one.idle_seconds(time.monotonic())
        return {
            "id": one.id,
            "parent": None if one.parent is None else one.parent.id,
            "policy": policy,
            **one.options,
            "limits": {name: getattr(one.limits, name) for name in one.limits.__slots__},
            "busy": one.running > 0,
            "execution_count": one.session.execution_count,
            "checkpoints": list(one.marks),
            "idle_seconds": idle,
            "evicted_in_seconds": max(settings.session_idle_seconds - idle, 0.0),
        }

    @router.post("/sessions", response_model=bodies.SessionAnswer)
    async def begin(body: bodies.SessionBody) -> Response:
        """Begins a session: a program that is run cell by cell, with its state between them."""
        own = {"on_error": body.on_error, "undo": body.undo}
        return Answer(told(await held.begin(body.limits, body.cpu_seconds_total, **own)))

    @router.get("/sessions/{id}", response_model=bodies.SessionAnswer)
    async def look(id: str) -> Response:
        """Tells of a session, and does not count as a use of it."""
        return Answer(told(held.find(id)))

    @router.delete("/sessions/{id}", response_model=bodies.SessionAnswer)
    async def close(id: str) -> Response:
        """Ends a session, the cell that runs in it, and the branches of one that was begun here."""
        one = held.find(id)
        answer = told(one)
        await held.close(one)
        return Answer(answer)

    _running(router, held, metrics)
    _states(router, held, told)
    return [router, _files(held, faults)]


def _running(router: APIRouter, held: HeldSessions, metrics: Metrics) -> None:
    async def counted(one: Held, call: Any) -> CellResult:
        try:
            result: CellResult = await held.use(one, call)
        except SandboxError as error:
            if not isinstance(error, PolicyError):
                metrics.ended(None)
            raise
        except Gone:
            metrics.ended(None)
            raise
        metrics.ended(result)
        return result

    @router.post("/sessions/{id}/run", response_model=bodies.CellAnswer)
    async def run(id: str, body: bodies.CellBody) -> Response:
        """Runs one cell; answers its `CellResult`. If the client leaves it is interrupted."""
        one = held.find(id)
        given = {"on_error": body.on_error, **body.limits}
        result = await counted(one, partial(one.session.run, body.code, body.stdin, **given))
        return await long_answer(bodies.cell_answer(result))

    @router.post("/sessions/{id}/call", response_model=bodies.CellAnswer)
    async def call(id: str, body: bodies.CallBody) -> Response:
        """Calls a function of the session's; `value` is what it returns."""
        one = held.find(id)
        what = partial(one.session.call, body.entry, body.args, body.kwargs, **body.limits)
        return await long_answer(bodies.call_answer(await counted(one, what)))

    @router.post("/sessions/{id}/interrupt", response_model=bodies.InterruptAnswer)
    async def interrupt(id: str, request: Request) -> Response:
        """Ends the cell that runs now; it is undone. Takes no body."""
        return Answer({"interrupted": await held.interrupt(held.find(id))})


def _states(router: APIRouter, held: HeldSessions, told: Any) -> None:
    @router.post("/sessions/{id}/fork", response_model=bodies.SessionsAnswer)
    async def fork(id: str, body: bodies.ForkBody) -> Response:
        """Makes branches: sessions that begin with this one's state."""
        made = await held.fork(held.find(id), body.count)
        return Answer({"sessions": [told(each) for each in made]})

    @router.post("/sessions/{id}/checkpoint", response_model=bodies.MarkAnswer)
    async def checkpoint(id: str, body: bodies.CheckpointBody) -> Response:
        """Keeps the state as it is now."""
        one = held.find(id)
        mark = await held.use(one, partial(one.session.checkpoint, body.name))
        one.marks[mark] = None
        return Answer({"checkpoint": mark})

    @router.post("/sessions/{id}/restore", response_model=bodies.MarkAnswer)
    async def restore(id: str, body: bodies.MarkBody) -> Response:
        """Goes back to a checkpoint, which stays."""
        one = held.find(id)
        try:
            await held.use(one, partial(one.session.restore, body.checkpoint))
        except KeyError:
            return _no_checkpoint(body.checkpoint)
        return Answer({"checkpoint": body.checkpoint})

    @router.post("/sessions/{id}/forget", response_model=bodies.MarkAnswer)
    async def forget(id: str, body: bodies.MarkBody) -> Response:
        """Lets go of a checkpoint."""
        one = held.find(id)
        try:
            await held.use(one, partial(one.session.forget, body.checkpoint))
        except KeyError:
            return _no_checkpoint(body.checkpoint)
        one.marks.pop(body.checkpoint, None)
        return Answer({"checkpoint": body.checkpoint})


def _files(held: HeldSessions, faults: Faults) -> APIRouter:
    """The endpoints of files, whose bodies are files and no JSON."""
    router = APIRouter(responses={**faults})

    @router.get("/sessions/{id}/files", response_model=bodies.FilesAnswer)
    async def names(id: str) -> Response:
        """Lists the files in the session's working directory and below."""
        one = held.find(id)
        return await long_answer({"files": await held.use(one, one.session.files)})

    @router.get("/sessions/{id}/files/{name:path}", response_class=Response)
    async def read(id: str, name: str) -> Response:
        """Answers the content of a file, as it is. It is as untrusted as output."""
        one = held.find(id)
        try:
            return FileContent(await held.use(one, partial(one.session.read_file, name)))
        except FileNotFoundError as error:
            return Answer({"fault": str(error)}, status_code=404)

    @router.put("/sessions/{id}/files/{name:path}", response_model=bodies.FileAnswer)
    async def write(id: str, name: str, request: Request) -> Response:
        """Writes a file: the body, as it is."""
        one, received = held.find(id), request.scope[BODY]
        await held.use(one, partial(_write, one, name, received))
        return Answer({"name": name, "size": received.size})

    return router


def _write(one: Held, name: str, body: Received) -> None:
    one.session.write_file(name, body.content())


def _no_checkpoint(name: str) -> Response:
    return Answer({"fault": f"the session has no checkpoint {name!r}"}, status_code=404)
