"""From a fresh interpreter to one that children are forked from: its world, its powers given up."""

from __future__ import annotations  # a class that is named in one would be found there

import atexit
import gc
import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

from sandbox.interpreter.disarming import census, library
from sandbox.interpreter.disarming.disarm import Armories, disarm
from sandbox.interpreter.disarming.hiding import hide, hide_types
from sandbox.interpreter.vault import builders, events, vault
from sandbox.interpreter.vault.pipes import Pipes
from sandbox.kernel import libc
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.language.compile.compiler import PROGRAM_FILES
from sandbox.language.guest.preloading import preload
from sandbox.language.guest.world import World, build_world
from sandbox.language.natives import patching
from sandbox.policy.layers import OFF
from sandbox.policy.plan import Plan
from sandbox.runtime.child import child, garbage, reporter
from sandbox.runtime.child.warmup import program_for
from sandbox.runtime.supervisor import heap, probes
from sandbox.runtime.supervisor.room import THREAD_STACK_MIB
from sandbox.runtime.wire import protocol

# The interpreter adapts code as it runs, and writes to it: let it be done before children share it.
_WARM_UPS = 8
# Of `sandbox.runtime`, what the supervisor and its forker go on with.
_OWN = (
    "child.confinement",
    *("supervisor.channels", "supervisor.children", "supervisor.forker", "supervisor.forker_link"),
    *("supervisor.heap", "supervisor.jail", "supervisor.preparation", "supervisor.probes"),
    *("supervisor.room", "supervisor.start", "supervisor.supervisor"),
)


class Hidden(NamedTuple):
    """What no program may find of a package under the language layer.

    Its classes, the ids of its objects, and of the dicts that its code has for builtins.
    """

    classes: list[type]
    objects: frozenset[int]
    namespaces: frozenset[int]


NOTHING = Hidden([], frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class Prepared:
    """The state that every child starts from.

    `program` is the warm-up, empty if there is none; `privileged`, what `vault.install` returns.
    """

    world: World
    program: str
    privileged: frozenset[int]
    shown: tuple[str, ...] = ()  # paths that children may read
    spared: frozenset[int] = frozenset()  # ids of namespaces that no object leads to


def prepare(plan: Plan, stack: tuple[int, int], show: dict[str, Any]) -> Prepared:
    """Build the world of `plan` behind the vault. `stack` is what `stack_bounds` gives.

    `show` is what `policy.packages.to_show` gives. Raises LayerMissing for a package that cannot
    be imported, or leaves behind what no child may have.
    """
    preload(plan)
    shown = _import_packages(plan, show) if plan.opens else ()
    hidden = _import_curated(plan, show) if plan.language and plan.packages else NOTHING
    if plan.threads:
        _allow_threads()
    heap.fill_gaps(pools=not plan.packages)  # what is made from here on is used by every child
    sys.argv = [""]  # of a program without arguments
    letters = (protocol.OUTPUT, protocol.ASK, protocol.FINAL, protocol.ERRORS)
    pipes = Pipes(JOB_FD, RESULT_FD, *letters)
    on_signal = reporter.make_handler()
    known = reporter.describe_handler(on_signal, stack)
    free = events.free(plan.modules)
    privileged = vault.install(pipes, PROGRAM_FILES, reporter.report.__code__, known, free)
    reporter.install_last_words(on_signal)  # C has it then, and no object leads to it
    builders.forget(reporter.make_handler)
    if garbage.is_deferred(plan):
        garbage.defer()
    if is_disarmed(plan):
        hide_types()
    hide(hidden.classes)  # whatever the layers: guards and natives take all that there is for ours
    world = build_world(plan, hidden.objects)
    if is_disarmed(plan):
        library.fit()
        # The warm-up makes the streams that a program gets, for library code too.
        sys.stdin = sys.stdout = sys.stderr = None
        sys.__stdin__ = sys.__stdout__ = sys.__stderr__ = None  # type: ignore[misc]
    atexit._clear()  # this process ends by itself: what is called at a child's end is its program's
    return Prepared(world, program_for(plan), privileged, shown, hidden.namespaces)


def _allow_threads() -> None:
    """Let a thread have a stack of its own size: else it is as large as the first one's may be.

    And one heap for all: a heap for each thread takes 128 MiB of address space.
    """
    import _thread

    _thread.stack_size(THREAD_STACK_MIB << 20)
    libc.keep_one_heap()


def _import_packages(plan: Plan, show: dict[str, Any]) -> tuple[str, ...]:
    from sandbox.runtime.supervisor import packages

    if plan.packages:
        packages.load(plan, show["packages"])
    return packages.shown(show, plan)


def _import_curated(plan: Plan, show: dict[str, Any]) -> Hidden:
    """Import numpy for the language layer's engine; return what no child may find of it."""
    from sandbox.language.numpy.loading import Loading
    from sandbox.runtime.supervisor import packages

    loading = Loading()
    packages.load(plan, show["packages"], {"numpy": loading.end})
    return Hidden(*loading.take())


def forget_folders() -> None:
    """Have the import system look at folders anew: there are others now, or none."""
    for finder in sys.path_importer_cache.values():
        forget = getattr(finder, "invalidate_caches", None)
        if forget is not None:
            forget()


def warm_up(ready: Prepared, plan: Plan) -> None:
    """Run the warm-up often enough."""
    for _ in range(_WARM_UPS if ready.program else 0):
        child.warm_up(ready.program, plan, ready.world)


def is_disarmed(plan: Plan) -> bool:
    """Return True if the layer `interpreter` is on."""
    return plan.layers["interpreter"] != OFF


def give_up(
    plan: Plan, ready: Prepared, armories: Armories, holders: list[Any]
) -> list[probes.Probe]:
    """Disarm this process, but for what `holders` and the supervisor's modules have.

    Returns a census, to be made in a child; nothing is done where the layer is off.
    """
    if not is_disarmed(plan):
        _stop_counting()
        return []
    count, world = census.prepare(ready.privileged), ready.world
    kernel = [m for name, m in sys.modules.items() if name.startswith("sandbox.kernel.")]
    own = [sys.modules[f"sandbox.runtime.{name}"] for name in _OWN]
    armories.equip([*own, *kernel])
    armories.add(libc.native)
    disarm(armories, ready.spared)
    patching.finish()
    for holder in holders:
        armories.add(holder)
    _stop_counting()
    roots = [world, world.state.builtins, world.importer.facades]
    return [probes.of_census(lambda: count(roots))]


def _stop_counting() -> None:
    """Stop counting references before the first fork: reading an object is then no write."""
    gc.collect()
    heap.stop_counting()
