"""For verl's agent loop: a tool whose variables last for a trajectory, named in a YAML of tools.

verl creates and releases a tool around each call, so that what lasts belongs to the trajectory: to
the `agent_data` of its calls. It is gone when verl drops that, or when it was idle for long.
"""

import asyncio
import logging
import threading
import weakref
from collections.abc import Mapping
from typing import Any

try:
    from verl.tools.base_tool import BaseTool
    from verl.tools.schemas import OpenAIFunctionToolSchema, ToolResponse
except ImportError as error:
    raise ImportError(
        f"sandbox.integrations.sessions.verl needs verl: pip install 'verl>=0.9' ({error})"
    ) from error

from sandbox.integrations.sessions.rollout import SESSIONS, Rollout

__all__ = ["PythonSession"]

_IDLE_SECONDS = 1800.0
_SETTINGS = ("policy", "sessions", "idle_seconds", "on_error", "cpu_seconds_total")
_SCHEMA = {
    "type": "function",
    "function": {
        "name": "run_python",
        "description": (
            "Run Python code and get what it prints and the value of its last expression, or its"
            " error. Variables, functions and imports are kept from one call to the next."
        ),
        "parameters": {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The Python code."}},
            "required": ["code"],
        },
    },
}
_log = logging.getLogger(__name__)


class PythonSession(BaseTool):  # type: ignore[misc]
    """The tool `run_python(code)`: a session for each trajectory.

    `config` has the settings, all of them optional beside verl's own `type: native`: `policy`,
    `limits` (a mapping, for each call), `sessions` (how many trajectories of a worker have one at a
    time, 256), `idle_seconds` (after which one may end, 1800), `cpu_seconds_total`, `on_error`. The
    schema is that of the YAML, or one of its own.

    A call's reward is 0.0. Its metric `fault` is 1.0 once the sandbox or the machine has failed in
    the trajectory: the model is told of it, and the log has the reason.

    Raises ValueError for an unknown setting, PolicyError for a wrong policy or limit.
    """

    def __init__(self, config: Mapping[str, Any], tool_schema: Any = None) -> None:
        schema = tool_schema or OpenAIFunctionToolSchema.model_validate(_SCHEMA)
        super().__init__(dict(config), schema)
        unknown = set(config) - {*_SETTINGS, "type", "limits"}
        if unknown:
            raise ValueError(f"unknown settings of a tool: {', '.join(sorted(unknown))}")
        self._settings: dict[str, Any] = {
            "sessions": SESSIONS,
            "idle_seconds": _IDLE_SECONDS,
            **{name: config[name] for name in _SETTINGS if name in config},
            **(config.get("limits") or {}),
        }
        Rollout(**self._settings)
        self._lock = threading.Lock()
        self._rollouts: dict[str, tuple[weakref.ref[Any], Rollout]] = {}

    async def execute(
        self, instance_id: str, parameters: dict[str, Any], **kwargs: Any
    ) -> tuple[Any, float, dict[str, Any]]:
        """Run one cell in the session of the trajectory that `agent_data` is of."""
        code = parameters.get("code")
        if not isinstance(code, str):
            return ToolResponse(text="The argument `code` must be a text.\n"), 0.0, {}
        rollout = self._rollout(kwargs.get("agent_data"))
        told = await asyncio.to_thread(rollout.tell, code)
        if rollout.fault:
            _log.warning("a fault in the session of a trajectory: %.300s", rollout.fault)
        return ToolResponse(text=told), 0.0, {"fault": float(bool(rollout.fault))}

    def _rollout(self, agent_data: Any) -> Rollout:
        """Return the trajectory's; a new one for one without `agent_data`."""
        if agent_data is None:
            return Rollout(**self._settings)
        with self._lock:
            self._forget_ended()
            of, rollout = self._rollouts.get(agent_data.request_id, (None, None))
            # Under verl's full determinism a request of the next step has the id of this one's.
            if rollout is None or of is None or of() is not agent_data:
                if rollout is not None:
                    rollout.close()
                rollout = Rollout(**self._settings)
                self._rollouts[agent_data.request_id] = weakref.ref(agent_data), rollout
            return rollout

    def _forget_ended(self) -> None:
        ended = [name for name, (of, _) in self._rollouts.items() if of() is None]
        for name in ended:
            self._rollouts.pop(name)[1].close()
