"""Without the language layer a program finds what a script finds that CPython runs from a file."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox import Sandbox

SCRIPTS = {
    "the limit counts from the program's first frame": """
import sys
def depth(n=1):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
print(sys.getrecursionlimit(), depth())
sys.setrecursionlimit(1025)
print(sys.getrecursionlimit(), depth())
def at(n, act):
    return at(n - 1, act) if n else act()
sys.setrecursionlimit(600)
print(at(590, lambda: "just enough"))
""",
    "what is no limit is refused with the same words": """
import sys
def at(n):
    if n:
        return at(n - 1)
    try:
        sys.setrecursionlimit(40)
    except RecursionError as error:
        return str(error)
print(at(60), sys.getrecursionlimit())
for limit in (0, -1, 1, "1", 2.5, None, 2**31 - 1, 2**31, 2**70, True):
    try:
        sys.setrecursionlimit(limit)
        print("set", limit, sys.getrecursionlimit())
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        print(type(error).__name__, error)
    sys.setrecursionlimit(1000)
""",
    "its names": """
import os
print(sorted(name for name in globals() if name.startswith("__")), __cached__, __annotations__)
x: int = 3
print(__annotations__, os.path.isabs(os.path.abspath(__file__)), __name__, __doc__, __spec__)
""",
    "its own text": '''
import inspect
import linecache
import traceback
def divide(x):
    """Divide."""
    return x / 0  # by nothing
class Kind:
    def method(self):
        return 1
print(inspect.getsource(divide), inspect.getsource(Kind), inspect.getsourcelines(Kind.method)[1])
print(repr(linecache.getline(__file__, 2)), repr(linecache.getline(__file__, 99)))
try:
    divide(1)
except ZeroDivisionError:
    print(traceback.format_exc().replace(__file__, "program"))
last = 1''',
}


@pytest.mark.parametrize("title", SCRIPTS)
def test_a_script_prints_the_same(kernel_only: Sandbox, title: str, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(SCRIPTS[title])
    plain = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    result = kernel_only.run(SCRIPTS[title])
    assert (result.error, result.stdout) == ("", plain.stdout)
