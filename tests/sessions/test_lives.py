"""Sessions as wholes: what they are lent, how long they live, what is left to use, their logs."""

import asyncio
import pickle
import threading
import time

import pytest

from sandbox import (
    CellResult,
    PolicyError,
    Sandbox,
    SandboxError,
    Session,
    SessionLost,
    Status,
)


def test_functions_of_the_caller_are_lent_to_cells(contest: Sandbox) -> None:
    asked: list[object] = []

    def search(words: object) -> list[str]:
        asked.append(words)
        return ["found"]

    with contest.session(services={"search": search}) as session:
        session.run("def look(w): return search(w)")
        assert session.run("look('x')").value == ["found"]
        session.services = {}
        assert "NameError" in session.run("look('x')").error
        session.services = {"search": lambda _: [asked]}
        assert session.run("look('y')").value == [["x"]] or asked == ["x"]
        (branch,) = session.fork()
        assert branch.run("look('z')").ok


def test_a_name_of_the_program_s_is_no_service_s(contest: Sandbox) -> None:
    with contest.session(services={"f": lambda: 1}) as session:
        session.run("f = 5")
        session.services = {}
        assert session.run("f").value == 5


def test_all_cells_together_have_a_sum_of_cpu_time(contest: Sandbox) -> None:
    with contest.session(cpu_seconds_total=0.3) as session:
        assert session.run("while True: pass").status is Status.CPU_LIMIT
        result = session.run("1")
        assert (result.status, result.undone) == (Status.CPU_LIMIT, True)
        assert "cpu_seconds_total" in result.error


def test_wrong_arguments_are_told_before_anything_runs(contest: Sandbox, session: Session) -> None:
    with pytest.raises(TypeError):
        session.run(b"1")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="on_error"):
        session.run("1", on_error="ignore")
    with pytest.raises(PolicyError, match="memory_mib"):
        session.run("1", memory_mib=1)
    with pytest.raises(PolicyError):
        session.run("1", cpu_seconds=1e4)
    with pytest.raises(ValueError, match="on_error"):
        contest.session(on_error="")
    with pytest.raises(ValueError, match="cpu_seconds_total"):
        contest.session(cpu_seconds_total=-1)
    with pytest.raises(PolicyError):
        contest.session(cpu_seconds=1e6)
    result = session.run("#" * (2 << 20))
    assert (result.status, result.undone) == (Status.DENIED, True)
    assert session.run("1").ok


def test_another_thread_interrupts_a_cell(session: Session) -> None:
    session.run("x = 1")
    threading.Timer(0.3, session.interrupt).start()
    result = session.run("x = 2\nprint('so far', flush=True)\nwhile True: pass")
    assert (result.status, result.undone) == (Status.ERROR, True)
    assert result.error.startswith("KeyboardInterrupt")
    assert result.stdout == "so far\n"
    assert session.run("x").value == 1
    session.interrupt()
    assert session.run("x").value == 1


def test_a_log_creates_the_state_again(contest: Sandbox, session: Session) -> None:
    session.run("x = [1]")
    session.run("1 / 0")
    session.set("y", 5)
    session.write_file("a", "text")
    session.run("def f(): x.append(y)")
    session.call("f")
    with contest.session() as other:
        other.replay(pickle.loads(pickle.dumps(session.log)))
        assert other.run("x, y, open('a').read()").value == [[1, 5], 5, "text"]
    assert len(session.log) == 5


def test_a_replayed_step_that_ends_otherwise_is_told(contest: Sandbox) -> None:
    with contest.session(services={"ask": lambda: 1}, on_error="keep") as session:
        session.run("x = ask()")
        session.run("y = 1\n1 / 0")
        log = session.log
    with contest.session(services={"ask": lambda: 2}) as again:
        again.replay(log)
        assert again.run("x, y").value == [2, 1]
    with (
        contest.session(services={"ask": lambda: 1 / 0}) as failing,
        pytest.raises(SandboxError, match="step of the log"),
    ):
        failing.replay(log)


def test_a_service_that_is_lent_no_more_raises_where_it_is_called(contest: Sandbox) -> None:
    with contest.session(services={"ask": lambda: 1}) as session:
        session.run("kept = ask")
        session.services = {}
        result = session.run("try: kept()\nexcept Exception as e: print(type(e).__name__)")
        assert (result.status, result.stdout) == (Status.OK, "ServiceError\n")


def test_a_service_that_asks_its_own_session_is_told(contest: Sandbox) -> None:
    with contest.session() as session:
        session.services = {"ask": lambda: session.run("1").value}
        assert "RuntimeError" in session.run("ask()").error
        assert session.run("1").ok


def test_branches_share_the_sum_of_cpu_time(contest: Sandbox) -> None:
    with contest.session(cpu_seconds_total=0.6) as session:
        branches = session.fork(3)
        told: list[CellResult] = []

        def spin(branch: Session) -> None:
            told.append(branch.run("while True: pass", cpu_seconds=0.4))

        threads = [threading.Thread(target=spin, args=(branch,)) for branch in branches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(each.cpu_seconds for each in told) < 0.8
        assert session.files() == []


def test_data_that_is_too_large_is_refused_before_it_is_sent(contest: Sandbox) -> None:
    with contest.session() as session:
        (beside,) = session.fork()
        with pytest.raises(ValueError, match="larger than"):
            session.set("x", "a" * (80 << 20))
        assert session.call("len", ["a" * (80 << 20)]).status is Status.DENIED
        assert session.call("len", ["a" * (30 << 20)]).value == 30 << 20
        assert beside.run("1").ok


def test_more_sessions_than_are_allowed_evict_the_idle() -> None:
    with Sandbox("strict", workers=1, sessions=2) as sandbox:
        first, second = sandbox.session(), sandbox.session()
        first.run("x = 1")
        third = sandbox.session()
        with pytest.raises(SessionLost, match="evicted"):
            second.run("1")
        assert first.run("x").value == 1
        assert third.is_alive


def test_an_idle_session_is_evicted_when_another_begins() -> None:
    with Sandbox("strict", workers=1, session_idle_seconds=0.2) as sandbox:
        first = sandbox.session()
        time.sleep(0.3)
        second = sandbox.session()
        assert second.run("1").ok
        with pytest.raises(SessionLost, match=r"idle for 0\.2 s"):
            first.run("1")


def test_a_closed_session_says_so(contest: Sandbox) -> None:
    session = contest.session(name="mine")
    (branch,) = session.fork()
    session.close()
    session.close()
    for one in (session, branch):
        assert not one.is_alive
        with pytest.raises(SessionLost, match="session mine: it was closed"):
            one.run("1")


def test_the_end_of_its_sandbox_ends_a_session() -> None:
    with Sandbox("strict", workers=1) as sandbox:
        session = sandbox.session()
    with pytest.raises(SessionLost, match="closed"):
        session.run("1")


def test_asyncio_awaits_sessions_and_cancels_cells(contest: Sandbox) -> None:
    async def course() -> object:
        async with await contest.asession() as session:
            await session.run("x = 1")
            endless = asyncio.ensure_future(session.run("x = 2\nwhile True: pass"))
            await asyncio.sleep(0.3)
            endless.cancel()
            with pytest.raises(asyncio.CancelledError):
                await endless
            branches = await session.fork(2)
            told = await asyncio.gather(*(each.run("x + 1") for each in branches))
            return [each.value for each in told], await session.get("x")

    assert asyncio.run(course()) == ([2, 2], 1)
