"""Texts, in both children, for functions, classes and objects of a test's in the program's child.

A function there has the parameters, defaults and hints that it has here, and a class the name and
the bases: what a program asks of them by itself is answered as in one process. What they do and
hold is asked of the test. What nobody there can answer, such a question notes: see `lacking`.
"""

PROGRAM_LENDING = """
    # The text of a function with these parameters, which passes on what it is called with.
    def text_of_function(params, is_async):
        before, passed, named, kinds = [], [], [], [each[1] for each in params]
        for number, (name, kind, has_default, has_hint) in enumerate(params):
            text = ("*" if kind == 2 else "**" if kind == 4 else "") + name
            if kind == 3 and 2 not in kinds and "*" not in before:
                before.append("*")
            (named if kind == 4 else passed if kind < 3 else named).append(
                text if kind != 3 else repr(name) + ": " + name
            )
            hint = ": grade_values[" + str(2 * number + 1) + "]" if has_hint else ""
            default = " = grade_values[" + str(2 * number) + "]" if has_default else ""
            before.append(text + hint + default)
            if kind == 0 and 0 not in kinds[number + 1 :]:
                before.append("/")
        return (
            "def grade_made(grade_asked, grade_values):\\n    "
            + ("async " if is_async else "") + "def called(" + ", ".join(before) + "):\\n"
            + "        return " + ("await " if is_async else "") + "grade_asked(("
            + "".join([each + ", " for each in passed]) + "), {" + ", ".join(named) + "})\\n"
            + "    return called\\n"
        )

    made_functions = {}  # by their text

    def near_defined(values, about):
        number, name, doc, params, is_async, names = about
        if number in nears:
            return nears[number]
        text = text_of_function(params, is_async)
        try:
            if text not in made_functions:
                scope = {}
                exec(text, scope)
                made_functions[text] = scope["grade_made"]
            called = made_functions[text](
                lambda args, kwargs: asked_back(number, "__call__", args, kwargs), values
            )
        except Exception:  # a name that the policy does not let a program have
            called = None
        near_function(number, name, doc, called)
        for place, attribute in enumerate(names):
            setattr(nears[number], attribute, values[2 * len(params) + place])
        attributes[number] = dict(vars(nears[number]))
        return nears[number]

    made["def"] = near_defined
    attributes = {}  # by number of a function: those that both know
    changes_of_containers = changes

    def changes(only=None):
        found = changes_of_containers(only)
        for number, known in attributes.items():
            now = vars(nears[number])
            new = [name for name in now if known.get(name, known) is not now[name]]
            if new:
                attributes[number] = dict(now)
                found.append(["f", number, flat({name: now[name] for name in new})])
        return found

    restore_containers = restore

    def restore(changes):
        restore_containers([each for each in changes if each[0] != "f"])
        for key, number, items in changes:
            if key == "f":
                for name, value in paired(items):
                    setattr(nears[number], name, value)
                attributes[number] = dict(vars(nears[number]))

    class NearMeta(type):
        def __call__(cls, *args, **kwargs):
            return of_near(cls, "__call__", args, kwargs)

    # What a class of the test's has: it is asked each time, of the class or of the object.
    class Held:
        def __init__(self, number, name):
            self.number, self.name = number, name

        def __get__(self, instance, owner=None):
            if self.name == "__dataclass_fields__":
                return fields_of(self.number)
            if instance is not None:
                return of_near(instance, "get", (self.name,), {})
            return asked_back(self.number, "get", (self.name,), {})

    class NearEnum(NearMeta):
        def __iter__(cls):
            return of_near(cls, "__iter__", (), {})

        def __len__(cls):
            return of_near(cls, "__len__", (), {})

        def __getitem__(cls, name):
            return of_near(cls, "__getitem__", (name,), {})

        def __contains__(cls, item):
            return of_near(cls, "__contains__", (item,), {})

    def fields_of(number):
        import dataclasses

        made = dataclasses.make_dataclass("Made", asked_back(number, "fields", (), {}))
        return {each.name: each for each in dataclasses.fields(made)}

    def near_kind(items, about):
        number, name, names, is_enum, held = about
        if number in nears:
            return nears[number]
        bases, own = items
        meta = type if number is None else NearEnum if is_enum else NearMeta
        try:
            shape = near_shape(tuple(bases) or (Near,), names, meta)
        except TypeError:  # bases that have no order
            shape = near_shape((Near,), names, meta)
        if number is None:
            return meta(name, (shape,), {})
        own = {**own, **{each: Held(number, each) for each in held}}
        plain = {each: value for each, value in own.items() if each[:2] != "__"}
        content = {"__dict__": property(lambda self: of_near(self, "vars", (), {})), **own}
        for more in (content, own, plain, {}):
            try:
                kind = meta(name, (shape,), more)
                if more is not content and "vars" not in space:
                    space["vars"] = vars_here
                break
            except Exception:  # names that the policy lets no program bind
                continue
        kept_near(number, kind)
        attributes[number] = dict(vars(kind))
        return kind

    def vars_here(*objects):
        is_near = len(objects) == 1 and id(objects[0]) in near_of
        if is_near and not isinstance(objects[0], (type, BaseException)):
            return of_near(objects[0], "vars", (), {})
        return vars(*objects)

    made["kind"] = near_kind

    def near_object(items, number):
        if number not in nears:
            kept_near(number, object.__new__(items[0]))
        return nears[number]

    made["near"] = near_object
"""

