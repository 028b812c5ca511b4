"""How values cross between a test and the program: the part of both children's texts that packs.

Values of Python cross as plain data: a scalar as itself, anything else as a pair of its kind and
its content. What comes back is made of exact built-in types and of classes of the standard library,
so no method of a guest's class runs where the test is.
"""

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
                return [name, [pack(item) for item in base(value)]]
        if isinstance(value, dict):
            pairs = [[pack(key), pack(item)] for key, item in dict(value).items()]
            return [kind.__name__ if kind.__name__ in ordered else "dict", pairs]
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
                return base([unpack(item) for item in content])
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
            return iter([unpack(item) for item in content])
        return unpack_other(kind, content)

    sequences = (("list", list), ("tuple", tuple), ("set", set), ("frozenset", frozenset))
"""

# In the program's child. Classes are known by their names, as a policy may not have their modules:
# what a class of the program's own says of itself is no more than it could have returned. A value
# of a class that nothing here knows is named, with its truth; one of the program's own is refused.
GUEST_CODEC = f"""{_CODEC}
    ordered = ("Counter", "OrderedDict")

    def pack_other(value, kind):
        name = kind.__name__
        if name in carried:
            return [name, carried[name](value)]
        if name in views:
            return [name[name.index("d") :], [pack(item) for item in value]]
        if hasattr(value, "__next__") or hasattr(value, "isdisjoint"):
            return ["iterator", [pack(item) for item in value]]
        if kind.__module__ == "__main__":
            raise NotPlain("a value of type " + name + " is no plain data")
        return ["opaque", [name, bool(value)]]

    def unpack_other(kind, content):
        raise ValueError("no such kind")

    views = ("dict_keys", "dict_items", "dict_values", "odict_keys", "odict_items", "odict_values")
    carried = {{
        "Decimal": str,
        "Fraction": lambda value: [pack(value.numerator), pack(value.denominator)],
        "bytearray": lambda value: value.hex(),
        "date": lambda value: value.isoformat(),
        "time": lambda value: value.isoformat(),
        "datetime": lambda value: value.isoformat(),
        "timedelta": lambda value: [value.days, value.seconds, value.microseconds],
        "deque": lambda value: [[pack(item) for item in value], value.maxlen],
    }}
"""

# In the tests' child. A class that compares by identity alone is unlike any data; of what else a
# test asks a value that could not cross, nobody knows the answer, and the test is no measurement.
TEST_CODEC = f"""{_CODEC}
    from builtins import bytearray, enumerate
    from collections import Counter, OrderedDict, deque
    from datetime import date, datetime, time, timedelta
    from decimal import Decimal
    from fractions import Fraction

    ordered = ()
    asked = []
    identical = ("object", "Match", "function", "builtin_function_or_method", "method", "type")

    class Unknown(BaseException):
        pass

    class Shown:
        def __init__(self, name, truth):
            self.grade_name, self.grade_truth = name, truth

        def __bool__(self):
            return self.grade_truth

        def grade_asked(self, *args, **kwargs):
            asked.append(self.grade_name)
            raise Unknown("a value of type " + self.grade_name + " cannot be carried over")

        def __getattr__(self, name):
            self.grade_asked()

        __call__ = __getitem__ = __str__ = __repr__ = __format__ = __hash__ = grade_asked

        def __eq__(self, other):
            return self is other or isinstance(other, Shown) and self.grade_asked()

    class Opaque(Shown):
        __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = Shown.grade_asked
        __hash__ = __len__ = __iter__ = __contains__ = __reversed__ = Shown.grade_asked
        __int__ = __float__ = __index__ = __complex__ = __bytes__ = Shown.grade_asked
        __round__ = __abs__ = __neg__ = __pos__ = __invert__ = Shown.grade_asked
        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = Shown.grade_asked
        __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = Shown.grade_asked
        __mod__ = __rmod__ = __divmod__ = __rdivmod__ = __pow__ = __rpow__ = Shown.grade_asked
        __matmul__ = __rmatmul__ = __and__ = __rand__ = __or__ = __ror__ = Shown.grade_asked
        __xor__ = __rxor__ = __lshift__ = __rlshift__ = Shown.grade_asked
        __rshift__ = __rrshift__ = __enter__ = __next__ = Shown.grade_asked

    def pack_other(value, kind):
        raise NotPlain("a value of type " + kind.__name__ + " is no plain data")

    def unpack_other(kind, content):
        if kind == "opaque":
            name, truth = content
            return (Shown if name in identical else Opaque)(str(name), bool(truth))
        return made[kind](content)

    def pairs(content):
        return [(unpack(key), unpack(item)) for key, item in content]

    def fraction(content):
        above, below = content
        return Fraction(unpack(above), unpack(below))

    def queue(content):
        items, most = content
        return deque([unpack(item) for item in items], most)

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
        "dict_keys": lambda content: dict.fromkeys([unpack(item) for item in content]).keys(),
        "dict_items": lambda content: dict([unpack(pair) for pair in content]).items(),
        "dict_values": lambda content: dict(enumerate([unpack(i) for i in content])).values(),
    }}
"""
