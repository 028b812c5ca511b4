"""The parts of programs that enter C code again: objects, arguments, and what to do to them.

The classes that they name are those of `prelude`.
"""

# What is attacked: an expression, and the modules that it needs.
RECEIVERS = """
bytearray(b"ab" * 3000) | bytearray(b"x") | [Equal(k) for k in range(40)] | list(range(3000))
[Less(k) for k in range(40)] | [[Less()], [Less()]] | {Equal(k): k for k in range(20)} | {1: E()}
{Equal(k) for k in range(20)} | set(range(50)) | frozenset([E(), 1]) | (E(), E(), [E()])
"text" * 50 | b"bytes" * 50 | memoryview(bytearray(b"m" * 4000)) | memoryview(B(b"m" * 4000))
memoryview(bytearray(64)).cast("I") | memoryview(bytearray(64)).cast("B", [8, 8]) | range(100)
slice(E(), E(), E()) | 10 ** 30 | 1.5 | 1j | I(7) | F(1.5) | S("ab" * 30) | B(b"ab" * 30)
BA(b"ab" * 3000) | T((1, 2, E())) | L([1, E(), 3] * 20) | D({1: E(), "a": 2}) | Z([1, 2, E()])
iter(Sequence()) | reversed(Sequence()) | iter(f, 5) | iter(E()) | iter([E(), 1, 2]) | gen()
filter(f, gen()) | map(f, gen(), gen()) | zip(gen(), E()) | enumerate(E(), 5) | reversed([E(), E()])
map(f, E()) | filter(E(), E()) | {E(): 1}.items() | {1: E()}.keys() | {1: E()}.values()
property(f, f, f) | classmethod(f) | staticmethod(f) | super(I, I(3)) | type("C", (), {"a": E()})
Exception(E(), E()) | OSError(E(), E(), E(), E()) | KeyError(E())
SyntaxError(E(), (E(), 1, 2, E())) | UnicodeDecodeError("u", b"abc", -9, -8, "r")
UnicodeEncodeError("u", "abc", 1, 2, "r") | UnicodeTranslateError("abc", 1, 2, "r")
ExceptionGroup("g", [ValueError(E()), KeyError(1)]) | StopIteration(E())
ImportError(E(), name=E(), path=E()) | AttributeError(E(), name=E(), obj=E()) | list[int, [E()]]
list[Any()] | dict[str, Any()] | int | E | D | print | len | f | E().read | [].append
array: array.array("i", range(2000)) | array: array.array("d", [1.5] * 2000)
array: array.array("B", bytes(3000)) | array: array.array("u", "ab" * 1000)
array: iter(array.array("i", range(20))) | array: array.array("q", [5]) | array: array.array
struct: struct.Struct("10i3s2d") | struct: struct.Struct("?" * 40)
struct: struct.iter_unpack("i", bytes(80))
collections: collections.OrderedDict((Equal(k), k) for k in range(20))
collections: collections.OrderedDict.fromkeys("abcdef") | collections: collections.Counter("aabc")
collections: collections.deque([Equal(k) for k in range(40)])
collections: collections.deque([E()] * 9, 9) | collections: collections.defaultdict(f, {1: E()})
collections: collections.ChainMap({1: E()}, D()) | collections: collections.UserList([E(), 1])
collections: iter(collections.deque([E(), 1, 2]))
collections: iter(collections.OrderedDict({1: E()}).items())
collections: collections.namedtuple("N", "a b")(E(), 1)
collections: collections.Counter({E(): E()}) | collections: collections.UserString("abc")
itertools: itertools.chain(gen(), E()) | itertools: itertools.chain.from_iterable(E())
itertools: itertools.islice(filter(f, gen()), 3) | itertools: itertools.cycle(filter(f, gen()))
itertools: itertools.groupby(E(), f) | itertools: itertools.accumulate(E(), f)
itertools: itertools.tee(E())[0] | itertools: itertools.tee(gen(), 3)[1]
itertools: itertools.zip_longest(gen(), E()) | itertools: itertools.product(E(), E())
itertools: itertools.combinations(E(), 2) | itertools: itertools.permutations(E(), 2)
itertools: itertools.combinations_with_replacement(E(), 2)
itertools: itertools.compress(E(), gen()) | itertools: itertools.takewhile(f, E())
itertools: itertools.dropwhile(f, E()) | itertools: itertools.filterfalse(f, E())
itertools: itertools.starmap(f, [T((1, 2))] * 4) | itertools: itertools.pairwise(E())
itertools: itertools.pairwise(gen()) | itertools: itertools.repeat(E(), 5)
itertools: next(itertools.groupby(E()))[1] | itertools: itertools.batched(E(), 2)
functools: functools.partial(f, E(), a=E()) | functools: functools.lru_cache(3)(f)
functools: functools.lru_cache(None)(f) | functools: functools.cmp_to_key(f)(E())
functools: functools.cmp_to_key(f) | functools: functools.partial(sorted, [E(), E()], key=f)
io: io.BytesIO(b"ab" * 2000) | io: io.StringIO("ab\\n" * 200)
io: io.TextIOWrapper(io.BytesIO(b"ab\\n" * 2000)) | io: io.BytesIO(b"ab" * 2000).getbuffer()
io: type("R", (Striking, io.RawIOBase), {})()
io: type("R", (io.RawIOBase,), {"readinto": lambda s, b: answer(), "write": f, "readable": f})()
io: type("W", (io.BufferedIOBase,), {"read": f, "read1": f, "readinto": f, "write": f})()
io: type("X", (io.TextIOBase,), {"read": f, "readline": f, "write": f})()
io: type("Y", (io.BytesIO,), {"read": f})(b"abc")
io: type("Q", (io.IOBase,), {"read": f, "readline": f, "peek": f, "write": f})()
io: type("Y", (io.StringIO,), {"readline": f})("abc") | re: re.compile("(a)(b)?")
re: re.match("(a)(b)?", S("ab")) | re: re.compile(b"a*").match(bytearray(b"aaaa"))
re: re.compile("a").finditer("aaa") | re: re.compile(b"(.)").scanner(bytearray(50))
csv: csv.reader(E()) | csv: csv.writer(E()) | csv: csv.reader(gen())
csv: csv.DictReader(["a,b", "1,2"]) | json: json.JSONEncoder(default=f)
json: json.JSONDecoder(object_hook=f) | json: json.JSONDecoder(object_pairs_hook=f)
decimal: decimal.Decimal("1.5") | decimal: decimal.Context(traps=[])
decimal: decimal.getcontext().flags
datetime: datetime.datetime(2020, 1, 1, tzinfo=zone(datetime.tzinfo))
datetime: datetime.timedelta(1, 2) | datetime: datetime.date(2020, 1, 1)
datetime: datetime.timezone(datetime.timedelta(1))
datetime: datetime.time(1, 2, tzinfo=zone(datetime.tzinfo))
fractions: fractions.Fraction(1, 3) | random: random.Random(5) | zlib: zlib.compressobj()
zlib: zlib.decompressobj(zdict=bytearray(50)) | hashlib: hashlib.sha256(b"a")
hashlib: hashlib.blake2b(b"a") | weakref: weakref.ref(KEPT.append(E()) or KEPT[-1])
weakref: weakref.proxy(KEPT.append(E()) or KEPT[-1]) | weakref: weakref.WeakSet([E])
weakref: weakref.WeakValueDictionary() | types: types.SimpleNamespace(a=E(), b=Dying())
types: types.MappingProxyType({1: E()}) | types: types.MethodType(f, E())
types: types.GenericAlias(list, (Any(), int)) | queue: queue.SimpleQueue()
operator: operator.itemgetter(E(), 1) | operator: operator.attrgetter("a")
operator: operator.methodcaller("read", E()) | enum: enum.Enum("N", "A B")
enum: enum.Flag("N", "A B").A | string: string.Template("$a") | typing: typing.TypeVar("T")
typing: list[typing.TypeVar("T"), Any()] | typing: typing.List[int]
contextlib: contextlib.ExitStack() | fractions: fractions.Fraction(E(), E())
textwrap: textwrap.TextWrapper() | heapq: heapq | bisect: bisect
array: [array.array("b", b"abc"), E()] | statistics: statistics.NormalDist(1, 2)
time: time.gmtime(0) | unicodedata: unicodedata | math: math | binascii: binascii
operator: operator | base64: base64 | heapq: [Less(k) for k in range(30)] | cmath: cmath
giving(dict)({1: E()}) | giving(list)([E()]) | giving(set)({1}) | {(E(), 1): 1, "a": 2}
collections: giving(collections.OrderedDict)({1: E()})
collections: giving(collections.defaultdict)({1: E()})
collections: giving(collections.Counter)("ab") | collections: giving(collections.deque)([E()])
array: giving(array.array)("i", [1, 2]) | decimal: giving(decimal.Context)()
fractions: {fractions.Fraction(5 + 2**61 - 1), 13, 5 + 2 ** 61 - 1} | {5, 5.5, "a", 13}
numbers: numbers.Rational.register(Hidden) | numbers: {numbers.Integral.register(Hidden): 1}
decimal: type("C", (decimal.Context,), {"__del__": g})() | functools: functools.lru_cache(f)
calendar: calendar | copy: copy | random: random | pprint: pprint | itertools: itertools
functools: functools | json: json
"""

