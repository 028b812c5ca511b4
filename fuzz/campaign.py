"""A campaign: stages of attacks on one policy until the time is up, and what came of them."""

import platform
import random
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack
from itertools import count, islice

from sandbox import Policy, SandboxUnavailable

from .engine import Attempt, Engine, Fails, Program
from .inner import harnesses
from .judging.finds import Find, Report, StageReport, in_process
from .layers import promises
from .programs import honest, sources, syscalls
from .programs.shrinking import MOST_SECONDS, shrink
from .targets import setups
from .targets.arena import Arena, Evidence
from .targets.graders import Grading
from .targets.setups import Setup

Watch = Callable[[StageReport, Report], None]
AREAS = ("language", "grader", "kernel", "frames", "limits", *promises.PROMISES)
_MOST_FINDS = 25  # a policy with a hole has thousands; a few of each stage tell enough
_FINDS_OF_A_STAGE, _FEWEST_HONEST = 5, 20
_SLICE = 24  # programs between two looks at the clock
_GRADED_SHARE, _SYSCALL_SHARE, _HONEST_SHARE, _GUIDED_SHARE = 0.35, 0.15, 0.15, 0.3


class Campaign:
    """Attack `policy` for `seconds`, or until `most` generated programs have run.

    With the same seed, the same programs are run in the same order; how many fit into the time
    depends on the machine. `planted` is source that is put into every supervisor, for tests that
    keep the fuzzer honest. `stop_early` ends it with the first find. `areas` are what to look at.
    """

    def __init__(
        self,
        policy: Policy,
        *,
        seconds: float = 60.0,
        seed: int = 0,
        jobs: int = 2,
        most: int | None = None,
        planted: str = "",
        stop_early: bool = False,
        areas: Collection[str] = AREAS,
        guided: bool = False,
        watch: Watch | None = None,
    ) -> None:
        self._policy, self._seconds, self._seed, self._jobs = policy, seconds, seed, jobs
        self._most, self._planted, self._stop_early = most, planted, stop_early
        self._areas, self._guided = frozenset(areas), guided
        self._watch = watch or (lambda stage, report: None)
        self.report = Report(
            policy=policy.name, seed=seed, jobs=jobs, python=platform.python_version()
        )

    def run(self) -> Report:
        """Carry out the campaign. Raises SandboxUnavailable if the policy does not open here.

        A KeyboardInterrupt ends it; the report says so.
        """
        self._started = time.monotonic()
        try:
            with Arena() as self._arena, setups.instrumented(self._arena.mark, self._planted):
                stages = self._stages()
                for area, stage in stages:
                    if area in self._areas:
                        stage()
                    if self._over:
                        break
                self.report.unreached = sum(area in self._areas for area, _ in stages)
        except KeyboardInterrupt:
            self.report.interrupted = True
        self.report.seconds = time.monotonic() - self._started
        return self.report

    # -- the order of things

    def _stages(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Yield what was asked for or always runs, the cheapest first; then what fills the time."""
        policy, restricted = self._policy, self._policy.language != "off"
        target = setups.target(policy)
        native = target if not restricted else setups.without(policy, "language")
        if self._guided:
            yield "frames", self._coverage
        yield "language", self._corpus("language", target)
        yield "grader", self._corpus("grader", target)
        yield "frames", self._parsers
        for layer in promises.layers(policy):
            yield layer, self._promises(layer)
        yield "kernel", self._corpus("native", native)
        yield "frames", self._corpus("protocol", native)
        yield "grader", self._graded(target)
        chooser = random.Random(self._seed)
        generated = sources.generated(chooser, self._policy)
        yield "language", self._endless("generated", target, generated, 0.35)
        if restricted:
            family = sources.of_families(random.Random(self._seed), self._policy)
            yield "language", self._endless("families", target, family, 0.35)
        yield "language", self._endless("mutated", target, sources.mutated(chooser), 0.35)
        if syscalls.usable():
            calls = (syscalls.generate(chooser) for _ in count())
            yield "kernel", self._endless("system calls", native, calls, _SYSCALL_SHARE)
        if restricted:
            yield "language", lambda: self._honest(target, native, chooser)
        yield "limits", self._endless("resources", target, sources.resources(chooser), 1.0)

    @property
    def _left(self) -> float:
        return self._started + self._seconds - time.monotonic()

    @property
    def _over(self) -> bool:
        enough = len(self.report.finds) >= _MOST_FINDS
        return self._left <= 0 or enough or (self._stop_early and bool(self.report.finds))

    # -- stages

    def _corpus(self, mode: str, setup: Setup) -> Callable[[], None]:
        granted = setup.policy.plan().modules if setup.language else ()
        found = sources.of_mode(
            mode, random.Random(self._seed), walks_only=setup.language, granted=granted
        )
        stage = StageReport(name=f"corpus: {mode}", setup=setup.name)
        return lambda: self._attack(stage, setup, found)

    def _graded(self, setup: Setup) -> Callable[[], None]:
        """Make a stage of the same attacks, on the grader that users call."""
        found = sources.of_mode("grader", random.Random(self._seed), walks_only=False)
        stage = StageReport(name="graded", setup=setup.name)

        return lambda: self._attack(
            stage, setup, found, time.monotonic() + self._left * _GRADED_SHARE, kind=Grading
        )

    def _promises(self, layer: str) -> Callable[[], None]:
        """Make a stage of the attacks that `layer` alone must stop as it promises."""
        setup = setups.alone(self._policy, layer)
        found = sources.of_layer(layer, random.Random(self._seed))
        stage = StageReport(name=f"promise: {layer}", setup=setup.name)
        return lambda: self._attack(stage, setup, found, careful=False)

    def _endless(
        self, name: str, setup: Setup, programs: Iterator[Program], share: float
    ) -> Callable[[], None]:
        def stage() -> None:
            until = time.monotonic() + self._left * share
            most = None if self._most is None else max(int(self._most * min(share, 0.35)), 1)
            self._attack(
                StageReport(name=name, setup=setup.name), setup, islice(programs, most), until
            )

        return stage

    def _honest(self, target: Setup, native: Setup, chooser: random.Random) -> None:
        """Check that allowed programs print what CPython prints, and twice the same."""
        stage = StageReport(name="honest", setup=target.name)
        started = time.monotonic()
        share = self._left * _HONEST_SHARE
        most = None if self._most is None else int(self._most * _HONEST_SHARE)
        with ExitStack() as stack:
            ours = stack.enter_context(Engine(target, self._arena, self._jobs))
            reference = stack.enter_context(Engine(native, self._arena, self._jobs))
            until = time.monotonic() + share
            for number in count():
                if (time.monotonic() > until and number >= _FEWEST_HONEST) or number == most:
                    break
                code = honest.generate(chooser)
                status, error, evidence = honest.judge(ours.sandbox, reference.sandbox, code)
                program = Program(id=f"honest-{number}", code=code)
                outcome = Attempt(program, target.name, status, error, evidence)
                self.report.executions += 3
                self._note(stage, ours, outcome, lambda _: False)
        self._close(stage, started)

    def _parsers(self) -> None:
        """Fuzz the parsers of the caller's side, in this process."""
        stage, chooser = StageReport(name="parsers", setup="in process"), random.Random(self._seed)
        started = time.monotonic()
        for name in harnesses.HARNESSES:
            number, data, told = harnesses.broken(name, chooser)
            stage.programs += number
            if told:
                self.report.finds.append(in_process(f"parser-{name}", data, told, self._seed))
        stage.seconds = time.monotonic() - started
        self.report.stages.append(stage)
        self._watch(stage, self.report)

    def _coverage(self) -> None:
        """Fuzz every parser guided by coverage, in processes of their own."""
        from .inner.guided import run_all

        started = time.monotonic()
        for name, told, crash in run_all(self._left * _GUIDED_SHARE, self._seed):
            self.report.guided[name] = told
            if crash:
                self.report.finds.append(in_process(f"guided-{name}", crash, told, self._seed))
        self._close(StageReport(name="guided", setup="in processes", programs=0), started)

    # -- running one

    def _attack(
        self,
        stage: StageReport,
        setup: Setup,
        programs: Iterable[Program],
        until: float | None = None,
        *,
        careful: bool = True,
        kind: type[Engine] = Engine,
    ) -> None:
        started, found = time.monotonic(), 0
        try:
            careful = careful and not self._stop_early
            engine = kind(setup, self._arena, self._jobs, careful).__enter__()
        except SandboxUnavailable as error:
            if setup.name == "target":
                raise
            self._unavailable(stage, setup, error)
            return
        with ExitStack() as stack:
            stack.push(engine.__exit__)
            if setup.name == "target":
                self.report.layers = dict(engine.sandbox.layers)
            source = iter(programs)
            size = 4 if stage.name == "resources" else _SLICE
            fails = lambda program: engine.run(program).escaped  # noqa: E731
            while batch := list(islice(source, size)):
                for outcome in engine.run_all(batch):
                    self.report.executions += engine.executions
                    engine.executions = 0
                    found += self._note(stage, engine, outcome, fails)
                    if found >= _FINDS_OF_A_STAGE:
                        break
                late = until is not None and time.monotonic() > until
                if late or self._over or found >= _FINDS_OF_A_STAGE:
                    break
            program = Program(id=f"leftovers of {stage.name}", code="")
            for evidence in engine.leftovers():
                outcome = Attempt(program, setup.name, "", "", (evidence,))
                self._note(stage, engine, outcome, lambda _: False)
        self._close(stage, started)

    def _unavailable(self, stage: StageReport, setup: Setup, error: SandboxUnavailable) -> None:
        """Note a layer that this host lacks; one that fails its own probe is a find."""
        stage.skipped = str(error)
        if "a probe could" in str(error):
            evidence = (Evidence("probe", error.reason),)
            self.report.finds.append(
                Find(
                    id=f"probe-{error.layer}",
                    setup=setup.name,
                    layers=setup.layers,
                    evidence=evidence,
                    code="",
                    shrunk="",
                    seed=self._seed,
                )
            )
        self._close(stage, time.monotonic())

    def _close(self, stage: StageReport, started: float) -> None:
        stage.seconds = time.monotonic() - started
        self.report.stages.append(stage)
        self._watch(stage, self.report)

    def _note(self, stage: StageReport, engine: Engine, outcome: Attempt, fails: Fails) -> int:
        stage.programs += 1
        stage.statuses[outcome.status] = stage.statuses.get(outcome.status, 0) + 1
        stage.inconclusive += outcome.status == "inconclusive"
        self.report.note(stage, outcome.program.origin, outcome.status, outcome.evidence)
        if outcome.escaped and len(self.report.finds) < _MOST_FINDS:
            self.report.finds.append(self._find(engine, outcome, fails))
        self.report.seconds = time.monotonic() - self._started
        self._watch(stage, self.report)
        return int(outcome.escaped)

    def _find(self, engine: Engine, outcome: Attempt, fails: Fails) -> Find:
        program = outcome.program
        shrunk = program.code
        if not self._stop_early:
            seconds = min(MOST_SECONDS, max(self._left, 1.0))
            shrunk = shrink(program.code, lambda code: fails(_with(program, code)), seconds)
        return Find(
            id=program.id,
            setup=outcome.setup,
            layers=tuple(engine.sandbox.layers),
            evidence=outcome.evidence,
            code=program.code,
            shrunk=shrunk,
            seed=self._seed,
            origin=program.origin,
            stdin=program.stdin,
            power=program.power,
        )


def _with(program: Program, code: str) -> Program:
    return Program(id=program.id, code=code, stdin=program.stdin, means=program.means)
