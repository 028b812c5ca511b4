"""Names that the walk looks for and judges by, as data."""

from sandbox.language.compile.words import words

# Functions that run code of the caller's choice.
CODE = words(
    """
    builtins.eval builtins.exec builtins.compile builtins.__import__ importlib.import_module
    importlib.__import__ importlib.reload importlib._bootstrap._gcd_import runpy.run_module
    runpy.run_path timeit.timeit timeit.repeat code.interact code.compile_command pdb.run
    pdb.runeval cProfile.run profile.run types.CodeType marshal.loads
    marshal.load pickle.loads pickle.load pickle.Unpickler _pickle.Unpickler _pickle.loads
    _pickle.load doctest.testmod doctest.run_docstring_examples
    """
)
FILES = words(
    """
    builtins.open io.open io.open_code io.FileIO _io.FileIO codecs.open tokenize.open
    """
)
FRAMES = words(
    """
    sys._getframe sys._current_frames inspect.currentframe inspect.stack inspect.trace
    inspect.getouterframes gc.get_objects gc.get_referrers gc.get_referents
    sys.settrace sys.setprofile sys.call_tracing traceback.walk_stack
    """
)
# Functions that read or write an attribute of the caller's choice, past the guards.
READERS = words(
    """
    builtins.getattr builtins.setattr builtins.delattr builtins.vars builtins.globals
    builtins.locals inspect.getattr_static inspect.getmembers inspect.getmembers_static
    operator.attrgetter _operator.attrgetter operator.methodcaller _operator.methodcaller
    string.Formatter functools.update_wrapper functools.wraps
    """
)

# Modules whose functions and classes act on the system or on the interpreter itself.
SYSTEM_MODULES = words(
    """
    _ctypes _frozen_importlib _frozen_importlib_external _imp _multiprocessing _posixsubprocess
    _socket _thread atexit bdb cProfile code codeop copyreg
    ctypes dbm dis fcntl faulthandler fileinput ftplib gc getpass glob grp gzip http imaplib imp
    importlib inspect linecache logging lzma mailbox marshal mmap multiprocessing nntplib nt
    optparse os pdb pickle pickletools pkgutil platform poplib posix profile pty pwd pydoc readline
    resource runpy sched select selectors shelve shutil signal site smtplib socket socketserver
    sqlite3 ssl subprocess symtable sys sysconfig syslog tarfile telnetlib tempfile termios
    threading trace tracemalloc tty unittest urllib.request venv webbrowser winreg xml xmlrpc
    zipapp zipfile zipimport bz2 pathlib
    """
)
# Audit events (the table of the library reference) that no step of a guest may cause.
EVENTS = (
    "os.",
    "subprocess.",
    "socket.",
    "ctypes.",
    "shutil.",
    "tempfile.",
    "mmap.",
    "fcntl.",
    "pty.",
    "sqlite3.",
    "syslog.",
    "urllib.Request",
    "webbrowser.",
    "glob.",
    "gc.",
    "code.__new__",
    "function.__new__",
    "marshal.load",
    "pickle.find_class",
    "signal.",
    "_thread.",
    "sys.set",
    "sys._current",
    "builtins.breakpoint",
    "builtins.input",
    "cpython.run",
)
# Printed forms that only a refused attribute has.
TEXTS_OF_THE_HOST = ("'__builtins__':", "<frame at 0x", "<code object ")

# Attribute names that lead out. Tried on everything, by every reader that a policy grants.
LEADING_OUT = sorted(
    words(
        """
    __globals__ __code__ __closure__ __builtins__ __subclasses__ __dict__ __self__ __func__
    __class__ __mro__ __bases__ __base__ mro __getattribute__ __reduce__ __reduce_ex__
    __getstate__ __loader__ __spec__ __init__ __wrapped__ __annotations__ __traceback__
    __objclass__ __thisclass__ __self_class__ __text_signature__ __kwdefaults__ __defaults__
    gi_frame gi_code cr_frame ag_frame tb_frame tb_next f_back f_globals f_builtins f_locals obj
    cell_contents __origin__ __args__ __parameters__ _sys _os
    """
    )
)
