"""For smolagents: the executor of a `CodeAgent`'s code, in a session; tools stay in the caller.

with CodeAgent(tools, model, executor=RestrictedExecutor()) as agent:
    agent.run("How many primes are there below a thousand?")
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from os import PathLike
from typing import Any, Unpack, cast

try:
    from smolagents.local_python_executor import (
        DEFAULT_MAX_LEN_OUTPUT,
        CodeOutput,
        ExecutionTimeoutError,
        InterpreterError,
        PrintContainer,
        PythonExecutor,
    )
    from smolagents.utils import truncate_content
except ImportError as error:
    raise ImportError(
        "sandbox.integrations.sessions.smolagents needs the extra 'smolagents':"
        f" pip install 'restricted-execution[smolagents]' ({error})"
    ) from error

from sandbox.errors import SandboxError, SessionLost
from sandbox.integrations.sessions.guest_values import PRELUDE
from sandbox.integrations.sessions.last_statement import name_set_last
from sandbox.integrations.sessions.shared import load_policy, shared_sandbox
from sandbox.integrations.sessions.values import Held, decode, encode
from sandbox.policy.limits import LimitOptions
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Status
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.session import Session

__all__ = ["RestrictedExecutor"]

_OWN = re.compile(r"__\w+__|sandbox_\w+_|FinalAnswerException|HeldByCaller|_|display")
_LIMITS = {
    Status.CPU_LIMIT: "cpu_seconds",
    Status.WALL_LIMIT: "wall_seconds",
}
_NUMBER = re.compile(r'File "<cell \d+>", line (\d+), in <module>')
_WHERE = re.compile(r" \((?:<cell \d+>, )?line \d+(?:, column \d+)?\)$")


class RestrictedExecutor(PythonExecutor):
    """Runs an agent's code under a policy, its variables kept from one step to the next.

    `policy` is a shipped policy's name, a path to a .toml file or a `Policy`; services are added to
    what it grants. The default has the standard library's modules for algorithms; `"science"` has
    numpy and pandas. Limits hold for each step (`wall_seconds=30`). `additional_functions` are
    offered beside the agent's tools. Of what a step prints the agent gets
    `max_print_outputs_length` characters. At most `sessions` executors of a process are alive at a
    time; one more ends the one that has been idle for the longest.

    Tools and functions run in the caller, in the caller's thread. What they get and give crosses as
    plain data: JSON's types, tuples, sets, bytes, complex numbers, dates, decimals, fractions, and
    arrays, series and tables under a policy that grants numpy and pandas. Another object of the
    caller's is held there, and code can hand it on to a tool or to `final_answer`, nothing else.
    Another object of the code's stays in its session: the agent gets a stand-in that shows it.

    A step that raises keeps what it did until then, as with smolagents' own executor; one that
    meets a limit, crashes or violates the policy is undone. What failed is an InterpreterError with
    the text that the model is told; ExecutionTimeoutError for a limit of time. Raises PolicyError
    for a wrong policy or limit, SandboxUnavailable. A session that is lost, by a fault of the
    sandbox or an eviction, is an InterpreterError that says so; the next step begins a new one.
    """

    def __init__(
        self,
        policy: "str | PathLike[str] | Policy" = "contest",
        *,
        additional_functions: Mapping[str, Callable[..., Any]] | None = None,
        max_print_outputs_length: int | None = None,
        sessions: int = 64,
        cpu_seconds_total: float | None = None,
        **limits: Unpack[LimitOptions],
    ) -> None:
        self._policy, self._sessions = load_policy(policy, services=True), sessions
        self._limits = tighten(self._policy.limits.plain(), limits)
        self._options: dict[str, Any] = {"cpu_seconds_total": cpu_seconds_total, **limits}
        self._functions = dict(additional_functions or {})
        self._tools = dict(self._functions)
        self._variables: dict[str, Any] = {}
        self._most = max_print_outputs_length or DEFAULT_MAX_LEN_OUTPUT
        self._held, self._session = Held(), cast(Session | None, None)
        self._final: Any = None
        self.state: MutableMapping[str, Any] = _State(self)

    @property
    def authorized_imports(self) -> list[str]:
        """The modules that the policy grants: `CodeAgent(additional_authorized_imports=…)` tells
        the model of them.
        """
        modules = {grant.module for grant in self._policy.modules}
        return sorted(modules | {package.name for package in self._policy.packages})

    def send_tools(self, tools: Mapping[str, Callable[..., Any]]) -> None:
        """Offer `tools`, and `additional_functions`, under their names."""
        self._tools = {**tools, **self._functions}
        if (session := self._living()) is not None:
            self._define_tools(session)

    def send_variables(self, variables: Mapping[str, Any]) -> None:
        """Let each variable hold its value: a copy, or the number of an object that is held."""
        self._variables.update(variables)
        if (session := self._living()) is not None:
            self._define_variables(session, variables)

    def __call__(self, code_action: str) -> CodeOutput:
        """Run one step. `output` is the value of its last statement, or the final answer."""
        self._final = None
        try:
            session = self._begun()
            result = session.run(code_action)
            logs = self._note_logs(result.output if result.ok else result.stdout)
            if self._final is not None and result.error.startswith("FinalAnswerException"):
                return CodeOutput(output=self._final[0], logs=logs, is_final_answer=True)
            if not result.ok:
                raise self._error(code_action, result)
            return CodeOutput(self._value(session, code_action, result), logs, False)
        except SessionLost as error:
            self._session = None
            told = f"The interpreter was lost, and all variables with it; begin anew. ({error})"
            raise InterpreterError(told) from error

    def cleanup(self) -> None:
        """End the session; the agent calls it as it is closed. The next step begins another."""
        session, self._session = self._session, None
        if session is not None:
            session.close()

    def variable(self, name: str) -> Any:
        """Return what the variable `name` holds, or a stand-in. Raises KeyError."""
        if not name.isidentifier():
            raise KeyError(name)
        session = self._begun()
        if not session.run(f"sandbox_told_ = sandbox_tell_({name})", on_error="undo").ok:
            raise KeyError(name)
        return decode(session.get("sandbox_told_"), self._held)

    def names(self) -> list[str]:
        """List the names of the variables, where the policy lets a program list them."""
        session = self._begun()
        if not session.run("sandbox_told_ = [*globals()]", on_error="undo").ok:
            return []
        names = [str(name) for name in session.get("sandbox_told_")]
        return [name for name in names if not _OWN.fullmatch(name) and name not in self._tools]

    def _living(self) -> Session | None:
        """Return the session, if there is one; between runs of an agent one may have been lost."""
        if self._session is not None and not self._session.is_alive:
            self._session = None
        return self._session

    def _begun(self) -> Session:
        if self._session is not None:
            if not self._session.is_alive:
                raise SessionLost("it was evicted, or its process is gone")
            return self._session
        sandbox = shared_sandbox(self._policy, sessions=self._sessions)
        services = {"sandbox_call_": self._serve}
        session = sandbox.session(on_error="keep", services=services, **self._options)
        _must(session.run(PRELUDE))
        self._define_tools(session)
        self._define_variables(session, self._variables)
        self._session = session
        return session

    def _define_tools(self, session: Session) -> None:
        lines = [f"{name} = sandbox_tool_({name!r})" for name in self._tools if name.isidentifier()]
        _must(session.run("\n".join(lines)))

    def _define_variables(self, session: Session, variables: Mapping[str, Any]) -> None:
        for name, value in variables.items():
            session.set("sandbox_sent_", encode(value, self._held))
            _must(session.run(f"{name} = sandbox_decode_(sandbox_sent_)"))

    def _serve(self, name: str, args: Any, kwargs: Any) -> dict[str, Any]:
        """Call a tool for the code; what it raises is raised there."""
        try:
            given = decode(args, self._held), decode(kwargs, self._held)
            value = self._tools[name](*given[0], **given[1])
            if name == "final_answer":
                self._final = (value,)
                return {"error": None, "final": True, "value": None}
            return {"error": None, "final": False, "value": encode(value, self._held)}
        except SandboxError:
            raise
        except Exception as error:
            return {"error": [type(error).__name__, str(error)], "final": False, "value": None}

    def _value(self, session: Session, code: str, result: CellResult) -> Any:
        name = "_" if result.value_repr is not None else name_set_last(code)
        if name is None:
            return None
        if name == "_" and type(result.value) in (bool, int, str):
            return result.value
        with contextlib.suppress(KeyError):
            return self.variable(name)
        return None

    def _note_logs(self, printed: str) -> str:
        container = PrintContainer()
        container.append(truncate_content(printed, max_length=self._most))
        self.state["_print_outputs"] = container
        return str(container)

    def _error(self, code: str, result: CellResult) -> Exception:
        told, made = _WHERE.sub("", result.error), cast(type[Exception], InterpreterError)
        if result.status is Status.SYNTAX:
            return made(f"Code parsing failed:\n{result.traceback or told}")
        if result.status in _LIMITS:
            seconds = getattr(self._limits, _LIMITS[result.status])
            made = cast(type[Exception], ExecutionTimeoutError)
            return made(
                f"Code execution exceeded the maximum execution time of {seconds:g} seconds"
                f" ({told}). Nothing that it did was kept."
            )
        undone = " Nothing that it did was kept." if result.undone else ""
        where = f" at line '{_line(code, result)}'" if _line(code, result) else ""
        return made(f"Code execution failed{where} due to: {told}{undone}")


class _State(MutableMapping[str, Any]):
    """The variables of an executor, as smolagents reads and writes them; each read is a copy."""

    def __init__(self, executor: RestrictedExecutor) -> None:
        self._executor = executor
        self._own: dict[str, Any] = {"__name__": "__main__"}

    def __getitem__(self, name: str) -> Any:
        return self._own[name] if name in self._own else self._executor.variable(name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name == "_print_outputs":
            self._own[name] = value
        else:
            self._executor.send_variables({name: value})

    def __delitem__(self, name: str) -> None:
        raise TypeError("a variable is deleted by the code that has it")

    def __iter__(self) -> Iterator[str]:
        return iter([*self._own, *self._executor.names()])

    def __len__(self) -> int:
        return len(list(iter(self)))


def _line(code: str, result: CellResult) -> str:
    """Return the line of the step where it failed, the outermost one."""
    found, lines = _NUMBER.search(result.traceback), code.splitlines()
    number = int(found[1]) if found else 0
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _must(result: CellResult) -> None:
    if not result.ok:
        raise SandboxError(f"the session could not be prepared: {result.error}")
