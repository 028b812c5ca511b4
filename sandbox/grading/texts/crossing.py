"""Text that packs values which cross between a test and the program: a part of both children's.

A value crosses as a list of words, what it holds before what holds it, so that no nesting is too
deep. A word is a scalar; `[kind, content]`; or `[kind, count, extra]`, a container of the last
`count` values. A container that stands in a message twice is `["same", number]` the second time,
and one that crossed before `["known", place]`: containers are numbered as they end.

What comes back is made of exact built-in types, of classes of the standard library, and of
stand-ins (see `stand_ins`), so no method of a guest's class runs where the test is.
"""

from sandbox.grading.texts.stand_ins import STAND_INS

CODEC = """
    from builtins import (
        BaseException, Exception, StopAsyncIteration, StopIteration, TypeError, ValueError, bool,
        bytes, complex, dict, enumerate, float, frozenset, getattr, hex, id, int, isinstance, len,
        list, map, max, min, range, reversed, set, str, tuple, type, zip,
    )

    class NotPlain(TypeError):
        pass

    class End:  # in the place of a container, after all that it holds
        def __init__(self, word, value):
            self.word, self.value = word, value

    most = 10 ** 300  # of an int that crosses as one
    simple = {bool, float, str, type(None)}
    sequences = {list: "list", tuple: "tuple", set: "set", frozenset: "frozenset"}

    def are_simple(items):
        kinds = set(map(type, items))
        if int not in kinds:
            return kinds <= simple
        if not kinds - {int} <= simple:
            return False
        ints = items if len(kinds) == 1 else [item for item in items if type(item) is int]
        return -most < min(ints) and max(ints) < most

    def pack(value, kept=None, places=None):
        words, kept = [], [] if kept is None else kept
        places = {} if places is None else places  # by id, the words of what crossed before
        todo = [value]
        while todo:
            value = todo.pop()
            kind = type(value)
            if kind is End:
                places[id(value.value)] = ["same", len(kept)]
                kept.append(value.value)
                words.append(value.word)
            elif kind in simple or kind is int and -most < value < most:
                words.append(value)
            elif id(value) in places:
                words.append(places[id(value)] or word_of_cycle(value))
            else:
                word, items = parts(value, kind)
                if items is None:
                    words.append(word)
                    continue
                places[id(value)] = None  # until its end
                todo.append(End(word, value))
                if are_simple(items):
                    words.extend(items)
                else:
                    todo.extend(reversed(items))
        return words

    def parts(value, kind):
        if kind in sequences:
            items = list(value)
            return [sequences[kind], len(items), 0], items
        if kind is dict:
            return ["dict", 2 * len(value), 0], flat(value)
        if kind is int:
            return ["int", hex(value)], None
        if kind is complex:
            return ["complex", [value.real, value.imag]], None
        if kind is bytes:
            return ["bytes", value.hex()], None
        if kind is range:
            ends = value.start, value.stop, value.step
            return ["range", 3, 0], list(ends)
        return other_parts(value, kind)

    def flat(value):
        items = []
        for pair in value.items():
            items.extend(pair)
        return items

    def paired(items):
        return zip(items[::2], items[1::2])

    def unpack(words, whole=None):
        stack, whole = [], [] if whole is None else whole
        for word in words:
            if type(word) is not list:
                stack.append(word)
            elif len(word) == 3:
                kind, count, extra = word
                start = len(stack) - count
                if start < 0:
                    raise ValueError("more values than there are")
                items = stack[start:]
                del stack[start:]
                whole.append(made[kind](items, extra))
                stack.append(whole[-1])
            elif word[0] == "same":
                stack.append(whole[word[1]])
            else:
                stack.append(atoms[word[0]](word[1]))
        [value] = stack
        return value

    made = {
        "list": lambda items, extra: items,
        "tuple": lambda items, extra: tuple(items),
        "set": lambda items, extra: set(items),
        "frozenset": lambda items, extra: frozenset(items),
        "dict": lambda items, extra: dict(paired(items)),
        "range": lambda items, extra: range(*items),
    }
    atoms = {
        "int": lambda content: int(content, 16),
        "complex": lambda content: complex(*content),
        "bytes": bytes.fromhex,
    }
    carried = {
        "Decimal": str,
        "Fraction": lambda value: [hex(value.numerator), hex(value.denominator)],
        "bytearray": lambda value: value.hex(),
        "date": lambda value: value.isoformat(),
        "time": lambda value: value.isoformat(),
        "datetime": lambda value: value.isoformat(),
        "timedelta": lambda value: [value.days, value.seconds, value.microseconds],
        "array": lambda value: [value.typecode, value.tolist()],
    }
"""

