"""Faults from outside: a session's processes are killed, stopped, gone. Never a wrong value."""

import os
import random
import signal
import threading
import time

import pytest

from sandbox import Sandbox, SandboxError, Session, SessionLost


def keeper_of(session: Session) -> int:
    return session._branch.tree.connection.pid


def states_of(session: Session) -> list[int]:
    keeper = keeper_of(session)
    try:
        with open(f"/proc/{keeper}/task/{keeper}/children") as children:
            return [int(pid) for pid in children.read().split()]
    except FileNotFoundError:
        return []


def come_down_to(count: int, session: Session) -> list[int]:
    """Wait until the session has no more than `count` states: a dropped one takes a moment."""
    for _ in range(100):
        if len(states_of(session)) <= count:
            break
        time.sleep(0.05)
    return states_of(session)


def test_a_killed_keeper_is_a_lost_session_and_nothing_to_another(contest: Sandbox) -> None:
    with contest.session() as lost, contest.session() as other:
        lost.run("x = 1")
        other.run("x = 2")
        states = states_of(lost)
        os.kill(keeper_of(lost), signal.SIGKILL)
        with pytest.raises(SessionLost, match="signal 9"):
            lost.run("x")
        assert not lost.is_alive
        assert other.run("x").value == 2
        for _ in range(100):
            if not any(os.path.exists(f"/proc/{pid}") for pid in states):
                break
            time.sleep(0.05)
        assert not any(os.path.exists(f"/proc/{pid}") for pid in states)


def test_a_keeper_that_is_stopped_for_good_is_lost(contest: Sandbox) -> None:
    with contest.session() as session:
        session.run("x = 1")
        keeper = keeper_of(session)
        os.kill(keeper, signal.SIGSTOP)
        try:
            with pytest.raises(SessionLost, match="stopped"):
                session.run("x")
        finally:
            session.close()


def test_a_killed_state_is_a_lost_session(contest: Sandbox) -> None:
    with contest.session() as session:
        session.run("x = 1")
        for pid in come_down_to(1, session):
            os.kill(pid, signal.SIGKILL)
        for _ in range(2):
            with pytest.raises(SessionLost, match="its state is no more"):
                session.run("x")
            assert not session.is_alive


def test_a_checkpoint_outlives_the_state_that_was_killed(contest: Sandbox) -> None:
    with contest.session() as session:
        session.run("x = 1")
        mark = session.checkpoint()
        session.run("x = 2")
        os.kill(come_down_to(2, session)[-1], signal.SIGKILL)
        with pytest.raises(SessionLost):
            session.run("x")
        with pytest.raises(SessionLost, match="checkpoint can be restored"):
            session.run("x")
        session.restore(mark)
        assert session.run("x").value == 1


def test_a_keeper_that_is_stopped_forks_no_more(contest: Sandbox) -> None:
    session = contest.session()
    os.kill(keeper_of(session), signal.SIGSTOP)
    begun = time.monotonic()
    with pytest.raises(SessionLost, match="stopped"):
        session.fork()
    assert time.monotonic() - begun < 20
    assert not session.is_alive


def test_a_state_that_is_stopped_gives_no_verdict(contest: Sandbox) -> None:
    with contest.session() as session:
        session.run("x = 1")
        for pid in come_down_to(1, session):
            os.kill(pid, signal.SIGSTOP)
        begun = time.monotonic()
        with pytest.raises(SessionLost, match="does not fork"):
            session.run("x", wall_seconds=2)
        assert time.monotonic() - begun < 20


def test_a_stopped_supervisor_gives_no_session_and_is_replaced() -> None:
    with Sandbox("strict", workers=1) as sandbox:
        first = sandbox.session()
        pool = sandbox._sessions._pool
        assert pool is not None
        assert pool._current is not None
        os.kill(pool._current.pid, signal.SIGSTOP)
        begun = time.monotonic()
        with pytest.raises(SessionLost, match="stopped its supervisor"):
            sandbox.session()
        assert time.monotonic() - begun < 20
        assert sandbox.session().run("1").ok
        first.close()


