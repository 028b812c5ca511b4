"""Many executions by one call, and calls of a function: what goes in, and what comes out."""

import pytest

from sandbox import Job, Status
from sandbox.runtime import compiled


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