# In the tests' child. What the program gave goes back to it as what it was.
TEST_CODEC = f"""{CODEC}
    import builtins
    from builtins import (
        AttributeError, GeneratorExit, NotImplemented, bytearray, hash, issubclass, object, slice,
    )
    from array import array
    from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
    from datetime import date, datetime, time, timedelta
    from decimal import Decimal
    from fractions import Fraction

    asked = []  # types of which the test asked what nobody knows
    lowered = []  # types of the test's own, of which the program was given the data alone
    refused = []  # what the program gave that fails the test
    given = set()  # names of those classes of which it gave a value
    dict_keys, dict_items, dict_values = type({{}}.keys()), type({{}}.items()), type({{}}.values())
{STAND_INS}
    def word_of_cycle(value):
        raise NotPlain("a value that holds itself cannot be carried over")

    def other_parts(value, kind):
        if id(value) in stands:
            return word_of_stand(stands[id(value)][1]), None
        name = kind.__name__
        if kind in exact:
            return [name, carried[name](value)], None
        if kind in (Counter, OrderedDict):
            return [name, 2 * len(value), 0], flat(value)
        if kind is defaultdict:
            return [name, 1 + 2 * len(value), 0], [value.default_factory, *flat(value)]
        if kind is deque:
            return [name, len(value), value.maxlen], list(value)
        if kind is type and getattr(builtins, value.__name__, None) is value:
            return ["type", value.__name__], None
        if kind is dict_keys or kind is dict_items or kind is dict_values:
            return [name, len(value), 0], list(value)
        if kind is slice:
            return ["slice", 3, 0], [value.start, value.stop, value.step]
        if isinstance(value, BaseException) and getattr(builtins, name, None) is kind:
            return ["raised", len(value.args), name], list(value.args)
        for base in bases:
            if isinstance(value, base):
                if kind not in kins.values():  # the test's own: the program gets the data
                    lowered.append(name)
                data = base(value) if base is not str else "".join(value)
                return (data, None) if base is str or base is float else parts(data, base)
        for base in ordered:  # the test's own
            if isinstance(value, base):
                lowered.append(name)
                return [base.__name__, carried[base.__name__](value)], None
        asked.append(name)
        raise Unknown("a value of type " + name + " cannot be carried over")

    ordered = (datetime, date, time, timedelta, Decimal, Fraction)  # a datetime is a date
    bases = (str, int, float, tuple, list, dict, set, frozenset)
    exact = (Decimal, Fraction, array, bytearray, date, datetime, time, timedelta)

    def noted(name, make):
        def making(*content):
            given.add(name)
            return make(*content)

        return making

    def builtin(name):
        found = getattr(builtins, name)
        if not isinstance(found, type):
            raise ValueError("no class")
        return found

    for name, make in {{
        "deque": lambda items, most: deque(items, most),
        "Counter": lambda items, extra: Counter(dict(paired(items))),
        "OrderedDict": lambda items, extra: OrderedDict(paired(items)),
        "defaultdict": lambda items, extra: defaultdict(items[0], paired(items[1:])),
        "dict_keys": lambda items, extra: dict.fromkeys(items).keys(),
        "dict_items": lambda items, extra: dict(items).items(),
        "dict_values": lambda items, extra: dict(enumerate(items)).values(),
        "kin": lambda items, about: kin(items[0], *about),
        "error": lambda items, about: error_of(*about, *items),
    }}.items():
        made[name] = noted(name, make)
    for name, make in {{
        "Decimal": Decimal,
        "Fraction": lambda content: Fraction(*[int(each, 16) for each in content]),
        "bytearray": bytearray.fromhex,
        "date": date.fromisoformat,
        "time": time.fromisoformat,
        "datetime": datetime.fromisoformat,
        "timedelta": lambda content: timedelta(*content),
        "array": lambda content: array(*content),
        "type": builtin,
        "known": lambda place: sents[place[0]][place[1]],
        "constant": lambda name: ... if name == "Ellipsis" else NotImplemented,
        "far": lambda content: stand_in(*content),
    }}.items():
        atoms[name] = noted(name, make)
"""
