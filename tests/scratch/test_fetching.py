"""Files come back of a real directory: bounded, no link followed, whatever the program does."""

from collections.abc import Callable
from typing import Any

import pytest

from sandbox import Policy, Result, Sandbox, Status

MIB = 1 << 20


def fetched(box: Sandbox, code: str, *fetch: str, **options: Any) -> Result:
    return box.run(f"import os\n{code}", fetch=[*fetch], **options)


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("for n in range(2000): open(f'{n}', 'w').close()", {}),
        ("for n in range(4): open(f'{n}', 'w').close()", {"files_count": 3}),
        ("open('big', 'wb').write(bytes(1025))", {"files_kib": 1}),
        ("open('sparse', 'wb').truncate(17 << 20)", {}),
        ("for n in range(20): open(f'{n}', 'wb').write(bytes(1 << 20))", {}),
        ("open('a', 'wb').write(bytes(9 << 20))\nos.link('a', 'b')", {}),
    ],
)
def test_more_than_the_limits_is_an_output_limit_and_no_file(
    box: Sandbox, code: str, limits: Any
) -> None:
    result = fetched(box, code + "\nprint('done')", "**", **limits)
    assert (result.status, result.files) == (Status.OUTPUT_LIMIT, {})
    assert result.error.startswith("files limit: more than")
    assert (result.output, result.stdout) == ("", "done\n")


def test_of_a_hundred_thousand_entries_one_comes_back() -> None:
    policy = Policy.load("kernel-only")
    assert policy.files is not None
    many = policy.files.model_copy(update={"scratch_count": 110_000})
    code = """
import os
for n in range(100):
    os.mkdir(f'{n}')
    for m in range(1000): os.close(os.open(f'{n}/{m}', os.O_CREAT | os.O_WRONLY))
open('50/wanted.txt', 'w').write('x')
"""
    with Sandbox(policy.replaced(name="many", files=many), workers=1) as sandbox:
        if "namespaces" not in sandbox.layers:
            pytest.skip("no mount namespaces here")
        result = sandbox.run(code, fetch=["**/*.txt"])
        assert (result.status, result.files) == (Status.OK, {"50/wanted.txt": b"x"})
        result = sandbox.run(code, fetch=["**"])
        assert (result.status, result.files) == (Status.OUTPUT_LIMIT, {})


def test_no_link_is_followed(box: Sandbox) -> None:
    code = """
import sys
open('real', 'w').write('real')
os.mkdir('dir')
open('dir/in', 'w').write('in')
library = os.__file__
os.symlink('real', 'soft')
os.symlink('dir', 'to-dir')
os.symlink(library, 'outside')
os.symlink(os.path.dirname(library), 'library')
os.symlink('/', 'root')
os.symlink('loop', 'loop')
os.symlink('nowhere', 'broken')
os.link('real', 'hard')
assert open('soft').read() == 'real' and open('outside').read(3)
"""
    names = ("soft", "to-dir/in", "outside", "library/os.py", "root/box/real", "loop", "broken")
    assert fetched(box, code, "**", *names).files == {
        "real": b"real",
        "hard": b"real",
        "dir/in": b"in",
    }


def test_a_hole_counts_as_content_and_comes_back_whole(box: Sandbox) -> None:
    result = fetched(box, "open('hole', 'wb').truncate(3 << 20)", "hole")
    assert result.files == {"hole": bytes(3 * MIB)}


def test_a_deep_tree_comes_back_as_deep_as_a_name_may_be(box: Sandbox) -> None:
    code = """
for n in range(2000):
    os.mkdir("d")
    open("f", "w").write(str(n))
    os.chdir("d")
"""
    result = fetched(box, code, "**/f", files_count=65)
    assert result.ok, result
    assert len(result.files) == 64  # the parts that a name may have
    assert result.files["d/" * 63 + "f"] == b"63"


def test_names_that_no_result_can_have_are_left_out(box: Sandbox) -> None:
    code = r"""
for name in ("ok", "new\nline", "tab\t", "\x7f", "\x85", "\x1b[0m", "é", " ", "x" * 250):
    open(name, "w").close()
open(b"\xff\xfe", "w").close()
os.mkdir(b"\xff")
os.mkdir("dir\n")
open("dir\n/x", "w").close()
open(b"\xff/x", "w").close()
"""
    assert set(fetched(box, code, "**").files) == {"ok", "é", " ", "x" * 250}


def test_hidden_files_are_left_out_unless_they_are_named(box: Sandbox) -> None:
    code = """
os.makedirs(".h/sub")
for name in (".hidden", "shown", ".h/in", ".h/sub/deep", ".h/.both"):
    open(name, "w").close()
"""
    assert set(fetched(box, code, "**").files) == {"shown"}
    assert set(fetched(box, code, ".*").files) == {".hidden"}
    assert set(fetched(box, code, ".h/**").files) == {".h/in", ".h/sub/deep"}
    assert set(fetched(box, code, ".h/.both", ".hidden").files) == {".h/.both", ".hidden"}


