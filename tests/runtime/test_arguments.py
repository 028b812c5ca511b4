"""Command-line arguments: what `argv` has is what the program finds in `sys.argv`."""

import pytest

from sandbox import Job, Sandbox, Status

PROGRAM = "import sys\nprint(sys.argv)"
SHOWN = "['', '-n', 'ü', '']\n"
ARGV = ["-n", "ü", ""]


@pytest.mark.parametrize("policy", ["contest", "kernel-only"])
def test_a_program_has_its_arguments_by_every_way(policy):
    with Sandbox(policy, workers=1) as sandbox:
        assert sandbox.run(PROGRAM, argv=ARGV).stdout == SHOWN
        assert [r.stdout for r in sandbox.run_many(PROGRAM, [""], argv=ARGV)] == [SHOWN]
        assert [r.stdout for r in sandbox.map([Job(PROGRAM, argv=ARGV)])] == [SHOWN]
        call = f"{PROGRAM}\ndef f():\n    return sys.argv[1:]"
        assert sandbox.call(call, "f", argv=ARGV).value == ARGV
        assert sandbox.run(PROGRAM).stdout == "['']\n"


def test_what_is_no_list_of_texts_is_told(strict):
    for argv in ("-n 1", [1], [b"x"]):
        with pytest.raises(TypeError, match="argv must be a list of str"):
            strict.run(PROGRAM, argv=argv)


def test_arguments_count_as_input(strict):
    result = strict.run("print(1)", argv=["x" * (strict.policy.limits.stdin_kib << 10), "y"])
    assert result.status is Status.DENIED
    assert "argv is larger" in result.error
