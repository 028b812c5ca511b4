"""Texts, in both children, for what a test asks of a function or class of the program's by itself.

What is plain data is told: parameters, names, flags, bases, attributes. A library class, also an
exception, is known by its module and name, and the objects of it are of it for `isinstance`. Where
a test asks what cannot be carried over, that is noted: it is masked if it fails.
"""

PROGRAM_LOOKING = """
    def abstract_of(kind):
        try:
            return sorted(kind.__abstractmethods__)
        except Exception:
            return None

    # The classes of the library that a class is made of, by module and name.
    def origins_of(kind):
        return [
            [str(getattr(base, "__module__", "")), base.__name__]
            for base in kind.__mro__ if base is not object and not is_own(base)
        ]

    def code_of(function):
        import inspect

        names = [[], [], [], [], []]
        for each in inspect.signature(function, follow_wrapped=False).parameters.values():
            names[int(each.kind)].append(each.name)
        flags = 3 + 4 * bool(names[2]) + 8 * bool(names[4])
        flags += 32 * inspect.isgeneratorfunction(function)
        flags += 128 * inspect.iscoroutinefunction(function)
        flags += 512 * inspect.isasyncgenfunction(function)
        return {
            "co_argcount": len(names[0] + names[1]), "co_posonlyargcount": len(names[0]),
            "co_kwonlyargcount": len(names[3]), "co_flags": flags,
            "co_name": str(function.__name__),
            "co_varnames": (*names[0], *names[1], *names[3], *names[2], *names[4]),
        }

    def copied_by(act):
        def copying(value):
            import copy

            return getattr(copy, act)(value)

        return copying

    acts["code"] = code_of
    acts["copy"], acts["deepcopy"] = copied_by("copy"), copied_by("deepcopy")
    acts["instance"] = lambda kind, value: isinstance(value, kind)
    acts["subclass"] = lambda kind, other: issubclass(other, kind)
    acts["type"] = type
    acts["mro"] = lambda kind: kind.__mro__
    acts["bases"] = lambda kind: kind.__bases__
    acts["subclasses"] = lambda kind: kind.__subclasses__()
    acts["class vars"] = lambda kind: dict(vars(kind))
    acts["annotations"] = lambda kind: getattr(kind, "__annotations__", {})
"""