def test_what_is_open_at_the_end_is_written(box: Sandbox) -> None:
    code = """
import helper, zipfile
f, g = open("text", "w"), open("binary", "wb")
f.write("kept")
g.write(b"too")
helper.log = open("of-a-module", "w")
helper.log.write("held by a module")
archive = zipfile.ZipFile("a.zip", "w")
archive.writestr("x", "y")
def held():
    inner = open("in-a-frame", "w")
    inner.write("held by a generator")
    yield
    inner.write("never")
generator = held()
next(generator)
import atexit
atexit.register(lambda: f.write(" to the end"))
"""
    files = dict(fetched(box, code, "*", files={"helper.py": ""}).files)
    assert files.pop("a.zip")[:2] == b"PK"
    assert files == {
        "helper.py": b"",
        "text": b"kept to the end",
        "binary": b"too",
        "of-a-module": b"held by a module",
        "in-a-frame": b"held by a generator",
    }


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("1 / 0", Status.ERROR),
        ("raise SystemExit(3)", Status.ERROR),
        ("def f(): f()\nf()", Status.RECURSION_LIMIT),
        ("import no_such_module", Status.ERROR),
    ],
)
def test_a_program_that_fails_gives_its_files_back(box: Sandbox, end: str, status: Status) -> None:
    result = fetched(box, f"open('log', 'w').write('so far')\n{end}", "log")
    assert (result.status, result.files) == (status, {"log": b"so far"})


@pytest.mark.parametrize(
    ("end", "limits", "status"),
    [
        ("while True: pass", {"cpu_seconds": 0.2}, Status.CPU_LIMIT),
        ("while True: os.stat('f')", {"cpu_seconds": 0.2}, Status.CPU_LIMIT),
        ("import time\ntime.sleep(60)", {"wall_seconds": 0.5}, Status.WALL_LIMIT),
        ("x = bytes(1 << 40)", {}, Status.MEMORY_LIMIT),
        ("os._exit(0)", {}, Status.ERROR),
        ("import signal\nos.abort()", {}, Status.CRASHED),
    ],
)
def test_what_ends_the_process_leaves_no_files(
    box: Sandbox, end: str, limits: Any, status: Status
) -> None:
    result = fetched(box, f"open('f', 'w').write('x')\n{end}", "f", **limits)
    assert (result.status, result.files) == (status, {})


HOSTILE = {
    "every descriptor is taken": "kept = []\ntry:\n    while True: kept.append(os.dup(0))\n"
    "except OSError: pass\nimport builtins; builtins.kept = kept",
    "functions are replaced": "import io, builtins\ndef no(*a, **k): raise OSError(5, 'no')\n"
    "for m in (os, io, builtins):\n"
    "    for n in ('open', 'read', 'scandir', 'lstat', 'stat', 'fstat', 'close', 'listdir'):\n"
    "        if hasattr(m, n): setattr(m, n, no)",
    "modules are gone": "import sys\nsys.modules.clear()",
    "it stands elsewhere": "os.mkdir('away')\nos.chdir('away')\nos.rmdir('/box/away')",
    "a directory cannot be read": "os.mkdir('shut')\nopen('shut/x', 'w').close()\n"
    "os.chmod('shut', 0)\nopen('unread', 'w').close()\nos.chmod('unread', 0)",
    "standard output is closed": "import sys\nsys.stdout.close()",
    "finalizers fail": "class F:\n    def __del__(self): raise ValueError\nkept = F()",
    "the recursion limit is low": "import sys\nsys.setrecursionlimit(40)",
}


@pytest.mark.parametrize("how", HOSTILE)
def test_a_program_that_is_in_the_way_gives_its_files_back(box: Sandbox, how: str) -> None:
    code = f"with open('out', 'w') as f: f.write('content')\n{HOSTILE[how]}"
    result = fetched(box, code, "out", "*", "**/*")
    assert result.files == {"out": b"content"}, result


def test_files_that_change_while_they_are_read_are_bounded(opened: Callable[..., Sandbox]) -> None:
    policy = Policy.load("kernel-only").replaced(name="threads", threads=4)
    code = """
import threading, os
def churn(name):
    while True:
        with open(name, "wb") as f:
            for _ in range(200): f.write(bytes(10000))
        os.truncate(name, 10)
        os.unlink(name)
        try: os.symlink(os.__file__, name)
        except OSError: pass
        os.unlink(name)
open("still", "w").write("x")
for n in range(4): threading.Thread(target=churn, args=(f"f{n}",), daemon=True).start()
"""
    with Sandbox(policy, workers=1) as sandbox:
        if "namespaces" not in sandbox.layers:
            pytest.skip("no mount namespaces here")
        for _ in range(5):
            result = sandbox.run(code, fetch=["**"], files_kib=10_000)
            assert result.status in (Status.OK, Status.OUTPUT_LIMIT), result
            assert sum(map(len, result.files.values())) <= 10_000 << 10
            assert all(set(content) <= {0} for n, content in result.files.items() if n != "still")
