"""Text of a test that runs without a program: all the values that it gets agree with it."""

from sandbox.grading.texts.crossing import CODEC

AGREED = """
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
            return builtins.iter([self])

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
"""

# Whatever the test asks is answered with yes, but not for ever, as a loop that waits for a program
# to say no would else have no end.
DRY_CODEC = f"""{CODEC}
    import builtins
    from array import array
    from builtins import bytearray
    from collections import Counter, OrderedDict, defaultdict, deque
    from datetime import date, datetime, time, timedelta
    from decimal import Decimal
    from fractions import Fraction

    absent = []  # names of classes that the policy of the program has not
{AGREED}
    def word_of_cycle(value):
        return None

    def other_parts(value, kind):
        if kind in crossing and kind.__name__ not in absent:
            if isinstance(value, dict):
                factory = value.default_factory if kind is defaultdict else None
                return None, [factory, *flat(value)]
            return None, list(value) if kind is deque else None
        if kind is type and getattr(builtins, value.__name__, None) is value:
            return None, None
        if not isinstance(value, Agreed) and kind not in views:
            raise NotPlain("a value of type " + kind.__name__ + " is no plain data")
        return None, None

    crossing = (
        *(Counter, OrderedDict, defaultdict, deque, Decimal, Fraction, array, bytearray),
        *(date, datetime, time, timedelta),
    )
    views = (type({{}}.keys()), type({{}}.items()), type({{}}.values()))
"""
