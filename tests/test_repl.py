"""`sandbox repl`: a prompt over a session, through a pipe and through a terminal."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from importlib.util import find_spec

import pytest

from sandbox.repl.cells import is_whole
from sandbox.repl.screen import harmless

COMMAND = [sys.executable, "-m", "sandbox", "repl"]
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\r")


def piped(text, *options):
    done = subprocess.run(
        [*COMMAND, *options], input=text, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done


class Terminal:
    """The command in a terminal of its own, whose keys the test presses."""

    def __init__(self, folder, *options):
        self.pid, self.end = pty.fork()
        if self.pid == 0:
            os.environ.update(XDG_STATE_HOME=str(folder), TERM="xterm", COLUMNS="200", LINES="50")
            os.execv(COMMAND[0], [*COMMAND, *options])
        self.seen = self.rest = ""

    def press(self, keys):
        os.write(self.end, keys.encode())

    def type(self, line):
        self.press(line + "\r")

    def until(self, wanted, seconds=20):
        """Read until `wanted` is there, a text or a pattern; what is behind it is for the next."""
        pattern = wanted if isinstance(wanted, re.Pattern) else re.compile(re.escape(wanted))
        deadline = time.monotonic() + seconds
        while not (found := pattern.search(self.rest)):
            assert time.monotonic() < deadline, f"{wanted!r} is not in {self.seen[-2000:]!r}"
            if select.select([self.end], [], [], 0.2)[0]:
                try:
                    data = os.read(self.end, 1 << 16)
                except OSError:
                    data = b""
                assert data, f"it ended before {wanted!r}: {self.seen[-2000:]!r}"
                text = data.decode(errors="replace")
                if "\x1b[6n" in text:  # it asks where the cursor is
                    self.press("\x1b[1;1R")
                self.seen += text
                self.rest = CONTROL.sub("", self.rest + text)
        self.rest = self.rest[found.end() :]

    def ended(self, seconds=60):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError):
                if select.select([self.end], [], [], 0.05)[0]:
                    os.read(self.end, 1 << 16)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError("it did not end")

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.end)


has_toolkit = pytest.mark.skipif(
    find_spec("prompt_toolkit") is None, reason="prompt_toolkit is not installed"
)


@pytest.fixture(params=["readline", pytest.param("prompt_toolkit", marks=has_toolkit)])
def terminal(request, tmp_path):
    made = []

    def start(*options):
        plain = ["--plain"] if request.param == "readline" else []
        made.append(Terminal(tmp_path, *plain, *options))
        made[-1].until("%help lists commands.")
        made[-1].until(">>>")
        return made[-1]

    yield start
    for each in made:
        each.close()


def test_cells_of_a_pipe_run_in_one_session():
    done = piped("x = 20\ndef f(n):\n    return n * 2\n\nf(x) + 2\nprint('so')\nNone\n")
    assert (done.stdout, done.stderr) == ("42\nso\n", "")


def test_a_branch_leaves_the_state_that_it_was_made_of():
    text = "x = 1\n%fork\nx = 5\nx\n%switch\nx\n%switch fork-1\nx\n%branches\n%fork fork-1\n"
    done = piped(text)
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert [line for line in lines if line.isdigit()] == ["5", "1", "5"]
    assert lines[-2:] == ["main", "* fork-1"]
    assert "ValueError: there is a branch 'fork-1' already" in done.stderr


def test_cells_are_undone_one_after_the_other():
    cells = "".join(f"x = {n}\n" for n in range(8))
    done = piped(f"{cells}%undo\nx\n%undo\n%undo\nx\n" + "%undo\n" * 9)
    assert "6\n" in done.stdout
    assert "5\n" in done.stdout
    assert done.stdout.endswith("There is no cell to undo.\n")


def test_undoing_gives_way_to_branches():
    cells = "".join(f"x = {n}\n" for n in range(8))
    done = piped(f"{cells}" + "%fork\n" * 15 + "x = 9\nx\n%undo\n")
    assert done.stderr == ""
    assert done.stdout.endswith("9\nThere is no cell to undo.\n")


def test_limits_are_tightened_for_later_cells():
    text = (
        "%limits cpu_seconds=0.3\nwhile True: pass\n\nx = 1\n%limits cpu_seconds=1e9\n%limits a\n"
    )
    done = piped(f"{text}%limits memory_mib=1\nx\n", "--limit", "cpu_seconds=5")
    assert "0.3 s" in done.stdout
    assert "CPU_LIMIT: CPU limit: more than 0.3 s" in done.stderr
    assert "not widen" in done.stderr
    assert "'a' is not NAME=VALUE" in done.stderr
    assert "memory_mib is the session's" in done.stderr
    assert done.stdout.endswith("1\n")


def test_errors_keep_or_undo_what_a_cell_did(tmp_path):
    text = "x = 1\nif 1:\n    x = 2\n    1 / 0\n\nx\n"
    kept, undone = piped(text), piped(text, "--undo-errors")
    assert (kept.stdout, undone.stdout) == ("2\n", "The cell was undone.\n1\n")
    for done in (kept, undone):
        assert "ZeroDivisionError: division by zero" in done.stderr


def test_files_are_given_and_listed_and_a_reset_forgets_all_but_them(tmp_path):
    (tmp_path / "rows.txt").write_text("1\n2\n")
    text = "open('a', 'w').write('x')\n%files\n%reset\n%files\nsum(map(int, open('rows.txt')))\nx\n"
    done = piped(text, "--file", f"{tmp_path / 'rows.txt'}:rows.txt")
    assert done.stdout.split() == [
        *("1", "a", "rows.txt", "A", "new", "session", "has", "begun.", "rows.txt", "3")
    ]
    assert "NameError" in done.stderr


def test_an_unknown_command_is_told_and_help_lists_all():
    done = piped("%what\n%\n%quit\n1\n")
    assert "no command %what" in done.stderr
    assert "%undo" in done.stdout
    assert "%fork [NAME]" in done.stdout
    assert not done.stdout.endswith("1\n")


def test_values_and_blocks_at_a_terminal(terminal):
    shell = terminal()
    shell.type("1+1")
    shell.until(re.compile(r"\n2\n"))
    shell.until(">>>")
    shell.type("def double(n):")
    shell.until("...")
    shell.type("    return 2 * n")
    shell.until("...")
    shell.type("")
    shell.until(">>>")
    shell.type("double(333)")
    shell.until(re.compile(r"\n666\n"))
    shell.until(">>>")
    shell.press("\x04")
    assert shell.ended() == 0


def test_an_interrupt_ends_the_cell_and_neither_the_prompt_nor_the_session(terminal):
    shell = terminal()
    shell.type("x = 41")
    shell.until(">>>")
    shell.type("while True: x = 0")
    shell.until("...")
    shell.type("")
    time.sleep(1.0)
    shell.press("\x03")
    shell.until("KeyboardInterrupt: the caller interrupted the cell", 8)  # its limit is 10 s
    shell.until(">>>")
    shell.type("x + 1")
    shell.until(re.compile(r"\n42\n"))
    shell.until(">>>")
    shell.press("abc\x03")
    shell.until("KeyboardInterrupt")
    shell.until(">>>")
    shell.type("x + 2")
    shell.until(re.compile(r"\n43\n"))


def test_the_tab_key_completes_names_of_the_program_and_changes_nothing(terminal):
    shell = terminal()
    shell.type("globals()['my_' + 'long_name'] = print('do' + 'ne') or 'abc'")
    shell.until("done")
    shell.until(">>>")
    shell.press("my_lo\t")
    shell.until("my_long_name")
    shell.type("")
    shell.until(re.compile(r"\n'abc'\n"))
    shell.until(">>>")
    shell.press("my_long_name.isalph\t")
    shell.until("my_long_name.isalpha")
    shell.type("()")
    shell.until(re.compile(r"\nTrue\n"))
    shell.until(">>>")
    shell.type("_")
    shell.until(re.compile(r"\nTrue\n"))
    shell.until(">>>")
    shell.press("%bra\t")
    shell.until("%branches")


def test_what_was_typed_is_there_the_next_time(terminal, tmp_path):
    first = terminal()
    first.type("'be' + 'fore'")
    first.until(re.compile(r"\n'before'\n"))
    first.until(">>>")
    first.press("\x04")
    assert first.ended() == 0
    (folder,) = tmp_path.iterdir()
    assert all(file.stat().st_mode & 0o077 == 0 for file in folder.iterdir())
    second = terminal()
    second.press("\x1b[A")
    second.until("'be' + 'fore'")
    second.type("")
    second.until(re.compile(r"\n'before'\n"))


def test_what_is_printed_cannot_steer_the_terminal(terminal):
    shell = terminal()
    shell.type("print('a' + chr(27) + ']0;title' + chr(7) + chr(155) + '2Jb')")
    shell.until("a\\x1b]0;title\\x07\\x9b2Jb")
    assert "\x1b]0;title" not in shell.seen


@pytest.mark.parametrize(
    ("source", "whole"),
    [
        ("1", True),
        ("x = (1,", False),
        ("x = (1,\n2)", True),
        ("if x:", False),
        ("if x:\n    y", False),
        ("if x:\n    y\n", True),
        ("for x in y: pass", False),
        ("for x in y: pass\n", True),
        ("def f():\n    return 1\n\n", True),
        ("@decorated", False),
        ("match x:\n    case 1: pass", False),
        ("match x:\n    case 1: pass\n", True),
        ("try:\n    x\n", False),
        ("'''text", False),
        ("x = 1 +", True),
        ("1 1", True),
        (")", True),
        ("x = 1 \\", False),
        ("# remark", True),
        ("(" * 5000, True),
        ("\x00", True),
        ("'\ud800'", True),
    ],
)
def test_a_cell_is_whole_as_at_pythons_prompt(source, whole):
    assert is_whole(source) == whole


def test_control_characters_are_spelt_out():
    assert harmless("a\tb\n") == "a\tb\n"
    assert harmless("\x1b[31m\r\x00\x9b\u202e") == "\\x1b[31m\\r\\x00\\x9b\\u202e"
