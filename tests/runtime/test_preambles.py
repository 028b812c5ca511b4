"""A preamble and the program after it share a module: each sees what the other binds there."""

import pytest

from sandbox import Sandbox

REBINDS = """
def rebind(make):
    global a
    a = make()
"""
STORES = """
class Own: pass
a = first = Own()
a.x = 1
rebind(Own)
a.y = 2
print(vars(first), vars(a))
"""


def test_a_store_goes_to_what_the_preamble_bound_the_variable_to(strict):
    result = strict.run(STORES, preamble=REBINDS)
    assert result.output == "{'x': 1} {'y': 2}\n", result
    (compiled_before,) = strict.run_many(STORES, [""], preamble=REBINDS)
    assert compiled_before.output == result.output


def test_what_the_preamble_binds_a_variable_to_is_looked_at(strict):
    result = strict.run(STORES.replace("rebind(Own)", "rebind(list)"), preamble=REBINDS)
    assert result.status == "ERROR", result
    assert "list" in result.error


@pytest.mark.parametrize("preamble", ["", "b = 1", "# nothing global"])
def test_a_program_is_the_same_after_a_preamble_that_binds_nothing_of_its_own(strict, preamble):
    program = STORES.replace("rebind(Own)", "a = Own()")
    assert strict.run(program, preamble=preamble).output == "{'x': 1} {'y': 2}\n"


ENDS = """
import io, sys
class Told:
    def __del__(self): print("gone")
def open_one():
    try: yield 1
    finally: print("closed")
def hold_back():
    sys.stdout = io.TextIOWrapper(sys.stdout.buffer)
"""


@pytest.mark.parametrize(
    ("program", "output"),
    [
        ("kept = Told()\nprint('x')", "x\ngone\n"),
        ("kept = open_one()\nnext(kept)\nprint('x')", "x\nclosed\n"),
        (
            "hold_back()\nkept = sys.stdout\nprint('held')\nsys.stdout = sys.__stdout__",
            "held\n",
        ),
    ],
)
def test_what_the_preamble_leaves_to_the_end_happens(program, output):
    with Sandbox("contest", workers=1) as sandbox:
        assert sandbox.run(program, preamble=ENDS).output == output


AFTER = "print('after', f(2))\ndef g(x):\n    return f(x) + 1"


def test_what_runs_after_a_program_is_no_part_of_it(strict):
    program = "def f(x):\n    return x + 1\nprint('in')"
    output = "in\nafter 3\n"
    assert strict.run(program, postamble=AFTER).output == output
    (result,) = strict.run_many(program, [""], postamble=AFTER)
    assert result.output == output
    assert strict.call(program, "g", [1], postamble=AFTER).value == 3
    assert strict.call_many(program, "g", [[1]], postamble=AFTER)[0].value == 3
    room = " " * (strict.policy.limits.source_kib << 10)
    assert strict.run(program, postamble=AFTER + room).output == output
    assert strict.run(f"{program}\nraise SystemExit", postamble=AFTER).output == "in\n"


def test_no_text_completes_another(strict):
    for program, postamble in (('x = """', '"""'), ("x = (1,", ")"), ("if 1:", "    print(1)")):
        assert strict.run(program, postamble=postamble).status == "SYNTAX"
        (result,) = strict.run_many(program, [""], postamble=postamble)
        assert result.status == "SYNTAX"


def test_code_that_was_compiled_for_one_postamble_is_used_with_no_other(strict):
    for text in ("print(1)", "print(2)"):
        (result,) = strict.run_many("x = 1", [""], postamble=text)
        assert result.output == text[6] + "\n"


def test_a_long_postamble_that_comes_again_is_compiled_once_and_does_the_same(strict):
    for text, said in (
        ("print(x, *['a', 'b', None])", "OK"),
        ("raise ValueError(x)", "ERROR"),
        ("x = (", "SYNTAX"),
        ("import ctypes", "DENIED"),
        ("def f():\n    return x\nprint(f(), __name__, ...)", "OK"),
    ):
        postamble = "# with room\n" * 300 + text
        assert strict._compiler.compile_again(text) == b""  # a short one is not worth it
        first, second, third = [strict.run("x = 7", postamble=postamble) for _ in range(3)]
        kept = strict._compiler.compile_again(postamble)
        assert bool(kept) == (said != "SYNTAX"), text
        for again in (second, third):
            assert again.status == first.status == said
            assert (again.output, again.error) == (first.output, first.error)
            assert again.traceback == first.traceback
        other = strict.run("x = 8", postamble=postamble)
        assert (other.output, other.error) == (
            first.output.replace("7", "8"),
            first.error.replace("7", "8"),
        )
