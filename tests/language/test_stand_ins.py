"""What stands in for functions and classes of the library does as those do, in CPython itself."""

import subprocess
import sys

import pytest
from listed import listed

PROGRAMS = listed("stand_ins.txt")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    source = PROGRAMS[name]
    plain = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)
    ran = run(source)
    assert ran.output.splitlines() == plain.stdout.decode().splitlines(), ran.error
    assert ran.status == "OK", ran