def test_an_exception_of_a_signal_s_leaves_a_session_whole_or_lost() -> None:
    """As of a time-out by SIGALRM, at whatever moment of a call."""

    class Expired(Exception):
        pass

    def expire(*_: object) -> None:
        raise Expired

    before = signal.signal(signal.SIGALRM, expire)
    seeded, ended = random.Random(5), 0
    try:
        with Sandbox("strict", workers=1) as sandbox:
            session, expected = sandbox.session(), 0
            session.run("x = 0")
            for _ in range(150):
                if not session.is_alive:
                    session, expected, ended = sandbox.session(), 0, ended + 1
                    session.run("x = 0")
                try:
                    signal.setitimer(signal.ITIMER_REAL, seeded.uniform(0.001, 0.03))
                    told = session.run("x += 1\nx")
                    expected += 1
                    assert told.value == expected, told
                    mark = session.checkpoint("m")
                    session.restore(mark)
                    signal.setitimer(signal.ITIMER_REAL, 0)
                except Expired:
                    session.close()
                except SessionLost:
                    session.close()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert ended > 10


def test_a_state_that_is_killed_amid_a_cell_gives_no_verdict(contest: Sandbox) -> None:
    with contest.session() as session:
        session.run("x = 1")
        (before,) = come_down_to(1, session)

        def kill() -> None:
            for pid in states_of(session):
                if pid != before:
                    os.kill(pid, signal.SIGKILL)

        threading.Timer(0.5, kill).start()
        with pytest.raises(SandboxError, match="killed"):
            session.run("x = 2\nwhile True: pass")
        assert session.run("x").value == 1


def test_the_end_of_their_supervisor_is_the_end_of_sessions() -> None:
    with Sandbox("strict", workers=1) as sandbox:
        first, second = sandbox.session(), sandbox.session()
        first.run("x = 1")
        pool = sandbox._sessions._pool
        assert pool is not None
        assert pool._current is not None
        os.kill(pool._current.pid, signal.SIGKILL)
        for one in (first, second):
            for _ in range(100):
                try:
                    one.run("x = 1")
                except SessionLost:
                    break
                time.sleep(0.05)  # what it has forked ends a moment after it
            assert not one.is_alive
        with sandbox.session() as third:
            assert third.run("1").value == 1


def test_processes_that_are_killed_at_random_never_make_a_value_wrong() -> None:
    """Sessions count, each in its own thread, while their processes are killed."""
    wrong: list[object] = []
    counted, lost = [0], [0]
    stop = threading.Event()
    seeded = random.Random(7)
    with Sandbox("strict", workers=1, sessions=16) as sandbox:
        living: dict[int, Session] = {}

        def count(number: int) -> None:
            while not stop.is_set():
                try:
                    session = living[number] = sandbox.session()
                    session.run(f"x = {number}")
                    for step in range(1, 30):
                        branch = session if step % 7 else session.fork()[0]
                        told = branch.run("x += 100\nx")
                        if branch is not session:
                            branch.close()
                            continue
                        counted[0] += 1
                        expected = number + 100 * (step - step // 7)
                        if not told.ok or told.value != expected:
                            wrong.append((number, step, told))
                except SessionLost:
                    lost[0] += 1
                except Exception as error:  # told below
                    if "killed" not in str(error) and "could not be forked" not in str(error):
                        wrong.append(error)

        threads = [threading.Thread(target=count, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 12
        while time.monotonic() < deadline:
            time.sleep(seeded.uniform(0.05, 0.3))
            session = living.get(seeded.randrange(4))
            if session is None or not session.is_alive:
                continue
            victims = [keeper_of(session), *states_of(session)]
            try:
                os.kill(seeded.choice(victims), signal.SIGKILL)
            except (ProcessLookupError, IndexError):
                continue
        stop.set()
        for thread in threads:
            thread.join(30)
            assert not thread.is_alive()
    assert wrong == []
    assert counted[0] > 20
    assert lost[0] > 5
