"""The sandboxes that grading uses, and second chances on a machine that had no time."""

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from sandbox.errors import CONFIGURATION, SandboxClosed, SandboxError
from sandbox.grading.asserts.dry_run import CROSSING, passes_instances
from sandbox.grading.block import Block
from sandbox.grading.options import Settings
from sandbox.grading.preambles import CALLS, LCB, NONE
from sandbox.grading.preambles import preamble as by_choice
from sandbox.grading.retry_lock import RetryLock
from sandbox.grading.suites.policy import testing
from sandbox.grading.tests import AssertTests, Tests
from sandbox.policy.model import Policy
from sandbox.policy.tighten import tighten
from sandbox.result import Result, Status
from sandbox.runtime.caller import capacity
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.caller.defaults import default_sandbox
from sandbox.runtime.wire.trusted_json import read_plain
from sandbox.runtime.wire.untrusted_json import Bounds

_T = TypeVar("_T")
_TEST_SOURCE_KIB = 16384  # tests with their values can be long
_MOST_KIB = 65536  # that a policy can have
_TESTS_TIMES = 3  # a program's CPU time: what test files have for themselves
_LEAST_SECONDS = 0.05  # of the clock: no limit may be zero
_MOST_WAYS = 1024  # rows of which it is remembered how they are graded
_GLOBALS = {
    "names": ["globals"],
    "reason": "The namespace of the program, for what has it as a module; a copy holds no more.",
}
_BUILTINS = {
    "module": "builtins",
    "names": "*",
    "reason": "A namespace of the granted builtins, for what answers calls after the program.",
}


