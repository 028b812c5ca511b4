"""Turns: each client gets its share of the places, and a client that leaves takes none along."""

import asyncio

import pytest

from sandbox.integrations.server.admission.turns import Turns


def test_a_free_place_goes_to_the_client_that_has_the_fewest() -> None:
    order: list[str] = []

    async def use(turns: Turns, client: str) -> None:
        async with turns.turn(client):
            order.append(client)
            await asyncio.sleep(0)

    async def main() -> None:
        turns = Turns(2)
        greedy = [asyncio.ensure_future(use(turns, "greedy")) for _ in range(50)]
        await asyncio.sleep(0)
        modest = [asyncio.ensure_future(use(turns, "modest")) for _ in range(3)]
        await asyncio.gather(*greedy, *modest)

    asyncio.run(main())
    assert [place for place, client in enumerate(order) if client == "modest"][-1] < 10
    assert len(order) == 53


def test_while_another_client_asks_one_place_is_kept_for_it_and_given_up_later() -> None:
    async def main() -> None:
        turns, most, now = Turns(2, recent_seconds=0.3), 0, 0

        async def use(client: str) -> None:
            nonlocal most, now
            async with turns.turn(client):
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now -= 1

        await asyncio.gather(*(use("greedy") for _ in range(9)))
        assert most == 2, "alone it has all"
        await use("modest")
        most = 0
        await asyncio.gather(*(use("greedy") for _ in range(9)))
        assert most == 1
        async with turns.turn("greedy"), asyncio.timeout(5), turns.turn("greedy"):
            pass  # when no other client has asked for a while, without anything else that happens

    asyncio.run(main())


def test_whoever_stops_to_wait_takes_no_place_with_it() -> None:
    async def main() -> None:
        turns = Turns(1)

        async def hold() -> None:
            async with turns.turn("a"):
                await asyncio.sleep(3600)

        holder = asyncio.ensure_future(hold())
        await asyncio.sleep(0)
        with pytest.raises(TimeoutError):
            async with turns.turn("b", 0.01):
                raise AssertionError("there was no place")
        waiting = [asyncio.ensure_future(hold()) for _ in range(5)]
        await asyncio.sleep(0)
        for task in (*waiting, holder):
            task.cancel()
        await asyncio.gather(holder, *waiting, return_exceptions=True)
        async with asyncio.timeout(5), turns.turn("c"):
            assert not turns.is_wanted("c")

    asyncio.run(main())


def test_a_place_is_let_go_of_for_another_client_only_and_taken_again_first() -> None:
    order: list[str] = []

    async def main() -> None:
        turns = Turns(1)

        async def one(client: str, name: str) -> None:
            async with turns.turn(client):
                order.append(name)

        async with turns.turn("a"):
            later = asyncio.ensure_future(one("a", "a, later"))
            await asyncio.sleep(0)
            assert not turns.is_wanted("a")
            other = asyncio.ensure_future(one("b", "b"))
            await asyncio.sleep(0)
            assert turns.is_wanted("a")
            await turns.renew("a")
            order.append("a, again")
        await asyncio.gather(later, other)

    asyncio.run(main())
    assert order == ["b", "a, again", "a, later"]


def test_a_renewal_that_is_given_up_leaves_as_many_places_as_there_were() -> None:
    async def main() -> None:
        turns, held_by_b = Turns(1), asyncio.Event()

        async def take() -> None:
            async with turns.turn("b"):
                held_by_b.set()
                await asyncio.sleep(3600)

        async def renew() -> None:
            async with turns.turn("a"):
                asyncio.get_running_loop().call_soon(start)
                await asyncio.sleep(0.01)
                await turns.renew("a")

        started = []

        def start() -> None:
            started.append(asyncio.ensure_future(take()))

        renewing = asyncio.ensure_future(renew())
        await held_by_b.wait()
        renewing.cancel()
        await asyncio.gather(renewing, return_exceptions=True)
        with pytest.raises(TimeoutError):
            async with turns.turn("c", 0.01):
                raise AssertionError("two have the one place")
        started[0].cancel()
        await asyncio.gather(*started, return_exceptions=True)
        async with asyncio.timeout(5), turns.turn("c"):
            pass

    asyncio.run(main())


def test_who_leaves_as_a_place_comes_free_is_passed_over_and_gone() -> None:
    async def wait(turns: Turns, client: str) -> None:
        async with turns.turn(client):
            pass

    async def main() -> None:
        turns = Turns(1)
        async with turns.turn("a"):
            waiting = asyncio.ensure_future(wait(turns, "b"))
            await asyncio.sleep(0.01)
            waiting.cancel()  # it hears of that when the place has come free
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await asyncio.wait_for(wait(turns, "c"), 60)

    asyncio.run(main())
