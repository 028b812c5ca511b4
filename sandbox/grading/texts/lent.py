"""Text, in the tests' child, for functions, classes and objects of a test's that a program is lent.

What of them may be given and asked at all, `suites.tests_granted` says. What nobody in the
program's child can answer, such a question notes: see `lacking`.
"""

TESTS_LENDING = """
    lacking = []  # what the program asked of what the test gave, and nobody there can answer

    # Of a function of the test's its name and text, if it is not a test itself.
    def word_of_function(value):
        if not is_given_function(value):
            return word_by_place(value, type(value).__name__)
        name, doc = str(getattr(value, "__name__", "function")), str(value.__doc__ or "")
        if name[:4] == "test" and "<locals>" not in getattr(value, "__qualname__", ""):
            return ["function", [number_near(value), "test", ""]], None
        if type(value) not in (types.FunctionType, types.MethodType) or is_lent_bare(value):
            return ["function", [number_near(value), name, doc]], None
        params, items, attributes = [], [], public_of(value)
        number = number_near(value)
        for each in inspect.signature(value, follow_wrapped=False).parameters.values():
            has_default = each.default is not inspect.Parameter.empty
            has_hint = is_hint(each.annotation)
            if has_default and not may_be_given(each.default):
                return ["function", [number, name, doc]], None
            params.append([each.name, int(each.kind), has_default, has_hint])
            items += [each.default if has_default else None, each.annotation if has_hint else None]
        if isinstance(value, types.FunctionType):
            attributes_known[number] = dict(attributes)
        else:
            attributes = {}
        is_async = inspect.iscoroutinefunction(value)
        about = [number, name, doc, params, is_async, list(attributes)]
        items += attributes.values()
        return ["def", len(items), about], items

    # What is the library's is the program's own, by where both have it.
    def word_by_place(value, name):
        place = place_in_library(value)
        return (["library", place], None) if place else unknown(name)

    def word_of_class(value):
        if getattr(builtins, value.__name__, None) is value:
            return ["type", value.__name__], None
        if not is_own_class(value):
            return word_by_place(value, value.__name__)
        if issubclass(value, BaseException):
            return ["our class", line_of(value)], None
        return word_of_kind(value)

    # Without parameters that a text could have: of a class that C code has, or made by a generator.
    def is_lent_bare(value):
        code = getattr(value, "__code__", None)
        return code is None or not all(name.isidentifier() for name in code.co_varnames)

    def is_hint(value):
        if value is inspect.Parameter.empty:
            return False
        return type(value) is str or is_class(value) and may_be_given(value)

    # Not those of a function that stands for a mock.
    def public_of(function):
        return {} if "mock" in vars(function) else {
            name: value for name, value in vars(function).items()
            if name[:1] != "_" and not name.startswith(("pytest", "patchings"))
            and (is_far(value) or type(value) in kinds_of_attributes and may_be_given(value))
        }

    kinds_of_attributes = (
        *plain_types, list, dict, set, deque, Counter, defaultdict, types.FunctionType,
    )

    attributes_known = {}  # by number of a function of the test's: those that both know
    changed_containers = changed_here

    def changed_here(only=None):
        found = changed_containers(only)
        for number, known in attributes_known.items():
            now = public_of(near[number])
            if not are_same(list(now.values()), list(known.values())) or list(now) != list(known):
                attributes_known[number] = now
                found.append(["f", number, [each for pair in now.items() for each in pair]])
        return found

    put_containers = put_changes

    def put_changes(changes):
        put_containers([each for each in changes if each[0] != "f"])
        for key, number, items in changes:
            if key == "f":
                for name, value in paired(items):
                    if is_open(near[number]):
                        set_of_class(near[number], name, value)
                    elif name[:1] == "_" or name.startswith(("pytest", "patchings")):
                        continue
                    elif number in attributes_known and type(name) is str:
                        builtins.setattr(near[number], name, value)
                        attributes_known[number][name] = value

    def word_of_kind(kind, names=None):
        own = is_own_class(kind)
        bases = [each for each in kind.__bases__ if is_own_class(each)] if own else []
        more = {}
        if own and isinstance(kind.__init__, types.FunctionType) and may_be_given(kind.__init__):
            more = {"__init__": kind.__init__}
        is_enum = isinstance(kind, enum.EnumMeta)
        number = number_near(kind) if own else None
        held = [each for each in vars(kind) if each[:2] != "__" and may_ask(kind, each)]
        if is_open(kind) and hasattr(kind, "__dataclass_fields__"):
            held.append("__dataclass_fields__")
        names = names_of_class(kind) if names is None else names
        name = "TestCase" if is_of_tests(kind) else kind.__name__
        return ["kind", 2, [number, name, names, is_enum, held]], [bases, more]

    # What the program sees of an object is the name of its class; not the one of a class of tests.
    # Of what is never to be asked it has a handle without any names.
    def word_of_object(value, kind):
        if not isinstance(value, never) and not may_be_given(value):
            unknown(kind.__name__)
        return ["near", 1, number_near(value)], [Kind(kind, names_given(value))]

    # A class that goes with an object, whatever module it is of.
    class Kind:
        def __init__(self, kind, names):
            self.kind, self.names = kind, names

    def known_of(place):
        value = sents[place[0]][place[1]]
        if is_far(value):
            return arrived(stands[id(value)][1])
        return value.kind if type(value) is Kind else value

    atoms["known"] = noted("known", known_of)

    def lack(name):
        lacking.append(name)
        raise AttributeError(name)

    # Of a class of the test's.
    def answer_of_class(target, act, args):
        if act == "get":
            [name] = args
            if name[:2] == "__":
                lack(name)
            if not may_ask(target, name):
                raise AttributeError(name)
            return builtins.getattr(target, name)
        if act == "fields":
            return list(target.__dataclass_fields__)
        if act in ("__iter__", "__len__", "__getitem__", "__contains__"):
            return getattr(type(target), act)(target, *args)
        raise AttributeError(act)

    # What the program puts into a class of the test's has a say in what its objects are.
    def set_of_class(target, name, value):
        if name in never_set or not is_open(target):
            return
        altered.append("set")
        believed.append("set")
        if seen[0]:
            builtins.setattr(target, name, value)

    never_set = ("__class__", "__dict__", "__module__", "__doc__", "__weakref__", "__bases__")

    def vars_of(target):
        return {name: value for name, value in vars(target).items() if may_ask(target, name)}
"""