class Sandboxes:
    """The sandboxes that the rows of one call share. Each sandbox is started at its first use."""

    def __init__(self, settings: Settings) -> None:
        """Hold `settings`. Raises ValueError for a preamble of one's own that does not run."""
        self._policy, preamble = settings.policy, settings.preamble
        self._limits: dict[str, Any] = dict(settings.limits)
        self._held_to = tighten(self._policy.plan().limits, self._limits)
        self.preamble = by_choice(preamble, self._policy)
        self._retry_lock = RetryLock()
        self._open: dict[str, Sandbox] = {}
        self._ways: dict[AssertTests, bool] = {}
        self._block = Block()
        if preamble not in (CALLS, LCB, NONE):
            self._try(preamble)

    def end(self) -> None:
        """End all: the caller waits for no grade any more, a thread at one gets SandboxClosed."""
        self._block.end()

    def check(self) -> None:
        """Raise SandboxClosed after `end`, and when time is over. Call it before each test."""
        if self._block.is_over():
            raise SandboxClosed("grading was ended before it was done")

    @property
    def workers(self) -> int:
        """The number of programs that can run at once. Starts nothing, and raises for no fault."""
        try:
            return capacity.workers(None, self._policy.plan())
        except SandboxError:  # each row will say it for itself
            return 1

    @property
    def programs(self) -> Sandbox:
        """The sandbox for programs that run to their end, or are called once."""
        return self._sandbox("programs", lambda: self._policy)

    @property
    def guests(self) -> Sandbox:
        """The sandbox for programs that answer calls: the same policy with services.

        It has room in the source for what stands beside them; their own length is for `too_long`
        to say.
        """
        return self._sandbox("guests", self._answering)

    @property
    def modules(self) -> Sandbox:
        """The sandbox for programs that test files import: as `guests`, with `globals` granted.

        What answers for a program has its names by it. Under the language layer it gives a program
        the namespace that it has anyhow.
        """
        return self._sandbox("modules", self._importable)

    @property
    def tests(self) -> Sandbox:
        """The sandbox for tests that are programs themselves.

        They have their own: a test holds its place while it waits for a program to answer, which
        must not wait for a place.
        """
        return self._sandbox("tests", _testing)

    @property
    def suites(self) -> Sandbox:
        """The sandbox for test files that pytest runs, which waits for programs as `tests` does.

        Raises SandboxUnavailable where pytest is not installed, or its files cannot be shown.
        """
        return self._sandbox("suites", lambda: testing(self._policy))

    @property
    def package_names(self) -> list[str]:
        """The packages that a program's policy grants."""
        return [package.name for package in self._policy.packages]

    @property
    def granted_names(self) -> dict[str, list[str]] | None:
        """The names of the library that a program may import, by module; None if all are."""
        if self._policy.language == "off":
            return None
        found: dict[str, list[str]] = {}
        for grant in self._policy.modules:
            found.setdefault(grant.module, []).extend(grant.names)
        return found

    def texts(self, code: str, tests: Tests) -> dict[str, Any]:
        """Return what runs before `code` under `tests`, beside it, as options of a job."""
        return {"preamble": self.preamble(code, tests)}

    def takes_stdin(self, text: str) -> bool:
        """Return False if no program could be given `text`, and so none be judged by it."""
        return _is_within(text, self._held_to.stdin_kib)

    def could_print(self, text: str) -> bool:
        """Return False if no program could print `text`."""
        try:
            return len(text.encode()) <= self._held_to.output_kib << 10
        except UnicodeEncodeError:  # half of a pair
            return False

    def as_given(self, value: Any) -> Any:
        """Return `value` as it arrives if a program returns it: tuples are lists, keys text.

        Raises ValueError if it would not arrive.
        """
        limits = self._held_to
        most = Bounds(limits.output_kib << 10, limits.value_items, limits.value_depth)
        try:
            text = json.dumps(value, separators=(",", ":"))
        except (TypeError, RecursionError) as error:
            raise ValueError(f"no plain data: {error}") from None
        if len(text) > most.chars:
            raise ValueError("larger than the policy's output_kib")
        return read_plain(text.encode("ascii"), most)

    def too_long(self, code: str) -> str:
        """Say why no program of this length is run; empty if one is."""
        most = self._held_to.source_kib
        if _is_within(code, most):
            return ""
        return f"{Status.DENIED}: source_kib: the program is larger than {most} KiB"

    def guests_take(self, source: str) -> bool:
        """Return False if `source`, a test beside a program, is longer than a source may be."""
        return _is_within(source, self.guests.policy.limits.source_kib)

    def lacks(self, modules: Iterable[str]) -> list[str]:
        """List which of `modules` the policy grants neither to a program nor to a test."""
        plan = self._policy.plan()
        return sorted(each for each in modules if plan.language and each not in plan.modules)

    def knows_way(self, tests: AssertTests) -> bool:
        """Return True if `passes_instances` needs no child to answer."""
        return tests in self._ways

    def passes_instances(self, tests: AssertTests) -> bool:
        """Return True if `tests` pass a program what cannot cross; asked once for equal tests.

        Raises SandboxError.
        """
        known = self._ways.get(tests)
        if known is None:
            lacking = self.lacks(CROSSING)
            known = self.attempt(
                lambda: passes_instances(self.tests, tests, lacking), lambda _: False
            )
            if len(self._ways) >= _MOST_WAYS:
                self._ways.clear()
            self._ways[tests] = known
        return known

    @property
    def limits(self) -> dict[str, Any]:
        """The limits of a program that starts now: it runs no longer than the block is there."""
        return self._bounded(self._limits, self._held_to.wall_seconds)

    @property
    def test_limits(self) -> dict[str, Any]:
        """The limits of a child of `tests` that starts now."""
        return self._bounded({}, self.tests.policy.limits.wall_seconds)

    @property
    def suite_limits(self) -> dict[str, Any]:
        """The limits of a child of `suites` that starts now: three times a program's CPU time."""
        own = self.suites.policy.limits
        cpu_seconds = min(_TESTS_TIMES * self._held_to.cpu_seconds, own.cpu_seconds)
        return self._bounded({"cpu_seconds": cpu_seconds}, own.wall_seconds)

    def _bounded(self, limits: dict[str, Any], wall_seconds: float) -> dict[str, Any]:
        left = max(self._block.left(), _LEAST_SECONDS)
        return limits if left >= wall_seconds else {**limits, "wall_seconds": left}

    @property
    def guest_limits(self) -> dict[str, Any]:
        """The limits for `guests`: what stands beside a program is not counted as its source."""
        return {name: value for name, value in self.limits.items() if name != "source_kib"}

    def was_starved(self, result: Result) -> bool:
        """Return True if a program met the wall-clock limit with less than half of a processor.

        Without the language layer a program can wait of its own will, and is not believed. What met
        the CPU limit had its time, however long it took to get it: where there are fewer processors
        than workers, as under a quota, every endless loop would else be run again, alone.
        """
        if self._policy.language == "off":
            return False
        if result.status is not Status.WALL_LIMIT:
            return False
        return result.wall_seconds > 2 * result.cpu_seconds

    def attempt(self, once: Callable[[], _T], is_starved: Callable[[_T], bool]) -> _T:
        """Return what `once` gives; again, with nothing of ours beside, if the machine failed it.

        Raises SandboxError if it did so twice.
        """
        self.check()
        try:
            with self._retry_lock.shared():
                answer = once()
            if not is_starved(answer):
                return answer
        except CONFIGURATION:
            raise
        except SandboxError:
            pass
        self.check()
        with self._retry_lock.alone():
            return once()

    def _try(self, preamble: str) -> None:
        """Try a preamble: one that fails would fail every program. Raises ValueError."""
        result = self.attempt(lambda: self.programs.run("", preamble=preamble), self.was_starved)
        if not result.ok:
            raise ValueError(f"the preamble does not run: {result.error}")

    def _answering(self) -> Policy:
        grants = self._policy.modules
        has_all = self._policy.language == "off"
        if not has_all and not any(grant.module == "builtins" for grant in grants):
            grants = (*grants, _BUILTINS)  # type: ignore[arg-type]  # it validates
        name = f"{self._policy.name}-answering"
        room = {"source_kib": min(self._policy.limits.source_kib + _TEST_SOURCE_KIB, _MOST_KIB)}
        return self._policy.replaced(name=name, services=True, modules=grants, limits=room)

    def _importable(self) -> Policy:
        policy = self._answering()
        if policy.language == "off" or "globals" in policy.plan().builtins:
            return policy
        return policy.replaced(builtins=(*policy.builtins, _GLOBALS))  # it validates

    def _sandbox(self, role: str, policy: Callable[[], Policy]) -> Sandbox:
        # Two threads may both ask: they get the same one.
        if role not in self._open:
            self._open[role] = default_sandbox(policy())
        return self._open[role]


def _is_within(text: str, kib: int) -> bool:
    most = kib << 10
    return len(text) <= most // 4 or len(text.encode("utf-8", "surrogatepass")) <= most


def _testing() -> Policy:
    return Policy.load("contest").replaced(
        name="grading-tests", services=True, limits={"source_kib": _TEST_SOURCE_KIB}
    )
