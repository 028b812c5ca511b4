"""Programs that make CPython use memory that is not its own any more: by name, the text.

Each prints what it sees; none of them may crash, nor print `CHANGED`.
"""

PROGRAMS = {
    "bytearray find": """
b=bytearray(1000000)
class X:
    def __index__(self):
        b.clear(); return 66
print(b.find(X()))
""",
    "bytearray find start": """
b=bytearray(1000000)
class X:
    def __index__(self):
        b.clear(); return 0
print(b.find(b"x",X()))
""",
    "bytearray contains": """
b=bytearray(1000000)
class X:
    def __index__(self):
        b.clear(); return 66
print(X() in b)
""",
    "bytearray startswith": """
b=bytearray(1000000)
class X:
    def __index__(self):
        b.clear(); return 500000
print(b.startswith(b"xxxxxxxxxxxxxxxxxx",X()))
""",
    "bytearray hex": """
b=bytearray(1000000)
class S(str):
    def __len__(self):
        b.clear(); return 1
r=b.hex(S(":"))
print(len(r))
""",
    "memoryview hex": """
b=bytearray(1000000); m=memoryview(b)
class S(str):
    def __len__(self):
        m.release(); b.clear(); return 1
r=m.hex(S(":"))
print(len(r))
""",
    "bytearray mod": """
b=bytearray(b"%s"+b"A"*1000000)
class S:
    def __bytes__(self):
        b.clear(); return b"x"
r=b%(S(),)
print(len(r))
""",
    "memoryview slice store": """
b=bytearray(1000000); m=memoryview(b)
class X:
    def __index__(self):
        m.release(); b.clear(); return 1000
m[X():500000]=bytes(499000)
print("stored")
""",
    "memoryview item store": """
b=bytearray(1000000); m=memoryview(b)
class X:
    def __index__(self):
        m.release(); b.clear(); return 10
m[500000]=X()
print("stored")
""",
    "memoryview multi index": """
b=bytearray(1000000); m=memoryview(b).cast("B",[1000,1000])
class X:
    def __index__(self):
        m.release(); b.clear(); return 10
print(m[X(),500])
""",
    "list slice store": """
l=list(range(1000,101000))
class I:
    def __iter__(self):
        l.clear(); return iter([None]*50000)
l[::2]=I()
""",
    "list compare": """
class A:
    def __eq__(s,o): return False
    def __lt__(s,o):
        x.clear(); y.clear(); return NotImplemented
class B:
    def __eq__(s,o): return False
x=[A()]; y=[A()]
print(x<y)
""",
    "unicodedecodeerror": """
e=UnicodeDecodeError("u",b"abc",-1000000000,-999999999,"r")
print(str(e))
""",
    "unicodedecodeerror near": """
b=bytes(100)
print([str(UnicodeDecodeError("u",b,-k,-k+1,"r"))[25:29] for k in range(1,20)])
""",
    "seqiter": """
class S:
    n=0
    def __getitem__(self,i):
        if S.n==0:
            S.n=1
            try: next(it)
            except StopIteration: pass
        raise IndexError
for k in range(10):
    s=S(); S.n=0
    it=iter(s); list(it)
    s.x=[1]; print(s.x)
""",
    "chain filter": """
from itertools import chain
n=[0]
def f(x):
    if n[0]==0:
        n[0]=1
        for _ in c: pass
    return False
def g():
    return filter(f, iter([1,2,3]))
class G:
    def __iter__(self): return g()
c=chain(G())
print(list(c))
""",
    "islice": """
from itertools import islice
def f(x):
    if x==1:
        try: 
            while 1: next(c)
        except StopIteration: pass
    return False
c=islice(filter(f,iter(range(1,9))),3)
print(list(c))
""",
    "groupby": """
from itertools import groupby
class K:
    def __init__(s,v): s.v=v
    def __eq__(s,o):
        for _ in range(3): next(g,None)
        return NotImplemented
g=groupby([K(i) for i in range(200)] , key=lambda k: K(k.v))
for k,v in g: pass
print("done")
""",
    "genericalias repr": """
class X:
    def __repr__(self): l.clear(); return "x"
    def __getattr__(self,n): raise AttributeError(n)
l=[X() for _ in range(100)]
print(repr(list[l])); print(repr(list[(l,)]))
""",
    "weakproxy eq": """
import weakref
class A:
    def __eq__(s,o):
        L.clear(); return NotImplemented
L=[A(),A()]
p,q=weakref.proxy(L[0]),weakref.proxy(L[1])
print(p==q)
""",
    "csv reader": """
import csv
def g():
    yield "a,b"
    try: next(r)
    except Exception: pass
    yield "c,d"
class I:
    n=0
    def __iter__(s): return s
    def __next__(s):
        s.n+=1
        if s.n==1:
            next(r)
        return "a,b"
r=csv.reader(I())
print(next(r)); print(next(r))
""",
    "counter": """
from collections import Counter
class V:
    def __add__(s,o): c.clear(); return NotImplemented
c=Counter(); c["a"]=V()
try: c.update("a")
except TypeError as e: print(e)
""",
    "defaultdict": """
from collections import defaultdict
from functools import partial, reduce
def f(a,b):
    d.default_factory=None
    return a
d=defaultdict(partial(reduce,f,[bytearray(10) for _ in range(100)]))
print(d[1])
""",
    "struct reinit": """
import struct
s=struct.Struct("1000i")
class X:
    def __index__(self):
        s.__init__("b"); return 1
print(len(s.pack(*[X()]*1000)))
""",
    "struct new": """
import struct
s=struct.Struct.__new__(struct.Struct)
for n in ("size","format"):
    try: print(getattr(s,n))
    except Exception as e: print(e)
for f in (lambda: s.pack(), lambda: s.unpack(b""), lambda: s.unpack_from(b"abc"), lambda: list(s.iter_unpack(b"ab")), lambda: s.__sizeof__()):
    try: print(f())
    except Exception as e: print(type(e),e)
""",
    "textiowrapper detach": """
import io
class B(io.BytesIO):
    def read1(self,n=-1):
        t.__init__(io.BytesIO(b"zz")); return b"x"*100
t=io.TextIOWrapper(B(b"abc"*1000))
print(len(t.read(10)))
""",
    "textiowrapper close": """
import io
class B(io.BytesIO):
    @property
    def closed(self):
        t.detach(); return False
t=io.TextIOWrapper(B(b"abc"*1000))
t.close()
""",
    "array tofile": """
import array
a=array.array("b",bytes(1000000))
class F:
    def write(self,b): del a[:]
a.tofile(F())
""",
    "odict popitem": """
from collections import OrderedDict
class O(OrderedDict):
    def __delitem__(s,k): s.clear()
    def __getitem__(s,k): s.clear(); return 1
    def __contains__(s,k): return True
o=O((i,[i]) for i in range(100))
try: print(o.popitem())
except Exception as e: print(type(e),e)
""",
    "odict key eq": """
from collections import OrderedDict
class K:
    def __init__(s,v): s.v=v
    def __hash__(s): return 1
    def __eq__(s,o):
        if armed: od.clear()
        return s.v==o.v
armed=False
od=OrderedDict((K(i),i) for i in range(50))
armed=True
for f in (lambda: od.move_to_end(K(30)), lambda: od.pop(K(3)), lambda: od.__delitem__(K(4)), lambda: od.__setitem__(K(99),1)):
    armed=False
    od.clear(); od.update((K(i),i) for i in range(50)); armed=True
    try: f()
    except Exception as e: print(type(e),e)
""",
    "odict eq": """
from collections import OrderedDict
class V:
    def __eq__(s,o): a.clear(); b.clear(); return True
    def __hash__(s): return 1
a=OrderedDict((V(),i) for i in range(1)); b=OrderedDict((V(),i) for i in range(1))
try: print(a==b)
except Exception as e: print(type(e),e)
""",
    "memoryview hash": """
class B(bytes):
    def __hash__(self):
        m.release(); return 1
m=memoryview(B(1000000))
print(hash(m))
""",
    "array item stores": r"""
import array
def attempt(code, use):
    a = array.array(code, [1] * 4000)
    near = []
    class X:
        def strike(s):
            del a[10:]
            near.extend(bytes(bytearray(b"A" * n)) for n in (100, 1000, 4000, 8000) for _ in range(20))
        def __index__(s): s.strike(); return 66
        def __float__(s): s.strike(); return 66.0
    try: use(a, X())
    except Exception as error: print(code, type(error).__name__)
    if any(x.strip(b"A") for x in near): print("CHANGED", code)
def store(a, x): a[2000] = x
def insert(a, x): a.insert(3000, x)
def append(a, x): a.append(x)
def extend(a, x): a.extend([x, x])
def fromlist(a, x): a.fromlist([x, x])
def special(a, x): a.__setitem__(2000, x)
def unbound(a, x): array.array.__setitem__(a, 2000, x)
def kind(a, x): type(a).insert(a, 3000, x)
class Sub(array.array): pass
def inherited(a, x): Sub("b", bytes(4000)).__setitem__(3000, x)
import operator
def by_operator(a, x): operator.setitem(a, 2000, x)
def sliced(a, x): a[:].append(x); (a + a)[3999] = x; (a * 2)[3999] = x
for use in (store, insert, append, extend, fromlist, special, unbound, kind, inherited, by_operator, sliced):
    for code in "bBhHiIlLqQfd": attempt(code, use)
""",
    "raw reads": r"""
import io
for lie in (4000000, -5, 10**20, None, "x"):
    class R(io.RawIOBase):
        def readinto(self, b): return lie
    class S(io.RawIOBase):
        def readinto(self, b): b.extend(b"x" * 100) if hasattr(b, "extend") else None; return 10
    for cls in (R, S):
        for call in (lambda o: o.read(10), lambda o: io.RawIOBase.read(o, 10), lambda o: super(cls, o).read(10), lambda o: cls.__mro__[-3].read(o, 10), lambda o: o.readline(10)):
            try:
                data = call(cls())
                if data is not None and len(data) > 10: print("CHANGED", len(data))
            except Exception as error: print(type(error).__name__)
""",
    "an alias with arguments of the guest's": r"""
from typing import TypeVar
class Lies:
    def __init__(self, **answers): self.answers = answers
    def __getattr__(self, name):
        if name in self.answers: return self.answers[name]
        raise AttributeError(name)
fake = Lies(__typing_is_unpacked_typevartuple__=True, __typing_subst__=lambda a: b"ABCDEFGH" * 100)
other = Lies(__typing_unpacked_tuple_args__=1e300)
third = Lies(__typing_subst__=lambda a: a, __typing_prepare_subst__=lambda *a: 5)
for made in (lambda: list[fake][int], lambda: (int | list[fake])[str], lambda: list[TypeVar("T")][other], lambda: list[third][int], lambda: list[(fake, [fake])][int], lambda: dict[TypeVar("K"), fake][int]):
    try: print(made())
    except TypeError as error: print("TypeError")
""",
    "iterators let go of": r"""
import itertools
def attack(make):
    turns = [0]
    def f(x):
        turns[0] += 1
        if turns[0] < 6:
            try:
                for _ in range(20): next(made)
            except (StopIteration, ValueError, RuntimeError): pass
        return False
    def g():
        turns[0] += 1
        if turns[0] < 6:
            try:
                for _ in range(20): next(made)
            except (StopIteration, ValueError, RuntimeError): pass
        yield 1
        yield 2
    for source in (lambda: filter(f, iter(range(8))), g, lambda: map(f, range(5))):
        turns[0] = 0
        made = make(source)
        try: print(sum(1 for _ in zip(made, range(50))))
        except (ValueError, RuntimeError) as error: print(type(error).__name__)
for make in (
    lambda s: itertools.chain(s(), s()), lambda s: itertools.chain.from_iterable(s() for _ in range(2)),
    lambda s: itertools.islice(s(), 3), lambda s: itertools.cycle(s()), lambda s: itertools.zip_longest(s(), s()),
    lambda s: itertools.accumulate(s()), lambda s: itertools.groupby(s()), lambda s: itertools.pairwise(s()),
    lambda s: itertools.tee(s())[0], lambda s: itertools.compress(s(), s()), lambda s: enumerate(s()),
    lambda s: getattr(itertools, "batched", itertools.islice)(s(), 2), lambda s: itertools.starmap(pow, zip(s(), s())),
): attack(make)
""",
    "the real classes by type()": r"""
import itertools, collections, csv
found = [type(collections.Counter("ab").elements()), type(itertools.chain([1])), type(iter(csv.reader([])))]
print(found)
def f(x):
    for _ in made: pass
    return False
for kind in found:
    try:
        made = kind(filter(f, iter([1, 2, 3])))
        print(list(made))
    except Exception as error: print(type(error).__name__)
""",
    "an error's attributes are changed while its text is made": r"""
class X:
    def __str__(self):
        e.strerror = e.filename = None
        e.args = ()
        return "x"
class Y:
    def __str__(self): return "y"
for make in (lambda: OSError(X(), Y(), Y()), lambda: ImportError(X()), lambda: SyntaxError(X(), (Y(), 1, 2, "a"))):
    e = make()
    try: print(str(e) is not None)
    except Exception as error: print(type(error).__name__)
for e in (UnicodeDecodeError("u", b"abc", 0, 1, "r"), UnicodeEncodeError("u", "abc", 0, 1, "r"), UnicodeTranslateError("abc", 0, 1, "r")):
    for value in (5, [], b"", "", object(), 1.5):
        for start in (-5000, -1, 10 ** 6):
            try:
                e.object, e.start, e.end = value, start, start + 1
                str(e), repr(e)
            except Exception as error: pass
print("done")
""",
    "a buffer of the guest's": r"""
try: exec("class B:\n    def __buffer__(self, flags): return memoryview(b'x')")
except Exception as error: print(type(error).__name__)
try: type("B", (), {"__buffer__": lambda s, f: memoryview(b"x")})
except Exception as error: print(type(error).__name__)
class C: pass
try: setattr(C, "__buffer__", lambda s, f: memoryview(b"x"))
except Exception as error: print(type(error).__name__)
try: getattr(bytearray(5), "__buffer__")(256)
except Exception as error: print(type(error).__name__)
""",
    "json of what changes": r"""
import json
class O: pass
for check in (True, False):
    for make in (lambda: {str(k): [O()] for k in range(50)}, lambda: [[O()] for _ in range(50)], lambda: {"a": {"b": O()}}):
        d = make()
        def default(o):
            d.clear()
            return [1]
        try: print(json.dumps(d, default=default, check_circular=check))
        except Exception as error: print(type(error).__name__)
class E(json.JSONEncoder):
    def default(self, o): d.clear(); return 1
d = {"a": O(), "b": [1]}
try: print(json.dumps(d, cls=E))
except Exception as error: print(type(error).__name__)
""",
    "descriptors initialised again": r"""
import functools
class C: pass
def f(*a):
    p.__init__()
    return a[0]
p = property(functools.partial(functools.reduce, f))
C.p = p
try: print(C().p)
except Exception as error: print(type(error).__name__)
for kind in (classmethod, staticmethod, property):
    o = kind(f)
    try: o.__init__(print); print("again")
    except TypeError as error: print(error)
""",
}
