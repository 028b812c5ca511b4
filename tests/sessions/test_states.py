"""States: kept, restored, forked; what one does is nothing to another."""

import threading

import pytest

from sandbox import Policy, PolicyError, Sandbox, Session, SessionLost, Status


def test_a_checkpoint_is_restored_as_often_as_one_likes(any_policy: Sandbox) -> None:
    with any_policy.session() as session:
        session.run("x = [1]")
        mark = session.checkpoint()
        for _ in range(2):
            session.run("x.append(2)")
            session.restore(mark)
            assert session.run("x").value == [1]
        session.run("x.append(3)")
        assert session.checkpoint("three") == "three"
        session.restore(mark)
        session.restore("three")
        assert session.run("x").value == [1, 3]
        assert len(session.log) == 4
        session.forget(mark)
        with pytest.raises(KeyError):
            session.restore(mark)


def test_a_name_given_again_keeps_the_newer_state(session: Session) -> None:
    session.run("x = 1")
    session.checkpoint("here")
    session.run("x = 2")
    session.checkpoint("here")
    session.run("x = 3")
    session.restore("here")
    assert session.run("x").value == 2


def test_branches_have_the_state_and_are_independent(any_policy: Sandbox) -> None:
    with any_policy.session() as session:
        session.run("x = []\ndef f(n): x.append(n)")
        branches = session.fork(4)
        for number, branch in enumerate(branches):
            branch.call("f", [number])
        assert [branch.run("x").value for branch in branches] == [[0], [1], [2], [3]]
        assert session.run("x").value == []
        (deeper,) = branches[2].fork()
        assert deeper.run("x").value == [2]
        branches[2].close()
        assert deeper.run("x").value == [2]
        assert not branches[2].is_alive
        assert branches[3].run("x").value == [3]


def test_branches_run_beside_each_other(contest: Sandbox) -> None:
    with contest.session() as session:
        session.run("import time\nx = 0")
        branches = session.fork(3)
        told: dict[int, object] = {}

        def work(number: int) -> None:
            for step in range(10):
                branches[number].run(f"x += {number}\nprint('{number}-{step}')")
            told[number] = branches[number].run("x").value

        threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        assert session.run("x").value == 0
        for thread in threads:
            thread.join()
        assert told == {0: 0, 1: 10, 2: 20}


def test_a_policy_bounds_the_states_that_a_session_keeps() -> None:
    policy = Policy.load("strict").tightened(branches=3)
    with Sandbox(policy, workers=1) as sandbox, sandbox.session() as session:
        first, _ = session.fork(2)
        with pytest.raises(PolicyError, match="branches"):
            session.checkpoint()
        assert session.run("1").ok
        first.close()
        mark = session.checkpoint()
        assert session.run("2").ok
        session.restore(mark)
        assert session.run("3").ok


def test_a_branch_that_fails_is_nothing_to_its_siblings(contest: Sandbox) -> None:
    with contest.session() as session:
        session.run("x = 1")
        first, second = session.fork(2)
        assert first.run("while True: pass", cpu_seconds=0.1).status is Status.CPU_LIMIT
        assert first.run("x = [0] * 10**9").status is Status.MEMORY_LIMIT
        assert [one.run("x").value for one in (session, first, second)] == [1, 1, 1]


def test_a_session_goes_on_where_a_lost_one_was(contest: Sandbox) -> None:
    first = contest.session()
    first.run("x = 1")
    log = first.log
    first.close()
    with pytest.raises(SessionLost):
        first.fork()
    with contest.session() as second:
        second.replay(log)
        assert second.run("x").value == 1


def test_large_states_that_are_going_take_no_place(contest: Sandbox) -> None:
    with contest.session(branches=4) as session:
        session.run("x = 1\nmuch = bytearray(200 << 20)")
        branches = session.fork(3)
        for _ in range(3):
            for branch in branches:
                assert branch.run("y = 1").ok


def test_a_state_is_forked_as_often_as_one_likes(contest: Sandbox) -> None:
    """Each fork takes it some processor time, which adds up to more than an idle state may use."""
    with contest.session() as session:
        session.run("x = 1\nmuch = bytearray(200 << 20)")
        mark = session.checkpoint()
        for _ in range(350):
            assert session.run("x = 2\n1 / 0").undone
        session.restore(mark)
        assert session.run("x").value == 1