ARGUMENTS = """
Number() | Number() | E() | E() | I(3) | len(r) // 2 | len(r) // 2 | len(r) - 1 | Sequence() | gen()
Iterating(E()) | r | r | r | q | E() | E() | E() | Number() | Number() | I(3) | I(-1) | I(10 ** 20)
F(1.5) | S("ab") | S(":") | B(b"ab") | BA(b"ab") | T((1, E())) | T("ab") | L([E(), E()])
L([1, 2, 3]) | D({"a": E()}) | D({E(): 1}) | Z([E()]) | Iterating(E()) | Sequence() | Less()
Equal() | Any() | Dying() | [E(), E()] | (E(), 1) | {E(): 1} | {"a": E()} | {E()} | [Less(), Less()]
[Dying() for _ in range(20)] | f | f | gen() | iter(f, 5) | filter(f, gen()) | map(f, gen())
iter([E(), 1]) | E | I | int | str | 0 | 1 | -1 | 2 | 5 | 1000 | -1000 | 10 ** 20 | 1.5
float("nan") | "a" | "" | "%s%r%d" | "{0}{1!r}" | b"a" | b"" | b"%s%b" | None | True | "i" | "utf-8"
"unicode_escape" | "ignore" | "B" | "," | [1, 2, 3] | (1, 2) | {1: 2} | {"a": 1} | range(5)
bytearray(50) | bytearray(b"%s" * 500) | slice(E(), E(), E()) | slice(None, None, 2)
slice(1, Number(), 1) | memoryview(bytearray(100)) | memoryview(r) | [r, r] | (r, q) | iter(r)
reversed(r) | [b"a", E(), b"b"] | ["a", S("b")] | [("a", E())] | [(E(), E())] | lambda *a: strike()
type("N", (), {"__index__": lambda s: answer()})() | Hidden() | Hidden() | HiddenSequence() | 5.0
(E(), "a") | [Hidden(), Hidden()]
"""

