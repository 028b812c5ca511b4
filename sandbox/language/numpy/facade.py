"""The texts of the modules that a program imports as numpy, and the names in each.

They run as the program's own code, as library modules do (`sandbox.language.library`): compiled
under the policy, with every guard. What they have beside a program's powers is one function, `ask`,
which trusts nothing of what it is given. Most of their lines are made here of `tables`.
"""

import os
import re
from collections.abc import Collection
from typing import Final

from sandbox.language.numpy.engine import functions, tables

_OURS = os.path.join(os.path.dirname(__file__), "texts")
CORE: Final = "numpy._core"
_ERRORS = """
AxisError ComplexWarning DTypePromotionError RankWarning TooHardError VisibleDeprecationWarning
"""
# Of the module `numpy`, what stands in the text of `CORE`.
_WRITTEN: Final = """
False_ ScalarType True_ __version__ apply_along_axis apply_over_axes array asanyarray asarray astype
block bool_ broadcast_shapes byte c_ cdouble character complex128 complex64 complexfloating csingle
diff double dtype e errstate euler_gamma finfo flatiter flexible float16 float32 float64 floating
frombuffer fromfunction fromiter fromstring generic get_printoptions geterr half iinfo index_exp
inexact inf int16 int32 int64 int8 int_ intc integer intp isscalar issubdtype iterable ix_
little_endian loadtxt long longlong mgrid nan ndarray ndenumerate ndindex nditer newaxis number
ogrid pi piecewise poly1d polyadd polyder polydiv polyint polymul polysub polyval
printoptions r_ roll s_ savetxt set_printoptions seterr short signedinteger
single str_ trim_zeros typecodes ubyte ufunc uint uint16 uint32 uint64 uint8 uintc uintp ulong
ulonglong unsignedinteger ushort vectorize
"""
_OWN_ASKED: Final = "arange result_type"  # functions that have rows of their own


def _made(prefix: str, names: tuple[str, ...]) -> dict[str, str]:
    return {name: f'_function("{prefix}{name}")' for name in names}


def _numpy() -> dict[str, str]:
    asked = tuple(name for name in tables.names(functions.FUNCTIONS) if name != _WINDOWS)
    made = _made("f:", (*asked, *_OWN_ASKED.split()))
    for name in _WRITTEN.split():
        made[name] = f"_core.{name}"
    made["bool"] = "_core.bool_"
    own = (tables.UFUNCS_OF_ONE + tables.UFUNCS_OF_TWO).split()
    made |= {name: f'_core.ufunc("{name}")' for name in own}
    return made | tables.ALIASES


def _random() -> dict[str, str]:
    made = _made("f:random.", tables.names(tables.DRAWS + tables.OLD_DRAWS))
    own = ("shuffle", "Generator", "RandomState", "default_rng", *tables.BITS.split())
    return {name: text for name, text in made.items() if name not in own} | dict.fromkeys(own, "")


_WINDOWS: Final = "sliding_window_view"
_TEXTS: Final = (
    *("add", "capitalize", "center", "count", "endswith", "equal", "find", "greater"),
    *("greater_equal", "isalnum", "isalpha", "isdecimal", "isdigit", "islower", "isnumeric"),
    *("isspace", "istitle", "isupper", "less", "less_equal", "ljust", "lower", "lstrip"),
    *("multiply", "not_equal", "replace", "rfind", "rjust", "rstrip", "startswith", "str_len"),
    *("strip", "swapcase", "title", "upper", "zfill"),
)
# By module, its names, and what each is made of; nothing where the text of the module has it.
_MODULES: Final[dict[str, dict[str, str]]] = {
    "numpy": _numpy(),
    "numpy.linalg": _made("f:linalg.", tables.names(tables.LINALG))
    | {"LinAlgError": "_core.LinAlgError"},
    "numpy.fft": _made("f:fft.", tables.names(tables.FFT)),
    "numpy.random": _random(),
    "numpy.char": dict.fromkeys(_TEXTS, ""),
    "numpy.strings": dict.fromkeys(_TEXTS, ""),
    "numpy.exceptions": {name: f"_core.{name}" for name in _ERRORS.split()},
    "numpy.lib": {},
    "numpy.lib.stride_tricks": _made("f:lib.", (_WINDOWS,)),
    "numpy.typing": dict.fromkeys(("ArrayLike", "DTypeLike", "NDArray"), ""),
}
_SAME_TEXT: Final = {"numpy.strings": "numpy.char"}
_PARTS = tuple(name for name in _MODULES if name != "numpy")
_DRAWN: Final = {
    "Generator": tables.names(tables.DRAWS + tables.NEW_DRAWS),
    "RandomState": tables.names(tables.DRAWS + tables.OLD_DRAWS),
}
_HEADS: Final = {
    "numpy.random": "from numpy._core import _HELD, _Held, _called, _do, ndarray\n"
    f"_DRAWN = {_DRAWN!r}\n",
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
    path = os.path.join(_OURS, f"{_SAME_TEXT.get(module, module)}.txt")
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()
