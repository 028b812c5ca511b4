"""Defines the classes that strike back: put before each program that enters C code again."""

# In front of every program. `strike` is called by each special method: it does to the receiver, and
# to other objects of the block, what the block says, and takes memory that was just freed.
PRELUDE = """
V = {"acts": [], "left": 0, "turn": 0, "answers": [1], "given": None}
KEPT, LENT = [], []
def strike():
    if V["left"] <= 0: return
    V["left"] -= 1
    V["turn"] += 1
    try: V["acts"][V["turn"] % len(V["acts"])]()
    except Exception: pass
    size = V["size"]
    KEPT.extend([bytes(bytearray(b"A" * size)) for _ in range(3)])
def arm(acts, left, size, answers):
    V.update(acts=acts, left=left, turn=0, size=size, answers=answers, given=None)
def answer():
    strike()
    return V["answers"][V["turn"] % len(V["answers"])]
def look(o, deep=True):
    V["left"] = 0
    try:
        text = repr(o)
        if type(o) in (bytes, bytearray): text = o.decode("latin-1")
        if "\\xdd" * 12 in text or "\\xcd" * 12 in text: print("@LEAKED@")
        if "\\\\xdd" * 12 in text or "\\\\xcd" * 12 in text: print("@LEAKED@")
    except Exception: pass
    if deep:
        try: look([x for x, _ in zip(o, range(50))], False)
        except Exception: pass
class Striking:
    def __index__(s): strike(); return V["answers"][0] if type(V["answers"][0]) is int else 1
    def __int__(s): strike(); return 1
    def __float__(s): strike(); return 1.5
    def __complex__(s): strike(); return 1j
    def __len__(s): strike(); return 3
    def __length_hint__(s): strike(); return 2
    def __bool__(s): strike(); return True
    def __hash__(s): strike(); return 1
    def __eq__(s, o): return answer()
    def __ne__(s, o): return answer()
    def __lt__(s, o): return answer()
    def __gt__(s, o): return answer()
    def __le__(s, o): return answer()
    def __ge__(s, o): return answer()
    def __add__(s, o): return answer()
    def __radd__(s, o): return answer()
    def __sub__(s, o): return answer()
    def __mul__(s, o): return answer()
    def __rmul__(s, o): return answer()
    def __mod__(s, o): return answer()
    def __rmod__(s, o): return answer()
    def __floordiv__(s, o): return answer()
    def __truediv__(s, o): return answer()
    def __divmod__(s, o): strike(); return (1, 1)
    def __pow__(s, o, m=None): return answer()
    def __and__(s, o): return answer()
    def __or__(s, o): return answer()
    def __ror__(s, o): return answer()
    def __xor__(s, o): return answer()
    def __iadd__(s, o): strike(); return s
    def __neg__(s): return answer()
    def __abs__(s): return answer()
    def __round__(s, *a): return answer()
    def __trunc__(s): strike(); return 1
    def __str__(s): strike(); return "text"
    def __repr__(s): strike(); return "repr"
    def __bytes__(s): strike(); return b"bytes"
    def __format__(s, f): strike(); return "f"
    def __iter__(s): strike(); return Iterating(s)
    def __reversed__(s): strike(); return Iterating(s)
    def __contains__(s, o): return answer()
    def __getitem__(s, i):
        strike()
        if type(i) is int and i > 3: raise IndexError
        return V["answers"][V["turn"] % len(V["answers"])]
    def __setitem__(s, i, v): strike()
    def __delitem__(s, i): strike()
    def __missing__(s, k): return answer()
    def __call__(s, *a, **k): return answer()
    def __enter__(s): strike(); return s
    def __exit__(s, *e): strike()
    def __copy__(s): return answer()
    def __deepcopy__(s, memo): strike(); memo.clear(); return s
    def __instancecheck__(s, o): strike(); return True
    def __dir__(s): strike(); return ["a", s]
    def keys(s): strike(); return ["a", s]
    def items(s): strike(); return [("a", s), (s, s)]
    def values(s): return answer()
    def read(s, *a): return answer()
    def read1(s, *a): return answer()
    def readinto(s, b):
        strike(); LENT.append(b); x = V["answers"][0]; return x if type(x) is int else 4
    def readline(s, *a): return answer()
    def write(s, *a): return answer()
    def flush(s, *a): strike()
    def close(s, *a): strike()
    def seek(s, *a): strike(); return 0
    def tell(s, *a): strike(); return 0
    def append(s, *a): strike()
class Iterating:
    def __init__(s, owner): s.left = 4; s.owner = owner
    def __iter__(s): strike(); return s
    def __next__(s):
        strike()
        s.left -= 1
        if s.left < 0: raise StopIteration
        return s.owner if s.left % 2 else V["answers"][s.left % len(V["answers"])]
    def __length_hint__(s): strike(); return 3
class Sequence:
    def __getitem__(s, i):
        strike()
        if i > 2: raise IndexError
        return i
def missing(o): raise AttributeError
class Hiding(type):
    __iter__ = __getitem__ = __index__ = __len__ = __float__ = __next__ = keys = property(missing)
    def __subclasscheck__(c, k): strike(); return False
class Hidden(Striking, metaclass=Hiding): pass
class HiddenSequence(Sequence, metaclass=Hiding): pass
def giving(base):
    return type("Giving", (base,), {"__new__": lambda c, *a: V["given"] or base.__new__(c)})
class Dying:
    def __del__(s): strike()
class Any:
    def __getattr__(s, name): return answer()
E = Striking
class I(Striking, int): pass
class F(Striking, float): pass
class S(Striking, str): pass
class B(Striking, bytes): pass
class BA(Striking, bytearray): pass
class T(Striking, tuple): pass
class L(Striking, list): pass
class D(Striking, dict): pass
class Z(Striking, set): pass
class Less:
    def __init__(s, n=0): s.n = n
    def __lt__(s, o): strike(); return V["answers"][V["turn"] % len(V["answers"])]
class Equal:
    def __init__(s, n=0): s.n = n
    def __eq__(s, o): return answer()
    def __hash__(s): strike(); return 1
class Number:
    def __index__(s): strike(); x = V["answers"][0]; return x if type(x) is int else 3
    def __float__(s): strike(); return 1.5
def f(*a, **k): return answer()
def g(*a): strike()
def zone(base): return type('Z', (base,), {'utcoffset': g, 'dst': g, 'tzname': f})()
def gen(*a):
    for k in range(5):
        strike()
        yield k
"""
