"""Files of a job: what it is given is there, what it fetches comes back, and no more than that."""

import pytest

from sandbox import Job, Policy, PolicyError, Result, Sandbox, Status

COPY = """
import os
for top, dirs, names in os.walk("."):
    for name in names:
        data = open(os.path.join(top, name), "rb").read()
        open("out-" + name, "wb").write(data[::-1])
    break
def f():
    return sorted(os.listdir("."))
"""


@pytest.fixture(scope="module")
def contest():
    with Sandbox("contest", workers=1) as sandbox:
        yield sandbox


def test_files_are_there_and_come_back_by_every_way(contest):
    options = {"files": {"a.txt": "añ", "b.bin": b"\x00\xff"}, "fetch": ["out-*"]}
    back = {"out-a.txt": "añ".encode()[::-1], "out-b.bin": b"\xff\x00"}
    assert contest.run(COPY, **options).files == back
    assert [r.files for r in contest.run_many(COPY, ["", ""], **options)] == [back, back]
    assert [r.files for r in contest.map([Job(COPY, **options)])] == [back]
    called = contest.call(COPY, "f", **options)
    assert called.value == ["a.txt", "b.bin", "out-a.txt", "out-b.bin"]
    assert called.files == back
    assert contest.run_job(Job(COPY, **options)).files == back


async def _arun(sandbox, **options):
    return await sandbox.arun(COPY, **options)


def test_files_come_back_to_a_coroutine(contest):
    import asyncio

    result = asyncio.run(_arun(contest, files={"a": b"12"}, fetch=["out-a"]))
    assert result.files == {"out-a": b"21"}


def test_no_file_of_one_job_is_there_for_the_next(contest):
    contest.run("open('left', 'w').write('x')", files={"given": b"x"})
    assert contest.run("import os\nprint(os.listdir('.'))").output == "[]\n"


def test_names_may_be_deep_and_absolute_below_two_directories(contest):
    code = "print(open('/box/a/b/c').read(), open('/mnt/d/e').read(), open('/tmp/f').read())"
    files = {"a/b/c": "1", "/mnt/d/e": "2", "/tmp/f": "3"}
    result = contest.run(code, files=files, fetch=["a/**", "/mnt/**", "/tmp/f"])
    assert result.output == "1 2 3\n"
    assert result.files == {name: text.encode() for name, text in files.items()}


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../x", "a/../x", "a//b", "a/", "/", "/etc/passwd", "/box/x", "/mnt"),
        *("a\0b", "a\nb", "\x7f", "\x85", "\ud800", "x" * 256, "/".join("a" * 65), "a/" * 600),
        *("./a", "/tmp/../etc/x", 3, None, b"x"),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(contest, name):
    with pytest.raises((ValueError, TypeError)):
        contest.run("1", files={name: b"x"})
    with pytest.raises((ValueError, TypeError)):
        contest.run("1", fetch=[name])


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"files": ["a"]}, "files must be a dict"),
        ({"files": {"a": 3}}, "'a' must be bytes or a str, not int"),
        ({"files": {"a": "x", "a/b": "y"}}, "'a' cannot be a file and a directory"),
        ({"fetch": "a"}, "fetch must be a list of str"),
        ({"fetch": ["*"] * 65}, "more than 64 patterns"),
    ],
)
def test_what_is_no_file_and_no_pattern_is_told(contest, options, error):
    with pytest.raises((ValueError, TypeError), match=error):
        contest.run("1", **options)


def test_files_that_are_too_large_or_too_many_reach_no_child(contest):
    large = contest.run("print(1)", files={"a": bytes(2048), "b": b"x"}, files_kib=2)
    assert (large.status, large.stdout) == (Status.DENIED, "")
    assert "files_kib: the files are larger than 2 KiB" in large.error
    many = contest.run("print(1)", files={"a": b"", "b": b""}, files_count=1)
    assert "files_count: the job has more than 1 files" in many.error
    assert contest.run("print(1)", files={"a": bytes(2048)}, files_kib=2).ok


def fetched(contest, code, *fetch, **limits) -> Result:
    return contest.run(f"import os\n{code}", fetch=[*fetch], **limits)


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        ("for n in range(10 ** 5): open(f'{n}', 'w').close()", {}),
        ("for n in range(4): open(f'{n}', 'w').close()", {"files_count": 3}),
        ("open('big', 'wb').write(bytes(1025))", {"files_kib": 1}),
        ("f = open('sparse', 'wb')\nf.truncate(17 << 20)", {}),
        ("for n in range(20): open(f'{n}', 'wb').write(bytes(1 << 20))", {}),
    ],
)
def test_more_than_the_limits_is_an_output_limit_and_no_file(contest, code, limits):
    result = fetched(contest, code + "\nprint('done')", "**", **limits)
    assert (result.status, result.files) == (Status.OUTPUT_LIMIT, {})
    assert result.error.startswith("files limit: more than")
    assert (result.output, result.stdout) == ("", "done\n")


def test_a_hole_without_end_is_the_memory_limit(contest):
    result = fetched(contest, "f = open('x', 'wb')\nf.seek(1 << 40)\nf.write(b'x')\nf.close()", "*")
    assert (result.status, result.files) == (Status.MEMORY_LIMIT, {})


