"""A program with packages has an environment and directories of its own."""

import os
import sys
from pathlib import Path

from own_packages import granting, install, opened


def test_nothing_of_the_callers_environment_is_lost(site: Path) -> None:
    install(site, "granted")
    before = dict(os.environ), list(sys.path)
    with opened(granting("granted")):
        assert (dict(os.environ), list(sys.path)) == before


def test_a_program_sees_nothing_of_how_its_supervisor_was_started(site: Path) -> None:
    install(site, "granted")
    with opened(granting("granted").replaced(files=None)) as sandbox:
        names = sandbox.run("import os\nprint(*os.environ)").output.split()
    assert {"HOME", "TMPDIR", "PYTHONMALLOC", "GLIBC_TUNABLES"}.isdisjoint(names)
    assert "OMP_NUM_THREADS" in names


def test_a_program_with_files_is_told_of_its_own_directories_alone(site: Path) -> None:
    install(site, "granted")
    with opened(granting("granted")) as sandbox:
        names = sandbox.run("import os\nprint(*os.environ)").output.split()
        told = sandbox.run("import os\nprint(os.environ['HOME'], os.environ['TMPDIR'])").output
        late = sandbox.run("import granted.late\nprint(granted.late.WORD)")
    assert {"PYTHONMALLOC", "GLIBC_TUNABLES"}.isdisjoint(names)
    assert (told, late.output) == ("/box /tmp\n", "late\n")


def test_a_package_below_a_directory_of_the_programs_is_shown_and_cannot_be_written(
    site: Path,
) -> None:
    """The folder of this test is below /tmp, which is the program's own."""
    folder = install(site, "granted")
    with opened(granting("granted")) as sandbox:
        code = f"""
import os
import granted.late
print(granted.late.WORD, os.listdir({str(site)!r}))
for act in (
    lambda: open({str(folder / "planted.py")!r}, 'w'), lambda: os.mkdir({str(site / "new")!r}),
    lambda: open({str(folder / "late.py")!r}, 'a'), lambda: os.unlink({str(folder / "late.py")!r}),
    lambda: os.utime({str(folder / "late.py")!r}),
):
    try: print(act())
    except OSError as error: print(error.errno)
open('/tmp/own', 'w').write('x')
"""
        result = sandbox.run(code, fetch=["/tmp/**"])
    lines = result.output.splitlines()
    assert lines[0].startswith("late ['granted")
    assert set(lines[1:]) <= {"13", "30"}, lines  # EACCES, EROFS
    assert result.files == {"/tmp/own": b"x"}
    assert (folder / "late.py").read_text() == "WORD = 'late'\n"
