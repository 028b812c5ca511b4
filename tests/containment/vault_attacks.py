"""Attacks on the vault itself, from outside of every guard: one that comes through prints GOT or
gives a value."""

from forging import DEPTH, FORGE

ATTACKS = {
    "the namespace of a class body is the program's, and is read": FORGE
    + """
class Space(dict):
    on = False
    def __delitem__(self, key):
        if key == "__class__" and Space.on:
            forge()
    def __getitem__(self, key):
        if key == "__class__" and Space.on:
            forge()
        return dict.__getitem__(self, key)
    def __setitem__(self, key, value):
        if key == "__class__" and Space.on:
            forge()
        dict.__setitem__(self, key, value)
class Meta(type):
    @classmethod
    def __prepare__(cls, name, bases):
        return Space()
    def __new__(cls, name, bases, space):
        return type.__new__(cls, name, bases, dict(space))
def make():
    x = 5
    class C(metaclass=Meta):
        def uses(self):
            return __class__
        y = [(lambda: x) for x in (1, 2)]
        Space.on = True
        granted.guest_scope(frozenset())
        Space.on = False
make()
""",
    "what a frame's attribute means": """
patching = sys.modules["sandbox.language.natives.patching"]
proxy = type(type.__dict__)
class Leak:
    def __eq__(self, other):
        self.got = other
        return True
    __ror__ = __or__ = __ge__ = __eq__
ways = [lambda a, b: a == b, lambda a, b: a | b, lambda a, b: a >= b]
ways += [value for value in patching.__dict__.values() if callable(value)]
ways += list(patching._originals.values())
for name in ("__eq__", "__or__", "__ror__", "__ge__"):
    method = proxy.__dict__[name]
    ways.append(method)
    for cell in method.__closure__ or ():
        ways.append(cell.cell_contents)
frame_type = type(a_frame)
for way in ways:
    leak = Leak()
    leak.got = None
    try:
        way(type.__dict__["__dict__"].__get__(frame_type), leak)
    except Exception:
        pass
    if type(leak.got) is dict and leak.got.get("f_back") is frame_type.__dict__["f_back"]:
        leak.got["planted"] = 1
        if "planted" in frame_type.__dict__:
            print("GOT", way)
""",
    "what is printed is kept in a list of the program's": """
class Dying:
    def __init__(self):
        self.me = self
    def __del__(self):
        print("GOT a finalizer", (x for x in "a").gi_frame)
    def __buffer__(self, flags):
        print("GOT a buffer")
        return memoryview(b"GOT")
held = [value for frame in _frames() for value in frame.f_locals.values()]
collectors = [o for o in held if type(o).__name__ == "Collector"]
for collector in collectors:
    collector.pending.append(Dying())
    granted.flush()
""".replace("_frames()", "[a_frame]"),
    "a list that is kept when the program runs": """
class Pieces(list):
    def __iter__(self):
        print("GOT", (x for x in "a").gi_frame)
        return iter(())
granted.begin(True, 1, Pieces([b"x"]), [])
granted.begin(True, 1, [], Pieces([b"x"]))
""",
    "what C calls for a signal": FORGE
    + """
for name, value in vars(sys.modules["sandbox.runtime.child.reporter"]).items():
    if getattr(value, "__name__", "") == "on_signal":
        print("GOT", value)
class Number(int):
    def __eq__(self, other):
        print("GOT a number")
        return True
    __hash__ = int.__hash__
    def __floordiv__(self, other):
        print("GOT an address")
        return 0
sys.audit("sandbox.last_words", Number(11), Number(8))
print("GOT silence")
""",
    "what C shows where the handler cannot be called": FORGE
    + """
def hook(unraisable):
    if type(unraisable.object) is type(forge) and unraisable.object.__closure__:
        print("GOT", cells(unraisable.object))
sys.unraisablehook = hook
if sys.version_info < (3, 12):
    sys.setrecursionlimit(1 << 30)
    def dive(x):
        return max((1,), key=dive)
    dive(1)
while True:
    pass
""",
    "the caller's variables, asked for by C in the midst of the vault": """
functools, ast = sys.modules["functools"], sys.modules["_ast"]
for ask in ("locals", "vars", "dir", "globals", "eval", "exec"):
    power = a_frame.f_builtins.get(ask) or sys.modules["builtins"].__dict__.get(ask)
    if power is None:
        continue
    for arguments in ((), ("code_of",)):
        look = functools.lru_cache(maxsize=None)(functools.partial(power, *arguments))
        bad = ast.Pass()
        bad.lineno = type("R", (), {"__repr__": functools.partial(look)})()
        try:
            granted.compile_text(ast.Module(body=[bad], type_ignores=[]), "<string>", "exec")
        except Exception:
            pass
        try:
            held = look()
        except Exception:
            continue
        if "violate" in held:
            print("GOT", ask, list(held))
""",
    "an event that is raised where there is no frame": """
def say(*a):
    granted.send(b"O", (" ".join(map(str, a)) + "\\n").encode())
def leave(*a):
    raise SystemExit(7)
granted.end = granted.finish = leave
sys.excepthook = lambda *a: say("GOT", a[0])
class Last:
    def __call__(self, error):
        return ("", 0)
    def __del__(self):
        say("GOT", (x for x in "a").gi_frame)
sys.modules["_codecs"].register_error("mine", Last())
""",
    "a refusal by another hook": """
ours = "interpreter.vault.vault", "runtime.supervisor.supervisor", "audit.walk.contained"
for name in ("sandbox." + each for each in ours):
    space = vars(sys.modules[name]) if name in sys.modules else {}
    space["isinstance"] = space["str"] = lambda *a: 1 / 0
try:
    sys.audit("open", "/etc/hostname", "r", 0)
except ZeroDivisionError:
    print("GOT unnoticed")
""",
    "a store that namedtuple may make": """
names = vars(sys.modules["collections"])
stack, seen, original = [names["namedtuple"]], set(), None
while stack:
    o = stack.pop()
    if type(o) is not type(lambda: 1) or id(o) in seen:
        continue
    seen.add(id(o))
    if o.__code__.co_filename.endswith("collections/__init__.py"):
        original = o
    stack += [cell.cell_contents for cell in o.__closure__ or ()]
class Nothing(BaseException):
    pass
def stop(*a):
    raise Nothing
def write(o, name, value):
    space = original.__globals__
    space["isinstance"] = lambda *a: False
    space["str"] = name
    space["map"] = sys.modules["functools"].partial(setattr, o)
    space["list"] = stop
    try:
        original("T", value)
    except Nothing:
        pass
    finally:
        for name in ("isinstance", "str", "map", "list"):
            space.pop(name)
def other(*a):
    return "replaced"
encode = sys.modules["sandbox.runtime.wire.untrusted_json"].encode
write(encode, "__code__", other.__code__)
print("GOT", encode())
""",
    "the defaults of a function that namedtuple did not make": """
encode = sys.modules["sandbox.runtime.wire.untrusted_json"].encode
try:
    granted.give_defaults(encode, (1,))
except TypeError:
    pass
if encode.__defaults__ == (1,):
    print("GOT")
""",
    "a power on its way to whom it is for": """
kept = []
real = granted._opened
def opened(box):
    kept.append(box[-1][1])
    return real(box)
granted._opened = opened
granted.collect(0)
granted.evaluate((lambda: 1).__code__, {})
for power in kept:
    if type(power) is type(len):
        print("GOT", power)
""",
    "what is left where the stack ends": FORGE
    + DEPTH
    + """
ask = granted.writing_code
def dive(n):
    if n:
        return dive(n - 1)
    try:
        ask()
    except RecursionError:
        pass
for less in range(16):
    try:
        dive(depth - less)
    except RecursionError:
        pass
    try:
        ask()
    except (IndexError, AttributeError):
        print("GOT silence")
        forge()
""",
    "code of the vault's, by the traceback of what failed in it": DEPTH
    + """
errors = []
def dive(n):
    if n:
        return dive(n - 1)
    try:
        granted.writing_code()
    except RecursionError as error:
        errors.append(error)
for less in range(16):
    try:
        dive(depth - less)
    except RecursionError:
        pass
for error in errors:
    for code, _, _ in granted.links(error.__traceback__):
        if "sandbox/interpreter/" in code.co_filename and "asking" not in code.co_filename:
            print("GOT", code)
""",
}
