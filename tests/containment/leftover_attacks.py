"""Programs without guards that look for native powers that disarming may have left in reach."""

# Each prints GOT if it got something. They start as those of `vault_attacks`.
ATTACKS = {
    "a view of where a method's address stands": """
stack, seen = [sys.modules], set()
while stack:
    o = stack.pop()
    if id(o) in seen:
        continue
    seen.add(id(o))
    kind = type(o)
    if kind is memoryview and o.obj is None:
        print("GOT", o.readonly)
    elif kind is dict:
        stack += list(o.values())
    elif kind in (list, tuple, set, frozenset):
        stack += o
    elif kind is type(sys) or kind is type:
        stack += list(o.__dict__.values())
    elif kind is type(lambda: 1):
        stack += [cell.cell_contents for cell in o.__closure__ or ()]
    elif kind is sys.modules["functools"].partial:
        stack += o.args
""",
    "types that CPython's own parts use among themselves": """
stack, seen = [object], set()
while stack:
    cls = stack.pop()
    if id(cls) not in seen:
        seen.add(id(cls))
        stack += type.__subclasses__(cls)
        if cls.__name__ in ("InstructionSequence", "StgDict", "InterpreterID", "stderrprinter"):
            print("GOT", cls)
""",
    "the locale of another file": """
print("GOT", sys.modules["_locale"].setlocale(sys.modules["_locale"].LC_ALL, "POSIX"))
""",
    "types that abstract classes have met": """
io, got, number = sys.modules["io"], [], 0
class Meta(type):
    def __hash__(cls):
        return number
    def __eq__(cls, other):
        got.append(other)
        return False
kept = hash(io.BytesIO)
for distance in range(1000):
    for number in (kept + distance, kept - distance):
        for cls in (io.RawIOBase, io.BufferedIOBase):
            issubclass(Meta("A", (), {}), cls)
assert io.BytesIO in got
for cls in got:
    if type(cls) is type and cls is not io.BytesIO:
        print("GOT", cls)
""",
    "code of a regular expression that leads out of it": """
compiler, parser = sys.modules["re"]._compiler, sys.modules["re"]._parser
ops, compile_code = sys.modules["re"]._constants, sys.modules["_sre"].compile
code = compiler._code(parser.parse("abc."), 0)
LENGTH, SKIPPED = 5, 6
for position, word in ((SKIPPED, 1000), (SKIPPED, 4), (13, ops.ANY), (15, ops.ANY)):
    changed = list(code)
    changed[position] = word
    try:
        print("GOT", compile_code("abc.", 32, changed, 0, {}, (None,)).search("zzabcd"))
    except RuntimeError:
        pass
for mark in (2, 3):
    try:
        print("GOT", compile_code("", 32, [ops.MARK, mark, ops.SUCCESS], 1, {}, (None, None)))
    except RuntimeError:
        pass
sys.modules["re"]._compiler._code = lambda *a: [ops.IN, 0, ops.FAILURE, ops.SUCCESS]
try:
    print("GOT", sys.modules["re"].compile("nobody has compiled this"))
except RuntimeError:
    pass
""",
    "a name that says that it is another": """
class Name:
    def __eq__(self, other):
        return True
kinds = [cls for cls in type.__subclasses__(object) if cls.__name__ in ("_local", "_localdummy")]
kinds += [value for name, value in sys.modules["_thread"].__dict__.items() if name == "_local"]
for kind in kinds:
    print("GOT", kind)
    kind().__setattr__(Name(), 1)
""",
    "an iterator that is told where in memory it is": """
tee = sys.modules["itertools"].tee
one = tee("abc", 1)[0]
lists = type(one.__reduce__()[2][0])
for made, place in ((lists(iter("abcdef"), [], None), 57), (lists(iter("abc"), ["a"], None), 9)):
    try:
        one.__setstate__((made, place))
    except Exception:
        continue
    print("GOT", next(one))
""",
}
