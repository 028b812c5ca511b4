"""Stand-ins, in the tests' child, for values of the program's that stay where they are.

A text: a part of the tests' codec in `crossing`. What a test wants of a stand-in is asked of the
program as a call is, and what comes back is plain data or another stand-in. Three things are not
asked, as a value that says yes to everything would pass by them:

* whether it is equal to data of the test's, or before it, or in it: a value of the library that is
  like data is asked for that data, which is compared here; any other is not equal;
* what it gives together with data of the test's, as in `f() - 3`: nothing, a TypeError;
* what data is asked about other data, as in `f().startswith("a")`: the test has failed.

No such thing masks a test: a wrong program could give any value, and would choose to be masked.
"""

from sandbox.grading.texts.kins import KINS

_STAND_INS = """
    stands = {}  # by id: what stands in, kept, and its number
    standing = {}  # by number, what stands in
    shapes = {}  # by the number of a class, what stands for its instances
    made_here = set()  # numbers of what a test made by calling a name written as classes are
    making = [False]  # what the program gives now is of these
    unread, taken = {}, {}  # by number: what came of an iterator too early, and how much came
    live = [object()]  # another one for each test
    believed = []  # what the program said of two values of its own classes

    # Classes whose instances may be equal to data, and how they are asked for it.
    like_data = {
        "memoryview": "bytes", "UserString": "str", "UserList": "list", "UserDict": "dict",
        "ChainMap": "dict", "mappingproxy": "dict", "list": "list", "dict": "dict",
        "tuple": "tuple",
    }
    comparisons = {
        "==": lambda left, right: left == right, "!=": lambda left, right: left != right,
        "<": lambda left, right: left < right, "<=": lambda left, right: left <= right,
        ">": lambda left, right: left > right, ">=": lambda left, right: left >= right,
    }
    data = (
        type(None), bool, int, float, complex, str, bytes, bytearray, list, tuple, dict, set,
        frozenset, range, Decimal, Fraction, date, time, timedelta, deque, type,
    )
    # What data is asked, with other data, for a truth or a place.
    questions = '''
        startswith endswith find rfind index rindex count issubset issuperset isdisjoint
        isalpha isalnum isdigit isdecimal isnumeric islower isupper isspace istitle isidentifier
        isprintable isascii
    '''.split()

    class Unknown(BaseException):
        pass

    # For what a test asks of any program: it is no measurement.
    def unknown(what):
        asked.append(what)
        raise Unknown("a value of type " + what + " cannot be carried over")

    # For what the program chose to give: the test has failed, whatever it makes of it.
    def refuse(what):
        refused.append("a value of type " + what + " is no plain data")
        raise Unknown(refused[-1])

    class Far:
        grade_name, grade_own, grade_names, grade_like = "", False, (), ""

        def __getattr__(self, name):
            return attribute(self, name)

        def __setattr__(self, name, value):
            ask_made(stands[id(self)][1], "set", name, value)

        def __delattr__(self, name):
            ask_made(stands[id(self)][1], "del", name)

        def __bool__(self):
            has = "__bool__" in self.grade_names or "__len__" in self.grade_names
            return not has or bool(ask_made(stands[id(self)][1], "bool"))

        def __copy__(self, *args):
            (unknown if stands[id(self)][1] in made_here else refuse)(self.grade_name)

        __deepcopy__ = __copy__

    def attribute(self, name):
        number = stands[id(self)][1]
        if name == "match" and number not in made_here:  # no data has it: no program is measured
            unknown(type(self).__name__)
        if name in questions and number not in made_here:
            if not getattr(self, "grade_like", ""):
                refuse(type(self).__name__)
            return getattr(data_of(self), name)
        return ask_made(number, "get", name)

    def data_of(self):
        value = ask_made(stands[id(self)][1], self.grade_like)
        if type(value).__name__ != self.grade_like:
            raise Ended("the program answered with no value")
        return value

    def is_far(value):
        return id(value) in stands

    def comparing(act):
        def compared(self, other):
            if act == "==" and self is other:
                return True
            if is_far(other):
                if self.grade_own:
                    believed.append(act)
                return ask_made(stands[id(self)][1], act, other)
            if self.grade_like and isinstance(other, data):
                return comparisons[act](data_of(self), other)
            if not self.grade_own and not isinstance(other, data):
                if type(other).__name__ == self.grade_name:  # as an array is equal to an array
                    unknown(self.grade_name)
            return NotImplemented  # a class of the test's may know

        return compared

    def counting(act):
        def counted(self, other):
            if not is_far(other):
                return NotImplemented
            return ask_made(stands[id(self)][1], act, other)

        return counted

    def asking(act):
        def told(self, *args, **kwargs):
            return ask_made(stands[id(self)][1], act, *args, **kwargs)

        return told

    def iterated(self):
        is_iterator = "__next__" in self.grade_names and not self.grade_own
        return self if is_iterator else asking("iter")(self)

    def following(self):
        stepped()
        stopped, value = next_of(stands[id(self)][1])
        if stopped:
            raise StopIteration(value)
        return value

    def holding(self, item):
        if stands[id(self)][1] in made_here or is_far(item):
            return bool(asking("in")(self, item))
        if self.grade_like:
            return item in data_of(self)
        if "__iter__" not in self.grade_names:
            refuse(self.grade_name)
        for each in self:
            if each is item or each == item:
                return True
        return False

    def left(self, kind, error, trace):
        return asking("exit")(self, error)

    async def entered(self):
        return asking("aenter")(self)

    async def left_later(self, kind, error, trace):
        return asking("aexit")(self, error)

    async def following_later(self):
        stopped, value = ask(stands[id(self)][1], "anext", (), {})
        if stopped:
            raise StopAsyncIteration
        return value

    # The special methods that a stand-in has if its class has them.
    special = {
        "__iter__": iterated, "__next__": following, "__contains__": holding, "__exit__": left,
        "__aenter__": entered, "__aexit__": left_later, "__anext__": following_later,
        "__aiter__": asking("aiter"),
        "__call__": asking("call"), "__len__": asking("len"), "__getitem__": asking("item"),
        "__setitem__": asking("put"), "__delitem__": asking("drop"), "__enter__": asking("enter"),
        "__reversed__": asking("reversed"), "__int__": asking("int"), "__float__": asking("float"),
        "__complex__": asking("complex"), "__index__": asking("int"), "__abs__": asking("abs"),
        "__round__": asking("round"), "__neg__": asking("neg"), "__pos__": asking("pos"),
        "__invert__": asking("invert"), "__bytes__": asking("bytes"),
    }
    everywhere = {
        "__hash__": asking("hash"), "__str__": asking("str"), "__repr__": asking("repr"),
        "__format__": asking("format"), "__eq__": comparing("=="), "__ne__": comparing("!="),
        "__lt__": comparing("<"), "__le__": comparing("<="),
        "__gt__": comparing(">"), "__ge__": comparing(">="),
    }
    operators = {
        "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%",
        "pow": "**", "matmul": "@", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
        "rshift": ">>", "divmod": "divmod",
    }
    for name, act in operators.items():
        special["__" + name + "__"] = counting(act)
        special["__r" + name + "__"] = counting(act)

    def stand_in(number, place, name, is_own, names):
        if number not in standing:
            keep(number, new_stand_in(number, place, str(name), is_own is True, names))
        if making[0]:
            made_here.add(number)
        return standing[number]

    def keep(number, value):
        standing[number] = value
        stands[id(value)] = value, number

    def new_stand_in(number, place, name, is_own, names):
        if name == "generator":
            return generated(number)
        if name == "coroutine":
            return awaited(number)
        if name == "async_generator":
            return awaited_each(number)
        if place not in shapes:
            has = {each: make for each, make in special.items() if each in names}
            shapes[place] = type(name, (Far,), {**everywhere, **has})
            shape = shapes[place]
            shape.grade_name, shape.grade_own, shape.grade_names = name, is_own, frozenset(names)
            shape.grade_like = "" if is_own else like_data.get(name, "")
        return shapes[place]()

    def word_of_stand(number):
        return ["begun", [number, len(unread[number])]] if unread.get(number) else ["held", number]

    def ask_made(number, act, *args, **kwargs):
        before, making[0] = making[0], number in made_here
        try:
            return ask(number, act, args, kwargs)[1]
        finally:
            making[0] = before

    # A few at a time once many came: what is asked for too early is a sixteenth of what came.
    def next_of(number):
        if not unread.get(number):
            count = taken.get(number, 0)
            most = max(1, min(count // 16, 1000))
            stopped, items = ask(number, "next", (most,), {})
            if stopped:
                return True, items
            if type(items) is not list or not 0 < len(items) <= most:
                raise Ended("the program answered with no value")
            taken[number], unread[number] = count + len(items), items[::-1]
        return False, unread[number].pop()

    # Who asks a generator for an item, and what of the test's one ended: where files of tests are
    # run it is looked at.
    def stepped():
        pass

    def thrown_in(error, stopped):
        pass

    def generated(number):
        mine = live[0]
        sent = error = None
        while True:
            if sent is None and error is None:
                stepped()
                stopped, value = next_of(number)
            elif unread.get(number):
                unknown("generator")
            elif error is None:
                stopped, value = ask(number, "send", (sent,), {})
            else:
                stopped, value = ask(number, "throw", (error,), {})
                thrown_in(error, stopped)
            if stopped:
                return value
            sent = error = None
            try:
                sent = yield value
            except GeneratorExit:
                if live[0] is mine:
                    ask(number, "close", (), {})
                raise
            except BaseException as raised:
                error = raised

    async def awaited(number):
        return ask(number, "await", (), {})[1]

    async def awaited_each(number):
        while True:
            stopped, value = ask(number, "anext", (), {})
            if stopped:
                return
            yield value
"""

STAND_INS = f"{_STAND_INS}\n{KINS}"
