"""What stands in for functions and classes of the library does as those do, in CPython itself."""

import pytest
from listed import assert_as_in_cpython, listed

PROGRAMS = listed("stand_ins.txt") | listed("asyncio.txt")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    assert_as_in_cpython(PROGRAMS[name], run(PROGRAMS[name]))
