"""Every module of the standard library can be imported without the language layer, but these."""

import subprocess
import sys
import sysconfig
from pathlib import Path

from sandbox import Job, Sandbox

# Why not.
REFUSED = {
    **dict.fromkeys(("_tkinter", "tkinter", "turtle", "turtledemo"), "there is no window"),
    "_pyrepl._minimal_curses": "it loads a library of the system's, by ctypes",
}
# Importing one of these is its whole effect: a browser, a poem, an interpreter that goes on.
HAVE_EFFECTS = {"antigravity", "this", "idlelib", "__main__"}
TESTS = {"test", "tests"}


def importable_here() -> list[str]:
    """Names of what a plain interpreter imports, modules of packages among them."""
    code = """
import contextlib, importlib, io, sys
for name in sys.argv[1:]:
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
        importlib.import_module(name)
        sys.stderr.write(name + " ")
"""
    names = sorted(sys.stdlib_module_names | in_packages())
    names = [name for name in names if name.partition(".")[0] not in HAVE_EFFECTS]
    done = subprocess.run(
        [sys.executable, "-S", "-W", "ignore", "-c", code, *names], capture_output=True, text=True
    )
    return done.stderr.split()


def is_refused(name: str) -> bool:
    return name in REFUSED or name.partition(".")[0] in REFUSED


def in_packages() -> set[str]:
    """Names of the modules that packages of the library have as files, without their tests."""
    root = Path(sysconfig.get_path("stdlib"))
    parts = [path.relative_to(root).with_suffix("").parts for path in root.rglob("*/*.py")]
    return {
        ".".join(part for part in way if part != "__init__")
        for way in parts
        if way[0] in sys.stdlib_module_names and TESTS.isdisjoint(way) and way[-1] != "__main__"
    }


def test_every_module_can_be_imported_but_those_with_a_reason(kernel_only: Sandbox) -> None:
    names = importable_here()
    assert len(names) > 500  # so that modules of packages are among them
    jobs = [Job(f"import {name}\nprint('imported')") for name in names]
    missing = [
        (name, result.error)
        for name, result in zip(names, kernel_only.map(jobs), strict=True)
        if not result.stdout.endswith("imported\n")
    ]
    assert [pair for pair in missing if not is_refused(pair[0])] == []
    assert all("ImportError" in error or "NotFound" in error for _, error in missing)


def test_readline_reads_no_settings_of_the_host(kernel_only: Sandbox) -> None:
    code = (
        "import os, readline\nprint('INPUTRC' in os.environ, readline.get_completer_delims()[:1])"
    )
    plain = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    result = kernel_only.run(code)
    if "ModuleNotFoundError" in plain.stderr:
        assert "ModuleNotFoundError" in result.error
    else:
        assert result.stdout == "False  \n"
