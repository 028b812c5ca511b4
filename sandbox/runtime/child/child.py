"""One child: confined first, fed second, one program, gone. Nothing here ever returns."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import CodeType
from typing import Any, NoReturn

from sandbox.interpreter.vault import asking
from sandbox.job import Job
from sandbox.kernel.steps import Step
from sandbox.language.compile.compiler import TEXT, compile_program, survives_marshal
from sandbox.language.guest import unrestricted
from sandbox.language.guest.determinism import begin
from sandbox.language.guest.ends.faults import Outcome
from sandbox.language.guest.world import World, describe, enter, leave
from sandbox.policy.layers import OFF
from sandbox.policy.limits import Limits
from sandbox.policy.plan import Plan
from sandbox.runtime.child import asking_services, job_files, reporter
from sandbox.runtime.child.confinement import confine
from sandbox.runtime.wire import protocol, untrusted_json
from sandbox.runtime.wire.task import CALL, COMPILE, Task

_WARM_UP_BYTES = 1 << 20  # more than it prints, under whatever policy
_DEPTH_AFTER = 1000  # for what we do when the program is over, which may have left little
_UNCONFINED, _BROKEN = 97, 99  # exit statuses; none of them is a verdict
_SPARE_BYTES = 3 << 19  # one arena of CPython's, 1 MiB, and something for malloc
Spares = list[bytes]


def live(
    steps: list[Step],
    plan: Plan,
    world: World,
    program: str,
    forget: Callable[[], object],
    end: Callable[[int], NoReturn] = asking.end,
) -> NoReturn:
    """Be confined, warm up with `program` if there is one, say so, take a job, run it, report, end.

    No caller gives `end`: what stands in a module can be replaced by a guest that finds it.
    """
    try:
        try:
            confine(steps)
        except BaseException as error:
            asking.say(protocol.NOT_READY + f"{error}".encode()[:500])
            end(_UNCONFINED)
        forget()  # what the supervisor alone needs
        if program:
            # No job waits yet: touch the pages that any program touches, as first writes copy them.
            warm_up(program, plan, world)
        # The child lets go of these once memory is out, as any call to make room would need some.
        # They come zeroed from the kernel: address space, no pages.
        spares = [bytes(_SPARE_BYTES), bytes(_SPARE_BYTES)]
        asking.say(protocol.READY)
        task = _take_job(spares)
        _perform(task, plan, world, spares)
    except BaseException as error:
        spares.clear()  # a frame that `error` holds has the same list
        _last_resort(error)
    finally:
        end(_BROKEN)


def warm_up(source: str, plan: Plan, world: World) -> None:
    """Perform `source` as a job for its effect on caches and pages; what it prints goes nowhere.

    Raises RuntimeError if it fails.
    """
    main = sys.modules["__main__"]
    outcome = _perform(Task.running(source), plan, world, [b"", b""], warming_up=True)
    if outcome.status != "OK":
        raise RuntimeError(f"the warm-up: {outcome.error}")
    world.state.output.send()
    sys.modules["__main__"] = main  # no guest's program runs: see `on_behalf_of_guest`
    world.state.was_warmed_up()
    unrestricted.count_all()


def _take_job(spares: Spares) -> Task:
    """Read the job; one that is larger than the memory that it allows ends here."""
    try:
        return Task.of(*asking.take_job())
    except MemoryError:
        spares.clear()
        reporter.report("MEMORY_LIMIT", "memory limit: no room for the job")


def _perform(
    task: Task, plan: Plan, world: World, spares: Spares, *, warming_up: bool = False
) -> Outcome:
    """Do `task`, tell the caller how it ended, and end; after a warm-up only return."""
    if task.mode == COMPILE:
        _compile_only(task, plan, world, spares)
    job = task.job
    plan = _tightened(plan, job.limits)
    collector = world.state.output
    collector.begin(
        list.clear if warming_up else lambda _pending: asking.flush(),
        _WARM_UP_BYTES if warming_up else plan.limits.output_bytes,
        lambda: reporter.report(*too_much(plan.limits)),
        by_time=not plan.deterministic,
    )
    if not warming_up:
        printed = (collector.pending, collector.complaints)
        asking.begin(bool(job.services), plan.limits.stack_bytes, *printed)
    value, verdict = "", Outcome("OK", "", "")
    store: job_files.Store | None = None
    scope: dict[str, Any] = {}
    try:
        texts = {"source": job.code, "beside": _beside(job)}
        scope = enter(world, stdin=job.stdin, output=collector, plan=plan, **texts)
        # What most programs have not costs them nothing: code that is not run is not copied.
        if job.argv:
            world.state.set_arguments(job.argv)
        if job.files or job.fetch:
            store = store_of(world, plan)
            if job.files:
                store.place(job.files)
        if job.services:
            offered = asking_services.offer(tuple(job.services), _bounds(plan.limits))
            scope.update(offered)
            world.state.services = offered
        codes = asking.load_codes(task.code) if task.code else _compiled(task, plan)
        if not warming_up:
            begin(world.state)
            asking.arm(tripwire=plan.layers["interpreter"] != OFF)
        for code in codes:
            asking.evaluate(code, scope)
        if task.mode == CALL:
            value = _call(job, scope, _bounds(plan.limits))
    except BaseException as error:
        spares.pop()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))
        verdict = describe(error, world)
        if task.mode == CALL and verdict.status == "OK":  # an exit is no value
            text = f"SystemExit: the program ended before '{job.entry}' returned"
            verdict = verdict._replace(status="ERROR", error=text)
    else:
        spares.pop()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))
    if verdict.status != "MEMORY_LIMIT":
        scope = {}
        if job.fetch and store is not None:
            store.expect_fetching()
        failed = leave(world)  # here, where no exception holds the program's frames any more
        if failed and verdict.status == "OK":
            value, verdict = "", Outcome("ERROR", failed, "")
        if job.fetch and store is not None and not collector.overflowed:
            collector.close()
            verdict = _give_back(store, job, plan.limits, verdict)
    if collector.overflowed:  # where the stack had no room to say so
        value, verdict = "", too_much(plan.limits)
    if not warming_up:
        collector.close()
        reporter.report(verdict.status, verdict.error, verdict.traceback, value)
    return verdict


def store_of(world: World, plan: Plan) -> job_files.Store:
    """Return where the program has its files."""
    if plan.scratch is None:
        return job_files.Tree(world)
    from sandbox.runtime.child.scratch_files import FileSystem

    return FileSystem(world)


def _give_back(store: job_files.Store, job: Job, limits: Limits, verdict: Outcome) -> Outcome:
    """Send the files that `job` fetches; return the verdict: another if they are too many."""
    try:
        job_files.send(store, job.fetch, limits)
    except job_files.TooManyFiles as error:
        return Outcome("OUTPUT_LIMIT", str(error), "")
    return verdict


def too_much(limits: Limits) -> Outcome:
    """Return how a program ends that has printed more than it may."""
    text = f"output limit: more than {limits.output_kib} KiB printed"
    return Outcome("OUTPUT_LIMIT", text, "")


def _tightened(plan: Plan, limits: Mapping[str, Any]) -> Plan:
    """Return `plan` with the limits of a job, which its caller has held against the policy's."""
    return replace(plan, limits=replace(plan.limits, **limits)) if limits else plan


