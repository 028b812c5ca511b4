"""Cells: what lasts from one to the next, what they give back, what is told of how they end."""

import json

import pytest

from sandbox import (
    CellResult,
    Sandbox,
    Session,
    SessionLost,
    Status,
)


def test_what_a_cell_makes_lasts_under_every_policy(any_policy: Sandbox) -> None:
    with any_policy.session() as session:
        session.run("class Point:\n    def __init__(self, x): self.x = x\np = Point(3)")
        session.run("def twice(p): return Point(p.x * 2)")
        session.run("q = twice(p)")
        assert session.run("q.x + p.x").value == 9
        assert session.execution_count == 4


@pytest.mark.parametrize(
    ("code", "shown", "value"),
    [
        ("1 + 1", "2", 2),
        ("x = 1; x", "1", 1),
        ("[1, (2, 'a')]", "[1, (2, 'a')]", [1, [2, "a"]]),
        ("'é' * 2; 'ü' + \\\n  'b'  # a comment", "'üb'", "üb"),
        ("(lambda y:\n  y + 1)(2);", "3", 3),
        ("{1, 2}", "{1, 2}", None),
        ("object", "<class 'object'>", None),
        ("x = 1", None, None),
        ("None", None, None),
        ("", None, None),
        ("# nothing", None, None),
        ("if True:\n    5", None, None),
        ("'''a\nb'''", "'a\\nb'", "a\nb"),
        ("\ufeff7", "7", 7),
        ("x = 1\r\nx + 1\r\n", "2", 2),
        ("x = 1; \\\nx", "1", 1),
        ("\\\n7", "7", 7),
        ("# a comment \\\n7", "7", 7),
    ],
)
def test_the_last_expression_has_a_value(
    session: Session, code: str, shown: str | None, value: object
) -> None:
    result = session.run(code)
    assert (result.status, result.value_repr, result.value) == (Status.OK, shown, value)


def test_an_underscore_is_the_last_value(session: Session) -> None:
    session.run("40")
    session.run("x = 1")
    assert session.run("_ + 2").value == 42


def test_a_value_is_shown_no_longer_than_a_person_reads(session: Session) -> None:
    result = session.run("'a' * 1_000_000")
    assert result.value_repr is not None
    assert len(result.value_repr) < 70_000


def test_an_exception_in_a_repr_is_the_cell_s(session: Session) -> None:
    result = session.run("class Bad:\n    def __repr__(self): return 1 / 0\nBad()")
    assert (result.status, result.undone) == (Status.ERROR, True)


def test_rich_representations_come_back_as_parts(session: Session) -> None:
    cell = "class Bold:\n    def _repr_html_(self): return '<b>hi</b>'\n"
    result = session.run(f"{cell}display(Bold(), 3)\nBold()")
    part = {"type": "text/html", "data": "<b>hi</b>"}
    assert (result.parts, result.stdout) == ((part, part), "3\n")
    assert session.run("1").parts == ()


def test_a_traceback_names_the_cell_and_shows_its_line(session: Session) -> None:
    session.run("def fail(n):\n    return 1 // n")
    result = session.run("x = 0\nfail(x)")
    assert (
        result.error == "ZeroDivisionError: integer division or modulo by zero (<cell 1>, line 2)"
    )
    assert 'File "<cell 2>", line 2, in <module>\n    fail(x)' in result.traceback
    assert 'File "<cell 1>", line 2, in fail\n    return 1 // n' in result.traceback


def test_places_in_a_last_expression_are_those_of_the_cell(session: Session) -> None:
    for code, place in (
        ("__main__", "line 1, column 1"),
        ("x = 1\n__main__", "line 2, column 1"),
        ("x = 'é'; __main__", "line 1, column 10"),
        ("x = 1; (1 +\n __main__)", "line 2, column 2"),
    ):
        assert place in session.run(code).error


def test_what_is_no_python_is_told_with_its_line(session: Session) -> None:
    result = session.run("x = 1\ny = = 2")
    assert (result.status, result.undone) == (Status.SYNTAX, True)
    assert "line 2" in result.error


def test_each_cell_has_its_own_input(any_policy: Sandbox) -> None:
    with any_policy.session() as session:
        assert session.run("print(input())", "a\nb").stdout == "a\n"
        assert session.run("print(input())", "c").stdout == "c\n"
        assert "EOFError" in session.run("input()").error


def test_a_stream_of_the_program_s_own_stays_its_input(session: Session) -> None:
    session.run("import io, sys\nsys.stdin = io.StringIO('own\\nmore\\n')")
    assert session.run("input()").value == "own"
    assert session.run("input()").value == "more"
    assert session.run("input()", "given").value == "given"


