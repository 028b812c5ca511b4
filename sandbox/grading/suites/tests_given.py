"""Text, in the tests' child, for what a test gives to the program that is no data.

A function is a handle that can be called, and no more: its globals are the test's. Another object
has the special methods that it has, and its public attributes can be read and set; of a mock, not
what it was told to say and what it saw.
"""

from sandbox.grading.suites.program_given import SPECIAL

GIVEN = f"""
    import copy
    import enum
    import pathlib
    import sys
    import unittest
    import unittest.mock

    near, near_places = [], {{}}  # what the program has a handle of, and the numbers by id
    special_names = frozenset({SPECIAL!r})
    functions = (
        types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType,
        types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
    )
    depth = [0]  # of questions of the program's, within one another
    of_mocks = (
        "assert_", "call_args", "call_count", "called", "mock_calls", "method_calls", "await",
        "reset_mock", "configure_mock", "side_effect", "return_value", "mock_add_spec",
        "attach_mock",
    )

    def number_near(value):
        place = id(value)
        if isinstance(value, (types.MethodType, types.BuiltinFunctionType)):  # made when asked for
            place = id(value.__self__), id(getattr(value, "__func__", None)), value.__name__
        if place not in near_places:
            near_places[place] = len(near)
            near.append(value)
        return near_places[place]

    # Of an exception class of the test's: it and its bases that are, with the names of all above.
    def line_of(kind):
        line = []
        while getattr(builtins, kind.__name__, None) is not kind:
            line.append([number_near(kind), [each.__name__ for each in kind.__mro__]])
            kind = kind.__base__
        return line

    def word_of_cycle(value):
        unknown(type(value).__name__ + " that holds itself")

    lent_parts = other_parts

    def other_parts(value, kind):
        if id(value) in stands:
            return word_of_stand(stands[id(value)][1]), None
        if isinstance(value, functions):
            return word_of_function(value)
        if kind is Kind:
            return word_of_kind(value.kind)
        if isinstance(value, type):
            if getattr(builtins, value.__name__, None) is value:
                return ["type", value.__name__], None
            if value.__module__.partition(".")[0] in sys.stdlib_module_names:
                return ["library", [value.__module__, value.__name__]], None
            if issubclass(value, BaseException):
                return ["our class", line_of(value)], None
            if is_own(value):
                return word_of_kind(value)
            return ["function", [number_near(value), value.__name__, ""]], None
        if kind is types.ModuleType:
            return ["module", value.__name__], None
        if value is NotImplemented or value is ...:
            return ["constant", "NotImplemented" if value is NotImplemented else "Ellipsis"], None
        if isinstance(value, BaseException) and getattr(builtins, kind.__name__, None) is not kind:
            return ["ours", [number_near(value), line_of(kind), str(value)]], None
        if isinstance(value, pathlib.PurePath):
            return ["path", str(value)], None
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
            if value.dtype.kind in "biufcSUmM":
                shape, is_array = list(value.shape), isinstance(value, numpy.ndarray)
                return ["tensor", 0, [value.dtype.str, shape, value.tobytes().hex(), is_array]], []
        if isinstance(value, (*bases, *exact, *plain_kinds)):
            return lent_parts(value, kind)
        return word_of_object(value, kind)

    plain_kinds = (Counter, OrderedDict, defaultdict, deque, dict_keys, dict_items, dict_values)
    plain_kinds += (slice, BaseException)
    numpy = sys.modules.get("numpy")  # where the program's policy grants it

    def tensor(items, about):
        dtype, shape, content, is_array = about
        kind = numpy.dtype(dtype)
        if kind.kind not in "biufcSUmM":
            raise ValueError("an array of objects")
        found = numpy.frombuffer(bytes.fromhex(content), kind).reshape(shape).copy()
        return found if is_array else found[()]

    made["tensor"] = noted("tensor", tensor)
    plain_unpack = unpack

    # What is shared within a value counts as often as it is met: a comparison goes through it all.
    def unpack(words, whole=None):
        whole, count = [] if whole is None else whole, len(asked)
        try:
            value = plain_unpack(words, whole)
        except Unknown:  # by what the program gives nothing is asked
            del asked[count:]
            raise ValueError("a value that no program gives") from None
        if any(type(word) is list and word[0] == "same" for word in words):
            sizes = {{}}
            for each in whole:
                parts = [*each.keys(), *each.values()] if isinstance(each, dict) else each
                if isinstance(parts, (list, tuple, set, frozenset, deque)):
                    sizes[id(each)] = 1 + sum(sizes.get(id(part), 1) for part in parts)
                    if sizes[id(each)] > 10_000_000:
                        raise ValueError("a value of too many parts")
        return value

    plain_change = change

    def change(value, items):
        if numpy is not None and isinstance(value, numpy.ndarray):
            value[...] = numpy.frombuffer(bytes(items), value.dtype).reshape(value.shape)
        elif isinstance(value, array):
            value[:] = array(value.typecode, items)
        elif isinstance(value, bytearray):
            value[:] = bytes(items)
        else:
            plain_change(value, items)

    # What leads on to code, and to what a test knows: never given.
    never = (types.FrameType, types.CodeType, types.TracebackType, types.CellType)
    own_modules = set()  # names of the modules of the test
    overlay = {{}}  # where a test sees no changes: what the program set, by number and name

    def is_method(target, name):
        return callable(getattr(type(target), name, None))

    # What honest programs ask of objects and is not answered; and what none does.
    of_programs = ("__annotations__", "__slots__", "__match_args__", "__wrapped__", "__self__")
    of_frames = ("gi_", "cr_", "ag_", "tb_", "f_", "co_")

    # Of an object of a class of the test's its public attributes; of another its methods and data.
    def attribute_near(number, target, name):
        if name[:2] == "__" or name[:1] == "_" and not is_open(type(target)):
            if name in of_programs and name in dir(target):
                lack(name)
            raise AttributeError(name)
        if (number, name) in overlay:
            return overlay[number, name]
        is_mock = isinstance(target, unittest.mock.NonCallableMock)
        if is_mock and name.startswith(of_mocks):
            raise AttributeError(name)
        value = getattr(target, name)
        is_own = is_mock or type(target).__module__ in own_modules
        if not is_own and not is_method(target, name) and type(value) not in plain_types:
            if not name.startswith(of_frames):
                lack(name)
            raise AttributeError(name)
        return value

    def set_near(number, target, name, value):
        is_own = type(target).__module__ in own_modules
        is_mock = isinstance(target, unittest.mock.NonCallableMock)
        is_hidden = name[:1] == "_" and (name[:2] == "__" or not is_open(type(target)))
        if is_hidden or is_method(target, name):
            raise AttributeError(name)
        if not (is_own or is_mock):
            lack(name)
        if is_mock and (name.startswith(of_mocks) or type(value) not in plain_types):
            raise AttributeError(name)
        altered.append("set")
        if not seen[0]:
            overlay[number, name] = value
        else:
            builtins.setattr(target, name, value)

    plain_types = (type(None), bool, int, float, complex, str, bytes, tuple, frozenset)

    def awaited_here(target):
        try:
            target.__await__().send(None)
        except StopIteration as end:
            return end.value
        unknown("a coroutine that waits")

    def answer_back(number, act, args, kwargs):
        target = near[number]
        if isinstance(target, never):
            lack(act)
        if act == "__call__":
            return target(*args, **kwargs)
        if is_open(target):
            return answer_of_class(target, act, args)
        if isinstance(target, (type, *functions)):
            raise AttributeError(act)
        if act in ("copy", "deepcopy") and is_open(type(target)):
            return getattr(copy, act)(target)
        if act == "vars" and is_open(type(target)):
            return vars_of(target)
        if act == "get":
            return attribute_near(number, target, *args)
        if act == "set":
            return set_near(number, target, *args)
        if act == "__await__":
            return awaited_here(target)
        if act not in special_names:
            raise AttributeError(act)
        if act in ("__setitem__", "__delitem__"):
            altered.append(act)
        if act in ("__eq__", "__ne__"):  # of a mock the class has none of its own
            return target == args[0] if act == "__eq__" else target != args[0]
        if isinstance(target, unittest.mock.NonCallableMock):  # its class leads to itself
            return getattr(target, act)(*args, **kwargs)
        return getattr(type(target), act)(target, *args, **kwargs)

    # Returns how it went, and the words of the value or of what was raised.
    def asked_back(content):
        depth[0] += 1
        limit = sys.getrecursionlimit()
        if "setrecursionlimit" not in test_words[0]:
            sys.setrecursionlimit(1000 + 30 * depth[0])
        try:
            if depth[0] > 400:  # as deep as one process has room for
                raise Ended("the program and what the test gave it call each other without end")
            number, act, words = content
            key, args, kwargs = question_of(words)
            try:
                kind, value = "returned", answer_back(number, act, args, kwargs)
            except (Ended, Unknown, KeyboardInterrupt, MemoryError):
                raise
            except BaseException as error:
                kind, value = "raised", error
            try:
                return kind, words_of_answer(key, value, args)
            except Unknown as error:  # a value of the test's: no program is measured by it
                return "raised", words_of_answer(key, TypeError(str(error)))
        finally:
            depth[0] -= 1
            sys.setrecursionlimit(limit)
"""
