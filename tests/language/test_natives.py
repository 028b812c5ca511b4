"""What stands in for methods of CPython's behaves as they do, for programs that mean well."""

import subprocess
import sys

import pytest

PROGRAMS = {
    "array": """
import array
for code in "bBhHiIlLqQ":
    a = array.array(code, [1, 2, 3])
    a.append(4); a.insert(1, 9); a.extend([5, True]); a.extend(range(3)); a.fromlist([7])
    a[0] = 8; a[-1] = 6; a[1:3] = array.array(code, [0, 0, 0]); del a[0]; a[::2] = a[::2]
    a += array.array(code, [1]); a *= 2
    print(a, a[2:5], a + a, a.tolist(), a.index(5), a.count(0), a.pop(), a.itemsize, len(a), 5 in a)
for code in "fd":
    a = array.array(code, [1.5, 2]); a.append(3); a[0] = -0.0; a.extend((4, 5.5)); print(a, a.tobytes())
a = array.array("u", "abc"); a.append("d"); a[0] = "x"; a.extend("yz"); print(a, a.tounicode())
def tried(f, *args):
    try: print(f(*args))
    except Exception as error: print(type(error).__name__, error)
a = array.array("i", [1]); d = array.array("d"); u = array.array("u")
tried(a.append, "x"); tried(a.append, 1.5); tried(a.append, 2 ** 40); tried(a.append, None)
tried(a.extend, 5); tried(a.extend, "ab"); tried(a.extend, [1.5]); tried(a.fromlist, (1,)); tried(a.insert, "0", 1)
tried(d.append, "1"); tried(d.append, None); tried(u.append, "ab"); tried(u.append, 1)
tried(a.__setitem__, 5, 1); tried(a.__setitem__, "0", 1); tried(a.__setitem__, 0, "1")
tried(a.__setitem__, slice(0, 1), [1]); tried(a.extend, array.array("b"))
from fractions import Fraction
d.append(Fraction(1, 2)); print(d)
class I:
    def __index__(self): return 7
a.append(I()); a[0] = I(); a.insert(I(), I()); a.extend([I()]); print(a)
class Sub(array.array): pass
s = Sub("i", [1]); s.append(2); print(s, type(s).__name__, type(s[:]).__name__, isinstance(s, array.array))
class F:
    def write(self, b): print(len(b), bytes(b[:4]))
array.array("b", bytes(70000)).tofile(F())
print(array.ArrayType is array.array, array.array.__name__, type(a).__name__)
""",
    "streams": """
import io, sys
class R(io.RawIOBase):
    def __init__(self, data): self.data = data
    def readable(self): return True
    def readinto(self, b):
        n = min(len(b), 3, len(self.data)); b[:n] = self.data[:n]; self.data = self.data[n:]; return n
r = R(b"hello\\nworld\\n")
print(r.read(2), r.read(0), r.readline(), r.read(), r.read(5), r.readall(), r.closed)
class N(io.RawIOBase):
    def readinto(self, b): return None
print(N().read(5), N().read())
t = io.TextIOWrapper(io.BytesIO(b"a\\r\\nb\\xe9"), encoding="latin-1", newline=None)
print(t.read(), t.encoding, t.newlines)
b = io.BytesIO(); t = io.TextIOWrapper(b, "utf-8", write_through=True); t.write("abc"); print(b.getvalue())
class FastIO(io.IOBase):
    newlines = 0
    def __init__(self, data): self.buffer = io.BytesIO(); self.buffer.write(data); self.buffer.seek(0)
    def readline(self): return self.buffer.readline()
print(list(FastIO(b"1 2\\n3\\n")))
s = io.StringIO("x\\ny"); print(s.readlines(), s.getvalue())
""",
    "struct": """
import struct
s = struct.Struct("<2i3sd?"); data = s.pack(1, -2, b"abc", 1.5, True)
print(data, s.unpack(data), s.size, s.format, list(struct.iter_unpack("<h", b"abcd")))
b = bytearray(30); s.pack_into(b, 2, 5, 6, b"x", 0.5, False); print(b, s.unpack_from(b, 2))
struct.pack_into("i", b, 0, 7); print(struct.unpack_from("i", b), struct.calcsize("iq"))
class P(struct.Struct):
    def __init__(self): super().__init__("i")
print(P().pack(5))
def tried(f, *args):
    try: print(f(*args))
    except Exception as error: print(type(error).__name__, error)
tried(struct.Struct, "?!"); tried(s.pack, 1); tried(s.pack_into, b); tried(struct.pack, "b", 300)
""",
    "OrderedDict": """
from collections import OrderedDict, Counter
import copy, json, typing
o = OrderedDict([("b", 1), ("a", 2)], c=3)
print(o, list(o), o.keys(), o.values(), o.items(), len(o), "a" in o, o.get("z"), list(reversed(o)))
o.move_to_end("b"); print(list(o)); o.move_to_end("a", last=False); print(list(o), list(reversed(o.items())))
print(o.popitem(), o.popitem(last=False), o, o.pop("c"), o.pop("c", None), OrderedDict())
a, b = OrderedDict(x=1, y=2), OrderedDict(y=2, x=1)
print(a == b, a != b, a == {"y": 2, "x": 1}, a == 5, dict(a) == dict(b), a | b, {"q": 1} | a, a.copy() == a)
a |= {"z": 3}; a.update(w=4); a.setdefault("v", 5); del a["x"]; a["x"] = 6; print(a, a.__class__.__name__)
print(OrderedDict.fromkeys("abca"), OrderedDict.fromkeys([1], 2), json.dumps(a), copy.deepcopy(a) == a, copy.copy(a))
print(a.keys() & {"x"}, "x" in a.keys(), ("x", 6) in a.items(), sorted(a.items()), isinstance(a, dict))
class LRU(OrderedDict):
    def __init__(self, n): super().__init__(); self.n = n
    def get(self, k):
        if k not in self: return -1
        self.move_to_end(k); return self[k]
    def put(self, k, v):
        if k in self: self.move_to_end(k)
        self[k] = v
        if len(self) > self.n: print("out", self.popitem(last=False))
c = LRU(2)
for k in (1, 2, 1, 3, 4, 1): print(c.get(k)); c.put(k, k)
class OC(Counter, OrderedDict):
    def __repr__(self): return "%s(%r)" % (self.__class__.__name__, OrderedDict(self))
print(OC("abracadabra"))
class U(OrderedDict):
    def __setitem__(self, k, v): super().__setitem__(k, v * 2)
u = U(a=1); u.update(b=2); print(u, u.copy())
for f in (lambda: OrderedDict().popitem(), lambda: o.move_to_end(9), lambda: o.pop(9), lambda: OrderedDict(5), lambda: o[9]):
    try: f()
    except Exception as error: print(type(error).__name__, error)
o = OrderedDict((n, 0) for n in range(20000))
for n in range(20000): assert o.popitem(last=False) == (n, 0)
o = OrderedDict.fromkeys(range(9))
del o[0]; print(o.popitem(last=False)); o[1] = 1; del o[2]; o[2] = 2; o.move_to_end(3)
print([o.popitem(last=False) for _ in range(len(o))], o)
o = OrderedDict(a=1); o["me"] = o; print(o)
x: typing.OrderedDict[str, int] = typing.OrderedDict(); x["a"] = 1; print(x)
for key in (k := OrderedDict(a=1, b=2)): pass
try:
    for key in k: k["new" + key] = 1
except RuntimeError as error: print(type(error).__name__)
""",
    "itertools": """
from itertools import *
import itertools
print(list(chain("ab", [1], range(2))), list(chain.from_iterable(["ab", "c"])), list(chain()))
print(list(accumulate([1, 2, 3])), list(accumulate("abc")), list(accumulate([3, 1, 2], max)), list(accumulate([], initial=5)))
print(list(accumulate([1, 2], lambda a, b: a * b, initial=10)), list(islice(count(), 3)), list(islice(count(5, -2), 3)), list(islice(count(0.5, 0.25), 3)))
print(list(islice(cycle("ab"), 5)), list(cycle([])))
for args in ((3,), (None,), (1, 4), (1, None), (0, 9, 2), (2, None, 3), (5, 2), (0,), (1, 1), (3, 8, 10)):
    i = iter(range(10)); print(args, list(islice(i, *args)), list(i))
print([(k, list(g)) for k, g in groupby("aabbbca")], [(k, list(g)) for k, g in groupby([1, 3, 2, 5], lambda x: x % 2)])
g = groupby("aabb"); first = next(g); second = next(g); print(list(first[1]), list(second[1])); print(list(groupby([])))
k = [(k, next(g)) for k, g in groupby("aaabcc")]; print(k)
nan = float("nan"); print([(len(list(g))) for k, g in groupby([nan, nan, 1])])
print(list(zip_longest("ab", "xyz", [1], fillvalue="-")), list(zip_longest()), list(zip_longest([1], [])))
if hasattr(itertools, "batched"): print(list(batched("abcde", 2)), list(batched([], 3)))
def tried(f, *args, **named):
    try: print(f(*args, **named))
    except Exception as error: print(type(error).__name__, error)
tried(islice, [1], -1); tried(islice, [1], "a"); tried(islice, [1], 0, 1, 0); tried(islice, [1], 1.5); tried(accumulate, 5)
tried(lambda: list(chain(5))); tried(chain.from_iterable, 5); tried(cycle, 5); tried(groupby, 5); tried(count, "a"); tried(zip_longest, 5)
def primes():
    numbers = count(2)
    while True:
        p = next(numbers); yield p
        numbers = filter(lambda n, p=p: n % p, numbers)
print(list(islice(primes(), 10)), next(count(3)), sum(islice(count(), 100)))
a, b = tee(iter("abc")); print(list(a), list(b)); print(list(islice("abc", 0)), list(product("ab", repeat=2)))
print([list(g) for _, g in groupby(sorted("banana"))], max(accumulate([1, -2, 3]), key=abs))
""",
    "texts": """
for text in (b"\\xff\\xfe", b"a\\x80"):
    try: text.decode()
    except UnicodeDecodeError as error: print(error, repr(error), error.start, error.object)
for text in ("\\xe9", "a\\u1234", "\\U0001F600b", "\\xe9\\xe9"):
    try: text.encode("ascii")
    except UnicodeEncodeError as error: print(error, repr(error))
print(UnicodeTranslateError("abc", 1, 3, "why"), UnicodeTranslateError("abc", 1, 2, "why"), UnicodeDecodeError("u", b"abc", 0, 3, "r"))
print(OSError(2, "no", "name"), OSError(2, "no"), OSError("x"), OSError(), FileNotFoundError(2, "no", "a", None, "b"))
class E(OSError): pass
print(E(5, "five"), str(E()))
""",
    "bytearrays": """
b = bytearray(b"hello world"); m = memoryview(b)
print(b.find(b"o"), b.rfind(b"o"), b.find(111), b.index(b"w", 2), b.rindex(b"l", 0, 5), b.count(b"l"), b.count(108, 3))
print(b.startswith(b"he"), b.startswith((b"x", b"h")), b.endswith(b"d", 3), b"wor" in b, 104 in b, 300 in [1], b.hex(), b.hex(":"), b.hex("-", 2))
print(b.split(), b.split(b"o", 1), b.rsplit(b"l", maxsplit=1), b.partition(b" "), b.strip(b"hd"), b.replace(b"l", b"L"), b.upper(), b.decode())
print(bytearray(b"%s-%d") % (b"x", 5), bytearray(b",").join([b"a", bytearray(b"b")]), b.translate(None, b"l"), b.removeprefix(b"he"))
print(m.hex(), m[:3].hex(":"), hash(memoryview(b"abc")) == hash(b"abc"), m.tolist()[:2], m.tobytes(), m.cast("B").nbytes)
for f in (lambda: b.index(b"z"), lambda: b.find("a"), lambda: 300 in b, lambda: hash(m), lambda: b.startswith(5), lambda: b.hex(5)):
    try: print(f())
    except Exception as error: print(type(error).__name__, error)
m.release(); b.extend(b"xy"); b.extend([1, 2]); b += b"z"; b[0] = 65; b[1:3] = b"QQQ"; b[::3] = bytes(len(b[::3])); print(b)
""",
    "mappings": """
from collections import Counter, defaultdict
print(Counter("abca"), Counter([1, 2, 1, None, (1, 2), 1.5]), Counter(x % 3 for x in range(9)), Counter(a=2), Counter({"x": 1}))
c = Counter("ab"); c.update("bc"); c.update(["a", "b"]); c.update({"z": 5}); c.subtract("a"); print(c, sorted(c.elements()), c.most_common(1), c + c, c - c)
d = defaultdict(list); d["a"].append(1); d["b"]; print(d, d.get("q"), "q" in d); e = defaultdict(None)
try: e[5]
except KeyError as error: print(repr(error), error.args)
t = lambda: defaultdict(t)
x = t(); x[1][2][3] = 4; print(x[1][2][3], len(x)); print(defaultdict(int, a=1)["b"])
class D(defaultdict):
    def __missing__(self, key): self[key] = key * 2; return self[key]
print(D()[4], defaultdict(int).__missing__(3))
""",
    "the rest": """
import csv, json, weakref, types, typing
print(list(csv.reader(["a,b", '"c,d",e'])), list(csv.DictReader(["x,y", "1,2"])))
print(json.dumps({"a": [1, 2.5, None, True, "x"], "b": {"c": ()}}), json.dumps({1: {2}}, default=list), json.dumps([object], default=str))
class E(json.JSONEncoder):
    def default(self, o): return sorted(o)
print(json.dumps({"a": {3, 1}}, cls=E), E().encode([{1}]), json.dumps({"b": 1, "a": 2}, sort_keys=True, indent=1), list(json.JSONEncoder().iterencode([1])))
T = typing.TypeVar("T")
print(list[int], list[T][int], dict[str, list[T]][int], list[int, [str]], (int | T)[str], tuple[int, ...], list["A"])
class G(typing.Generic[T]): pass
print(G[int].__name__, list[G[T]][int] == list[G[int]], typing.Callable[[int], str])
class Seq:
    def __getitem__(self, i):
        if i > 2: raise IndexError
        return i
print(list(Seq()), [x for x in Seq()], 1 in Seq(), list(iter(iter([1, 2, 0, 3]).__next__, 0)), max(Seq()))
class A:
    def __init__(self, n): self.n = n
    def __eq__(self, o): return self.n == o.n
    def __lt__(self, o): return self.n < o.n
a, b = A(1), A(2); p, q = weakref.proxy(a), weakref.proxy(b)
print(p == q, p == a, a == p, p < q, p != q, p == p, p.n)
class P:
    @property
    def x(self): "doc"; return 1
    @x.setter
    def x(self, v): print("set", v)
    @classmethod
    def c(cls): return cls.__name__
    @staticmethod
    def s(): return 5
P().x = 3; print(P().x, P.x.__doc__, P.c(), P.s())
l = [[2, 1], [1, 2], [1]]; print(sorted(l), [1] < [2], [1, 2] >= [1], max(l), [1] < [1, 0], [] <= [])
l = list(range(10)); l[::2] = "abcde"; l[1:3] = iter([7]); l[-1] = 0; l[2:2] = (5, 5); print(l); l[::3] = (x for x in range(4)); print(l)
for f in (lambda: [1] < 5, lambda: l.__setitem__(slice(0, 4, 2), 5), lambda: l.__setitem__(slice(0, 2), 5), lambda: l.__setitem__(slice(0, 4, 2), [1]), lambda: l.__setitem__(99, 1)):
    try: f()
    except Exception as error: print(type(error).__name__, error)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_prints_what_cpython_prints(run, name):
    source = PROGRAMS[name]
    plain = subprocess.run([sys.executable, "-c", source], capture_output=True, check=True)
    ran = run(source)
    assert ran.output.splitlines() == plain.stdout.decode().splitlines(), ran.error
    assert ran.status == "OK"
