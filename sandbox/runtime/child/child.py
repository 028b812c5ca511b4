"""One child: confined first, fed second, one program, gone. Nothing here ever returns."""

import sys
from collections.abc import Callable
from dataclasses import replace
from types import CodeType
from typing import Any, NoReturn

from sandbox.interpreter.vault import asking
from sandbox.kernel.steps import Step
from sandbox.language.compile.compiler import TEXT, compile_program, survives_marshal
from sandbox.language.guest.determinism import begin
from sandbox.language.guest.ends.faults import Outcome
from sandbox.language.guest.world import World, describe, enter, leave
from sandbox.policy.plan import OFF, Plan
from sandbox.runtime.child import asking_services, reporter
from sandbox.runtime.child.confinement import confine
from sandbox.runtime.wire import protocol, untrusted_json
from sandbox.runtime.wire.job import CALL, COMPILE, RUN, ChildJob

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
    """Be confined, rehearse `program` if there is one, say so, take a job, run it, report, end.

    `end` is for nobody to give: what stands in a module is for whoever finds it to replace.
    """
    try:
        try:
            confine(steps)
        except BaseException as error:
            asking.say(protocol.NOT_READY + f"{error}".encode()[:500])
            end(_UNCONFINED)
        forget()  # what the supervisor alone needs
        if program:
            # Nobody waits yet: touch the pages that any program touches, as first writes copy them.
            rehearse(program, plan, world)
        # What is let go of once memory is out, without asking anybody: that would need some. They
        # come zeroed from the kernel: address space, no pages.
        spares = [bytes(_SPARE_BYTES), bytes(_SPARE_BYTES)]
        asking.say(protocol.READY)
        job = _take_job(spares)
        _perform(job, plan, world, spares)
    except BaseException as error:
        spares.clear()  # a frame that `error` holds has the same list
        _last_resort(error)
    finally:
        end(_BROKEN)


def rehearse(source: str, plan: Plan, world: World) -> None:
    """Perform `source` as a job for its effect on caches and pages; what it prints goes nowhere.

    Raises RuntimeError if it fails.
    """
    main = sys.modules["__main__"]
    limit = plan.limits.recursion_limit
    job = ChildJob(RUN, source, output_bytes=1 << 20, recursion_limit=limit)
    outcome = _perform(job, plan, world, [b"", b""], rehearsing=True)
    if outcome.status != "OK":
        raise RuntimeError(f"the rehearsal: {outcome.error}")
    world.session.output.send()
    sys.modules["__main__"] = main  # nobody's program runs: see `on_behalf_of_guest`
    world.session.was_rehearsed()


def _take_job(spares: Spares) -> ChildJob:
    """Read the job; one that is larger than the memory that it allows ends here."""
    try:
        return ChildJob(*asking.take_job())
    except MemoryError:
        spares.clear()
        reporter.report("MEMORY_LIMIT", "memory limit: no room for the job")