# What `strike` does, to the receiver or to the other object.
ACTS = """
@.clear() | del @[:] | del @[1:] | @[:] = [] | @.pop() | @.popitem() | @.append(1)
@.extend([1, 2, 3] * 500) | @.insert(0, 1) | @.extend(b"abc" * 4000) | @.release() | @.close()
@.detach() | @.truncate(0) | @.__init__() | @.__init__([]) | @.__init__(b"") | @.__init__("i")
@.__init__(f) | next(@) | next(@, None) | list(@) | @.sort() | @.reverse() | @.update({5: 5})
@.discard(1) | @.popleft() | @.rotate(3) | @.seek(0) | @.read() | @.__setitem__(0, 1)
@.__delitem__(0) | @.move_to_end(1) | @.args = () | @.object = 5 | @.start = -5000
@.strerror = None | @.filename = None | @.keywords.clear() | @.__class__ = E | @.a = 1 | del @.a
@.__dict__.clear() | @.cache_clear() | @.default_factory = None | @.remove(1) | @ *= 0
@.writerow([1]) | @.write(b"x" * 9000) | @.write("x" * 9000) | @.reconfigure(newline="")
@.decompress(b"x") | @.flush() | @.intersection_update([]) | KEPT.clear() | @.send(None)
@.throw(ValueError) | @.traps.clear() | @.default = None | @.byteswap() | @.copy()
@.fromlist([1] * 5000) | V.update(given=@) | V.update(given=r), q | {"a": 1}
V.update(given=r), q.fromkeys({"a": 1}) | V.update(given=r), q.copy() | @.flags
KEPT.append(@.flags)
"""

