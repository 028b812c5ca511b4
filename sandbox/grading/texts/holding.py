"""Text of the program's child that holds, by a number, values that cannot cross otherwise."""

from sandbox.grading.texts.crossing import CODEC

# Classes are known by their names, as a policy may not have their modules: what a class of the
# program's own says of itself is no more than it could have returned.
GUEST_CODEC = f"""{CODEC}
    import builtins
    from builtins import dir, hasattr, repr, vars

    known = {{}}  # by its name, the class of what was given: it is made again where that comes back
    held, numbers = [], {{}}  # what the tests' child has a number of, and the numbers by id
    kinds = []  # classes of which the tests' child was told what their instances have

    def number_of(value):
        if id(value) not in numbers:
            numbers[id(value)] = len(held)
            held.append(value)
        return numbers[id(value)]

    def word_of_cycle(value):
        kind = type(value)
        place = number_of(kind)
        names = [] if place in kinds else dir(kind)
        kinds.append(place)
        is_own = getattr(kind, "__module__", "") == "__main__"
        return ["far", [number_of(value), place, kind.__name__, is_own, names]]

    def class_called(name):
        if name in known:
            return known[name]
        if name == "bytearray":
            return builtins.bytearray
        if name == "array":
            import array as home
        elif name == "Decimal":
            import decimal as home
        elif name == "Fraction":
            import fractions as home
        elif name in ("Counter", "OrderedDict", "defaultdict", "deque"):
            import collections as home
        else:
            import datetime as home
        return getattr(home, name)

    def other_parts(value, kind):
        name = kind.__name__
        if name in carried:
            known[name] = kind
            return [name, carried[name](value)], None
        if name in ("Counter", "OrderedDict") and isinstance(value, dict):
            known[name] = kind
            return [name, 2 * len(value), 0], flat(value)
        if name == "defaultdict" and isinstance(value, dict):
            known[name] = kind
            return [name, 1 + 2 * len(value), 0], [value.default_factory, *flat(value)]
        if name == "deque":
            known[name] = kind
            items = list(value)
            return [name, len(items), value.maxlen], items
        if name in views:
            items = list(value)
            return [name[name.index("d") :], len(items), 0], items
        if isinstance(value, BaseException):
            return error_parts(value)
        if name in ("ellipsis", "NotImplementedType"):
            return ["constant", repr(value)], None
        if name == "type" and getattr(builtins, value.__name__, None) is value:
            return ["type", value.__name__], None
        for base in bases:
            if isinstance(value, base):
                data = base(value) if base is not str else "".join(value)
                named = getattr(value, "_fields", None) if base is tuple else None
                has = named or (["__missing__"] if hasattr(value, "__missing__") else [])
                return ["kin", 1, [number_of(value), name, list(has)]], [data]
        return word_of_cycle(value), None

    def said_by(error):
        try:
            text = str(error)
        except Exception:
            text = ""
        return [kind.__name__ for kind in type(error).__mro__], text[:10_000]

    def error_parts(error):
        names, text = said_by(error)
        try:
            args = error.args
        except Exception:
            args = None
        try:
            is_own = bool(vars(error))
        except Exception:
            is_own = False
        origins = [getattr(kind, "__module__", "") for kind in type(error).__mro__]
        about = [names, text, number_of(error), is_own, origins]
        items = [args if len(text) < 10_000 else None, error.__cause__]
        return ["error", 2, about], items

    made.update({{
        "deque": lambda items, most: class_called("deque")(items, most),
        "Counter": lambda items, extra: class_called("Counter")(dict(paired(items))),
        "OrderedDict": lambda items, extra: class_called("OrderedDict")(paired(items)),
        "defaultdict": lambda items, extra: class_called("defaultdict")(
            items[0], paired(items[1:])
        ),
        "dict_keys": lambda items, extra: dict.fromkeys(items).keys(),
        "dict_items": lambda items, extra: dict(items).items(),
        "dict_values": lambda items, extra: dict(enumerate(items)).values(),
        "slice": lambda items, extra: builtins.slice(*items),
        "raised": lambda items, name: getattr(builtins, name)(*items),
    }})
    atoms.update({{
        "Decimal": lambda content: class_called("Decimal")(content),
        "Fraction": lambda content: class_called("Fraction")(*[int(each, 16) for each in content]),
        "bytearray": lambda content: class_called("bytearray").fromhex(content),
        "date": lambda content: class_called("date").fromisoformat(content),
        "time": lambda content: class_called("time").fromisoformat(content),
        "datetime": lambda content: class_called("datetime").fromisoformat(content),
        "timedelta": lambda content: class_called("timedelta")(*content),
        "array": lambda content: class_called("array")(*content),
        "type": lambda content: getattr(builtins, content),
        "held": lambda number: held[number],
        "begun": lambda content: resumed(*content),
    }})

    bases = (str, int, float, tuple, list, dict, set, frozenset)
    views = ("dict_keys", "dict_items", "dict_values", "odict_keys", "odict_items", "odict_values")
"""