TESTS_LENDING = """
    lacking = []  # what the program asked of what the test gave, and nobody there can answer

    def word_of_function(value):
        name, doc = str(getattr(value, "__name__", "function")), str(value.__doc__ or "")
        if type(value) not in (types.FunctionType, types.MethodType) or is_lent_bare(value):
            return ["function", [number_near(value), name, doc]], None
        params, items, attributes = [], [], public_of(value)
        for each in inspect.signature(value, follow_wrapped=False).parameters.values():
            has_default = each.default is not inspect.Parameter.empty
            has_hint = is_hint(each.annotation)
            params.append([each.name, int(each.kind), has_default, has_hint])
            items += [each.default if has_default else None, each.annotation if has_hint else None]
        number = number_near(value)
        if isinstance(value, types.FunctionType):
            attributes_known[number] = dict(attributes)
        else:
            attributes = {}
        is_async = inspect.iscoroutinefunction(value)
        about = [number, name, doc, params, is_async, list(attributes)]
        items += attributes.values()
        return ["def", len(items), about], items

    # Without parameters that a text could have: of a class that C code has, or made by a generator.
    def is_lent_bare(value):
        code = getattr(value, "__code__", None)
        return code is None or not all(name.isidentifier() for name in code.co_varnames)

    def is_hint(value):
        if value is inspect.Parameter.empty:
            return False
        return type(value) is str or issubclass(type(value), type)

    # Not those of a function that stands for a mock.
    def public_of(function):
        return {} if "mock" in vars(function) else {
            name: value for name, value in vars(function).items()
            if name[:1] != "_" and not name.startswith(("pytest", "patchings"))
            and (is_far(value) or type(value) in kinds_of_attributes)
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

    def is_own(kind):
        return isinstance(kind, type) and kind.__module__ in own_modules

    def word_of_kind(kind):
        own = is_own(kind)
        names = [each for each in dir(kind) if each in special_names or each == "__await__"]
        bases = [each for each in kind.__bases__ if is_own(each)] if own else []
        more = {}
        if own and isinstance(kind.__init__, types.FunctionType):
            more = {"__init__": kind.__init__}
        is_enum = isinstance(kind, enum.EnumMeta)
        number = number_near(kind) if own else None
        held = [each for each in vars(kind) if each[:2] != "__"] if is_open(kind) else []
        if hasattr(kind, "__dataclass_fields__"):
            held.append("__dataclass_fields__")
        about = [number, kind.__name__, names, is_enum, held]
        return ["kind", 2, about], [bases, more]

    def word_of_object(value, kind):
        return ["near", 1, number_near(value)], [Kind(kind)]

    # A class that goes with an object, whatever module it is of.
    class Kind:
        def __init__(self, kind):
            self.kind = kind

    def known_of(place):
        value = sents[place[0]][place[1]]
        return value.kind if type(value) is Kind else value

    atoms["known"] = noted("known", known_of)

    # Returns whether `kind` is a class of the test's of which the program may ask what is in it.
    def is_open(kind):
        closed = unittest.TestCase, unittest.mock.NonCallableMock
        return is_own(kind) and not issubclass(kind, closed)

    def lack(name):
        lacking.append(name)
        raise AttributeError(name)

    # Of a class of the test's.
    def answer_of_class(target, act, args):
        if act == "get":
            [name] = args
            if name[:2] == "__":
                lack(name)
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
        return {name: value for name, value in vars(target).items() if name[:2] != "__"}
"""
