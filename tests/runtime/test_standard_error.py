"""What a program writes to standard error comes back apart, up to a cap, and ends no program."""

import pytest

from sandbox import Result, Sandbox, Status

NOISY = """import sys
print("out 1")
print("err 1", file=sys.stderr)
sys.stderr.write("err 2 \\ud800\\n")
print("out 2")
sys.stderr.buffer.write(b"err 3\\n")
"""


@pytest.mark.parametrize("policy", ["contest", "kernel-only"])
def test_standard_error_comes_back_apart_from_what_was_printed(policy):
    with Sandbox(policy, workers=1) as box:
        result = box.run(NOISY)
        assert (result.output, result.error) == ("out 1\nout 2\n", "")
        assert result.stderr == "err 1\nerr 2 \\ud800\nerr 3\n"
        assert Result.from_json(result.to_json()) == result
        failed = box.run(NOISY + "1 / 0")
        assert (failed.output, failed.stdout, failed.stderr) == (
            "",
            "out 1\nout 2\n",
            result.stderr,
        )
        assert "err 1" not in failed.traceback + failed.error
        stopped = box.run(NOISY + "while True: pass", cpu_seconds=0.2)
        assert (stopped.status, stopped.stderr) == (Status.CPU_LIMIT, result.stderr)
        assert box.run("print(1)").stderr == ""


def test_standard_error_is_kept_up_to_a_cap_and_ends_no_program():
    code = (
        "import sys\nfor i in range(200):\n    sys.stderr.write('\u00e9' * 1000)\nprint('x' * 900)"
    )
    with Sandbox("contest", 1) as box:
        much = box.run(code)
        assert (much.ok, much.stdout) == (True, "x" * 900 + "\n")
        assert much.stderr == "\u00e9" * (32 << 10)
        tight = box.run(code, output_kib=1)
        assert (tight.ok, tight.stdout, len(tight.stderr)) == (True, "x" * 900 + "\n", 512)
        odd = box.run("import sys\nsys.stderr.write('a' + '\u00e9' * 40000)")
        assert odd.stderr == "a" + "\u00e9" * ((64 << 10) // 2 - 1)


def test_a_call_and_a_run_of_many_give_standard_error_too():
    code = "import sys\ndef f(x):\n    print(x, file=sys.stderr)\n    return x"
    with Sandbox("contest", workers=1) as box:
        assert [r.stderr for r in box.call_many(code, "f", [[1], [2]])] == ["1\n", "2\n"]
        many = box.run_many("import sys\nprint(input(), file=sys.stderr)", ["a", "b"])
        assert [r.stderr for r in many] == ["a\n", "b\n"]
