"""What confines the processes of a session: its keeper, and the states that are forked."""

from __future__ import annotations  # a class that is named in one would be found there

from collections.abc import Callable
from typing import NoReturn

from sandbox.kernel import descriptors, limits, namespaces, seccomp, timers
from sandbox.kernel.libc import buffer, leak, native
from sandbox.kernel.limits import Room
from sandbox.kernel.seccomp import Rule
from sandbox.kernel.sessions import calls, states
from sandbox.kernel.steps import Step
from sandbox.kernel.syscall_sets import JOB_FD, RESULT_FD
from sandbox.language.guest.world import World
from sandbox.policy.plan import Plan
from sandbox.runtime.child import cells
from sandbox.runtime.child.confinement import Cell
from sandbox.runtime.keeper.beginning import keep
from sandbox.runtime.supervisor import jail as jails
from sandbox.runtime.supervisor.jail import Jail

_STATE_DESCRIPTORS = 5  # below it are the two ends of its socket, and a number for a fork's
_KEEPER_DESCRIPTORS = 32
_BESIDE = 2  # processes: the keeper, and a fork that is about to be refused
_NOTHING = int, int, int  # is done around a fork without threads, by calls that nobody can change
_NO_PID = 0  # which no process has: a state that aborts traps instead


class SessionChecklists:
    """The checklists of a session's processes. A child lets go of it at its start."""

    def __init__(self, plan: Plan, jail: Jail, slots: int) -> None:
        self._plan, self._jail = plan, jail
        self.most_states = 2 * plan.limits.branches + 2  # each branch, with a twin while it runs
        threads = 1 + (plan.threads if jails.has_threads(plan, jail) else 0)
        tasks = _BESIDE + 2 * self.most_states * threads  # a state that was ended may be going yet
        # Where uids are shared, all together have room for what each may have.
        self._tasks = tasks if jail.child_uids else 3 + slots * tasks
        timers_of_one = 2 * self.most_states  # a timer, and its signal
        self._timers = timers_of_one if jail.child_uids else slots * timers_of_one
        self._keeper: list[Step] = []
        self._state: list[Step] = []
        self._wait: Callable[[], bool] | None = None

    def part(self, cell: Cell) -> Cell:
        """Part a child's `cell` in what comes before the first state is forked, and the rest.

        Returns the former, and keeps checklists of the latter: the keeper's and the states'. Raises
        OSError if this machine lacks a call.
        """
        room = Room(_KEEPER_DESCRIPTORS + 2 * self.most_states, self._tasks, 0, self._timers)
        bounds, cpu = cell.memory_bounds, cell.cpu_seconds
        self._keeper, self._state = [], _only_the_socket(cell)
        if bounds is not None:
            more = bounds[0] + self._for_cells(), bounds[1] + self._for_cells()
            self._keeper += limits.give_up(cpu_seconds=None, memory_bounds=more, room=room)
            own = max(cell.room.descriptors, _STATE_DESCRIPTORS)
            room = Room(own, self._tasks, cell.room.file_bytes)
            self._state += limits.give_up(cpu_seconds=cpu, memory_bounds=bounds, room=room)
        ticks = [] if cell.tick_seconds is None else [timers.tick(cell.tick_seconds)]
        self._state += ticks
        if cell.syscall_filter is not None:
            rules = jails.rules(self._plan, self._jail)
            self._keeper.append(_filter(calls.of_keeper()))
            self._state.append(_filter(calls.of_state(rules)))
        forking = namespaces.forking_sibling(pid_namespace=False, ipc_namespace=False)
        around = native.around_fork if self._plan.threads else _NOTHING
        self._wait = states.open_wait((JOB_FD, RESULT_FD), forking, tuple(ticks), around)
        usual = cell._replace(memory_bounds=None, syscall_filter=None, tick_seconds=None)
        return usual._replace(has_input=False, null=None)

    def _for_cells(self) -> int:
        """Return the bytes that the keeper needs for cells that states have not read yet."""
        largest = self._plan.limits
        kib = max(largest.stdin_kib, largest.source_kib, largest.files_kib)
        return 2 * (kib << 10) * self.most_states

    def keep(
        self, before: list[Step], plan: Plan, world: World, forget: Callable[[], object]
    ) -> NoReturn:
        """Be a session's keeper; the first state is forked of it.

        No variable has what that state lets go of: a guest may come by a frame.
        """

        def be_first() -> NoReturn:
            cells.live(self._state, plan, world, forget, self._waiting())

        keep(before, self._keeper, self.most_states, plan.threads > 0, be_first)

    def _waiting(self) -> Callable[[], bool]:
        assert self._wait is not None
        return self._wait


def _only_the_socket(cell: Cell) -> list[Step]:
    """Close all but a state's socket, and open what a child has beside its pipes."""
    steps = descriptors.close_all_but(JOB_FD, RESULT_FD)
    if cell.has_input:
        steps.append(descriptors.make_file_in_memory("stdin"))
        if cell.null is not None:
            steps += [descriptors.open_for_writing(cell.null)] * 2
    return steps


def _filter(rules: tuple[Rule, ...]) -> Step:
    program = buffer(seccomp.assemble(rules, {"pid": _NO_PID}))
    leak(program)  # the step has its address alone
    return seccomp.install(program)