TESTS_LOOKING = """
    untold = []  # what the test asked of the program's that cannot be carried over
    never_told = frozenset((
        "__closure__", "__globals__", "__builtins__", "__getstate__", "__sizeof__",
        "__dataclass_params__", "__orig_bases__", "__parameters__", "__type_params__",
        "__set_name__", "__weakref__", "__basicsize__", "__flags__",
    ))
    told_names += (
        "__kwdefaults__", "__isabstractmethod__", "__self__", "__func__", "__match_args__",
    )
    # Attributes of a module that are not the program's to say.
    of_modules = frozenset((
        "__path__", "__spec__", "__loader__", "__package__", "__cached__", "__builtins__",
    ))
    types_by_name = {
        each.__name__: each for each in vars(types).values()
        if isinstance(each, type) and each.__module__ == "builtins"
    }
    # Of these nothing is a program's: what is equal to anything, what skips or ends a test.
    never_library = ("unittest", "test", "doctest", "bdb", "pdb")

    # A class of the library, if the module that says that it has it is there.
    def library_class(origin, name):
        if origin == "builtins":
            found = getattr(builtins, name, None) or types_by_name.get(name)
        else:
            top = str(origin).partition(".")[0]
            if top in never_library:
                return None
            if top not in sys.stdlib_module_names and top not in lent_packages:
                return None
            content = vars(sys.modules.get(origin, types))
            found = content.get(name)
            if not isinstance(found, type) or found.__module__ != origin:
                found = next((
                    each for each in list(content.values())
                    if isinstance(each, type)
                    and (each.__name__, each.__module__) == (name, origin)
                ), None)
        return found if isinstance(found, type) else None

    known_of_library = of_library

    def of_library(origin, name):
        found = known_of_library(origin, name)
        if found is None and origin != "builtins":
            found = library_class(origin, name)
        is_error = found is not None and issubclass(found, BaseException)
        return found if is_error else None

    def library_classes(kind):
        found = [library_class(*origin) for origin in kind.grade_origins]
        return [each for each in found if each is not None]

    # What an object says that it is of: its class of the library, where the test names that.
    def class_of_object(self):
        kind = type(self)
        for each in library_classes(kind):
            if not kind.grade_own:
                return kind if each in data else each
            if each.__name__ in test_words[0] and "__class__" not in test_words[0]:
                return each
        return kind

    def is_subclass(kind, others):
        if issubclass(kind, others):
            return True
        if not isinstance(kind, Meta):
            return False
        return any(issubclass(each, others) for each in library_classes(kind))

    # Parameters, names and flags of a function.
    class Code:
        def __init__(self, content):
            self.content = content

        def __getattr__(self, name):
            if name[:3] != "co_" or name not in self.content:
                untold.append("__code__." + name)
                raise AttributeError(name)
            return self.content[name]

        @property
        def __class__(self):
            untold.append("__code__")
            return Code

    def is_alias(value):  # of a generic class
        return getattr(type(value), "grade_name", "").endswith("GenericAlias")

    def dunder_of(number, name):
        if name == "__code__":
            try:
                content = ask_made(number, "code")
            except (TypeError, ValueError):  # of a function that C code has
                raise AttributeError(name) from None
            return Code(content if type(content) is dict else {})
        if name == "__mro_entries__" and is_alias(standing[number]):
            return lambda bases: (parametrized,)  # the class has what it was written with
        if name in never_told and name in test_words[0]:
            untold.append(name)
        if name == "__func__":
            return function_of(number)
        if name in told_names or name in test_words[0]:
            return ask_made(number, "get", name)
        raise AttributeError(name)

    # Of a method of the library's, which may be denied: what is no method, for who looks for that.
    def function_of(number):
        try:
            return ask_made(number, "get", "__func__")
        except AttributeError:
            if types.MethodType not in library_classes(type(standing[number])):
                raise
            return builtins.object()

    def not_pickled(self, *args):
        untold.append("pickle")
        raise TypeError("cannot pickle an object of the program's")

    def copying(act):
        def copied(self, *args):
            number = stands[id(self)][1]
            value = ask_made(number, act)
            if number in constructed and is_far(value):
                constructed.add(stands[id(value)][1])
            return value

        return copied

    everywhere.update({
        "__copy__": copying("copy"), "__deepcopy__": copying("deepcopy"),
        "__reduce_ex__": not_pickled,
    })

    # What a class of the program's is asked for as any class is, below `Meta`.
    class Looked(type):
        @property
        def __signature__(cls):
            try:
                return signature_of_number(cls.grade_place)
            except (TypeError, ValueError):
                raise AttributeError("__signature__") from None

        @property
        def __mro__(cls):
            found = told_of(cls, "mro") if is_asked_by_test() else None
            return tuple(type.mro(cls) if found is None else found)

        @property
        def __bases__(cls):
            found = told_of(cls, "bases") if is_asked_by_test() else None
            return vars(type)["__bases__"].__get__(cls) if found is None else tuple(found)

        @property
        def __dict__(cls):
            found = told_of(cls, "class vars") if is_asked_by_test() else None
            return own_content.__get__(cls) if found is None else types.MappingProxyType(found)

        @property
        def __annotations__(cls):
            found = told_of(cls, "annotations")
            return {} if found is None else found

        # What an abstract class says of others that are not made of it.
        def says(cls, act, value):
            if "__abstractmethods__" not in own_content.__get__(cls) or not may_be_given(value):
                return False
            said = bool(told_of(cls, act, value))
            believed.extend([act] * said)
            return said

        def __subclasscheck__(cls, kind):
            return type.__subclasscheck__(cls, kind) or Looked.says(cls, "subclass", kind)

        def mro(cls):
            return list(told_of(cls, "mro") or type.mro(cls))

        def __subclasses__(cls):
            return list(told_of(cls, "subclasses") or ())

    own_content = vars(type)["__dict__"]

    # Without an answer while the class is made.
    def told_of(cls, act, *args):
        place = own_content.__get__(cls).get("grade_place")
        if classes.get(place) is not cls:
            return None
        return ask_made(place, act, *args)

    # Whether the text of a test asks, or what replaces attributes for it: others see what is here.
    def is_asked_by_test():
        name = sys._getframe(2).f_globals.get("__name__")
        return name in own_modules or name == "unittest.mock"

    # A method that classes of Python have whatever the program's has.
    class Init:
        def __get__(self, instance, owner):
            place = owner.grade_place if instance is None else stands[id(instance)][1]
            return ask_made(place, "get", "__init__")

    # Where a function says that it is from.
    class Home:
        def __get__(self, instance, owner):
            if instance is None:
                return "builtins"
            origin = ask_made(stands[id(instance)][1], "get", "__module__")
            return module_name[0] if origin == "__main__" else origin
"""
