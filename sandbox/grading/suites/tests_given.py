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

    near, near_places = [], {{}}  # what the program has a handle of, and the numbers by id
    special_names = frozenset({SPECIAL!r})
    ran = set()  # names of functions that the program called and that did not raise
    depth = [0]  # of questions of the program's, within one another

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

    def may_be_given(value):
        kind = type(value)
        if is_class(value) and not is_far(value):
            return is_own_class(value) or place_in_library(value) is not None
        if is_far(value) or isinstance(value, (*data, pathlib.PurePath, BaseException)):
            return True
        if kind is types.ModuleType:
            return is_granted(value.__name__, "")
        if isinstance(value, functions):
            return is_given_function(value) or place_in_library(value) is not None
        if is_ufunc(value):
            return place_in_library(value) is not None
        if is_mock(value):
            return not calls_library(value)
        if any(map(is_own_class, kind.__mro__)) or hasattr(kind, "__next__") or lends(kind):
            return True
        return kind in (object, logging.Logger, plain_mark) or may_ask(value, "__call__")

    plain_mark = type(unittest.mock.sentinel.any)
    lent_parts = other_parts

    # It comes back as itself. One that ends an iterator has no say in the test beyond its call.
    def word_of_error(value, kind):
        if getattr(builtins, kind.__name__, None) is not kind:
            return ["ours", [number_near(value), line_of(kind), str(value)]], None
        if isinstance(value, (StopIteration, StopAsyncIteration)) or builtins.vars(value):
            return None
        args = list(value.args)
        return ["our builtin", len(args), [number_near(value), kind.__name__]], args

    def other_parts(value, kind):
        if id(value) in stands:
            return word_of_stand(stands[id(value)][1]), None
        if kind is functools.partial:
            return ["partial", 3, number_near(value)], [value.func, value.args, value.keywords]
        if isinstance(value, functions):
            return word_of_function(value)
        if kind is Kind:
            return word_of_kind(value.kind, value.names)
        if is_class(value):
            return word_of_class(value)
        if kind is types.ModuleType and is_granted(value.__name__, ""):
            return ["module", value.__name__], None
        if value is NotImplemented or value is ...:
            return ["constant", "NotImplemented" if value is NotImplemented else "Ellipsis"], None
        if isinstance(value, BaseException):
            found = word_of_error(value, kind)
            if found is not None:
                return found
        if isinstance(value, pathlib.PurePath):
            return ["path", str(value)], None
        if is_ufunc(value):
            return word_by_place(value, kind.__name__)
        beyond = parts_beyond(value, kind)
        if beyond is not None:
            return beyond
        if isinstance(value, (*bases, *exact, *plain_kinds)):
            return lent_parts(value, kind)
        if isinstance(value, os.PathLike) and not holds_own(value):
            return ["path", os.fspath(value)], None
        return word_of_object(value, kind)

    plain_kinds = (Counter, OrderedDict, defaultdict, deque, dict_keys, dict_items, dict_values)
    plain_kinds += (slice, BaseException)
    numpy = sys.modules.get("numpy")  # where the program's policy grants it
    kinds_of_ufuncs = () if numpy is None else (numpy.ufunc, type(numpy.sum))

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
        if isinstance(value, array):
            value[:] = array(value.typecode, items)
        elif isinstance(value, bytearray):
            value[:] = bytes(items)
        else:
            plain_change(value, items)

    overlay = {{}}  # where a test sees no changes: what the program set, by number and name

    def is_method(target, name):
        return callable(getattr(type(target), name, None))

    # What honest programs ask of objects and is not answered; and what none does.
    of_programs = ("__annotations__", "__slots__", "__match_args__", "__wrapped__", "__self__")
    of_frames = ("gi_", "cr_", "ag_", "tb_", "f_", "co_")

    # Of an object of a class of the test's its public attributes; of another its methods and data.
    def attribute_near(number, target, name):
        if name[:2] == "__" or name[:1] == "_" and not may_ask(target, name):
            if name in of_programs and name in dir(target):
                lack(name)
            raise AttributeError(name)
        if not may_ask(target, name):
            if is_of_library(target, name):
                unknown(type(target).__name__ + " with " + name)
            raise AttributeError(name)
        if (number, name) in overlay:
            return overlay[number, name]
        if is_mock(target) and name.startswith(of_mocks):
            raise AttributeError(name)
        value = getattr(target, name)
        if not holds_own(target) and not is_method(target, name):
            if type(value) not in plain_types:
                if not name.startswith(of_frames):
                    lack(name)
                raise AttributeError(name)
        return value

    # What the library gives to a class of the test's, which no program is measured by; but what
    # belongs to the tests is for none.
    def is_of_library(target, name):
        for home in () if isinstance(target, (type, *functions)) else type(target).__mro__:
            if name in vars(home):
                top = home.__module__.partition(".")[0]
                return top not in ("unittest", "pytest", "_pytest", "builtins")
        return False

    def holds_own(target):
        kind = type(target)
        is_space = kind.__name__ in ("SimpleNamespace", "Namespace")
        return is_mock(target) or is_space or any(map(is_own_class, kind.__mro__))

    def set_near(number, target, name, value):
        is_hidden = name[:1] == "_" and (name[:2] == "__" or not is_private_own(type(target)))
        if is_hidden or is_method(target, name):
            raise AttributeError(name)
        if not holds_own(target):
            lack(name)
        if is_mock(target) and (name.startswith(of_mocks) or type(value) not in plain_types):
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
            if not may_ask(target, act):
                raise AttributeError(act)
            value = called_here(target, act, target, args, kwargs)
            ran.add(getattr(target, "__name__", ""))
            return value
        if is_class(target) and is_open(target):
            return answer_of_class(target, act, args)
        if not is_mock(target) and isinstance(target, (type, *functions)):
            raise AttributeError(act)
        if act in ("copy", "deepcopy") and is_open(type(target)):
            return getattr(copy, act)(target)
        if act == "vars" and is_open(type(target)):
            return vars_of(target)
        if act == "get":
            return attribute_near(number, target, *args)
        if act == "set":
            return set_near(number, target, *args)
        if act[:2] != "__" or not may_ask(target, act):
            raise AttributeError(act)
        if act == "__await__":
            return awaited_here(target)
        if act in ("__setitem__", "__delitem__"):
            altered.append(act)
        if act in ("__eq__", "__ne__"):  # of a mock the class has none of its own
            return target == args[0] if act == "__eq__" else target != args[0]
        if is_mock(target):  # its class leads to itself
            return getattr(target, act)(*args, **kwargs)
        return called_here(target, act, getattr(type(target), act), (target, *args), kwargs)

    def called_here(target, act, function, args, kwargs):
        if may_wait(target, act):
            return waited(act, function, args, kwargs)
        return function(*args, **kwargs)

    # What a call says in whole: what crossed before is said in other words, and may have changed.
    def call_of(number, args, kwargs):
        counts, known = (len(asked), len(lowered)), dict(attributes_known)
        try:
            words = pack([args, kwargs])
        except Unknown:
            words = [builtins.object()]  # like no other
        del asked[counts[0] :], lowered[counts[1] :]
        attributes_known.clear()
        attributes_known.update(known)
        return [number, words]

    # Returns how it went, and the words of the value or of what was raised.
    def asked_back(content):
        depth[0] += 1
        limit = sys.getrecursionlimit()
        if "setrecursionlimit" not in test_words[0]:
            sys.setrecursionlimit(1000 + 30 * depth[0])
        asked_before = counted[0]
        try:
            if depth[0] > 400:  # as deep as one process has room for
                raise Ended("the program and what the test gave it call each other without end")
            number, act, words = content
            key, args, kwargs = question_of(words)
            try:
                kind, value = "returned", answer_back(number, act, args, kwargs)
                if held_back:
                    tried_again(call_of(number, args, kwargs))
            except (Ended, Unknown, KeyboardInterrupt, MemoryError):
                raise
            except BaseException as error:
                kind, value = "raised", error
                if is_verdict(error):
                    has_hand = bool(args or kwargs or midway) or counted[0] != asked_before
                    held_back[id(error)] = error, has_hand, call_of(number, args, kwargs)
            try:
                return kind, words_of_answer(key, value, args)
            except Unknown as error:  # a value of the test's: no program is measured by it
                return "raised", words_of_answer(key, TypeError(str(error)))
        finally:
            depth[0] -= 1
            sys.setrecursionlimit(limit)
"""
