"""What is in flight in an event loop is bounded for each sandbox by its own workers."""

import asyncio

from sandbox import Sandbox
from sandbox.runtime.executions.permits import Permits


def test_a_sandbox_has_no_other_ones_permits_however_long_that_is_gone():
    async def main():
        for number in range(12):
            with Sandbox("strict", workers=1 + number % 2) as sandbox:
                assert sandbox._runner._permits.here()._value == sandbox.workers

    asyncio.run(main())


def test_the_permits_of_a_loop_that_is_closed_are_let_go_of():
    permits = Permits(3)

    async def take():
        async with permits.here():
            return permits.here()._value

    assert [asyncio.run(take()) for _ in range(5)] == [2] * 5
    assert len(permits._of_loop) == 1
