"""The texts of the modules that a program imports as numpy, and the names in each.

They run as the program's own code, as library modules do (`sandbox.language.library`): compiled
under the policy, with every guard. What they have beside a program's powers is one function, `ask`,
which trusts nothing of what it is given. Most of their lines are made here of `tables`.
"""

import os
import re
from collections.abc import Collection
from typing import Final

from sandbox.language.numpy import tables

_OURS = os.path.join(os.path.dirname(__file__), "texts")
CORE: Final = "numpy._core"
_ERRORS = """
AxisError ComplexWarning DTypePromotionError RankWarning TooHardError VisibleDeprecationWarning
"""
# Of the module `numpy`, what stands in the text of `CORE`.
_WRITTEN: Final = """
 ScalarType apply_along_axis apply_over_axes array asarray bool_ broadcast_arrays byte bytes_ c_
cdouble character complex128 complex64 complexfloating csingle datetime64 double dtype e empty
errstate euler_gamma expand_dims finfo flexible float16 float32 float64 floating fromfunction
fromiter generic genfromtxt get_printoptions geterr half iinfo index_exp indices inexact inf int16
int32 int64 int8 int_ intc integer intp isscalar iterable little_endian loadtxt long longlong
flatiter mgrid moveaxis nan ndarray ndenumerate ndindex nditer newaxis number ogrid pi
piecewise poly1d printoptions r_ s_ savetxt set_printoptions seterr short
signedinteger single str_ timedelta64
typecodes ubyte ufunc uint uint16 uint32 uint64 uint8 uintc uintp ulong ulonglong unsignedinteger
ushort vectorize zeros_like True_ False_ __version__
"""
_UNREAL: Final = "empty_like datetime_data frombuffer fromstring"  # operations of their own


def _made(prefix: str, names: str) -> dict[str, str]:
    return {name: f'_function("{prefix}{name}")' for name in names.split()}


def _numpy() -> dict[str, str]:
    made = _made("f:", f"{tables.FUNCTIONS} {_UNREAL}")
    for name in _WRITTEN.split():
        made[name] = f"_core.{name}"
    made["bool"] = "_core.bool_"
    own = [name for name in tables.UFUNCS.split() if name not in tables.ALIASES]
    made |= {name: f'_core.ufunc("{name}")' for name in own}
    return made | tables.ALIASES


def _random() -> dict[str, str]:
    made = _made("f:random.", f"{tables.DRAWS} {tables.OLD_DRAWS}")
    own = ("shuffle", "Generator", "RandomState", "default_rng", *tables.BITS.split())
    return {name: text for name, text in made.items() if name not in own} | dict.fromkeys(own, "")


# By module, its names, and what each is made of; nothing where the text of the module has it.
_MODULES: Final[dict[str, dict[str, str]]] = {
    "numpy": _numpy(),
    "numpy.linalg": _made("f:linalg.", tables.LINALG) | {"LinAlgError": "_core.LinAlgError"},
    "numpy.fft": _made("f:fft.", tables.FFT),
    "numpy.random": _random(),
    "numpy.char": _made("f:char.", tables.TEXTS),
    "numpy.strings": _made("f:strings.", tables.TEXTS),
    "numpy.polynomial": dict.fromkeys(tables.SERIES.split(), ""),
    "numpy.exceptions": {name: f"_core.{name}" for name in _ERRORS.split()},
    "numpy.lib": {},
    "numpy.lib.stride_tricks": _made("f:lib.", tables.WINDOWS),
    "numpy.typing": dict.fromkeys(("ArrayLike", "DTypeLike", "NDArray"), ""),
}
_PARTS = tuple(name for name in _MODULES if name != "numpy")
_DRAWN: Final = {name: tables.OBJECTS[name][1] for name in ("Generator", "RandomState")}
_HEADS: Final = {
    "numpy.random": "from numpy._core import _HELD, _Held, _called, _do, ndarray\n"
    f"_DRAWN = {_DRAWN!r}\n",
    "numpy.polynomial": "from numpy._core import _HELD, _Held, _called, _do, _told_by\n"
    f"_DONE = {tables.OBJECTS['Polynomial'][1]!r}\n",
}


# What of a name's text is an operation.
_ASKED: Final = re.compile(r'(_function|_core\.ufunc)\("(.*)"\)')


def names() -> dict[str, tuple[str, ...]]:
    """Return, by module, the names that a policy may grant. Imports nothing of numpy's."""
    found = {module: tuple(made) for module, made in _MODULES.items()}
    found["numpy"] += tuple(part.removeprefix("numpy.") for part in _PARTS if part.count(".") == 1)
    found["numpy.lib"] += ("stride_tricks",)
    return found


def texts(known: Collection[str] = ()) -> dict[str, str]:
    """Return the text of each module, and of `CORE`. Reads files.

    `known` are the operations of the engine; a name of which it has none, as numpy of this version
    has it not, is left out. All are there where none are said.
    """
    found = {CORE: _own(CORE)}
    for module, names in _MODULES.items():
        made = {name: text for name, text in names.items() if _is_known(text, known)}
        lines = [f"{name} = {text}" for name, text in made.items() if text]
        head = _HEADS.get(module, "")
        if any(text for text in made.values()):
            head += "import numpy._core as _core\nfrom numpy._core import _function\n"
        found[module] = "\n".join((head + _own(module), *lines, ""))
    return found


def _is_known(text: str, known: Collection[str]) -> bool:
    said = _ASKED.fullmatch(text)
    if said is None or not known:
        return True
    return (said[2] if said[1] == "_function" else f"u:{said[2]}") in known


def _own(module: str) -> str:
    path = os.path.join(_OURS, f"{module}.txt")
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()
