"""What numpy prepares at a first use, done once: a child could import nothing for it."""

from collections.abc import Callable
from typing import Any

_TWO = [[1.0, 2.0], [3.0, 5.0]]
# C code of numpy's looks up functions in Python at a first use, and remembers them.
FIRST_USES: tuple[tuple[Any, ...], ...] = (
    *((f"f:{name}", _TWO) for name in ("array", "sum", "prod", "mean", "std", "var", "ptp")),
    *((f"m:{name}", {"a": 1}) for name in ("sum", "prod", "mean", "std", "var", "max", "min")),
    *((f"m:{name}", {"a": 1}) for name in ("all", "any", "argmax", "sort", "cumsum", "trace")),
    *((f"m:{name}", {"s": ("float64", 1.5)}) for name in ("sum", "all", "any", "max", "round")),
    *((f"x:{name}", {"a": 1}) for name in ("str", "repr")),
    *(("x:scalar_str", {"s": pair}) for pair in (("float64", 1.5), ("str_", "a"))),
    *((f"f:linalg.{name}", _TWO) for name in ("inv", "det", "eig", "svd", "qr", "norm", "pinv")),
    *((f"f:fft.{name}", [1.0, 2.0, 3.0]) for name in ("fft", "rfft", "irfft")),
    ("m:clip", {"a": 1}, 0, 1),
    ("m:view", {"a": 1}, "i8"),
    ("m:astype", {"a": 1}, "U4"),
    ("f:array", ["a", "bc"]),
    ("f:einsum", "ij,jk->ik", _TWO, _TWO),
    ("f:polyfit", [1.0, 2.0, 3.0, 4.0], [1.0, 4.0, 9.0, 16.5], 2),
    ("f:interp", 1.5, [1, 2], [1, 2]),
    ("f:unique", [3, 1, 3]),
    ("f:histogram", [1.0, 2.0, 4.0]),
    ("f:array2string", {"a": 1}),
    ("f:format_float_positional", 1.5),
    ("f:result_type", "f4", "i8"),
    ("u:gcd", 4, 6),
    ("x:limits", "finfo", "f8"),
    ("x:limits", "finfo", "f4"),
    ("x:limits", "iinfo", "i8"),
    ("x:dtype", "f4"),
    ("x:default_rng", 1),
    ("x:RandomState", 1),
    ("f:pad", [1, 2], 1),
    ("f:histogram2d", [1.0, 2.0], [1.0, 2.0]),
    ("f:percentile", [1.0, 2.0], 50),
    ("f:median", [1.0, 2.0]),
    ("f:gradient", [1.0, 2.0]),
    ("f:cov", [1.0, 2.0]),
    ("f:intersect1d", [1, 2], [2]),
    ("u:divide", 1.0, 0.0),
    ("f:nanmean", [1.0]),
    ("f:random.normal",),
    ("f:random.choice", 5),
    ("f:random.multivariate_normal", [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]]),
)


def rehearse(answer: Callable[..., Any]) -> None:
    """Have numpy do once what it prepares at a first use: a child could import nothing for it."""
    for name, *args in FIRST_USES:
        reply = answer(name, tuple(args), {})
        if reply[0] != "ok":
            raise RuntimeError(f"numpy does not do {name}: {reply}")
    for number in range(1, len(FIRST_USES) * 2):
        answer("release", (number,), {})
