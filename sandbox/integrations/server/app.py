"""The endpoints. Each reads a body, has jobs run, and answers; the middleware does all else."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse
from starlette.exceptions import HTTPException

from sandbox.errors import PolicyError, SandboxClosed, SandboxError
from sandbox.integrations.server import metrics
from sandbox.integrations.server.admission.middleware import Admission, App
from sandbox.integrations.server.admission.paths import endpoint_of
from sandbox.integrations.server.bodies.answers import Answer, between, long_answer
from sandbox.integrations.server.bodies.helpers import Helpers
from sandbox.integrations.server.bodies.prepared import Reader
from sandbox.integrations.server.bodies.strict_route import StrictRoute, blame
from sandbox.integrations.server.endpoints import fusion, jupyter, requests
from sandbox.integrations.server.endpoints.fusion import RunCode, RunCodeAnswer
from sandbox.integrations.server.endpoints.jupyter import Notebook, RunJupyter, RunJupyterAnswer
from sandbox.integrations.server.endpoints.requests import (
    BatchAnswer,
    BatchBody,
    FaultAnswer,
    JobBody,
)
from sandbox.integrations.server.endpoints.rewards import RewardAnswer, RewardBody, Rewards
from sandbox.integrations.server.endpoints.scores import ScoreAnswer, ScoreBody, Scores
from sandbox.integrations.server.jobs import Full, JobQueue, TooMuch
from sandbox.integrations.server.page import page
from sandbox.integrations.server.sessions.bodies import GoneAnswer
from sandbox.integrations.server.sessions.held import Gone, TooManySessions, Unknown
from sandbox.integrations.server.sessions.registry import HeldSessions
from sandbox.integrations.server.sessions.routes import session_routes
from sandbox.integrations.server.settings import Settings
from sandbox.rewards.contained import ContainedReward
from sandbox.runtime.caller.ahead import terms_of
from sandbox.runtime.caller.client import Sandbox

_FAULTS: dict[int | str, dict[str, Any]] = {
    code: {"model": FaultAnswer, "description": meaning}
    for code, meaning in {
        400: "The body is not JSON, or not as strict as here.",
        401: "The token is missing or wrong.",
        408: "The body did not come in time.",
        413: "The body is too large, or the batch.",
        415: "The body is not announced as application/json.",
        421: "Without a token: the host was asked for by a name that is not its own.",
        422: "The body does not say what it must, or asks for more than the policy has.",
        503: "The sandbox failed: no verdict.",
        504: "The server is full, or stops: try again.",
    }.items()
}


_SESSION_FAULTS: dict[int | str, dict[str, Any]] = {
    **_FAULTS,
    404: {
        "model": FaultAnswer,
        "description": "This client has no such session, or it no such name.",
    },
    410: {"model": GoneAnswer, "description": "The session was closed, evicted or lost."},
    429: {"model": FaultAnswer, "description": "The client has as many sessions as it may."},
}


def create_app(
    sandbox: Sandbox,
    settings: Settings,
    rewards: Mapping[str, ContainedReward] | None = None,
    pytest: Sandbox | None = None,
) -> App:
    """Make the server as an ASGI application, on an open `sandbox`, which the caller closes.

    `rewards` are what clients can ask for at `/score`, by name. `pytest` is an open sandbox for the
    language of that name at `/run_code`, with as many workers: see `running_pytest`.
    """
    figures = metrics.Metrics(endpoint_of)
    jobs = JobQueue(sandbox, settings, figures)
    languages = {fusion.PYTHON: sandbox}
    if pytest is not None:
        languages[fusion.PYTEST] = pytest
    app = FastAPI(
        title="restricted-execution",
        description=f"Runs untrusted Python under the policy '{sandbox.policy.name}'.",
        version="1",
        docs_url=None,  # its page is loaded from elsewhere; ours stands on its own
        redoc_url=None,
        redirect_slashes=False,
        default_response_class=Answer,
    )
    most = jobs.queue.largest_share
    longest = {
        "jobs": ("jobs", min(settings.batch, most)),
        "query": ("queries", most),
        "completions": ("completions", most),
        "prompts": ("prompts", most),
        "labels": ("labels", most),
    }
    limits = sandbox.policy.plan().limits
    app.state.reader = Reader(
        {name: terms_of(each) for name, each in languages.items()},
        limits,
        jobs.most_of_call,
        longest,
    )
    app.state.helpers = helpers = Helpers(
        settings.helpers,
        cpu_seconds=settings.helper_cpu_seconds,
        memory_bytes=settings.helper_mib << 20,
    )
    scores = Scores(jobs, rewards or {}, figures)
    sessions = HeldSessions(jobs, settings, figures)
    for router in (
        *session_routes(sessions, settings, figures, sandbox.policy.name, _SESSION_FAULTS),
        _running(jobs, languages),
        _notebooks(sessions, jobs, settings.answer_bytes),
        _rewarding(Rewards(jobs, helpers), scores),
        _telling(jobs, scores, sessions, figures, app),
    ):
        app.include_router(router)
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)
    return Admission(app, settings, jobs, figures)


def _running(jobs: JobQueue, languages: Mapping[str, Sandbox]) -> APIRouter:
    router = APIRouter(route_class=StrictRoute, responses=_FAULTS)
    limits = jobs.sandbox.policy.plan().limits

    @router.post("/run_code", response_model=RunCodeAnswer)
    async def run_code(body: RunCode) -> Response:
        """SandboxFusion's interface. Limits above the policy's count as the policy's."""
        if reason := body.refusal(languages):
            return Answer(fusion.fault(reason))
        try:
            result = await jobs.run(body.job(limits), languages[body.language])
            return await long_answer(fusion.answer(result, body.language))
        except SandboxClosed:
            raise
        except SandboxError as error:
            return Answer(fusion.fault(str(error)))

    @router.post("/execute", response_model=requests.ResultAnswer)
    async def execute(body: JobBody) -> Response:
        """Runs or calls one program; answers its `Result`."""
        return await long_answer(requests.answer(await jobs.run(body.job())))

    @router.post("/execute_batch", response_model=BatchAnswer)
    async def execute_batch(body: BatchBody) -> Response:
        """Runs many programs, as many at once as there are workers."""
        results = await jobs.run_all(body.all_jobs())
        return between(results, b'{"results":[', b"]}")

    return router


