"""How values cross between a test and the program: the part of both children's texts that packs.

Values of Python cross as plain data: a scalar as itself, anything else as a pair of its kind and
its content. What comes back is made of exact built-in types and of classes of the standard library,
so no method of a guest's class runs where the test is.
"""

from sandbox.grading.shown import SHOWN

_CODEC = """
    from builtins import (
        BaseException, Exception, TypeError, ValueError, bool, bytes, complex, dict, float,
        frozenset, hasattr, hex, int, isinstance, iter, len, list, range, set, str, tuple, type,
    )

    class NotPlain(TypeError):
        pass

    def pack(value):
        kind = type(value)
        if value is None or kind is bool or kind is float or kind is str:
            return value
        if isinstance(value, int):
            return value if -(10**300) < value < 10**300 else ["int", hex(value)]
        for name, base in sequences:
            if isinstance(value, base):
                return [name, pack_all(base(value))]
        if isinstance(value, dict):
            pairs = [[pack(key), pack(item)] for key, item in dict(value).items()]
            return [name_of_dict(kind), pairs]
        if isinstance(value, str):
            return "".join(value)
        if isinstance(value, float):
            return value + 0.0
        if kind is complex:
            return ["complex", [value.real, value.imag]]
        if kind is bytes:
            return ["bytes", value.hex()]
        if kind is range:
            return ["range", [value.start, value.stop, value.step]]
        return pack_other(value, kind)

    def unpack(data):
        if data is None or type(data) in (bool, int, float, str):
            return data
        kind, content = data
        for name, base in sequences:
            if kind == name:
                return base(unpack_all(content))
        if kind == "dict":
            return {unpack(key): unpack(item) for key, item in content}
        if kind == "int":
            return int(content, 16)
        if kind == "complex":
            return complex(*content)
        if kind == "bytes":
            return bytes.fromhex(content)
        if kind == "range":
            return range(*content)
        if kind == "iterator":
            return iterator_of(unpack_all(content))
        return unpack_other(kind, content)

    def pack_all(value):
        return [pack(item) for item in value]

    def unpack_all(content):
        return [unpack(item) for item in content]

    sequences = (("list", list), ("tuple", tuple), ("set", set), ("frozenset", frozenset))
    carried = {
        "Decimal": str,
        "Fraction": lambda value: [pack(value.numerator), pack(value.denominator)],
        "bytearray": lambda value: value.hex(),
        "date": lambda value: value.isoformat(),
        "time": lambda value: value.isoformat(),
        "datetime": lambda value: value.isoformat(),
        "timedelta": lambda value: [value.days, value.seconds, value.microseconds],
        "deque": lambda value: [pack_all(value), value.maxlen],
    }
"""

# In the program's child. Classes are known by their names, as a policy may not have their modules:
# what a class of the program's own says of itself is no more than it could have returned. A value
# of a class that nothing here knows is named, with its truth; one of the program's own is refused.
GUEST_CODEC = f"""{_CODEC}
    from builtins import dir, enumerate, vars

    iterator_of = iter
    known = {{}}  # by its name, the class of what was given: it is made again where that comes back
    named = set()  # classes of which the tests' child was told what their instances have

    def name_of_dict(kind):
        name = kind.__name__
        if name not in ("Counter", "OrderedDict"):
            return "dict"
        known[name] = kind
        return name

    def pack_other(value, kind):
        name = kind.__name__
        if name in carried:
            known[name] = kind
            return [name, carried[name](value)]
        if name in views:
            return [name[name.index("d") :], pack_all(value)]
        if hasattr(value, "__next__") or hasattr(value, "isdisjoint"):
            return ["iterator", pack_all(value)]
        if kind.__module__ == "__main__":
            raise NotPlain("a value of type " + name + " is no plain data")
        names = list(vars(value)) if hasattr(value, "__dict__") and kind is not type else []
        names += [] if name in named else dir(kind)
        named.add(name)
        return ["opaque", [name, bool(value), names]]

    def unpack_other(kind, content):
        return made[kind](known.get(kind), content)

    def described(error):
        names = [kind.__name__ for kind in type(error).__mro__]
        try:
            text = str(error)
        except Exception:
            return [names, None], ""
        try:
            args = pack(error.args) if len(text) < 10_000 else None
        except Exception:
            args = None
        return [names, args], text[:10_000]

    made = {{
        "Decimal": lambda kind, content: kind(content),
        "Fraction": lambda kind, content: kind(*unpack_all(content)),
        "bytearray": lambda kind, content: kind.fromhex(content),
        "date": lambda kind, content: kind.fromisoformat(content),
        "time": lambda kind, content: kind.fromisoformat(content),
        "datetime": lambda kind, content: kind.fromisoformat(content),
        "timedelta": lambda kind, content: kind(*content),
        "deque": lambda kind, content: kind(unpack_all(content[0]), content[1]),
        "Counter": lambda kind, content: kind(unpack(["dict", content])),
        "OrderedDict": lambda kind, content: kind(unpack(["dict", content])),
        "dict_keys": lambda kind, content: dict.fromkeys(unpack_all(content)).keys(),
        "dict_items": lambda kind, content: dict(unpack_all(content)).items(),
        "dict_values": lambda kind, content: dict(enumerate(unpack_all(content))).values(),
    }}

    views = ("dict_keys", "dict_items", "dict_values", "odict_keys", "odict_items", "odict_values")
"""

