"""Stand-ins, in the tests' child, for values of the program's that could not cross."""

# A text: a part of the tests' codec in `crossing`. Each method that the value's class has is there
# to note that it was asked for; a method that it has not is missing, as from the value itself.
SHOWN = """
    shapes = {}  # by the name of a class, what stands for its instances
    # Classes whose instances may be equal to data, and to which.
    like_data = {
        "memoryview": (bytes, bytearray), "UserString": (str,), "UserList": (list,),
        "UserDict": (dict,), "ChainMap": (dict,), "mappingproxy": (dict,),
        "weakproxy": (object,), "weakcallableproxy": (object,),
    }
    data = (
        type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set,
        frozenset, range, Decimal, Fraction, date, time, timedelta, deque,
    )
    askable = '''
        __call__ __getitem__ __setitem__ __delitem__ __len__ __iter__ __contains__ __reversed__
        __int__ __float__ __index__ __complex__ __bytes__ __round__ __abs__ __neg__ __pos__
        __invert__ __enter__ __exit__ __next__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__
        __truediv__ __rtruediv__ __floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __rdivmod__
        __pow__ __rpow__ __matmul__ __rmatmul__ __and__ __rand__ __or__ __ror__ __xor__ __rxor__
        __lshift__ __rlshift__ __rshift__ __rrshift__
    '''.split()

    class Unknown(BaseException):
        pass

    class Shown:
        grade_name, grade_names, grade_like = "", frozenset(), ()

        def __init__(self, truth):
            self.grade_truth = truth

        def __bool__(self):
            return self.grade_truth

        def grade_asked(self, *args, **kwargs):
            asked.append(self.grade_name)
            raise Unknown("a value of type " + self.grade_name + " cannot be carried over")

        def __getattr__(self, name):
            if name not in self.grade_names:
                raise AttributeError(self.grade_name + " object has no attribute " + name)
            self.grade_asked()

        def grade_meets(self, other):
            return isinstance(other, self.grade_like) or not isinstance(other, data)

        def __eq__(self, other):
            return self is other or self.grade_meets(other) and self.grade_asked()

        def __hash__(self):
            return self.grade_asked() if self.grade_like else hash(self.grade_name)

        def grade_ordered(self, other):
            return self.grade_asked() if self.grade_meets(other) else NotImplemented

        __lt__ = __le__ = __gt__ = __ge__ = grade_ordered
        __str__ = __repr__ = __format__ = grade_asked

    def shown(name, truth, names):
        if name not in shapes:
            has = {each: Shown.grade_asked for each in askable if each in names}
            shapes[name] = type("Shown", (Shown,), has)
            shapes[name].grade_name, shapes[name].grade_like = name, like_data.get(name, ())
        kind = shapes[name]
        kind.grade_names = kind.grade_names | frozenset(names)
        return kind(truth)
"""