def test_output_is_bounded_for_each_cell_anew(contest: Sandbox) -> None:
    with contest.session(output_kib=4) as session:
        for _ in range(4):
            assert session.run("print('a' * 3000)").ok
        assert session.run("print('a' * 5000)").status is Status.OUTPUT_LIMIT
        assert session.run("print('a' * 3000)").ok


def test_functions_are_called_with_plain_data(session: Session) -> None:
    session.run("seen = []\ndef add(a, *, b=1):\n    seen.append(a)\n    return {'sum': a + b}")
    assert session.call("add", [2], {"b": 3}).value == {"sum": 5}
    assert session.run("seen").value == [2]
    assert session.call("len", [[1, 2]]).value == 2
    assert session.call("missing").error.startswith("NameError")
    assert "not plain data" in session.call("set", [[1]]).error


def test_variables_are_set_and_read_as_data(session: Session) -> None:
    rows = [{"a": [1, 2.5, None, True]}]
    session.set("rows", rows)
    assert session.get("rows") == rows
    session.run("rows[0]['b'] = 1")
    assert rows == [{"a": [1, 2.5, None, True]}]
    with pytest.raises(KeyError):
        session.get("no")
    session.run("made = object()")
    with pytest.raises(ValueError, match="not plain data"):
        session.get("made")
    for name in ("no name", "__builtins__", "1"):
        with pytest.raises(ValueError, match="cannot be called"):
            session.set(name, 1)
    with pytest.raises(ValueError, match="object"):
        session.set("x", object())


def test_files_are_part_of_the_state(session: Session) -> None:
    session.write_file("in/a.csv", "1,2\n")
    session.run("text = open('in/a.csv').read()\nopen('out.txt', 'w').write(text * 2)")
    assert session.files() == ["in/a.csv", "out.txt"]
    assert session.read_file("out.txt") == b"1,2\n1,2\n"
    assert session.run("open('out.txt', 'w').write('x'); 1 / 0").undone
    assert session.read_file("out.txt") == b"1,2\n1,2\n"
    session.write_file("out.txt", b"\xff")
    assert session.read_file("out.txt") == b"\xff"
    with pytest.raises(FileNotFoundError):
        session.read_file("none")
    with pytest.raises(ValueError, match="cannot"):
        session.write_file("../x", "")


def test_files_of_a_scratch_directory_are_the_session_s(native: Sandbox) -> None:
    with native.session() as session:
        session.write_file("a.txt", "one")
        session.write_file("a.txt", "two")
        session.run("open('b.txt', 'w').write(open('a.txt').read())")
        session.run("import os\nos.symlink('a.txt', 'c')")
        assert session.read_file("b.txt") == b"two"
        session.write_file("c", "three")
        assert (session.read_file("a.txt"), session.read_file("c")) == (b"two", b"three")


def test_modules_of_the_program_s_own_are_imported_in_a_later_cell(session: Session) -> None:
    session.write_file("helper.py", "def f(): return 7")
    assert session.run("import helper\nhelper.f()").value == 7
    assert session.run("helper.f()").value == 7


def test_with_keep_a_cell_that_raises_keeps_what_it_did(contest: Sandbox) -> None:
    with contest.session(on_error="keep") as session:
        result = session.run("x = 1\n1 / 0")
        assert (result.status, result.undone) == (Status.ERROR, False)
        assert session.run("x").value == 1
        assert session.run("x = 2\nwhile True: pass", cpu_seconds=0.1).undone
        assert session.run("x").value == 1
        assert session.run("x = 3\n1 / 0", on_error="undo").undone
        assert session.run("x").value == 1


def test_leaving_by_sys_exit_ends_the_cell_alone(session: Session) -> None:
    assert session.run("x = 1\nimport sys\nsys.exit()").ok
    assert session.run("x").value == 1


def test_without_undo_a_limit_ends_the_session(contest: Sandbox) -> None:
    with contest.session(undo=False) as session:
        session.run("x = 1")
        assert session.run("x = 2\n1 / 0").status is Status.ERROR
        assert session.run("x").value == 2
        assert session.run("while True: pass", cpu_seconds=0.1).status is Status.CPU_LIMIT
        with pytest.raises(SessionLost, match="ended its state"):
            session.run("x")


def test_a_result_is_written_as_json_and_read_back(session: Session) -> None:
    result = session.run("class A:\n    def _repr_html_(self): return 'h'\nA()")
    assert CellResult.from_json(result.to_json()) == result
    assert json.loads(result.to_json())["execution_count"] == 1
