"""The parts of the interpreter's C code that a process that runs programs may keep, with reasons.

A C module that is not named here loses every function and type when the process is disarmed: the
unknown is denied. One with names keeps these; `EVERYTHING` keeps all.
"""

from typing import Final

EVERYTHING: Final = ("*",)
_COMPUTES = "computes on what it is given, and touches nothing outside of it"
# By module: what is kept, and why.
KEPT: Final[dict[str, tuple[tuple[str, ...], str]]] = {
    **dict.fromkeys(
        (
            *("_ast", "_bisect", "_blake2", "_codecs", "_collections", "_csv", "_datetime"),
            *("_decimal", "_functools", "_heapq", "_json", "_md5", "_opcode", "_operator"),
            *("_random", "_sha1", "_sha2", "_sha256", "_sha3", "_sha512", "_stat"),
            *("_statistics", "_string", "_struct", "_suggestions", "_tokenize", "_typing"),
            *("_weakref", "array", "atexit", "binascii", "cmath", "errno", "itertools", "math"),
            *("unicodedata", "zlib", "_contextvars", "_zoneinfo", "_bz2", "_lzma"),
        ),
        (EVERYTHING, _COMPUTES),
    ),
    "_abc": (
        (
            *("_abc_init", "_abc_instancecheck", "_abc_register", "_abc_subclasscheck"),
            *("_reset_caches", "_reset_registry", "get_cache_token"),
        ),
        "abstract classes; not `_get_dump`, which gives what a registry only refers to weakly",
    ),
    "_io": (
        (
            *("_IOBase", "_RawIOBase", "_BufferedIOBase", "_TextIOBase", "BytesIO", "StringIO"),
            *("TextIOWrapper", "IncrementalNewlineDecoder", "text_encoding"),
            *("BlockingIOError", "UnsupportedOperation", "_BytesIOBuffer"),
        ),
        "streams in memory; not what opens a descriptor, nor buffers, which lend their memory",
    ),
    "_locale": (
        ("localeconv", "strcoll", "strxfrm", "nl_langinfo", "getencoding"),
        "what the locale says that is set; `setlocale` would open files, see `library`",
    ),
    "_sre": (
        (
            *("ascii_iscased", "ascii_tolower", "getcodesize", "template", "unicode_iscased"),
            *("unicode_tolower", "SRE_Scanner", "SRE_Template"),
        ),
        "matches text; not `compile`, which believes the code that it is given, see `patterns`",
    ),
    "_thread": (
        ("RLock", "LockType", "lock", "allocate_lock", "get_ident", "error"),
        "locks and the current thread's number; nothing that starts one",
    ),
    "_types": ((), "from 3.14 on, names of the language's types; of these see `LANGUAGE_TYPES`"),
    "_warnings": (
        ("warn", "warn_explicit", "_filters_mutated", "_filters_mutated_lock_held"),
        "warnings, which nothing shows",
    ),
    "builtins": (
        (
            *("__build_class__", "abs", "aiter", "all", "anext", "any", "ascii", "bin"),
            *("callable", "chr", "delattr", "divmod", "format", "getattr", "globals"),
            *("hasattr", "hash", "hex", "id", "isinstance", "issubclass", "iter", "len"),
            *("max", "min", "next", "oct", "ord", "pow", "print", "repr", "round"),
            *("setattr", "sorted", "sum", "@types"),
        ),
        "the language itself; not open, exec, eval, compile, __import__, input and breakpoint,"
        " nor what tells the variables of whatever frame C calls it from",
    ),
    "gc": (
        ("disable", "enable", "isenabled"),
        "guards have no finalizer run while they look; nothing is listed or found by it",
    ),
    "posix": (("fspath", "strerror", "stat_result"), "what a path is, as text, and data"),
    "resource": (("struct_rusage",), "data; wait4(2) looks for it here in the supervisor"),
    "signal": (("Signals", "Handlers", "Sigmasks"), "numbers with names"),
    "sys": (
        (
            *("audit", "exc_info", "exception", "getdefaultencoding", "getrecursionlimit"),
            *("getrefcount", "getsizeof", "get_int_max_str_digits", "intern", "is_finalizing"),
            *("set_int_max_str_digits", "setrecursionlimit", "getfilesystemencoding"),
            *("getfilesystemencodeerrors", "getallocatedblocks", "_is_gil_enabled", "_is_interned"),
            *("_clear_type_descriptors",),
        ),
        "what a program may know of its interpreter, and the way to the vault; dataclasses with"
        " slots take two descriptors out of a class that can be changed",
    ),
    "time": (
        (
            *("asctime", "ctime", "get_clock_info", "gmtime", "localtime", "mktime", "monotonic"),
            *("monotonic_ns", "perf_counter", "perf_counter_ns", "process_time"),
            *("process_time_ns", "strftime", "strptime", "struct_time", "thread_time"),
            *("thread_time_ns", "time", "time_ns"),
        ),
        "clocks are read; nothing sleeps and nothing is set",
    ),
}
# Left out of `sys.modules` as well: nothing that a program may do looks for them.
FORGOTTEN: Final = frozenset(
    (
        *("_ctypes", "_imp", "_posixsubprocess", "_signal", "_socket", "ctypes", "ctypes._endian"),
        *("faulthandler", "fcntl", "gc", "grp", "importlib._bootstrap_external", "marshal", "mmap"),
        *("platform", "posix", "pwd", "select", "signal", "zipimport"),
    )
)
# Python modules around them: of these nothing that can be called is left but a few names.
SHELLS: Final[dict[str, frozenset[str]]] = {
    "os": frozenset(("fspath", "PathLike", "_check_methods", "fsencode", "fsdecode", "error")),
    **dict.fromkeys(
        (
            *("ctypes", "ctypes._endian", "signal", "zipimport", "platform"),
            *("_frozen_importlib_external", "importlib.machinery", "importlib.util"),
        ),
        frozenset[str](),
    ),
}
# Of the types that are compiled into CPython and name no module. Not the types that its own parts
# use among themselves: some trust any code that calls them, as InstructionSequence of its compiler.
LANGUAGE_TYPES: Final = frozenset(
    (
        *("EncodingMap", "FrameLocalsProxy", "NoDefaultType", "NoneType", "NotImplementedType"),
        *("PyCapsule", "UnraisableHookArgs", "_buffer_wrapper", "anext_awaitable"),
        *("async_generator", "async_generator_asend", "async_generator_athrow"),
        *("async_generator_wrapped_value", "asyncgen_hooks", "bool", "builtin_function_or_method"),
        *("builtin_method", "bytearray", "bytearray_iterator", "bytes", "bytes_iterator"),
        *("callable_iterator", "cell", "classmethod", "classmethod_descriptor", "code", "complex"),
        *("coroutine", "coroutine_wrapper", "dict", "dict_itemiterator", "dict_items"),
        *("dict_keyiterator", "dict_keys", "dict_reverseitemiterator", "dict_reversekeyiterator"),
        *("dict_reversevalueiterator", "dict_valueiterator", "dict_values", "ellipsis"),
        *("enumerate", "fieldnameiterator", "filter", "float", "formatteriterator", "frame"),
        *("frozenset", "function", "generator", "generic_alias_iterator", "getset_descriptor"),
        *("hamt", "hamt_array_node", "hamt_bitmap_node", "hamt_collision_node", "instancemethod"),
        *("int", "items", "iterator", "keys", "line_iterator", "list", "list_iterator"),
        *("list_reverseiterator", "longrange_iterator", "managedbuffer", "map", "mappingproxy"),
        *("member_descriptor", "memory_iterator", "memoryview", "method", "method-wrapper"),
        *("method_descriptor", "module", "moduledef", "object", "odict_items", "odict_iterator"),
        *("odict_keys", "odict_values", "positions_iterator", "property", "range"),
        *("range_iterator", "reversed", "set", "set_iterator", "slice", "staticmethod", "str"),
        *("str_ascii_iterator", "str_iterator", "super", "traceback", "tuple", "tuple_iterator"),
        *("type", "values", "wrapper_descriptor", "zip"),
    )
)
# Modules of C code whose types stay under the name of another module, or of none.
TYPES: Final = {
    "builtins": "LANGUAGE_TYPES; to make a function, a code object or a frame is an event",
    "sys": "records of the interpreter's settings, as tuples",
    "datetime": "values, as `_datetime` above; from 3.14 on they are there whoever imports them",
    "pickle": "PickleBuffer, a view of a buffer",
    "string.templatelib": "what a t-string is: texts, and what stands between them",
    "Token": "contextvars' mark for what is missing",
    "_abc": "what abstract classes remember; no method of it says so",
    "_thread": "locks",
    **dict.fromkeys(
        (
            *("asyncio", "asyncio.events", "asyncio.exceptions", "asyncio.locks"),
            *("asyncio.queues", "asyncio.runners", "asyncio.taskgroups", "asyncio.timeouts"),
            *("concurrent.futures._base", "concurrent.futures.thread"),
            *("doctest", "logging", "pathlib", "queue", "shutil", "tempfile", "threading"),
            *("timeit", "uuid"),
        ),
        "our stand-ins, which bear the names of their models",
    ),
}
