"""The server's paths: which endpoint each one is, and what is read of a request for it."""

import re
from enum import Enum, auto


class Takes(Enum):
    """Tell the form of a request's body, and whether its client is watched as it is answered."""

    NOTHING = auto()  # answered at once, from what the server knows
    NO_BODY = auto()  # something runs for it: a client that leaves ends that
    JSON = auto()
    BYTES = auto()


WITH_JOBS = frozenset(
    {"/run_code", "/run_jupyter", "/execute", "/execute_batch", "/get_reward", "/score"}
)
WITHOUT_TOKEN = frozenset({"/v1/ping", "/healthz", "/docs", "/openapi.json"})
_SESSION, _FILE = "/sessions/{id}", "/sessions/{id}/files/{name}"
_OF_A_SESSION = {
    **dict.fromkeys(("run", "call", "fork", "checkpoint", "restore", "forget"), Takes.JSON),
    "interrupt": Takes.NOTHING,
}
_TAKEN = {
    **{("POST", path): Takes.JSON for path in (*WITH_JOBS, "/sessions")},
    **{("POST", f"{_SESSION}/{verb}"): takes for verb, takes in _OF_A_SESSION.items()},
    ("GET", f"{_SESSION}/files"): Takes.NO_BODY,
    ("GET", _FILE): Takes.NO_BODY,
    ("PUT", _FILE): Takes.BYTES,
}
ENDPOINTS = WITHOUT_TOKEN | {"/metrics", _SESSION} | {endpoint for _, endpoint in _TAKEN}
_PARTS = re.compile(r"(/sessions/)[^/]+(?:(/files/).*|(/[^/]+)?)", re.DOTALL)


def endpoint_of(path: str) -> str:
    """Return the endpoint that `path` is of: one of `ENDPOINTS`, or "other"."""
    found = _PARTS.fullmatch(path)
    if found is not None:
        path = _FILE if found[2] else f"{_SESSION}{found[3] or ''}"
    return path if path in ENDPOINTS else "other"


def taken_by(method: str, path: str) -> Takes:
    """Return what a request for `path` brings."""
    return _TAKEN.get((method, endpoint_of(path)), Takes.NOTHING)