def _perform(
    job: ChildJob, plan: Plan, world: World, spares: Spares, *, rehearsing: bool = False
) -> Outcome:
    """Run `job`, tell the caller how it ended, and end; of a rehearsal nobody is told."""
    if job.mode == COMPILE:
        _compile_only(job, plan, world, spares)
    collector = world.session.output
    collector.begin(
        list.clear if rehearsing else lambda _pending: asking.flush(),
        job.output_bytes,
        lambda: reporter.report(*_too_much(job)),
        by_time=not plan.deterministic,
    )
    if not rehearsing:
        asking.begin(bool(job.services), job.stack_bytes, collector.pending)
    value, verdict = "", Outcome("OK", "", "")
    scope: dict[str, Any] = {}
    try:
        plan = _tightened(plan, job)
        texts = {"source": job.source, "beside": _beside(job)}
        scope = enter(world, stdin=job.stdin, output=collector, plan=plan, **texts)
        offered = asking_services.offer(job.services, _bounds(job))
        if offered:
            scope.update(offered)
        world.session.services = offered
        codes = asking.load_codes(job.code) if job.code else _compiled(job, plan)
        if not rehearsing:
            begin(world.session)
            asking.arm(tripwire=plan.layers["interpreter"] != OFF)
        for code in codes:
            asking.evaluate(code, scope)
        if job.mode == CALL:
            value = _call(job, scope)
    except BaseException as error:
        spares.pop()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))
        verdict = describe(error, world)
        if job.mode == CALL and verdict.status == "OK":  # an exit is no value
            text = f"SystemExit: the program ended before '{job.entry}' returned"
            verdict = verdict._replace(status="ERROR", error=text)
    else:
        spares.pop()
        sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))
    if verdict.status != "MEMORY_LIMIT":
        scope = {}
        failed = leave(world)  # here, where no exception holds the program's frames any more
        if failed and verdict.status == "OK":
            value, verdict = "", Outcome("ERROR", failed, "")
    if collector.overflowed:  # where the stack had no room to say so
        value, verdict = "", _too_much(job)
    if not rehearsing:
        reporter.report(verdict.status, verdict.error, verdict.traceback, value)
    return verdict


def _too_much(job: ChildJob) -> Outcome:
    text = f"output limit: more than {job.output_bytes // 1024} KiB printed"
    return Outcome("OUTPUT_LIMIT", text, "")


def _tightened(plan: Plan, job: ChildJob) -> Plan:
    """What of a tightened limit is kept inside the child: the rest is from outside."""
    if job.recursion_limit == plan.limits.recursion_limit:
        return plan
    return replace(plan, limits=replace(plan.limits, recursion_limit=job.recursion_limit))


def _compiled(job: ChildJob, plan: Plan) -> list[CodeType]:
    """The codes to run, in order. Each text is Python by itself, or none of them runs."""
    before = [compile_program(job.preamble, plan, filename=TEXT)] if job.preamble else []
    program = compile_program(job.source, plan)
    if job.after:
        return [*before, program, asking.load_codes(job.after)[-1]]
    after = [compile_program(job.postamble, plan, filename=TEXT)] if job.postamble else []
    return [*before, program, *after]


def _beside(job: ChildJob) -> str:
    """The texts that run in the program's namespace before and after it."""
    return f"{job.preamble}\n{job.postamble}"


def _call(job: ChildJob, scope: dict[str, Any]) -> str:
    if job.entry not in scope:
        raise NameError(f"name '{job.entry}' is not defined")
    value = scope[job.entry](*job.args, **job.kwargs)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _DEPTH_AFTER))  # a value is walked by it
    return untrusted_json.encode(value, _bounds(job))


def _bounds(job: ChildJob) -> untrusted_json.Bounds:
    return untrusted_json.Bounds(job.output_bytes, job.value_items, job.value_depth)


def _compile_only(job: ChildJob, plan: Plan, world: World, spares: Spares) -> NoReturn:
    """Compile for other children. No guest code runs here, so none can touch the answer.

    Without code, the answer is that the program is Python and each child has to compile it.
    """
    asking.begin(False, job.stack_bytes, [])
    world.session.source, world.session.beside = job.source, _beside(job)
    try:
        codes = _compiled(job, plan)
    except BaseException as error:
        spares.pop()
        verdict = describe(error, world)
        reporter.report(verdict.status, verdict.error, verdict.traceback)
    if all(map(survives_marshal, codes)):
        asking.send_codes(protocol.CODE, codes)
    reporter.report("OK")


def _last_resort(error: BaseException) -> None:
    """Reporting itself failed, which only an exhausted or hostile guest brings about."""
    asking.release()
    memory = isinstance(error, MemoryError)
    status = "MEMORY_LIMIT" if memory else "ERROR"
    reporter.report(status, f"{type(error).__name__} (while the sandbox reported the outcome)")


def _never() -> NoReturn:
    raise AssertionError("the rehearsal printed too much")