def _notebooks(sessions: HeldSessions, jobs: JobQueue, most_bytes: int) -> APIRouter:
    router = APIRouter(route_class=StrictRoute, responses=_FAULTS)

    @router.post("/run_jupyter", response_model=RunJupyterAnswer)
    async def run_jupyter(body: RunJupyter) -> Response:
        """SandboxFusion's interface for cells: one session, which ends with the last of them."""
        try:
            notebook = Notebook(body, jobs.sandbox, jobs.most_of_call, most_bytes)
            return await long_answer(await sessions.whole(notebook.run, notebook.stop))
        except SandboxClosed:
            raise
        except (SandboxError, ValueError, TypeError) as error:
            return Answer(jupyter.fault(str(error)))

    return router


def _rewarding(rewards: Rewards, scores: Scores) -> APIRouter:
    router = APIRouter(route_class=StrictRoute, responses=_FAULTS)

    @router.post("/get_reward", response_model=RewardAnswer)
    async def get_reward(body: RewardBody) -> Response:
        """OpenRLHF's interface: grades the program in each query by the tests in its label."""
        return Answer(await rewards.grade(body))

    @router.post("/score", response_model=ScoreAnswer)
    async def score(body: ScoreBody) -> Response:
        """Calls one of the server's own reward functions, which never runs in the server."""
        return Answer(await scores.score(body))

    return router


def _telling(
    jobs: JobQueue, scores: Scores, sessions: HeldSessions, figures: metrics.Metrics, app: FastAPI
) -> APIRouter:
    router = APIRouter()

    @router.get("/v1/ping")
    async def ping() -> str:
        """Says that the server is there."""
        return "pong"

    @router.get("/healthz")
    async def healthz() -> Response:
        """Say what the server runs, and how many jobs and sessions it holds."""
        sandbox = jobs.sandbox
        about = {"policy": sandbox.policy.name, "layers": list(sandbox.layers)}
        now = {"workers": sandbox.workers, "rewards": scores.names, "jobs": jobs.queue.held}
        return Answer({"status": "ok", **about, **now, "sessions": len(sessions)})

    @router.get("/metrics")
    async def show_metrics() -> Response:
        """Figures for Prometheus."""
        return Response(figures.text(), media_type=metrics.CONTENT_TYPE)

    @router.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(page(app.openapi()), headers={"content-security-policy": _CSP})

    return router


_CSP = "default-src 'none'; style-src 'unsafe-inline'"


def _fault(status: int, reason: str) -> Response:
    return Answer({"fault": reason}, status_code=status)


async def _on_problems(request: Request, error: Exception) -> Response:
    """Answer what is wrong with a body, without repeating it."""
    assert isinstance(error, RequestValidationError)
    return _fault(422, requests.problems(error.errors(), within=1))


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _fault(error.status_code, str(error.detail))


async def _on_defect(request: Request, error: Exception) -> Response:
    """Answer an exception that nothing above expects: a fault of the server's, and no verdict."""
    return _fault(503, blame(error))


async def _on_gone(request: Request, error: Exception) -> Response:
    assert isinstance(error, Gone)
    return Answer({"fault": str(error), "ended": error.ended}, status_code=410)


def _always(status: int) -> Callable[[Request, Exception], Awaitable[Response]]:
    async def handle(request: Request, error: Exception) -> Response:
        return _fault(status, str(error))

    return handle


# The handler of the nearest class in an error's order of bases is called.
_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    RequestValidationError: _on_problems,
    HTTPException: _on_http,
    Full: _always(504),
    TooMuch: _always(413),
    Gone: _on_gone,
    Unknown: _always(404),
    TooManySessions: _always(429),
    SandboxClosed: _always(504),
    PolicyError: _always(422),
    SandboxError: _always(503),
    ValueError: _always(422),
    TypeError: _always(422),
    Exception: _on_defect,
}
