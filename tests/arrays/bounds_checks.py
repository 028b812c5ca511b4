"""No array is larger than the bound, however its size comes about, and rules are upper bounds."""

import numpy
import pytest

from sandbox.language.numpy.engine import rows
from sandbox.language.numpy.engine.answering import Engine
from sandbox.language.numpy.engine.bounds import MOST_BYTES

_BIG, _HUGE = 2**30, 2**62


@pytest.fixture
def ask():
    engine = Engine(numpy, [])
    engine.answer("f:arange", (4,), {})  # 1
    engine.answer("f:zeros", ((2**12, 2**12),), {"dtype": "?"})  # 2, of 16 MiB
    engine.answer("f:broadcast_to", ({"a": 1}, (2**24, 4)), {})  # 3, of 512 MiB by its shape
    engine.answer("f:array", (["a" * 1000],), {})  # 4
    return lambda name, *args, **options: engine.answer(name, args, options)


_A, _WIDE, _FAR, _TEXT = {"a": 1}, {"a": 2}, {"a": 3}, {"a": 4}
TOO_LARGE = [
    *((f"f:{name}", (size,)) for name in ("zeros", "ones", "empty") for size in (_HUGE, 2**29)),
    *(("f:zeros", (shape,)) for shape in ((2**16, 2**16), (0, _HUGE), (2**21,) * 3, [2**40])),
    ("f:full", (_BIG, 1)),
    ("f:full", (_BIG, _TEXT)),
    ("f:zeros", (2**12, "U999999")),
    ("f:arange", (_HUGE,)),
    ("f:arange", (0, 1.0, 1e-300)),
    ("f:arange", (-_HUGE, _HUGE)),
    ("f:linspace", (0, 1, _BIG)),
    ("f:logspace", (_FAR, 1, 50)),
    ("f:geomspace", (1, 2, _HUGE)),
    ("f:eye", (2**20,)),
    ("f:eye", (3, _BIG)),
    ("f:identity", (2**20,)),
    ("f:tri", (2**20,)),
    ("f:tril_indices", (2**20,)),
    ("f:tril", (_FAR,)),
    ("f:vander", (_A, _BIG)),
    ("f:indices", ((2**14, 2**14),)),
    ("f:diag", (_A, _BIG)),
    ("f:diagflat", (_WIDE,)),
    ("f:hanning", (_BIG,)),
    ("f:fft.fftfreq", (_BIG,)),
    ("f:bincount", ([_HUGE],)),
    ("f:bincount", ([2**63 - 1],)),
    ("f:bincount", ([1], None, _BIG)),
    ("f:tile", (_A, _BIG)),
    ("f:tile", (_WIDE, (2**10, 2**10))),
    ("f:repeat", (_A, _HUGE)),
    ("f:repeat", (_A, [_HUGE] * 4)),
    ("f:repeat", (_A, [2**63 - 1, 2, 0, 0])),
    ("m:repeat", (_WIDE, 2**20, 0)),
    ("f:concatenate", ([_FAR] * 9,)),
    ("f:concatenate", ([_FAR, _TEXT],)),
    ("f:stack", ([_FAR] * 9,)),
    ("f:hstack", ([_FAR] * 9,)),
    ("f:vstack", ([_FAR] * 9,)),
    ("f:column_stack", ([_FAR] * 9,)),
    ("f:append", (_FAR, _TEXT)),
    ("f:insert", (_WIDE, [0] * 40960, 1, 0)),
    ("f:unpackbits", (_FAR,)),
    ("f:kron", (_WIDE, _WIDE)),
    ("f:outer", (_WIDE, _WIDE)),
    ("v:add.outer", (_WIDE, _WIDE)),
    ("f:tensordot", (_WIDE, _WIDE, 0)),
    ("f:tensordot", (_WIDE, _WIDE, ([], []))),
    ("f:einsum", ("ij,kl->ijkl", _WIDE, _WIDE)),
    ("f:einsum", ("a,b,c,d,e,f->abcdef", *[list(range(64))] * 6)),
    ("f:dot", (_FAR, [[1.0] * 100] * 4)),
    ("u:matmul", (_FAR, [[1.0] * 100] * 4)),
    ("f:inner", (_FAR, [[1.0] * 4] * 100)),
    ("f:meshgrid", (_WIDE, _WIDE)),
    ("f:broadcast_to", (_A, (2**30, 4))),
    ("f:broadcast_arrays", (_FAR, _TEXT)),
    ("f:resize", (_A, 2**29)),
    ("x:resized", (_A, (2**29,), False)),
    ("f:pad", (_A, _BIG)),
    ("f:pad", (_WIDE, ((_BIG, 0), (0, _BIG)))),
    ("f:histogram", (_A, _BIG)),
    ("f:histogram2d", (_A, _A, 2**20)),
    ("f:polyint", (_A, _BIG)),
    ("f:polyfit", (_A, _A, 10**6)),
    ("f:percentile", (_FAR, _A)),
    ("f:take", (_FAR, _FAR, 0)),
    ("f:lib.sliding_window_view", (_WIDE, (2048, 2048))),
    ("x:get", (_FAR, (slice(None), [0] * 100))),
    ("x:get", (_FAR, _FAR)),
    ("u:add", (_TEXT, _FAR)),
    ("f:where", (_FAR, _TEXT, "")),
    ("m:astype", (_FAR, "U100")),
    ("f:linalg.inv", (_FAR,)),
    ("f:linalg.svd", ([[1.0] * 10**4],)),
    ("f:roots", ([1.0] * 10**4,)),
    ("f:fft.fft", (_A, _BIG)),
    ("f:fft.fft2", (_WIDE, (2**20, 2**20))),
    ("f:random.rand", (2**14, 2**14)),
    ("f:random.normal", (0, 1, (2**14, 2**14))),
    ("f:random.choice", (_BIG, 3, False)),
    ("f:random.choice", (3, _BIG)),
    ("f:random.permutation", (_BIG,)),
    ("f:random.multinomial", (3, [0.5, 0.5], _BIG)),
    ("f:random.multivariate_normal", ([0.0] * 10**4, [[1.0]], 3)),
    ("f:random.dirichlet", ([1.0] * 1000, 10**6)),
]


