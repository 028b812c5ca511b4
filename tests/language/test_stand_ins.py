"""What stands in for functions and classes of the library does as those do, in CPython itself."""

import pytest
from listed import assert_as_in_cpython, listed

PROGRAMS = listed("stand_ins.txt") | listed("asyncio.txt")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    assert_as_in_cpython(PROGRAMS[name], run(PROGRAMS[name]))


DENIED = {
    "a callback": "asyncio.get_running_loop().call_soon(deny); await asyncio.sleep(0.1)",
    "a timer": "asyncio.get_running_loop().call_later(0.1, deny); await asyncio.sleep(1)",
    "a done callback": (
        "asyncio.create_task(asyncio.sleep(0)).add_done_callback(deny); await asyncio.sleep(1)"
    ),
    "an exception handler": (
        "loop = asyncio.get_running_loop(); loop.set_exception_handler(deny);"
        " loop.call_soon(int, 'x'); await asyncio.sleep(1)"
    ),
    "a task that nobody awaits": "asyncio.create_task(denied()); await asyncio.sleep(1)",
    "a callback of an executor's": "ThreadPoolExecutor().submit(int).add_done_callback(deny)",
}


@pytest.mark.parametrize("place", DENIED)
def test_a_denial_passes_through_what_swallows_errors(run, place):
    ran = run(
        "import asyncio\nfrom concurrent.futures import ThreadPoolExecutor\n"
        "def deny(*args): import ctypes\nasync def denied(): import ctypes\n"
        f"async def main(): {DENIED[place]}\nasyncio.run(main())\n"
    )
    assert ran.status == "DENIED", ran
    assert "ctypes" in ran.error


def test_a_denial_that_was_asked_for_is_an_exception_like_others(run):
    ran = run(
        "import asyncio\nasync def denied(): import ctypes\nasync def main():\n"
        "    for error in await asyncio.gather(denied(), return_exceptions=True): print(error)\n"
        "asyncio.run(main())\n"
    )
    assert (ran.status, ran.output) == ("OK", "No module named 'ctypes'\n"), ran
