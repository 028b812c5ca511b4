"""Allow by owner: what we have not looked at is not read from the host's types.

A name is safe by itself (see `compile/names.py`) as far as is known what has an attribute of that
name. In a Python that has more than the ones that were looked at, a name that is new on some type
of the host's is guarded in all programs: read from the program's own objects and from types where
it was looked at, and refused on the rest. A type that we have not looked at has no known names.
"""

import sys
from collections.abc import Iterable, Iterator
from typing import Any

from sandbox.interpreter.disarming.identity import identity
from sandbox.language.compile import names
from sandbox.language.compile.names import PLAIN, read_kind
from sandbox.language.compile.words import words
from sandbox.language.guards.attributes.owned_names import OWNED

# Modules of the standard library whose types no program comes to hold: either nothing of them can
# be granted, or what is granted is a stand-in of ours.
ELSEWHERE = words(
    """
    _aix_support _android_support _ast _ast_unparse _asyncio _bootsubprocess _bz2 _codecs
    _codecs_cn _codecs_hk _codecs_iso2022 _codecs_jp _codecs_kr _codecs_tw _colorize
    _compat_pickle _compression _contextvars _crypt _ctypes _curses _curses_panel _dbm
    _elementtree _frozen_importlib _frozen_importlib_external _gdbm _hashlib _hmac _imp
    _interpchannels _interpqueues _interpreters _ios_support _locale _lsprof _lzma _markupbase
    _msi _multibytecodec _multiprocessing _opcode _opcode_metadata _osx_support _overlapped
    _pickle _posixshmem _posixsubprocess _py_abc _py_warnings _pydatetime _pydecimal _pyio
    _pylong _pyrepl _queue _remote_debugging _scproxy _signal _sitebuiltins _socket _sqlite3
    _ssl _stat _strptime _suggestions _symtable _sysconfig _thread _threading_local _tkinter
    _tokenize _tracemalloc _uuid _warnings _winapi _wmi _zoneinfo _zstd aifc antigravity
    argparse ast asynchat asyncio asyncore atexit audioop bdb bz2 cProfile cgi cgitb chunk cmd
    code codecs codeop compileall compression concurrent configparser contextvars copyreg crypt
    ctypes curses dbm dis distutils doctest email encodings ensurepip errno faulthandler fcntl
    filecmp fileinput ftplib gc genericpath getopt getpass gettext glob grp gzip hmac http
    idlelib imaplib imghdr imp importlib inspect ipaddress lib2to3 linecache locale logging lzma
    mailbox mailcap marshal mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis
    nntplib nt ntpath nturl2path opcode optparse os ossaudiodev pathlib pdb pickle pickletools
    pipes pkgutil platform plistlib poplib posix posixpath profile pstats pty pwd py_compile
    pyclbr pydoc pydoc_data pyexpat queue quopri readline reprlib resource rlcompleter runpy
    sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
    socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat stringprep subprocess
    sunau symtable sysconfig syslog tabnanny tarfile telnetlib tempfile termios this threading
    timeit tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo
    unittest uu venv warnings wave webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
    zipfile zipimport zoneinfo re._parser re._constants re._compiler re._casefix urllib.request
    urllib.error urllib.response urllib.robotparser json.tool html.parser html.entities
    """
)
# Types of other modules that nothing granted makes or hands out.
NOT_HELD = words(
    """
    _io.BufferedRWPair _io.BufferedRandom _io.BufferedReader _io.BufferedWriter _io.FileIO
    _io.IncrementalNewlineDecoder builtins.EncodingMap builtins.FrameLocalsProxy
    builtins.InstructionSequence builtins.UnraisableHookArgs builtins.asyncgen_hooks builtins.code
    builtins.frame builtins.hamt builtins.stderrprinter builtins.symtable_entry annotationlib.Format
    annotationlib._ExtraNameFixer annotationlib._StringifierDict builtins.uop_executor
    calendar._CLIDemoCalendar calendar.LocaleHTMLCalendar calendar.LocaleTextCalendar
    collections._Link dataclasses._DataclassParams dataclasses._FuncBuilder enum.EnumDict
    enum._EnumDict functools._HashedSeq functools._singledispatchmethod_get graphlib._NodeInfo
    random.SystemRandom re.Scanner string.Formatter sys.flags sys.thread_info
    types._GeneratorWrapper typing.io typing.re unicodedata.UCD weakref.finalize
    weakref.finalize._Info
    """
)
_namespace: Any = type.__dict__["__dict__"].__get__
_real_module: Any = type.__dict__["__module__"].__get__
_flags: Any = type.__dict__["__flags__"].__get__
_HEAP = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_qualname: Any = type.__dict__["__qualname__"].__get__


def looked_at() -> dict[str, frozenset[str]]:
    """Return, by type, the names that may be read."""
    found: dict[str, frozenset[str]] = {}
    lines = (line for line in OWNED.splitlines() if line[:1] != "#")
    for entry in "\n".join(lines).replace("\n    ", " ").split("\n"):
        types, _, listed = entry.partition(":")
        found.update(dict.fromkeys(types.split(), frozenset(listed.split())))
    return found


def public_names(host: Iterable[type]) -> Iterator[tuple[type, str, set[str]]]:
    """Yield each type that a program may come to hold, what it is called, and its public names."""
    for cls in host:
        called = full_name(cls)
        if called is not None and not issubclass(cls, type) and not _is_foreign(cls):
            yield cls, called, {name for name in _namespace(cls) if _is_public(name)}


def _is_foreign(cls: type) -> bool:
    """Say whether an extension made `cls` and gave no module: CPython's own are compiled in."""
    return bool(_flags(cls) & _HEAP) and _module(cls) == "builtins"


def _module(cls: type) -> object:
    """Return the module that `cls` says it is of; None if it says none, as one C made may not."""
    try:
        return _real_module(cls)
    except AttributeError:
        return None


def full_name(cls: type) -> str | None:
    """Return module and name of a standard library type that is not known to be out of reach."""
    module = _module(cls)
    if type(module) is not str:
        return None
    root = module.partition(".")[0]
    called = f"{module}.{_qualname(cls)}".replace(" ", "_")
    known = root in sys.stdlib_module_names and not {root, module} & ELSEWHERE
    return called if known and called not in NOT_HELD else None


def _is_public(name: str) -> bool:
    return name[:1] != "_" and ":" not in name and read_kind(name) == PLAIN


class Owners:
    """The names, by type, that we have not looked at: with a Python that is known, hardly any."""

    __slots__ = ("_unlisted",)

    def __init__(self) -> None:
        self._unlisted: dict[int, set[str]] = {}

    def settle(self, host: Iterable[type]) -> None:
        """Guard those names from now on, before any program is compiled."""
        names.UNLISTED.clear()
        listed, none = looked_at(), frozenset[str]()
        for cls, called, public in public_names(host):
            if unlisted := public - listed.get(called, none):
                self._unlisted[identity(cls)] = unlisted
        names.UNLISTED.update(*self._unlisted.values())

    def allows(self, owner: type | None, name: str) -> bool:
        """Say whether `name`, guarded for the sake of another type, may be read of `owner`."""
        return name in names.UNLISTED and name not in self._unlisted.get(identity(owner), ())
