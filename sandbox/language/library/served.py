"""Which modules are library modules, what each imports, and what other names stand in their texts.

A text is replaced where a program's guards would refuse at run time what the module rests on: an
attribute that no program may store gets another name, and what is done by a method of C code that
looks at no name is done by one that does. What is added is in `texts`, as code of the program's.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from sandbox.language.compile.words import words


class Served(NamedTuple):
    """One module: what it imports of library modules and `OWN`, and what its text is given anew.

    What is `left_out` stands between two phrases, or behind one; it is not compiled for nothing.
    """

    needs: tuple[str, ...] = ()
    renamed: Mapping[str, str] = {}
    left_out: tuple[tuple[str, str], ...] = ()


_SKIPPED: Final = {
    "__unittest_skip__": "unittest_skip_",
    "__unittest_skip_why__": "unittest_skip_why_",
    "__unittest_expecting_failure__": "unittest_expecting_failure_",
    "__warningregistry__": "warningregistry_",
}
_MOCK: Final = {
    "target.__dict__[name]": "_names_of(target)[name]",
    "tuple.__getattribute__": "object.__getattribute__",
    "class MagicMixin(Base):": "class MagicMixin(Base):\n"
    "    __getitem__, __index__ = _Lazy('__getitem__'), _Lazy('__index__')",
    "spec_set=CodeType": "spec=None",
    "spec_set=_CODE_ATTRS": "spec=None",
    "setattr(parent, entry, m)": "parent.__setattr__(entry, m)",
    "object.__setattr__(self, name, value)": "_store(self, name, value)",
}
_INSPECT: Final = {
    "mod_dict = globals()": "mod_dict = {}\n"
    "CO_OPTIMIZED, CO_NEWLOCALS, CO_VARARGS, CO_VARKEYWORDS, CO_NESTED, CO_GENERATOR, CO_NOFREE, "
    "CO_COROUTINE, CO_ITERABLE_COROUTINE, CO_ASYNC_GENERATOR = [1 << n for n in range(10)]",
    "__validate_parameters__": "validate_parameters_",
    "type.__dict__['__mro__'].__get__": "_mro_of",
    'type.__dict__["__mro__"].__get__': "_mro_of",
    'type.__dict__["__dict__"].__get__': "_dict_of",
}
_PARTS: Final = (
    *("_log", "case", "loader", "main", "mock", "result", "runner", "signals", "suite", "util"),
)
SERVED: Final[dict[str, Served]] = {
    "_markupbase": Served(),
    "argparse": Served(
        ("_colorize", "gettext", "os", "shutil"),
        # What is asked of frames is told of the program's.
        {"locals()[field_name]": "dict(type=type, choices=choices, metavar=metavar)[field_name]"},
    ),
    "cmd": Served(),
    "configparser": Served(),
    "doctest": Served(
        ("__main__", "_colorize", "_program_text", "io", "linecache", "pdb", "traceback", "types"),
        {
            "import inspect": "import _program_text as inspect",
            "import unittest": "pass",
            "exc.__traceback__.tb_next": "exc.__traceback__",
        },
        # Tests of unittest's from docstrings, and an example of the module itself.
        (("## 7. Unittest Support", "## 8. Debugging"), ("## 9. Example Usage", "")),
    ),
    "fileinput": Served(("io", "os", "types"), {"sys.flags.warn_default_encoding": "False"}),
    "getopt": Served(("gettext",)),
    "hmac": Served(("_operator", "secrets")),
    "html.entities": Served(),
    "html.parser": Served(("_markupbase", "html.entities")),
    "inspect": Served(
        (
            *(
                "__main__",
                "_program_text",
                "annotationlib",
                "ast",
                "dis",
                "functools",
                "importlib.machinery",
                "linecache",
            ),
            *("token", "tokenize", "types"),
        ),
        _INSPECT,
    ),
    "ipaddress": Served((), {"__reduce__": "reduce_"}),
    "logging": Served(("io", "os.path", "string", "traceback", "types")),
    "optparse": Served(("gettext", "shutil")),
    "reprlib": Served(("_thread",)),
    "sched": Served(),
    "secrets": Served(),
    "shlex": Served(),
    "tomllib": Served(("tomllib._parser", "tomllib._re", "tomllib._types")),
    **{f"tomllib.{part}": Served() for part in ("_parser", "_re", "_types")},
    "unittest": Served(
        (
            *(f"unittest.{part}" for part in _PARTS),
            *("os.path", "traceback", "unittest.async_case"),
        ),
        _SKIPPED,
    ),
    **{f"unittest.{part}": Served((), _SKIPPED) for part in _PARTS},
    "unittest._log": Served(("logging",)),
    "unittest.main": Served(("argparse",), _SKIPPED),
    "unittest.mock": Served(
        ("_io", "annotationlib", "asyncio", "inspect", "pkgutil", "unittest"), _MOCK
    ),
    "unittest.runner": Served(("_colorize",), _SKIPPED),
    "unittest.signals": Served(("signal",)),
}
# Modules that library modules import and that are ours: as a whole, or what is added to a stand-in.
OWN: Final = words(
    """
    __main__ _colorize _io _operator _program_text _thread annotationlib ast asyncio dis functools
    gettext importlib importlib.machinery io linecache os os.path pdb pkgutil secrets shutil signal
    string token tokenize traceback types unittest.async_case
    """
)
# Modules of the catalog that library modules import: as stand-ins with all the names that it has,
# whatever of them the policy grants to programs.
LENT: Final = words(
    """
    __future__ abc asyncio atexit base64 binascii builtins collections collections.abc contextlib
    copy dataclasses datetime difflib enum fnmatch functools hashlib heapq html io itertools keyword
    logging operator os os.path pprint random re string sys textwrap threading time traceback types
    typing warnings weakref
    """
)


def closure(granted: Iterable[str]) -> list[str]:
    """List the library modules and texts of ours that those of `granted` need, and they too."""
    found: set[str] = set()
    todo = [name for name in granted if name in SERVED]
    while todo:
        name = todo.pop()
        if name in found:
            continue
        found.add(name)
        package = name.rpartition(".")[0]
        around = [package] if package in SERVED or package in OWN else []
        todo += [*SERVED.get(name, Served()).needs, *around]
    return sorted(found)
