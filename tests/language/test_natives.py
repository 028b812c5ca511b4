"""What stands in for methods of CPython's behaves as they do, for programs that mean well."""

import subprocess
import sys

import pytest
from listed import listed

from sandbox.errors import SandboxError
from sandbox.language.natives import patching

PROGRAMS = listed("natives.txt")


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    source = PROGRAMS[name]
    plain = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)
    ran = run(source)
    assert ran.output.splitlines() == plain.stdout.decode().splitlines(), ran.error
    assert ran.status == "OK"


def test_a_slot_that_nobody_knows_is_not_replaced_by_half():
    with pytest.raises(SandboxError, match="__add__ of int"):
        patching.put(int, "__add__", lambda *_: 5)
    assert int.__add__(1, 1) == 2
