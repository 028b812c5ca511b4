"""Every module of the standard library can be imported without the language layer, but these."""

import subprocess
import sys

from sandbox import Job, Sandbox

# Why not.
REFUSED = {
    **dict.fromkeys(("_tkinter", "tkinter", "turtle", "turtledemo"), "there is no window"),
    "readline": "there is no terminal",
}
# Importing one of these is its whole effect: a browser, a poem, an interpreter that goes on.
HAVE_EFFECTS = {"antigravity", "this", "idlelib", "__main__"}


def importable_here() -> list[str]:
    """Names of what a plain interpreter imports."""
    code = """
import contextlib, importlib, io, sys
for name in sys.argv[1:]:
    with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
        importlib.import_module(name)
        sys.stderr.write(name + " ")
"""
    names = sorted(sys.stdlib_module_names - HAVE_EFFECTS)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *names], capture_output=True, text=True
    )
    return done.stderr.split()


def test_every_module_can_be_imported_but_those_with_a_reason(kernel_only: Sandbox) -> None:
    names = importable_here()
    jobs = [Job(f"import {name}\nprint('imported')") for name in names]
    missing = [
        (name, result.error)
        for name, result in zip(names, kernel_only.map(jobs), strict=True)
        if not result.stdout.endswith("imported\n")
    ]
    assert [(name, error) for name, error in missing if name not in REFUSED] == []
    assert all("ImportError" in error or "NotFound" in error for _, error in missing)
