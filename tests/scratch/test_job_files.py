"""Files of a job in a real directory: put there before the program, and taken by the same rules."""

import asyncio
import os
from typing import Any

import pytest

from sandbox import Job, Policy, PolicyError, Sandbox, SandboxUnavailable, Status


def test_files_are_there_and_come_back_by_every_way(box: Sandbox) -> None:
    code = (
        "data = open('in/a', 'rb').read()\nopen('out', 'wb').write(data[::-1])\ndef f(): return 1"
    )
    options: dict[str, Any] = {"files": {"in/a": b"\x00\xff"}, "fetch": ["out"]}
    back = {"out": b"\xff\x00"}
    assert box.run(code, **options).files == back
    assert [r.files for r in box.run_many(code, ["", ""], **options)] == [back, back]
    assert [r.files for r in box.map([Job(code, **options)])] == [back]
    called = box.call(code, "f", **options)
    assert (called.value, called.files) == (1, back)
    assert asyncio.run(box.arun(code, **options)).files == back


def test_names_may_be_deep_and_absolute_below_two_directories(box: Sandbox) -> None:
    code = "print(open('/box/a/b/c').read(), open('/mnt/d/e').read(), open('/tmp/f').read())"
    files = {"a/b/c": "1", "/mnt/d/e": "2", "/tmp/f": "3"}
    result = box.run(code, files=files, fetch=["a/**", "/mnt/**", "/tmp/f"])
    assert result.output == "1 2 3\n"
    assert result.files == {name: text.encode() for name, text in files.items()}


def test_what_is_given_belongs_to_the_program(box: Sandbox) -> None:
    code = """
import os
print(oct(os.stat('d').st_mode), oct(os.stat('d/f').st_mode), os.stat('d/f').st_uid == os.getuid())
open('d/f', 'a').write('more')
os.rename('d/f', 'd/g')
print(os.listdir('d'), open('d/g').read(), sorted(os.listdir('.')))
"""
    output = box.run(code, files={"d/f": "text"}).output
    assert output == "0o40755 0o100644 True\n['g'] textmore ['d']\n"


def test_modules_that_were_sent_are_imported(box: Sandbox) -> None:
    files = {
        "helper.py": "from pkg.mod import X\nimport json\nY = json.dumps(X)",
        "pkg/mod.py": "X = [1]",
        "csv.py": "MINE = True",
    }
    code = "import helper, csv, os\nprint(helper.Y, csv.MINE, os.path.dirname(helper.__file__))"
    result = box.run(code, files=files, fetch=["**"])
    assert result.output == "[1] True /box\n"
    assert set(result.files) == {*files}  # and no compiled code beside them


def test_no_file_of_one_job_is_there_for_the_next(box: Sandbox) -> None:
    write = "for d in ('/box', '/tmp', '/mnt'): open(d + '/left', 'w').write('x')"
    assert box.run(write, files={"given": b"x"}).ok
    look = "import os\nprint([os.listdir(d) for d in ('/box', '/tmp', '/mnt')])"
    assert "left" not in box.run(look).output
    assert "given" not in box.run(look).output


def test_two_programs_at_once_do_not_see_each_other() -> None:
    code = """
import os, time
open('mine', 'w').write(input())
for _ in range(200):
    time.sleep(0.005)
    assert open('mine').read() in 'ab' and os.listdir('.') == ['mine']
print('alone')
"""
    with Sandbox("kernel-only", workers=2) as sandbox:
        if "namespaces" not in sandbox.layers:
            pytest.skip("no mount namespaces here")
        results = list(sandbox.map([Job(code, stdin="a"), Job(code, stdin="b")]))
    assert [result.output for result in results] == ["alone\n", "alone\n"]


def test_what_does_not_fit_reaches_no_child(box: Sandbox) -> None:
    policy = Policy.load("kernel-only")
    assert policy.files is not None
    small = policy.files.model_copy(update={"scratch_kib": 64, "scratch_count": 16})
    with Sandbox(policy.replaced(name="small", files=small), workers=1) as sandbox:
        result = sandbox.run("print(1)", files={f"{n}": b"x" for n in range(17)})
        assert (result.status, result.stdout) == (Status.DENIED, "")
        assert "scratch_kib: the files take more than 64 KiB" in result.error
        result = sandbox.run("print(1)", files={f"{n}": b"" for n in range(17)})
        assert "scratch_count: more than 16 files and directories" in result.error
        result = sandbox.run("print(1)", files={"/".join("abcdefghijklmnopq"): b""})
        assert "scratch_count" in result.error
        full = {f"d/{n}": bytes(4096) for n in range(15)}
        assert sandbox.run("print(1)", files={**full, "/tmp/x": b""} | {"d/0": b""}).status in (
            Status.OK,
            Status.DENIED,
        )
        assert sandbox.run("import os\nprint(len(os.listdir('d')))", files=full).output == "15\n"
    assert box.run("print(1)", files={"a": bytes(2048)}, files_kib=2).ok
    assert box.run("print(1)", files={"a": bytes(2049)}, files_kib=2).status is Status.DENIED


def test_a_policy_that_grants_none_has_none() -> None:
    policy = Policy.load("kernel-only").replaced(name="none", files=None)
    with Sandbox(policy, workers=1) as sandbox:
        for options in ({"files": {"a": b"x"}}, {"fetch": ["a"]}):
            with pytest.raises(PolicyError, match=r"has none: it needs \[files\]"):
                sandbox.run("print(1)", **options)
        assert "PermissionError" in sandbox.run("open('x', 'w')").error
        assert "PermissionError" in sandbox.run("open('/tmp/x', 'w')").error


def test_where_there_are_no_namespaces_there_is_no_directory_and_it_is_told() -> None:
    policy = Policy.load("kernel-only").replaced(
        name="bare", layers={"namespaces": "off"}, require_any=(), testing=True
    )
    with Sandbox(policy, workers=1) as sandbox:
        assert sandbox.run("print(1)").output == "1\n"
        assert "PermissionError" in sandbox.run("open('x', 'w')").error
        with pytest.raises(SandboxUnavailable, match="mount namespace") as refused:
            sandbox.run("print(1)", files={"a": b"x"})
        assert (refused.value.layer, bool(refused.value.remedy)) == ("namespaces", True)


@pytest.mark.parametrize("mask", [0o077, 0o777, 0])
def test_the_umask_of_the_caller_is_not_the_programs(mask: int) -> None:
    before = os.umask(mask)
    try:
        sandbox = Sandbox("kernel-only", workers=1)
    finally:
        os.umask(before)
    with sandbox:
        if "namespaces" not in sandbox.layers:
            pytest.skip("no mount namespaces here")
        code = "import os, wave\nprint(wave.__name__, oct(os.umask(0)), oct(os.stat('in').st_mode))"
        result = sandbox.run(code, files={"in": b"x"}, fetch=["in"])
    assert (result.output, result.files) == ("wave 0o22 0o100644\n", {"in": b"x"})
