"""Text, in the tests' child, for classes of the program's, which are classes there as well.

Instances are instances of them, exceptions can be caught by them, and they have the bases that they
have in the program. What a class is asked goes to the program.
"""

CLASSES = """
    class Meta(Looked):
        def __call__(cls, *args, **kwargs):
            before, making[0] = making[0], True
            try:
                value = ask(cls.grade_place, "call", args, kwargs)[1]
            finally:
                making[0] = before
            if is_far(value) and cls.grade_place in reached:
                number = stands[id(value)][1]
                constructed.add(number)
                if arrivals.get(number) == 1:  # but for this
                    arrivals[number] = 0
            return value

        def __new__(meta, name, bases, names, own=False, **more):
            if not own:
                return derived_class(name, bases, names, more)
            return type.__new__(meta, name, bases, names)

        def __init__(cls, name, bases, names, own=False, **more):
            if own:
                type.__init__(cls, name, bases, names)

        def __getattr__(cls, name):
            if name == "__dataclass_fields__":
                try:
                    found = dict(ask(cls.grade_place, "fields", (), {})[1])
                except TypeError:
                    raise AttributeError(name) from None
                made = dataclasses.make_dataclass(cls.__name__, found).__dataclass_fields__
                for each, default in found.items():
                    made[each].default = default[0] if default else dataclasses.MISSING
                return made
            if name == "__members__":
                return {each.name: each for each in cls}
            if name[:2] == "__":
                value = dunder_of(cls.grade_place, name)
            else:
                value = ask_made(cls.grade_place, "get", name)
            if name in questions and came_back(cls.grade_place):
                believed.append(name)
            return value

        def __setattr__(cls, name, value):
            ask_made(cls.grade_place, "set", name, value)

        def __delattr__(cls, name):
            ask_made(cls.grade_place, "del", name)

        def __dir__(cls):
            return ask_made(cls.grade_place, "dir")

        def __or__(cls, other):
            return ask_made(cls.grade_place, "|", other) if is_far(other) else NotImplemented

        def __iter__(cls):
            return builtins.iter(ask_made(cls.grade_place, "iter"))

        def __len__(cls):
            return ask_made(cls.grade_place, "len")

        def __bool__(cls):
            return True

        def __getitem__(cls, key):
            return ask_made(cls.grade_place, "item", key)

        def __contains__(cls, item):
            believed.extend(["in"] * (not is_far(item)))
            return bool(ask_made(cls.grade_place, "in", item))

        def __instancecheck__(cls, value):
            if type.__instancecheck__(cls, value):
                return True
            if isinstance(value, Meta) and ("builtins", "type") in cls.grade_origins:
                return issubclass(type_of(value), cls)
            place = getattr(type(value), "grade_kin", None)
            if place is not None and cls.grade_place in supers.get(place, ()):
                return True
            return Looked.says(cls, "instance", value)

    def class_of(content):
        place = content[0]
        if len(content) > 1 and place not in classes:
            _, name, is_own, names, bases, error, defined, doc, like, origins, abstract = content
            has_order = is_own and not set(defined).isdisjoint(order_names.values())
            parents = tuple([class_of(base) for base in bases])
            supers[place] = {place}.union(*[supers[each.grade_place] for each in parents])
            about = {
                "grade_name": str(name), "grade_own": is_own is True, "grade_place": place,
                "grade_names": frozenset(names), "grade_defined": frozenset(defined),
                "grade_like": "" if has_order else like_data.get(like, ""),
                "__module__": module_name[0] if is_own else "builtins", "__doc__": doc,
                "grade_origins": tuple((str(origin), str(each)) for origin, each in origins),
            }
            if error:
                base = base_of_error(*error)
                if not any(issubclass(parent, base) for parent in parents):
                    parents = (*parents, base)
                about.update(of_errors)
            else:
                has = {each: make for each, make in special.items() if each in names}
                about.update({**everywhere, **of_objects, **has})
                if not is_own:
                    about.update(of_functions if "__call__" in names else {})
                about["__class__"] = property(class_of_object)
                if like in homes_of_like and is_own:
                    about["__class__"] = property(lambda self: homes_of_like[like])
                if is_own and "__init__" in test_words[0]:
                    about["__init__"] = Init()
                parents = parents or (Far,)
            classes[place] = Meta(str(name), parents, about, own=True)
            if abstract is not None and not error:
                type.__setattr__(classes[place], "__abstractmethods__", frozenset(abstract))
            keep(place, classes[place])
        return classes[place]

    def stand_in(number, content):
        shape = class_of(content)
        if number not in standing:
            if not shape.grade_own and shape.grade_name in ended_by:
                keep(number, ended_by[shape.grade_name](number))
            else:
                keep(number, builtins.object.__new__(shape))
        if making[0]:
            made_here.add(number)
        return arrived(number)

    of_objects = {
        "__dict__": property(lambda self: vars_of_object(self)),
        "__dir__": lambda self: ask_made(stands[id(self)][1], "dir"),
    }

    def vars_of_object(self):
        try:
            return ask_made(stands[id(self)][1], "vars")
        except TypeError:  # it has slots
            raise AttributeError("__dict__") from None

    # A function of the program's is bound to an instance of the test's class that has it, and is
    # looked at by its own name, text and parameters.
    of_functions = {
        "__get__": lambda self, instance, owner=None: (
            self if instance is None else types.MethodType(self, instance)
        ),
        "__doc__": property(lambda self: ask_made(stands[id(self)][1], "get", "__doc__")),
        "__module__": Home(),
        "_is_coroutine": property(lambda self: mark_of(self, asyncio.coroutines)),
        "_is_coroutine_mark": property(lambda self: mark_of(self, inspect)),
        "__signature__": property(lambda self: signature_of(self)),
    }
    homes_of_like = {
        "list": list, "dict": dict, "tuple": tuple, "int": int, "float": float, "str": str,
    }

    def mark_of(self, home):
        is_coroutine = ask_made(stands[id(self)][1], "is_coroutine")
        names = "_is_coroutine_mark", "_is_coroutine"
        marks = [each for each in map(vars(home).get, names) if each is not None]
        return marks[0] if is_coroutine and marks else None

    def signature_of(self):
        return signature_of_number(stands[id(self)][1])

    def signature_of_number(number):
        found = []
        params, has_result, result = ask_made(number, "signature")
        for name, kind, has_default, default, has_hint, hint in params:
            found.append(
                inspect.Parameter(
                    name, kinds_of_parameters[kind],
                    default=default if has_default else inspect.Parameter.empty,
                    annotation=hint if has_hint else inspect.Parameter.empty,
                )
            )
        return inspect.Signature(
            found, return_annotation=result if has_result else inspect.Signature.empty
        )

    kinds_of_parameters = {
        form: kind for kind in inspect._ParameterKind
        for form in (str(kind), kind.name, kind.description)
    }

    ended_by = {
        "property": lambda number: builtins.property(
            ask_made(number, "get", "fget") if "fget" in test_words[0] else None,
            doc=ask_made(number, "get", "__doc__"),
        ),
        "generator": generated, "coroutine": awaited,
        "async_generator": awaited_each,
    }

    def base_of_error(names, origins):
        for name, origin in zip(names, origins):
            found = getattr(builtins, name, None) if origin == "builtins" else None
            found = found or of_library(origin, name)
            if isinstance(found, type) and issubclass(found, BaseException):
                return found
        return Exception

    of_errors = {
        "__str__": lambda self: builtins.vars(self).get("grade_text", ""),
        "__getattr__": lambda self, name: own_of_error(self, name),
        "__init__": lambda self, *args, **kwargs: None,
        "__setattr__": lambda self, name, value: set_of_error(self, name, value),
    }
    names_of_errors = {
        name for kind in builtins.vars(builtins).values()
        if isinstance(kind, type) and issubclass(kind, BaseException) for name in dir(kind)
    }

    def set_of_error(self, name, value):
        if name[:1] == "_" or name in names_of_errors or id(self) not in stands:
            return BaseException.__setattr__(self, name, value)
        ask_made(stands[id(self)][1], "set", name, value)


    def own_of_error(self, name):
        if name[:2] == "__" or id(self) not in stands:
            raise AttributeError(name)
        value = ask_made(stands[id(self)][1], "get", name)
        note_question(stands[id(self)][1], name)
        return value

    # Replaces that of `raising`.
    def error_of(
        names, text, number, is_own, origins, extra, named, is_alone, args, cause, notes, context
    ):
        if extra and extra[0] == "given":
            return near[extra[1]]
        if number not in standing:
            if extra:
                kind = class_of(extra[1])
                if issubclass(kind, (StopIteration, StopAsyncIteration)) and not knows_stop[0]:
                    error = GuestError(names[0] + ": " + text)
                else:
                    if issubclass(kind, (StopIteration, StopAsyncIteration)):
                        believed.append(names[0])
                    error = kind.__new__(kind, *(args if type(args) is tuple else (text,)))
                    builtins.vars(error)["grade_text"] = text
                    if isinstance(error, OSError) and type(args) is tuple:
                        OSError.__init__(error, *args)  # which has errno and the like
            else:
                error = raised(names, args, text, is_own, origins)
            keep(number, error)
        elif extra and "grade_text" in builtins.vars(standing[number]):  # it may have changed since
            builtins.vars(standing[number])["grade_text"] = text
            if type(args) is tuple:
                standing[number].args = args
        error = arrived(number)
        if type(named) is str and isinstance(error, (AttributeError, NameError, ImportError)):
            error.name = named
        if is_alone is True:
            error.__suppress_context__ = True
        if isinstance(cause, BaseException):
            error.__cause__ = cause
        if isinstance(context, BaseException):
            error.__context__ = context
        if type(notes) is list:
            error.__notes__ = [str(note) for note in notes]
        return error

    plain_kin, plain_fixed_kin = kin, fixed_kin

    def fixed_kin(below):
        class Kin(plain_fixed_kin(below)):
            grade_home = None  # the class of the library that it is of
            __class__ = property(lambda self: type(self).grade_home or type(self))

        return Kin

    def kin_of(value, number, name, fields, content=None):
        made_kin = plain_kin(value, number, name, fields)
        if number in standing:
            arrived(number)
        if content and type(content[0]) is int:
            class_of(content)
            type(made_kin).grade_kin = content[0]
        elif content and library_class(*content) is not None:
            type(made_kin).grade_home = library_class(*content)
        return made_kin

    made["kin"] = noted("kin", lambda items, about: kin_of(items[0], *about))
"""
