"""Imports ahead of time: once the file system is gone, nothing can be imported any more."""

import os
import sys
from importlib import import_module

from sandbox.policy.plan import Plan

# What the interpreter imports by itself to format a traceback, to encode, or to parse a name or a
# string with characters beyond ASCII.
_ALWAYS = """
unicodedata _colorize _suggestions linecache traceback warnings tokenize re
encodings encodings.aliases
encodings.ascii encodings.latin_1 encodings.utf_8 encodings.utf_8_sig encodings.utf_16
encodings.utf_16_le encodings.utf_16_be encodings.utf_32 encodings.utf_32_le encodings.utf_32_be
encodings.cp1252 encodings.raw_unicode_escape encodings.unicode_escape encodings.charmap
encodings.punycode encodings.hex_codec encodings.rot_13 encodings.base64_codec
"""
# Of a granted module: what its C code or its functions import when they are called.
_BEHIND = {
    "datetime": "_strptime calendar locale time encodings.idna",
    "time": "_strptime calendar locale",
    "typing": "typing collections.abc",
    "dataclasses": "inspect copy keyword _ast_unparse",
    "unicodedata": "unicodedata stringprep",
    "decimal": "_decimal numbers",
    "statistics": "fractions decimal numbers random",
    "fractions": "decimal numbers",
    "csv": "io re",
    "pprint": "dataclasses",
    "random": "statistics _bisect _random _sha2",
    "string": "re collections",
    "functools": "weakref",
}
_STANDARD_LIBRARY = """
_strptime abc array ast asyncio atexit base64 binascii bisect bz2 calendar cmath codecs
collections collections.abc colorsys concurrent.futures configparser contextlib contextvars copy
copyreg csv ctypes dataclasses datetime decimal difflib dis doctest email enum errno fcntl fnmatch
fractions functools gc getpass glob graphlib gzip hashlib heapq hmac html html.parser http
http.client importlib importlib.resources importlib.util inspect io ipaddress itertools json
keyword linecache locale logging lzma marshal math mimetypes mmap multiprocessing numbers opcode
operator os os.path pathlib pickle pickletools pkgutil platform posix pprint pwd queue random re
reprlib resource secrets select selectors shelve shlex shutil signal site socket sqlite3 ssl stat
statistics string stringprep struct subprocess sys sysconfig tempfile termios textwrap threading
time timeit token tokenize traceback tracemalloc types typing unicodedata unittest urllib
urllib.parse urllib.request uuid warnings weakref xml.etree.ElementTree zipfile zlib zoneinfo
multiprocessing.pool multiprocessing.shared_memory _posixsubprocess concurrent.futures.thread
unittest.mock importlib.metadata logging.handlers logging.config
"""


# Of the shared objects of the library this is loaded for nobody: it is for a window, there is none,
# and it brings the libraries of one with it.
_NOT_LOADED = {"_tkinter"}


def preload(plan: Plan) -> None:
    """Import all that a program under `plan` may come to need. Missing modules are passed over."""
    names = _ALWAYS.split()
    if not plan.language:
        names += _STANDARD_LIBRARY.split() + _all_encodings() + _shared_objects()
    for module in plan.modules:
        names += _BEHIND.get(module, "").split()
    if sys.version_info >= (3, 12) and plan.language:
        names.append("typing")  # the type-parameter syntax makes its objects
        names.append("_pylong")  # numbers of more than 2,700 digits are divided by its functions
        if "typing" in plan.modules:
            names.append("inspect")  # isinstance with a protocol
    os.environ["INPUTRC"] = os.devnull  # for readline, which reads the host's as it is imported
    for name in names:
        try_import(name)
    del os.environ["INPUTRC"]
    _settle(plan)


def _all_encodings() -> list[str]:
    from encodings.aliases import aliases

    # idna is no alias of anything: sockets look it up by its own name.
    return sorted({f"encodings.{name}" for name in {*aliases.values(), "idna"}})


def _shared_objects() -> list[str]:
    """List the modules of the library that are shared objects: none can be loaded in a child."""
    folders = [folder for folder in sys.path if folder.endswith("lib-dynload")]
    files = {name.split(".")[0] for folder in folders for name in os.listdir(folder)}
    return sorted((files & sys.stdlib_module_names) - _NOT_LOADED)


def try_import(name: str) -> None:
    """Import `name` if this Python has it."""
    try:
        import_module(name)
    except ImportError:
        return


def add_names_of_site() -> None:
    """Add `exit`, `quit`, `help` and their like to builtins: a supervisor starts without `site`."""
    import site

    for add in (site.setquit, site.setcopyright, site.sethelper):
        add()


def _settle(plan: Plan) -> None:
    """Let what reads a file at its first call do so now."""
    import encodings
    import time
    import warnings

    if plan.deterministic:
        os.putenv("TZ", "UTC0")  # or the zone would be that of the machine's /etc/localtime
    if plan.language and "random" in sys.modules:
        sys.modules["random"].seed(0)  # of the library's own use, as in statistics.NormalDist
    if plan.language and "string" in sys.modules:
        sys.modules["string"].Template.pattern  # noqa: B018  compiled when it is read, from 3.14 on
    time.localtime()
    time.tzset()
    for codec in ("cp1252", "utf-8-sig", "utf-16", "utf-32", "ascii", "latin-1", "unicode_escape"):
        "".encode(codec)
    # An unknown encoding is looked for as a module: let it be unknown without a look at the disk.
    encodings.__dict__["__import__"] = _only_loaded
    warnings.simplefilter("ignore")  # a warning would be written to the supervisor's standard error


def _only_loaded(name: str, *_: object, **__: object) -> object:
    if name not in sys.modules:
        raise ImportError(name)
    return sys.modules[name]