@pytest.mark.parametrize(("name", "args"), TOO_LARGE, ids=lambda part: str(part)[:40])
def test_a_result_that_is_too_large_is_refused_before_numpy_is_asked(ask, name, args):
    engine = ask.__closure__[0].cell_contents
    entry = engine._entries[name]
    asked = []
    engine._entries[name] = rows.Entry(entry.row, lambda *a, **k: asked.append(name))
    kind, names, _ = ask(name, *args)
    assert (kind, "MemoryError" in names, asked) == ("no", True, [])


def test_lists_in_lists_are_counted_as_often_as_they_are_there(ask):
    many = [0.0] * 1000
    for _ in range(3):
        many = [many] * 1000
    assert "MemoryError" in ask("f:array", many)[1]
    assert "MemoryError" in ask("f:array", ["a" * 10**6] + ["b"] * 10**4)[1]
    assert "MemoryError" in ask("f:array", [_FAR] * 9)[1]
    assert "MemoryError" in ask("f:array", range(2**40))[1]
    assert "MemoryError" in ask("f:array", [["a"] * 1000] * 1000, "U999999")[1]


def test_what_is_not_too_large_is_not_refused(ask):
    """Where a product of all sizes there are would be."""
    ask("f:zeros", (10**6, 2))
    ask("m:astype", {"a": 5}, "l")
    rows = {"a": 6}
    places = ask("f:arange", 10**6)[1]
    for name, args in (
        ("x:get", (rows, {"a": places["a"][0]})),
        ("x:get", (rows, (..., [0, 1, 0]))),
        ("x:get", (rows, ({"a": places["a"][0]}, 1))),
        ("f:take", (rows, {"a": places["a"][0]}, 0)),
        ("u:matmul", (rows, [[1], [2]])),
        ("f:bincount", ({"a": places["a"][0]},)),
        ("f:fft.rfft", ({"a": places["a"][0]}, 2**20)),
        ("f:take_along_axis", (rows, rows, 0)),
        ("f:unique", (rows, True, True, True, 0)),
        ("f:searchsorted", ({"a": places["a"][0]}, {"a": places["a"][0]})),
        ("f:concatenate", ([rows] * 20,)),
    ):
        assert ask(name, *args)[0] == "ok", name


