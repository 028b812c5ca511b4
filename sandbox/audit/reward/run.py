"""The dynamic part of the gate: a reward function, run in a child over sample completions.

The function and its outcomes are untrusted. It runs under the policy `reward`; what is appended to
its source asks for one case after the other and tells how each ended, and all that is told is taken
as a claim about the function by itself: at worst it says that it behaves well where it does not.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sandbox.audit.reward.grading import Grading
from sandbox.audit.reward.jobs import ServedJobs
from sandbox.audit.reward.reading.entry import Entry
from sandbox.audit.reward.samples import Case
from sandbox.language.stdlib.served.grading import EXTRACT, GRADE
from sandbox.language.stdlib.served.sandbox import SERVICE
from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.caller.fault import twice

_NEXT, _TELL = "reward_gate_next", "reward_gate_tell"
_SECONDS_LATER = 86_400.5  # a second run is on another day: the clock of a guest can be set
_DRIVER = """


class reward_gate_state:
    global_step, max_steps, epoch, num_train_epochs, logging_steps = 0, 100, 0.0, 1, 1
    is_world_process_zero = True
    log_history = []


def reward_gate_drive():
    import asyncio, time
    time.sleep({later})
    {provided}
    reward_gate_call = {expression}
    reward_gate_objects = dict(
        trainer_state=reward_gate_state(),
        log_extra=lambda *args, **kwargs: None,
        log_metric=lambda *args, **kwargs: None,
    )
    while True:
        case = {next}()
        if case is None:
            return
        for name in case["objects"]:
            case["arguments"][name] = reward_gate_objects[name]
        try:
            value = reward_gate_call(*case["positional"], **case["arguments"])
            if {asynchronous} or asyncio.iscoroutine(value):
                value = asyncio.run(value)
        except BaseException as error:
            {tell}("raised", type(error).__name__, str(error)[:500])
        else:
            try:
                {tell}("returned", type(value).__name__, value)
            except Exception as error:
                {tell}("raised", "TypeError", "it returned " + str(error)[:500])


reward_gate_drive()
"""
_PROVIDED = "global restricted_execution\n    from sandbox import restricted_execution"


@dataclass(frozen=True, slots=True)
class TrialOutcome:
    """End of one case: `problem` is empty where it returned one good reward per completion."""

    case: Case
    problem: str
    rule: str = ""
    rewards: tuple[float | None, ...] = ()
    kind: str = ""  # of what was returned


class RewardTrial:
    """Runs of one reward function. `result` is that of the child of the last run."""

    def __init__(self, sandbox: Sandbox, jobs: ServedJobs, source: str, cpu_seconds: float) -> None:
        self._sandbox, self._source = sandbox, source
        grading = Grading(jobs)
        self._lent = {SERVICE: jobs.serve, GRADE: grading.serve, EXTRACT: grading.extract}
        self._cpu_seconds = cpu_seconds
        self.most_bytes = sandbox.policy.limits.source_kib << 10

    def load(self) -> Result:
        """Run the module itself, as an import does."""
        return twice(lambda: self._run(self._source, {}))

    def run(
        self,
        entry: Entry,
        cases: Sequence[Case],
        rows: Sequence[Any],
        *,
        provide: bool,
        later: bool = False,
        is_needed: Callable[[Case, list[TrialOutcome]], bool] = lambda case, told: True,
    ) -> tuple[list[TrialOutcome], Result]:
        """Run each case that `is_needed` after what was told, in one fresh child until it ends."""
        program = self._source + _DRIVER.format(
            later=_SECONDS_LATER if later else 0,
            provided=_PROVIDED if provide else "",
            expression=entry.expression,
            asynchronous=entry.asynchronous,
            next=_NEXT,
            tell=_TELL,
        )

        def once() -> tuple[list[TrialOutcome], Result]:
            told: list[TrialOutcome] = []
            waiting = deque(cases)

            def take() -> Any:
                while waiting and not is_needed(waiting[0], told):
                    waiting.popleft()
                return _call(entry, waiting[0], rows) if waiting else None

            def tell(kind: Any, name: Any, value: Any) -> None:
                if waiting:
                    told.append(_judge(waiting.popleft(), kind, name, value))

            return told, self._run(program, {_NEXT: take, _TELL: tell})

        return twice(once)

    def _run(self, program: str, services: dict[str, Callable[..., Any]]) -> Result:
        lent = {**self._lent, **services}
        return self._sandbox.run(program, services=lent, cpu_seconds=self._cpu_seconds)


def _call(entry: Entry, case: Case, rows: Sequence[Any]) -> dict[str, Any]:
    """Return what the trainer would pass: everything, or as much as the function declares."""
    arguments = case.arguments(entry.columns, entry.required, rows)
    objects = ["trainer_state", "log_extra", "log_metric"]
    positional = [arguments.pop("completions")] if entry.positional else []
    if entry.parameters is not None:
        arguments = {k: v for k, v in arguments.items() if k in entry.parameters}
        objects = [name for name in objects if name in entry.parameters]
    return {"positional": positional, "arguments": arguments, "objects": objects}


def _judge(case: Case, kind: Any, name: Any, value: Any) -> TrialOutcome:
    if kind != "returned":
        text = f"{name}: {value}" if isinstance(name, str) and isinstance(value, str) else "?"
        bad_value = text.startswith("TypeError: it returned")
        return TrialOutcome(case, text[:600], "bad-rewards" if bad_value else "")
    wanted = len(case.completions)
    if not isinstance(value, list):
        return TrialOutcome(case, f"it returned a {name}, not a list"[:200], "bad-rewards")
    if len(value) != wanted:
        problem = f"it returned {len(value)} rewards for {wanted} completions"
        return TrialOutcome(case, problem, "bad-rewards")
    for reward in value:
        if not (reward is None or isinstance(reward, (int, float))):
            problem = f"one reward is a {type(reward).__name__}, not a number"
            return TrialOutcome(case, problem, "bad-rewards")
        if reward is not None and not _is_finite(reward):
            return TrialOutcome(case, "one reward is not finite", "bad-rewards")
    return TrialOutcome(case, "", "", tuple(value), name if isinstance(name, str) else "")


def _is_finite(reward: float) -> bool:
    try:
        return math.isfinite(reward)
    except OverflowError:  # an integer beyond every float
        return False