def test_what_is_not_named_costs_nothing_and_stays(contest):
    code = "for n in range(10 ** 4): open(f'{n}', 'w').close()\nopen('out', 'w').write('x')"
    assert fetched(contest, code, "out", "nowhere", "none*").files == {"out": b"x"}


def test_a_deep_tree_comes_back_as_deep_as_a_name_may_be(contest):
    code = """
for n in range(2000):
    os.mkdir("d")
    open("f", "w").write(str(n))
    os.chdir("d")
"""
    result = fetched(contest, code, "**/f", files_count=65)
    assert result.ok, result
    assert len(result.files) == 64  # the parts that a name may have
    assert result.files["d/" * 63 + "f"] == b"63"


def test_names_that_no_result_can_have_are_left_out(contest):
    code = r"""
for name in ("ok", "new\nline", "\udcff", "tab\t", "\x7f", "\x85", "\x1b[0m", "é", " ", "x" * 250):
    open(name, "w").close()
open(b"\xff\xfe", "w").close()
os.mkdir("dir\n")
open("dir\n/x", "w").close()
"""
    assert set(fetched(contest, code, "**").files) == {"ok", "é", " ", "x" * 250}


def test_hidden_files_are_left_out_unless_they_are_named(contest):
    code = """
os.makedirs(".h/sub")
for name in (".hidden", "shown", ".h/in", ".h/sub/deep", ".h/.both"):
    open(name, "w").close()
"""
    assert set(fetched(contest, code, "**").files) == {"shown"}
    assert set(fetched(contest, code, "*", "*/*").files) == {"shown"}
    assert set(fetched(contest, code, ".*").files) == {".hidden"}
    assert set(fetched(contest, code, ".h/**").files) == {".h/in", ".h/sub/deep"}
    assert set(fetched(contest, code, ".h/.both", ".hidden").files) == {".h/.both", ".hidden"}


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*", "a.txt b.csv"),
        ("*.txt", "a.txt"),
        ("?.csv", "b.csv"),
        ("d/*", "d/c.txt"),
        ("d/**", "d/c.txt d/e/f.txt"),
        ("**/*.txt", "a.txt d/c.txt d/e/f.txt"),
        ("**", "a.txt b.csv d/c.txt d/e/f.txt"),
        ("d", ""),
        ("*.py", ""),
        ("a.*t", "a.txt"),
        ("/tmp/*", "/tmp/t"),
        ("/tmp/t", "/tmp/t"),
        ("[ab].txt", ""),
    ],
)
def test_a_pattern_matches_part_by_part(contest, pattern, names):
    code = """
os.makedirs("d/e")
for name in ("a.txt", "b.csv", "d/c.txt", "d/e/f.txt", "/tmp/t"):
    open(name, "w").close()
"""
    assert " ".join(fetched(contest, code, pattern).files) == names


def test_what_is_open_at_the_end_is_written(contest):
    code = """
class Late:
    def __del__(self):
        open("late", "w").write("by a finalizer")
late, f, g = Late(), open("text", "w"), open("binary", "wb")
f.write("kept")
g.write(b"too")
import atexit
atexit.register(lambda: f.write(" to the end"))
"""
    files = fetched(contest, code, "*").files
    assert files == {"binary": b"too", "late": b"by a finalizer", "text": b"kept to the end"}


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("1 / 0", Status.ERROR),
        ("raise SystemExit(3)", Status.ERROR),
        ("os._exit(0)", Status.OK),
        ("def f(): f()\nf()", Status.RECURSION_LIMIT),
        ("import socket", Status.DENIED),
    ],
)
def test_a_program_that_fails_gives_its_files_back(contest, end, status):
    result = fetched(contest, f"open('log', 'w').write('so far')\n{end}", "log")
    assert (result.status, result.files) == (status, {"log": b"so far"})


def test_what_ends_the_process_leaves_no_files(contest):
    result = fetched(contest, "open('f', 'w').close()\nwhile True: pass", "f", cpu_seconds=0.2)
    assert (result.status, result.files) == (Status.CPU_LIMIT, {})
    result = fetched(contest, "open('f', 'w').close()\nx = bytes(1 << 40)", "f")
    assert (result.status, result.files) == (Status.MEMORY_LIMIT, {})


def test_a_result_with_files_survives_json(contest):
    result = fetched(contest, "open('f', 'wb').write(bytes(range(256)))", "f")
    assert Result.from_json(result.to_json()) == result
    with pytest.raises(ValueError, match="not a Result"):
        Result.from_json('{"output": "", "error": "", "status": "OK", "files": [1]}')


def test_a_policy_with_neither_language_layer_nor_scratch_directory_has_no_files():
    policy = Policy.load("kernel-only").replaced(name="neither", files=None)
    needs = r"has none: it needs \[files\], or language = 'restricted'"
    with Sandbox(policy, workers=1) as native:
        for options in ({"files": {"a": b"x"}}, {"fetch": ["a"]}):
            with pytest.raises(PolicyError, match=needs):
                native.run("print(1)", **options)


def test_the_default_policy_opens_nothing_but_takes_files(strict):
    result = strict.run("open('a')", files={"a": b"x"}, fetch=["a"])
    assert (result.status, result.files) == (Status.DENIED, {"a": b"x"})


def test_limits_of_files_only_tighten(contest):
    for limit in ("files_kib", "files_count"):
        with pytest.raises(PolicyError, match=limit):
            contest.run("1", **{limit: 1 << 16})