SMALL = [
    ("f:zeros", ((3, 4), "c16")), ("f:full", (3, "abc")), ("f:arange", (0.0, 1.0, 0.1)),
    ("f:linspace", (0, 1)), ("f:eye", (5,)), ("f:tri", (5, 3)), ("f:tril", ([1, 2, 3],)),
    ("f:tril_indices", (6,)), ("f:vander", ([1, 2, 3],)), ("f:indices", ((3, 4),)),
    ("f:diag", ([1, 2], -2)), ("f:diagflat", ([[1, 2], [3, 4]], 2)), ("f:bincount", ([5, 1],)),
    ("f:tile", ([1, 2], (3, 2))), ("f:repeat", ([1, 2], [3, 4])), ("f:repeat", ([[1], [2]], 3, 1)),
    ("f:concatenate", ([[1], [2.0, 3]],)), ("f:append", (["a"], [1])),
    ("f:insert", ([1], 0, [5, 6])),
    ("f:unpackbits", ({"a": 5},)), ("f:kron", ([1, 2], [[1, 2]])), ("f:outer", ([1, 2], [3, 4])),
    ("f:tensordot", ([[1, 2]], [[1], [2]], 1)), ("f:einsum", ("ij,k->kij", [[1, 2]], [1, 2, 3])),
    ("f:einsum", ("...i,...j->...ij", [[1, 2]], [3.0])), ("f:dot", ([[1, 2]], [1, 2])),
    ("f:inner", ([[1, 2]], [[1, 2], [3, 4]])), ("f:meshgrid", ([1, 2], [3, 4])),
    ("f:broadcast_to", (1, (4, 4))), ("f:resize", ([1], (4, 4))), ("f:pad", ([[1]], ((1, 2),
    (3, 4)))),
    ("f:pad", ([1], 3)), ("f:histogram", ([1.0, 2], 5)), ("f:histogram2d", ([1], [2], [3, 4])),
    ("f:polyint", ([1, 2], 5)), ("f:polymul", ([1, 2], [3, 4])),
    ("f:percentile", ([1, 2], [1, 2, 3])),
    ("f:take", ([[1, 2]], [0, 0, 0], 0)), ("f:lib.sliding_window_view", ([1, 2, 3], 2)),
    ("x:get", ({"a": 1}, [[0, 1], [1, 1]])), ("x:get", ({"a": 2}, (slice(None), [0, 0, 0]))),
    ("x:get", ({"a": 2}, ([[0], [1]], [0, 1, 0]))), ("u:add", (["a"], ["bc"])),
    ("f:where", ([True], "a", "bc")),
    ("m:astype", ({"a": 1}, "U")), ("m:astype", ({"a": 3}, "U")),
    ("f:linalg.eig", ([[1.0, 2], [3, 4]],)),
    ("f:linalg.qr", ([[1.0], [2]], "complete")), ("f:linalg.svd", ([[1.0, 2, 3]],)),
    ("f:roots", ([1.0, 2, 3],)), ("f:fft.fft", ([1, 2], 9)), ("f:fft.irfft", ([1.0, 2],)),
    ("f:fft.fft2", ([[1, 2]], (3, 3))), ("f:cov", ([[1, 2], [3, 4]],)),
    ("f:unique", ([1, 2], True, True, True)),
    ("f:gradient", ([[1, 2], [3, 4]],)), ("f:nonzero", ([[1, 2], [3, 4]],)),
    ("f:argwhere", ([[1, 2]],)),
    ("f:convolve", ([1, 2], [3, 4, 5])), ("f:cross", ([[1, 2, 3]], [[[1, 2, 3]], [[4, 5, 6]]])),
    ("f:random.rand", (3, 4)), ("f:random.normal", ([1, 2], 1, (3, 2))),
    ("f:random.choice", ([[1, 2]][0], 5)),
    ("f:random.multinomial", (3, [0.5, 0.5], 4)),
    ("f:random.multivariate_normal", ([0.0, 0], [[1.0, 0], [0, 1]], 3)),
    ("f:meshgrid", ([1], ["abc"])), ("f:select", ([[True, False]], [[1, 2]])),
    ("f:choose", ([0, 1], [[1, 2], [3.0, 4]])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), SMALL, ids=lambda part: str(part)[:40])
def test_a_rule_is_an_upper_bound(monkeypatch, name, args):
    engine, said = Engine(numpy, []), []
    engine.answer("f:arange", (4,), {})
    engine.answer("f:array", ([[1, 2], [3, 4]],), {})
    engine.answer("f:array", ([1j],), {})
    engine.answer("f:array", (["abc"],), {})
    engine.answer("f:array", ([1, 2], "u1"), {})
    monkeypatch.setattr(rows, "look", said.append)
    kind, value, *_ = engine.answer(name, args, {})
    assert kind == "ok", value
    made = [engine._crossing._arrays[number] for number in _numbers(value)]
    assert made
    assert sum(one.nbytes for one in made) <= said[0] <= MOST_BYTES


def _numbers(value):
    if isinstance(value, dict):
        return [value["a"][0]] if "a" in value else [n for v in value.values() for n in _numbers(v)]
    return [n for v in value for n in _numbers(v)] if isinstance(value, (tuple, list)) else []
