"""Interrupts, closing and eviction while cells run: each in time, none of another cell."""

import asyncio
import gc
import random
import threading
import time
from collections.abc import Callable

import pytest

from sandbox import Sandbox, SandboxError, Session, SessionLost, Status
from sandbox.runtime.sessions.cell_run import Interrupt


def beside(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_an_interrupt_at_whatever_moment_ends_the_cell_or_comes_too_late(session: Session) -> None:
    seeded, expected = random.Random(3), 0
    session.run("x = 0")
    for _ in range(60):
        wish = Interrupt()
        timer = threading.Timer(seeded.uniform(0, 0.03), wish.wish)
        timer.start()
        result = session.run("x += 1\nx", interrupt=wish)
        timer.join()
        if result.ok:
            expected += 1
            assert result.value == expected
        else:
            assert result.error.startswith("KeyboardInterrupt")
            assert result.undone
    assert session.run("x").value == expected


def test_a_wish_before_a_cell_keeps_it_from_beginning(session: Session) -> None:
    session.run("x = 1")
    wish = Interrupt()
    wish.wish()
    result = session.run("x = 2", interrupt=wish)
    assert (result.status, result.undone) == (Status.ERROR, True)
    assert session.run("x").value == 1


def test_a_cell_that_has_just_begun_is_interrupted(session: Session) -> None:
    for wait in (0.0, 0.001, 0.003, 0.01):
        wish = Interrupt()
        timer = threading.Timer(wait, wish.wish)
        timer.start()
        result = session.run("while True: pass", interrupt=wish, cpu_seconds=9)
        assert result.error.startswith("KeyboardInterrupt")


def test_a_task_that_is_cancelled_ends_its_own_cell_alone(contest: Sandbox) -> None:
    async def course() -> object:
        async with await contest.asession() as session:
            await session.run("x = 1")
            slow = asyncio.ensure_future(session.run("for i in range(3_000_000): x += 0\nx"))
            await asyncio.sleep(0.1)
            waiting = asyncio.ensure_future(session.run("x += 100"))
            forking = asyncio.ensure_future(session.fork(9))
            await asyncio.sleep(0.05)
            waiting.cancel()
            forking.cancel()
            told = await slow
            await asyncio.sleep(0.2)
            await session.fork(8)
            return told.ok, await session.get("x")

    assert asyncio.run(course()) == (True, 1)


def test_a_thread_that_waits_behind_a_lost_state_is_told(contest: Sandbox) -> None:
    told: list[BaseException] = []
    with contest.session(undo=False) as session:
        session.run("x = 1")
        mark = session.checkpoint()

        def wait() -> None:
            try:
                session.run("x")
            except SessionLost as error:
                told.append(error)

        first = beside(lambda: session.run("while True: pass", cpu_seconds=0.5))
        time.sleep(0.2)
        second = beside(wait)
        first.join()
        second.join()
        assert "checkpoint" in str(told)
        session.restore(mark)
        assert session.run("x").value == 1
        assert len(session.log) == 2


def test_a_branch_that_is_closed_as_its_cell_runs_leaves_nothing(contest: Sandbox) -> None:
    for undo in (True, False):
        with contest.session(undo=undo) as session:
            session.run("x = 1")
            most = session._branch.tree.limits.branches
            for _ in range(3):
                branches = session.fork(most - 1)
                threads = [
                    beside(lambda each=each: _tried(each))  # type: ignore[misc]
                    for each in branches[:2]
                ]
                time.sleep(0.2)
                for branch in branches:
                    branch.close()
                for thread in threads:
                    thread.join(10)
                    assert not thread.is_alive()
            assert session.run("x").value == 1


def _tried(session: Session) -> None:
    try:
        assert session.run("while True: pass", cpu_seconds=5).error.startswith("KeyboardInterrupt")
    except SessionLost:
        return


def test_a_branch_that_nobody_holds_any_more_leaves_its_place(session: Session) -> None:
    for _ in range(3):
        session.fork(session._branch.tree.limits.branches - 1)
        gc.collect()
        assert session.run("1").ok


def test_a_session_that_nobody_holds_any_more_ends() -> None:
    with Sandbox("strict", workers=1, sessions=2) as sandbox:
        for _ in range(6):
            held = sandbox.session().fork()[0]
            assert held.run("1").ok
            del held
            gc.collect()


def test_a_session_at_work_in_a_branch_is_not_evicted() -> None:
    with Sandbox("strict", workers=1, sessions=2) as sandbox:
        busy, idle = sandbox.session(), sandbox.session()
        (branch,) = busy.fork()
        idle.run("1")
        told: list[object] = []
        thread = beside(lambda: told.append(branch.run("while True: pass", cpu_seconds=1.5)))
        time.sleep(0.3)
        third = sandbox.session()
        assert not idle.is_alive
        other = beside(lambda: told.append(third.run("while True: pass", cpu_seconds=1)))
        time.sleep(0.3)
        with pytest.raises(SandboxError, match="a cell runs in each"):
            sandbox.session()
        thread.join()
        other.join()
        assert all(each.status is Status.CPU_LIMIT for each in told)  # type: ignore[attr-defined]