def _compiled(task: Task, plan: Plan) -> list[CodeType]:
    """Return the codes to run, in order. Each text is Python by itself, or none of them runs."""
    text, text_before, text_after = task.job.program
    before = [compile_program(text_before, plan, filename=TEXT)] if text_before else []
    program = compile_program(text, plan)
    if task.after:
        return [*before, program, asking.load_codes(task.after)[-1]]
    after = [compile_program(text_after, plan, filename=TEXT)] if text_after else []
    return [*before, program, *after]


def _beside(job: Job) -> str:
    """Return the texts that run in the program's namespace before and after it."""
    _, *beside = job.program
    return "\n".join(beside)


def _call(job: Job, scope: dict[str, Any], most: untrusted_json.Bounds) -> str:
    if job.entry not in scope:
        raise NameError(f"name '{job.entry}' is not defined")
    value = scope[job.entry](*job.args, **job.kwargs)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))  # a value is walked by it
    return untrusted_json.encode_told(f"what {job.entry}() returned", value, most)


def _bounds(limits: Limits) -> untrusted_json.Bounds:
    return untrusted_json.Bounds(limits.output_bytes, limits.value_items, limits.value_depth)


def _compile_only(task: Task, plan: Plan, world: World, spares: Spares) -> NoReturn:
    """Compile for other children. No guest code runs here, so none can touch the answer.

    Without code, the answer is that the program is Python and each child has to compile it.
    """
    asking.begin(False, plan.limits.stack_bytes, [], [])
    world.state.source, world.state.beside = task.job.code, _beside(task.job)
    try:
        codes = _compiled(task, plan)
    except BaseException as error:
        spares.pop()
        verdict = describe(error, world)
        reporter.report(verdict.status, verdict.error, verdict.traceback)
    if all(map(survives_marshal, codes)):
        asking.send_codes(protocol.CODE, codes)
    reporter.report("OK")


def _last_resort(error: BaseException) -> None:
    """Report that reporting failed, which only an exhausted or hostile guest brings about."""
    asking.release()
    memory = isinstance(error, MemoryError)
    status = "MEMORY_LIMIT" if memory else "ERROR"
    reporter.report(status, f"{type(error).__name__} (while the sandbox reported the outcome)")
