"""Many executions by one call, and calls of a function: what goes in, and what comes out."""

import random
import subprocess
import sys
from dataclasses import replace

import pytest

from sandbox import Job, Status
from sandbox.job import Program
from sandbox.runtime.caller import compiled
from sandbox.runtime.executions.record import ExecutionRecord


def test_map_is_ordered_lazy_and_bounded(strict):
    taken = []

    def jobs():
        for number in range(1000):
            taken.append(number)
            yield Job("print(input())", str(number))

    results = strict.map(jobs())
    assert [next(results).output for _ in range(10)] == [f"{n}\n" for n in range(10)]
    results.close()
    assert len(taken) < 100
    assert strict.run("print(1)").ok


def test_call_many_calls_one_function_with_each_arguments_in_a_fresh_child(strict):
    code = "seen = []\ndef f(*args):\n    seen.append(args)\n    return [len(seen), *args]"
    results = strict.call_many(code, "f", [(1,), (2, "x"), ()])
    assert [result.value for result in results] == [[1, 1], [1, 2, "x"], [1]]
    assert [r.status for r in strict.call_many("def f(:", "f", [(), ()])] == [Status.SYNTAX] * 2
    assert [r.status for r in strict.call_many("x = 1", "f", [()])] == [Status.ERROR]


def test_run_many_runs_one_program_on_each_input_in_a_fresh_child(strict):
    code = "seen = []\nseen.append(input())\nprint(seen)"
    outputs = [result.output for result in strict.run_many(code, ["a", "b", "c"])]
    assert outputs == ["['a']\n", "['b']\n", "['c']\n"]
    assert [r.status for r in strict.run_many("def f(:", ["a", "b"])] == [Status.SYNTAX] * 2


def test_a_limit_that_the_compiling_child_met_is_not_remembered(strict, monkeypatch):
    source = "print('compiled', input())"
    slow = replace(strict.run("1 / 0"), status=Status.WALL_LIMIT)
    monkeypatch.setattr(strict._runner, "execute", lambda *_: (ExecutionRecord(), slow))
    assert [r.status for r in strict.run_many(source, ["1"])] == ["WALL_LIMIT"]
    monkeypatch.undo()
    assert [r.output for r in strict.run_many(source, ["1"])] == ["compiled 1\n"]


def test_programs_that_compile_to_much_are_not_kept_by_the_dozen(strict, monkeypatch):
    """Each `finally` is compiled twice: forty lines of source make nine million bytes of code."""

    def program(number):
        lines = [f"def f{number}():"]
        for depth in range(13):
            indent = " " * (depth + 1)
            lines += [f"{indent}try:", f"{indent} a({depth})", f"{indent}finally:"]
        return "\n".join([*lines, f"{' ' * 14}b()", "print(input())"])

    monkeypatch.setattr(compiled, "_KEPT_BYTES", 3 << 20)
    for number in range(6):
        results = strict.run_many(program(number), ["x", "y"])
        assert [result.output for result in results] == ["x\n", "y\n"]
    kept = [code for code in strict._compiler._kept.values() if isinstance(code, bytes)]
    assert len(kept[-1]) > 500_000
    assert sum(map(len, kept)) <= 3 << 20
    monkeypatch.setattr(compiled, "_KEPT_BYTES", 0)  # not even the last one is lost
    assert [r.output for r in strict.run_many(program(9), ["x", "y"])] == ["x\n", "y\n"]
    assert len(strict._compiler._kept) == 1


def test_call_returns_plain_data(strict):
    code = "def solve(a, b=1, *, c):\n    return {'sum': a + b, 'pair': (a, [b, c]), 'none': None}"
    result = strict.call(code, "solve", [1], {"b": 2, "c": "x"})
    assert result.value == {"sum": 3, "pair": [1, [2, "x"]], "none": None}
    assert strict.call(code, "missing").status is Status.ERROR
    assert strict.call("def f(): return {1}", "f").status is Status.ERROR
    with pytest.raises(ValueError, match="plain"):
        strict.call(code, "solve", [object()])


def set_displays(seed):
    """A program that iterates over set displays whose items collide, in every way it can."""
    chosen = random.Random(seed)
    lines = ["def show(s):", "    print(list(s))", "    s.add(3)", "    s.discard(8)"]
    lines += ["    s.add(11)", "    print(list(s), [x for x in s])"]
    for number in range(120):
        pool = [*range(0, 8 * 12, 8), *range(5), *"abcdefgh", 0.5, 2.5, (1, 2), b"x", -1, True]
        items = ", ".join(repr(item) for item in chosen.sample(pool, chosen.randint(2, 12)))
        lines += [f"show({{{items}}})", f"for x in {{{items}}}: print(x)"]
        lines += [f"def f{number}(y): return (y in {{{items}}}, max({{{items}}}, key=str))"]
        lines += [f"print(f{number}(8))"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("seed", range(4))
def test_sets_iterate_as_in_cpython_however_often_a_program_is_compiled(strict, seed):
    code = set_displays(seed)
    own = [sys.executable, "-c", code]
    plain = subprocess.run(own, env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True)
    assert plain.stdout.count("\n") > 1000
    assert strict.run(code).output == plain.stdout
    assert [each.output for each in strict.run_many(code, ["", ""])] == [plain.stdout] * 2
    wanted = "def f():\n    return [list({8, 0, 16}), list({'b', 'a', 'c', 'd', 1, 9, 17})]"
    results = [strict.call(wanted, "f"), *strict.call_many(wanted, "f", [(), ()])]
    assert results[0].value[0] == [8, 0, 16]
    assert all(result.value == results[0].value for result in results)


def test_a_preamble_stands_before_what_each_child_compiles(strict):
    results = strict.run_many("print(list({8, 0, 16}), y)", ["", ""], preamble="y = 2")
    assert [result.output for result in results] == ["[8, 0, 16] 2\n"] * 2
    code = "def f():\n    return [y, *{8, 0, 16}]"
    assert strict.call_many(code, "f", [()], preamble="y = 2")[0].value == [2, 8, 0, 16]


def test_only_what_marshal_would_change_is_compiled_in_each_child(strict):
    for code, kept in (("x = {8, 0, 16}", False), ("def f(x):\n    return x in {1, 2}", False)):
        assert bool(strict._compiler.compile(Program(code))) is kept
    for code in ("x = {1}", "x = [8, 0, 16]", "def f(x, y):\n    return {x, y, 8}", "x = (1, 2)"):
        assert isinstance(strict._compiler.compile(Program(code)), bytes)
        assert strict._compiler.compile(Program(code))
