"""Text, in the program's child, for what the program gives: values, classes, exceptions, itself.

A class is told once, with what it has and what it is made of. Anything else that is no data is a
number, which the tests' child has a stand-in for.
"""

TOLD = """
    # What stands for the module that the program is.
    class Space:
        __doc__ = space.get("__doc__")

        def __getattr__(self, name):
            if name in space and name[:6] != "grade_":
                return space[name]
            raise AttributeError(name)

        def __setattr__(self, name, value):
            space[name] = value

        def __delattr__(self, name):
            if name not in space:
                raise AttributeError(name)
            del space[name]

    def names_of(one):
        if "__all__" in space:
            return [str(name) for name in space["__all__"]]
        return [name for name in space if name[:1] != "_" and name[:6] != "grade_"]

    acts["names"] = names_of
    acts["space"] = lambda one: [
        name for name in space if name[:2] != "__" and name[:6] != "grade_"
    ]
    acts["dir"] = lambda one: [str(name) for name in dir(one)]
    acts["vars"] = vars
    acts["own"] = lambda one, name, *others: getattr(one, name)(*others)

    def fields(kind):
        import dataclasses

        missing = dataclasses.MISSING
        return [
            (field.name, [] if field.default is missing else [field.default])
            for field in dataclasses.fields(kind)
        ]

    acts["fields"] = fields

    def signature(function):
        import inspect

        found = []
        for each in inspect.signature(function).parameters.values():
            has_default = each.default is not inspect.Parameter.empty
            default = each.default if has_default else None
            has_hint = each.annotation is not inspect.Parameter.empty
            hint = each.annotation if has_hint else None
            found.append([each.name, str(each.kind), has_default, default, has_hint, hint])
        result = inspect.signature(function).return_annotation
        has_result = result is not inspect.Signature.empty
        return [found, has_result, result if has_result else None]

    acts["signature"] = signature
    acts["all"] = lambda one, names: [getattr(one, name) for name in names]
    found[""] = Space()

    told = set()  # numbers of classes that the tests' child knows

    def is_class(value):
        try:
            return isinstance(value, type)
        except Exception:
            return False

    def is_own(kind):
        return getattr(kind, "__module__", "") == "__main__"

    def class_content(kind):
        place = number_of(kind)
        if place in told:
            return [place]
        told.add(place)
        error, bases, defined = None, [], []
        if issubclass(kind, BaseException):
            error = [[], []]
            for each in kind.__mro__:
                error[0].append(each.__name__)
                error[1].append(getattr(each, "__module__", ""))
        like = kind.__name__
        if is_own(kind):
            bases = [class_content(base) for base in kind.__bases__ if is_own(base)]
            for base in kind.__mro__:
                if is_own(base):
                    defined.extend(name for name in orders if name in vars(base))
            others = [base.__name__ for base in kind.__mro__ if not is_own(base)]
            like = others[0] if others else ""
            if like in ("Mapping", "MutableMapping", "Set", "MutableSet"):
                defined.append("__eq__")
        doc = kind.__doc__ if is_own(kind) else None
        names = {*dir(kind), *(name for name in combining if hasattr(kind, name))}
        about = kind.__name__, is_own(kind), sorted(names), bases, error, defined
        doc = doc if isinstance(doc, str) else None
        return [place, *about, doc, like, origins_of(kind), abstract_of(kind)]

    # An object of a class of the program's below these is a handle where its class has more than
    # data has: what that does, only the program knows.
    def is_made_of_data(value, kind):
        if not is_own(kind) or hasattr(kind, "__members__"):
            return False
        if isinstance(value, (list, dict)):
            return True
        if not isinstance(value, (int, float, str, tuple)):
            return False
        fixed = ["__repr__"] if hasattr(kind, "_fields") else []
        lines = [vars(base) for base in kind.__mro__ if is_own(base)]
        return any(name in line and name not in fixed for line in lines for name in own_ways)

    own_ways = (
        *("__add__", "__sub__", "__mul__", "__truediv__", "__floordiv__", "__mod__", "__pow__"),
        *("__radd__", "__rsub__", "__rmul__", "__neg__", "__abs__", "__eq__", "__lt__", "__hash__"),
        *("__str__", "__repr__", "__format__", "__len__", "__getitem__", "__contains__"),
        *("__iter__", "__call__", "__bool__", "__int__", "__float__"),
    )

    def is_coroutine(function):
        import inspect

        return inspect.iscoroutinefunction(function)

    acts["is_coroutine"] = is_coroutine

    combining = ("__or__", "__and__", "__xor__", "__invert__", "__contains__")
    orders = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__contains__")

    def word_of_cycle(value):
        return ["far", [number_of(value), class_content(type(value))]]

    plain_parts = other_parts

    def other_parts(value, kind):
        if id(value) in near_of:
            return ["given", near_of[id(value)][1]], None
        name = kind.__name__
        if is_class(value):
            if getattr(builtins, value.__name__, None) is value:
                return ["type", value.__name__], None
            if is_own(value):
                return ["class", class_content(value)], None
            origin = str(getattr(value, "__module__", ""))
            return ["library", [origin, value.__name__, class_content(value)]], None
        if name == "module" or id(value) in homes:
            home = value if name == "module" else homes[id(value)][1]
            return ["module", home.__name__], None
        if name in ("PosixPath", "Path", "PurePosixPath"):
            return ["path", str(value)], None
        if is_made_of_data(value, kind):
            return word_of_cycle(value), None
        word, items = plain_parts(value, kind)
        if items is not None and word[0] == "kin":
            word[2].append(class_content(kind) if is_own(kind) else [*origins_of(kind)[0]])
        return word, items

    plain_error_parts = error_parts

    def error_parts(error):
        if id(error) in near_of:
            names, _ = said_by(error)
            about = [names, "", 0, False, [], ["given", near_of[id(error)][1]], None, False]
            return ["error", 4, about], [None, None, None, None]
        [_, _, about], [args, cause] = plain_error_parts(error)
        if isinstance(error, OSError) and error.filename is not None:
            args = error.errno, error.strerror, error.filename
        kind = type(error)
        content = ["class", class_content(kind)] if is_own(kind) else None
        notes = getattr(error, "__notes__", None)
        context = None if error.__suppress_context__ else error.__context__
        named = getattr(error, "name", None) if content is None else None
        named = named if type(named) is str else None
        about += [content, named, error.__suppress_context__]
        return ["error", 4, about], [args, cause, notes, context]
"""