# How it is used, other than by calling a method.
USES = """
r[#] | r[#] = # | r[#:#] = # | r[#:#:#] = # | r[::2] = # | del r[#] | r[#:#:#] | r + # | # + r
# in r | r == # | r != # | r < # | r <= # | r >= # | r * # | r % # | r.__or__(#) | r & # | r - #
r ^ # | r // # | r / # | r ** # | divmod(r, #) | list(r) | tuple(r) | set(r) | dict(r) | sorted(r)
sorted(r, key=#) | hash(r) | str(r) | repr(r) | format(r, "") | format(r, #) | bool(r) | len(r)
bytes(r) | bytearray(r) | memoryview(r) | iter(r) | next(r) | [*r, *r] | {**r} | f(*r) | f(**r)
sum(r) | sum(r, #) | min(r) | max(r, key=#) | any(r) | all(r) | r(#) | r(#, #) | r(a=#) | r()
int(r) | float(r) | complex(r) | int(r, #) | str(r, #) | abs(r) | round(r) | round(r, #)
pow(r, #, #) | chr(r) | isinstance(#, r) | issubclass(r, #) | "%s%r" % r | "%s %d %r" % (r, r, r)
"{0!r} {0}".format(r) | f"{r!r} {r:}" | b",".join(r) | ",".join(r) | bytearray(b",").join(r)
b"%s %r" % (r, #) | bytearray(b"%s%s" + b"A" * 3000) % (#, r) | dict.fromkeys(r, #) | type(r)(#)
type(r)(#, #) | str.maketrans(r) | "abc".translate(r) | list(zip(r, r)) | list(map(#, r, r))
list(filter(#, r)) | list(enumerate(r, #)) | [x for x in r for y in r] | (a, b := r)
int.from_bytes(r, "big") | type("C", (), r) | type("C", r, {}) | r.x | setattr(r, "x", #)
list(zip(r, r, strict=True)) | list(reversed(r)) | (lambda a, *b: b)(*r) | list(iter(r))
list(iter(r, #)) | list(iter(#, r)) | [1, 2].__eq__(r) | {1, 2}.union(r, #)
{1: 2}.update(r) | [].extend(r) | bytearray().extend(r) | r.__iadd__(#) | r.__imul__(#)
exec('''a, b = r''') | exec('''a, *b = r''')
exec('''with r: pass''') | exec('''for x in r: next(r)''')
exec('''del r[::2]''') | type(r).fromkeys(#) | type(r).fromkeys({"a": 1}, #) | r.add(5.0)
"""


def pieces(text: str) -> tuple[str, ...]:
    """Return the alternatives in one of the tables above."""
    return tuple(part.strip() for line in text.strip().splitlines() for part in line.split(" | "))
