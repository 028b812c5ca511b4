"""`ContainedReward`: a reward function that never runs in its caller."""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from os import PathLike
from typing import Any

from sandbox.errors import CONFIGURATION, Problem, RewardError, SandboxError, policy_error
from sandbox.grading.block import ended, ending
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Status
from sandbox.rewards import arguments, driver, scores
from sandbox.rewards.arguments import FORWARDED
from sandbox.rewards.batches import Independence, part_of, slices
from sandbox.rewards.call_time import CallTime
from sandbox.rewards.child import Child, Run, can_run
from sandbox.rewards.programs import Programs
from sandbox.rewards.source import read, text_of
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.caller.defaults import default_sandbox
from sandbox.runtime.caller.fault import twice

_log = logging.getLogger(__name__)
_SESSION = {"cpu_seconds": 3600.0, "wall_seconds": 86_400.0}  # what a state may use in its life
_starting = threading.Lock()  # one for all: it is held for no longer than a thread takes to start


def _after_fork() -> None:
    global _starting
    _starting = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


class ContainedReward:
    """A reward function in the sandbox, in the shape that trainers want: see `load_reward`.

    Called with `prompts`, `completions` and columns, it gives a list of floats and None, one per
    completion. None where the sandbox or the machine failed: there is no reward then. It has a
    `__name__`, can be called from any thread, forked and pickled; a copy has a state of its own.
    """

    def __init__(
        self,
        text: "str | PathLike[str]",
        *,
        policy: "str | PathLike[str] | Policy",
        name: str | None,
        workers: int | None,
        executing: "str | PathLike[str] | Policy",
        row_wise: bool | None,
        stateful: bool,
        seed: int,
        budget_seconds: float,
        **limits: float,
    ) -> None:
        self._policy, self._executing = Policy.load(policy), Policy.load(executing)
        if not self._policy.services:
            reason = f"policy '{self._policy.name}' grants none, and a reward needs them"
            raise policy_error(Problem(key="services", reason=reason))
        if self._executing.services:
            reason = "a program that a reward function runs gets no services"
            raise policy_error(Problem(key="executing", reason=reason))
        if stateful:
            self._policy = self._policy.replaced(limits=_SESSION)
        tighten(self._policy.limits.plain(), limits)
        self._limits: dict[str, Any] = dict(limits)
        self._workers = workers
        self._stateful, self._budget_seconds = stateful, float(budget_seconds)
        loaded = text_of(text)
        self._source = read(loaded, name, self._sandbox().run(loaded, **self._limits))
        provides = self._source.provides
        self._driver = driver.text(self._source.entry.expression, provides=provides, seed=seed)
        self._independence = Independence(self._source.whole, False if stateful else row_wise)
        if stateful:
            self._independence.why = "it keeps a state"
        self._child: Child | None = None
        self.__name__ = self._source.entry.name

    @property
    def row_wise(self) -> bool | None:
        """True if batches are split over children, False if not, None if it is not known yet.

        The text must show that a row sees no other, and two rows of a batch must get the same
        rewards alone; both are looked at again when a batch is twice as large.
        """
        return self._independence.verdict

    @property
    def why(self) -> str:
        """The reason for `row_wise`, in words."""
        return self._independence.why

    def __call__(
        self,
        prompts: Any = None,
        completions: Any = None,
        completion_ids: Any = None,
        **columns: Any,
    ) -> list[float | None]:
        """Return the rewards of `completions`, rows of `columns`; all keywords, as TRL has them.

        Columns become plain data: arrays and tensors lists, `trainer_state` a copy of its fields.
        `log_extra` and `log_metric` are called here with what the function logs.

        Raises RewardError if the function raises, meets a limit or returns what are no rewards,
        ValueError for a column that no child can be given, PolicyError and SandboxUnavailable.
        """
        given = {"prompts": prompts, "completions": completions, "completion_ids": completion_ids}
        columns = {**{k: v for k, v in given.items() if v is not None}, **columns}
        named, left_out = arguments.arguments(columns)
        if left_out:
            _log.info("%s is not given %s: no plain data", self.__name__, ", ".join(left_out))
        count = len(named.get("completions") or ())
        if not count:
            return []
        rewards = self._rewards(named, count)
        masked = sum(reward is None for reward in rewards)
        log_metric = named.get("log_metric")
        if log_metric is not None:
            log_metric(f"{self.__name__}{arguments.MASKED}", masked / count)
        return rewards

    async def acall(self, *args: Any, **columns: Any) -> list[float | None]:
        """Do the same, awaited, as others go on. If it is cancelled, it ends in the background."""
        with ending():
            return await asyncio.to_thread(self, *args, **columns)

    def as_coroutine(self) -> "Callable[..., Any]":
        """Return the named coroutine function that trainers with asynchronous rewards want."""

        async def reward(*args: Any, **columns: Any) -> list[float | None]:
            return await self.acall(*args, **columns)

        reward.__name__ = reward.__qualname__ = self.__name__
        return reward

    def invoke(self, *args: Any, **named: Any) -> Any:
        """Return what the function returns for just these arguments: plain data, not looked at.

        For functions of another shape, as verl's. Raises as a call does, and SandboxError for a
        fault of the sandbox, after a second try.
        """
        given, _ = arguments.arguments(named)
        return self._ask([arguments.plain(each, "argument") for each in args], given, 1)

    def close(self) -> None:
        """End the child that holds the state, if there is one. The next call starts another."""
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_child": None}

    def _sandbox(self) -> Sandbox:
        return default_sandbox(self._policy)

    def _rewards(self, named: dict[str, Any], count: int) -> list[float | None]:
        call_time = self._begun()
        workers = min(self._workers or self._sandbox().workers, count)
        parts = self._independence.parts(count, workers)
        rows = list(slices(count, parts))
        if len(rows) == 1:
            return self._whole(named, count, call_time)
        # An interrupt of this thread ends the parts with the next program that they ask for.
        with ThreadPoolExecutor(workers, "reward") as threads, ending():
            running = [
                threads.submit(copy_context().run, self._part, named, count, part, call_time)
                for part in rows
            ]
            begun = time.monotonic()
            try:
                rewards = [reward for each in running for reward in each.result()]
            finally:
                for each in running:
                    each.cancel()
        self._independence.took(count, (time.monotonic() - begun) * workers)
        return rewards

    def _begun(self) -> CallTime:
        """Return the time of a call, which runs from when both sandboxes are there."""
        self._sandbox(), default_sandbox(self._executing)
        return CallTime(self._budget_seconds)

    def _whole(self, named: dict[str, Any], count: int, call_time: CallTime) -> list[float | None]:
        begun = time.monotonic()
        rewards = self._part(named, count, slice(0, count), call_time)
        self._independence.took(count, time.monotonic() - begun)
        alone = self._independence.to_try(rewards)
        if alone:
            tried = [self._part(named, count, slice(at, at + 1), call_time)[0] for at in alone]
            there = [rewards[at] for at in alone]
            if None not in tried:
                self._independence.tried(count, same=scores.same(tried, there))
        return rewards

    def _part(
        self, named: dict[str, Any], count: int, rows: slice, call_time: CallTime
    ) -> list[float | None]:
        """Return the rewards of some rows; None for each, or fewer, if the sandbox fails twice."""
        size = rows.stop - rows.start
        try:
            value = self._ask([], part_of(named, count, rows), size, call_time)
            return scores.checked(self.__name__, value, size)
        except CONFIGURATION:
            raise
        except SandboxError as error:
            if size > 1 and self._independence.verdict and self._can_go_on(call_time):
                call_time.note_fault()
                middle = (rows.start + rows.stop) // 2
                halves = slice(rows.start, middle), slice(middle, rows.stop)
                return [
                    reward
                    for half in halves
                    for reward in self._part(named, count, half, call_time)
                ]
            _log.warning("%s masks %d completions: %s", self.__name__, size, error)
            return [None] * size

    def _can_go_on(self, call_time: CallTime) -> bool:
        return not call_time.is_over() and can_run(self._policy, self._executing)

    def _ask(
        self,
        positional: list[Any],
        named: Mapping[str, Any],
        rows: int,
        call_time: CallTime | None = None,
    ) -> Any:
        call_time = call_time or self._begun()
        given, entry = dict(named), self._source.entry
        if entry.positional and "completions" in given:
            positional = [given.pop("completions")]
        case = driver.case(positional, given, entry.parameters, self._stateful)
        forwarded = {name: named[name] for name in FORWARDED if name in named}
        is_over = bool if self._stateful else ended()  # a call cut short would lose the state
        programs = Programs(default_sandbox(self._executing), rows, call_time, is_over)
        lent = {
            **programs.services(),
            driver.FORWARD: lambda *said: programs.forward(forwarded, *said),
        }
        if self._stateful:
            return self._asked_of_state(case, lent, programs)

        def once() -> Any:
            programs.check()
            call_time.check_fault()
            return self._said(self._run_within(call_time).once(case, lent), programs)

        return twice(once, call_time.note_fault)

    def _run(self) -> Run:
        return Run(self._sandbox(), self._source.text, self._driver, self._limits)

    def _run_within(self, call_time: CallTime) -> Run:
        """Return the run, held to the call's time.

        It ends by then also where the function asks for nothing: a service would notice the end.
        """
        wall = self._limits.get("wall_seconds", self._policy.limits.wall_seconds)
        limits = {**self._limits, "wall_seconds": call_time.within(wall)}
        return replace(self._run(), limits=limits)

    def _asked_of_state(
        self, case: dict[str, Any], lent: Mapping[str, Any], programs: Programs
    ) -> Any:
        told = None
        while told is None:
            with _starting:
                if self._child is None or not self._child.is_alive():
                    self._child = Child(self._run())
                child = self._child
            told = child.ask(case, lent, lambda: programs.time.begin(self._budget_seconds))
        return self._said(told, programs)

    def _said(self, told: Any, programs: Programs) -> Any:
        """Return what the function returned. Raises RewardError for anything else.

        SandboxError if it was too late for a fault of the sandbox.
        """
        if programs.exhausted or told.status == Status.WALL_LIMIT:
            programs.time.check_fault()
        if programs.exhausted:
            raise RewardError(f"{self.__name__}: {programs.exhausted}", status="WALL_LIMIT")
        if told.problem:
            raise RewardError(
                f"{self.__name__}: {told.problem}", status=told.status, traceback=told.traceback
            )
        return told.value
