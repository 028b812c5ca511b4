"""Attacks on the interpreter alone, as data: ways to a module, and what is done with one.

Each is a program that prints GOT if it came through. `CANARY` stands for a file that it may not
read, `MARKER` for one that it may not write.
"""

from collections.abc import Iterator

# How an attacker that holds any object gets a module by its name: an expression with NAME.
WAYS = {
    "modules of the real sys": "sys.modules['NAME']",
    "globals of a host's function": "a_function.__globals__['sys'].modules['NAME']",
    "globals of a frame": "vars(a_frame.f_globals['asking'])['sys'].modules['NAME']",
    "import of a frame's builtins": "a_frame.f_builtins['__import__']('NAME')",
    "real builtins": "builtins.__import__('NAME')",
    "granted import": "real_import('NAME')",
    "a class that some module has": (
        "[c for c in type.__subclasses__(object) if c.__name__ == 'GuestState'][0]"
        ".__init__.__globals__['asking'].sys.modules['NAME']"
    ),
    "a loader": "sys.__spec__.loader.load_module('NAME')",
    "the import system": "sys.modules['_frozen_importlib']._gcd_import('NAME')",
}
# What is done with it: module, and an expression with M.
DEEDS = [
    ("posix", "M.open('CANARY', 0)"),
    ("posix", "M.system('echo x > MARKER')"),
    ("posix", "M.listdir('/')"),
    ("posix", "M.stat('CANARY')"),
    ("posix", "M.write(4, b'x')"),
    ("posix", "M._exit(0)"),
    ("posix", "M.getpid()"),
    ("posix", "M.execv('/bin/true', ['true'])"),
    ("os", "M.open('CANARY', M.O_RDONLY)"),
    ("os", "M.popen('true')"),
    ("os", "M.fdopen(4, 'wb')"),
    ("os", "M.read(4, 1)"),
    ("os", "M.fork() and None"),
    ("os", "M.scandir('/')"),
    ("io", "M.open('CANARY').read()"),
    ("io", "M.open_code('CANARY').read()"),
    ("io", "M.FileIO(4, 'wb')"),
    ("_io", "M.FileIO('CANARY').read()"),
    ("_io", "M.open('CANARY').read()"),
    ("ctypes", "M.CDLL(None)"),
    ("ctypes", "M.string_at(id(1), 8)"),
    ("ctypes", "M.c_long.from_address(id(1))"),
    ("ctypes", "M.pythonapi.Py_IncRef"),
    ("_ctypes", "M.dlopen(None, 0)"),
    ("_ctypes", "M._SimpleCData"),
    ("_socket", "M.socket()"),
    ("mmap", "M.mmap(-1, 4096)"),
    ("gc", "M.get_objects()[0]"),
    ("gc", "M.get_referents(sys)"),
    ("marshal", "M.loads(b'N') or 1"),
    ("marshal", "M.dumps(1)"),
    ("sys", "M._getframe(0).f_back"),
    ("sys", "M.settrace(print) or 1"),
    ("sys", "M.addaudithook(print) or 1"),
    ("sys", "M._current_frames()"),
    ("sys", "M.setprofile(print) or 1"),
    ("_signal", "M.signal(15, 1) or 1"),
    ("resource", "M.setrlimit(7, (9, 9)) or 1"),
    ("_thread", "M.start_new_thread(print, ())"),
    ("_imp", "M.create_dynamic"),
    ("_posixsubprocess", "M.fork_exec"),
    ("builtins", "M.open('CANARY').read()"),
    ("builtins", "M.eval('1')"),
    ("builtins", "M.exec('1') or 1"),
    ("builtins", "M.compile('1', '', 'eval')"),
    ("time", "M.sleep(0) or 1"),
    ("_testcapi", "M"),
    ("select", "M.poll()"),
    ("zipimport", "M.zipimporter"),
]
# Without a module's name: from a type, a frame, a code object, a function.
OWN = {
    "a code object is changed": "a_code.replace(co_name='x')",
    "a code object is made": "type(a_code)(*range(18))",
    "a function is made": "type(a_function)(a_code, {})",
    "a function gets another code": "a_function.__code__ = (lambda: 1).__code__",
    "the frame of a generator": "(x for x in 'a').gi_frame",
    "the frame of a traceback": "fault().__traceback__.tb_frame",
    "the code of a frame": "a_frame.f_code",
    "a frame traces": "a_frame.f_trace_opcodes and setattr(a_frame, 'f_trace', print) or trace()",
    "a raw file among the subclasses": "subclass('FileIO')('CANARY').read()",
    "an array of C": "subclass('Array')",
    "a pointer": "subclass('_Pointer')",
    "a metaclass of C types": "subclass('PyCSimpleType')",
    "a C function": "subclass('CFuncPtr')",
    "a library": "subclass('CDLL')(None)",
    "a socket": "subclass('socket')()",
    "a map of memory": "subclass('mmap')(-1, 4096)",
    "a directory": "subclass('ScandirIterator')",
    "the supervisor's socket": "subclass('Supervisor').serve.__globals__['_socket'].socket",
    "the supervisor's system calls": "subclass('Native').__init__.__globals__['native'].call",
    "the supervisor's steps": "subclass('Step').__new__ and module('kernel.steps').native.step",
    "the forker itself": "local('self', '_siblings')",
    "what the supervisor began with": "local('start', 'files')",
    "a probe's powers": "local('start', 'probes')[0].act",
    "the steps that confined": "local('steps')[0].buffers",
    "the supervisor's armory": "module('runtime.supervisor.children').os.pipe",
    "the jail's filter": "module('runtime.supervisor.jail').ctypes.c_char",
    "the reporter says that all is well": "asked('finish', 'OK', '', '', '')",
    "the host's reporter says so": "module('runtime.child.reporter').report('OK', value='1')",
    "the host's child says so": "module('runtime.child.child')._last_resort(SystemExit())",
    "a final frame": "asked('send', b'Z', b'{}')",
    "bytes past the frames": "asked('say', b'x')",
    "another job": "asked('take_job')",
    "the clock set back": "asked('begin', True, 1, [])",
    "armed again": "asked('arm', False)",
    "code from bytes": "asked('load_codes', b'N')",
    "code to bytes": "asked('send_codes', b'B', [])",
    "the vault asked from elsewhere": "sys.audit('sandbox.evaluate', [])",
    "an unknown event": "sys.audit('anything')",
    "the hook among the objects": "[c for c in subclass('function') if c.__name__ == 'hook'][0]",
    "the key in a closure": "[c.cell_contents.key for c in asked.__closure__][0]",
    "import of what is not there": "a_frame.f_builtins['__import__']('subprocess').run(['true'])",
    "a module of C, loaded anew": "type(sys.__spec__).loader.create_module(sys.__spec__)",
    "an exception's own frame": "fault().__traceback__.tb_next.tb_frame",
    "a coroutine's frame": "coroutine().cr_frame",
    "the standard output's file": "sys.__stdout__.buffer.raw",
    "the standard input's file": "type(sys.__stdin__.buffer.raw).__init__(0).fileno()",
    "a path hook": "sys.path_hooks[0]",
    "a finder": "sys.meta_path[0].find_spec('ctypes')",
    "a file by a loader": "sys.modules['os'].__loader__.get_data('CANARY')",
    "a file by the line cache": "sys.modules['linecache'].getlines('CANARY')[0]",
    "a file by the tokenizer": "sys.modules['tokenize'].open('CANARY')",
    "a file by codecs": "sys.modules['codecs'].open('CANARY').read()",
}
_HELP = """
def fault():
    try:
        1 / 0
    except ZeroDivisionError as error:
        return error

def subclass(name):
    seen, stack = set(), [object]
    while stack:
        for c in type.__subclasses__(stack.pop()):
            if c not in seen:
                if c.__name__ == name:
                    return c
                seen.add(c)
                stack.append(c)
    raise LookupError(name)

def module(name):
    return sys.modules["sandbox." + name]

def local(*path):
    frame = a_frame
    while path[0] not in frame.f_locals:
        frame = frame.f_back
    found = frame.f_locals[path[0]]
    for name in path[1:]:
        found = getattr(found, name)
    return found

def asked(name, *arguments):
    return getattr(granted, name)(*arguments) or True

def coroutine():
    async def work(): pass
    return work()

def trace():
    raise LookupError("no trace")
"""


def attacks() -> Iterator[tuple[str, str]]:
    """(title, program) of each."""
    for way, get in WAYS.items():
        for name, deed in DEEDS:
            reached = f"m = {get.replace('NAME', name)}\n"
            yield f"{way}: {name}: {deed}", f"{reached}got = {deed.replace('M.', 'm.', 1)}"
    for title, deed in OWN.items():
        yield title, f"{_HELP}\n{deed}\ngot = 1" if " = " in deed else f"{_HELP}\ngot = {deed}"