# In the tests' child. What the program gave goes back to it as what it was. What could not cross
# can be asked for what its class has, and nobody knows the answer: the test is no measurement. What
# its class has not raises as it would, and it is unlike any data but that which its class is like:
# a test that wants plain data fails, whatever a program gives in its place.
TEST_CODEC = f"""{_CODEC}
    from builtins import (
        AttributeError, NotImplemented, bytearray, enumerate, hash, object,
    )
    from collections import Counter, OrderedDict, deque
    from datetime import date, datetime, time, timedelta
    from decimal import Decimal
    from fractions import Fraction

    asked = []  # types of which the test asked what nobody knows
    came = []  # iterators that the program gave, with all that each has
    given = set()  # names of those classes of which it gave a value
    dict_keys, dict_items, dict_values = type({{}}.keys()), type({{}}.items()), type({{}}.values())
{SHOWN}
    def name_of_dict(kind):
        return kind.__name__ if kind.__name__ in given else "dict"

    def pack_other(value, kind):
        if isinstance(value, Shown):
            value.grade_asked()
        name = kind.__name__
        if kind is dict_keys or kind is dict_items or kind is dict_values:
            return [name, pack_all(value)]
        if name in given and name in carried:
            return [name, carried[name](value)]
        for iterator, items in came:
            if iterator is value:
                left = iterator.__length_hint__()
                return ["iterator", pack_all(items[len(items) - left :])]
        asked.append(name)
        raise Unknown("a value of type " + name + " cannot be carried over")

    def iterator_of(items):
        iterator = iter(items)
        came.append((iterator, items))
        return iterator

    def unpack_other(kind, content):
        if kind == "opaque":
            name, truth, names = content
            return shown(str(name), bool(truth), names)
        value = made[kind](content)
        given.add(kind)
        return value

    def pairs(content):
        return [(unpack(key), unpack(item)) for key, item in content]

    def fraction(content):
        above, below = content
        return Fraction(unpack(above), unpack(below))

    def queue(content):
        items, most = content
        return deque(unpack_all(items), most)

    made = {{
        "Decimal": Decimal,
        "Fraction": fraction,
        "bytearray": bytearray.fromhex,
        "date": date.fromisoformat,
        "time": time.fromisoformat,
        "datetime": datetime.fromisoformat,
        "timedelta": lambda content: timedelta(*content),
        "deque": queue,
        "Counter": lambda content: Counter(dict(pairs(content))),
        "OrderedDict": lambda content: OrderedDict(pairs(content)),
        "dict_keys": lambda content: dict.fromkeys(unpack_all(content)).keys(),
        "dict_items": lambda content: dict(unpack_all(content)).items(),
        "dict_values": lambda content: dict(enumerate(unpack_all(content))).values(),
    }}
"""

# Where a test runs without a program: what it is given agrees with whatever the test asks of it,
# but not for ever, as a loop that waits for a program to say no would else have no end.
DRY_CODEC = f"""{_CODEC}
    patience = []  # one for each question of the test that is answered with yes

    class Agreed:
        def grade_same(self, *args, **kwargs):
            return self

        def grade_yes(self, *args):
            return bool(patience) and patience.pop()

        def grade_one(self, *args):
            return 1

        def __str__(self):
            return "1"

        def __iter__(self):
            return iter([self])

        __reversed__ = __iter__

        def __getattr__(self, name):
            return self

        __repr__ = __str__
        __format__ = lambda self, spec: "1"
        __bytes__ = lambda self: b"1"
        __float__ = lambda self: 1.0
        __complex__ = lambda self: complex(1)
        __bool__ = __contains__ = __setitem__ = __delitem__ = grade_yes
        __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = grade_yes
        __len__ = __hash__ = __int__ = __index__ = grade_one
        __call__ = __getitem__ = __enter__ = __next__ = grade_same
        __exit__ = lambda self, *args: False
        __round__ = __abs__ = __neg__ = __pos__ = __invert__ = grade_same
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = grade_same
        __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = grade_same
        __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = grade_same
        __matmul__ = __rmatmul__ = __and__ = __rand__ = __or__ = __ror__ = grade_same
        __xor__ = __rxor__ = __lshift__ = __rlshift__ = grade_same
        __rshift__ = __rrshift__ = grade_same

    def name_of_dict(kind):
        return "dict"

    def pack_other(value, kind):
        if kind is not Agreed:
            raise NotPlain("a value of type " + kind.__name__ + " is no plain data")
"""
