"""Text, in the program's child, for functions, classes and objects of a test's that are there.

A function there has the parameters, defaults and hints that it has in the test, and a class the
name and the bases: what a program asks of them by itself is answered as in one process. What they
do and hold is asked of the test: see `lent`.
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
            if id(cls) not in near_of:  # made of one of these and of the program's own
                return type.__call__(cls, *args, **kwargs)
            return of_near(cls, "__call__", args, kwargs)

    # What a class of the test's has: it is asked each time, of the class or of the object.
    class Held:
        def __init__(self, number, name):
            self.number, self.name = number, name

        def __get__(self, instance, owner=None):
            if self.name == "__dataclass_fields__":
                return fields_of(self.number)
            if instance is not None and id(instance) in near_of:
                return of_near(instance, "get", (self.name,), {})
            value = asked_back(self.number, "get", (self.name,), {})
            if instance is not None and hasattr(value, "__get__"):
                return value.__get__(instance, owner)
            return value

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
