"""Text, in the tests' child, of what a program may be given a handle of, and ask of it.

A handle is of what the test files define: functions, objects of classes, mocks; or of an object of
the library that has no more than data, below. A function or class of the library itself crosses by
its name, and is the program's own there: the tests' child lends it no code of its own.
"""

# Modules and classes of the library of whose objects a program may ask public methods.
_LENDING = """
    abc collections _collections collections.abc contextlib csv _csv datetime decimal enum fractions
    io _io ipaddress itertools numbers queue _queue re statistics typing uuid zoneinfo asyncio.locks
    asyncio.queues argparse.Namespace _contextvars.ContextVar functools.KeyWrapper
    numpy.random._generator numpy.random.mtrand operator.attrgetter operator.itemgetter
    operator.methodcaller _operator.attrgetter _operator.itemgetter _operator.methodcaller
    random.Random _random.Random string.Template _thread._local _thread.lock _thread.RLock
    threading.Barrier threading.BoundedSemaphore threading.Condition threading.Event
    threading.Semaphore threading.Thread types.SimpleNamespace xml.etree.ElementTree.Element
"""
_LOGGING = "critical debug error exception getChild info isEnabledFor log name setLevel warning"
# Where a program finds what these modules define.
_HOMES = {"posix": "os", "posixpath": "os.path"}

GRANTED = f"""
    import functools
    import unittest.mock

    own_modules = set()  # names of the modules of the test
    own_spaces = {{}}  # by id: their namespaces
    grants = [None]  # by module of the library: the names that the program's policy grants
    lending, log_words, homes = set({_LENDING.split()!r}), set({_LOGGING.split()!r}), {_HOMES!r}
    no_data = (
        *(object, type, types.FunctionType, types.BuiltinFunctionType, types.MethodType),
        *(types.ModuleType, builtins.property, builtins.staticmethod, builtins.classmethod),
    )
    functions = (
        types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType,
        types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType,
    )
    bound = types.MethodType, types.BuiltinFunctionType, types.MethodWrapperType
    # What leads on to code, and to what a test knows: never given.
    never = (types.FrameType, types.CodeType, types.TracebackType, types.CellType)
    of_mocks = (
        "assert_", "call_args", "call_count", "called", "mock_calls", "method_calls", "await",
        "reset_mock", "configure_mock", "side_effect", "return_value", "mock_add_spec",
        "attach_mock",
    )

    def is_mock(value):
        return isinstance(value, unittest.mock.NonCallableMock)

    def is_own_class(kind):
        return kind.__module__ in own_modules

    def lends(home):
        if home.__module__ == "builtins":
            return home not in no_data and home not in never
        return bool({{home.__module__, home.__module__ + "." + home.__qualname__}} & lending)

    def is_class(value):  # which an object, as a mock, may only say
        return issubclass(type(value), type)

    # Returns whether `kind` is a class of the test's of which the program may ask what is in it.
    def is_open(kind):
        if not is_class(kind) or not is_own_class(kind) or is_of_tests(kind):
            return False
        return not issubclass(kind, unittest.mock.NonCallableMock)

    def is_of_tests(kind):
        return issubclass(kind, unittest.TestCase) or kind.__name__[:4] == "Test"

    # Of what has a name below one of its classes, or is such a class; None if none has it.
    def is_lent_by(kind, name):
        for home in kind.__mro__:
            if name in vars(home):
                has = name in log_words and home.__module__ == "logging"
                return is_own_class(home) or lends(home) or has
        return None

    # A name with an underscore, of a class of the test's own and of what such classes put there.
    def may_ask_private(value, name):
        kind = value if is_class(value) else type(value)
        if name[:2] == "__" or name[-1:] == "_" or not is_open(kind):
            return False
        if any(name in vars(home) for home in kind.__mro__):
            return any(name in vars(home) for home in kind.__mro__ if is_own_class(home))
        return name in getattr(value, "__dict__", ()) and is_private_own(kind)

    def is_private_own(kind):
        homes = [each for each in kind.__mro__[:-1] if not is_own_class(each)]
        return is_open(kind) and all(each.__module__ in ("abc", "enum", "typing") for each in homes)

    # Whether the program may ask `name` of what it has a handle of. The one place that says so.
    def may_ask(value, name):
        if name[:1] == "_" and name not in special_names and name != "__await__":
            return may_ask_private(value, name)
        if is_mock(value):  # which may say that it is a function
            return name != "__call__" or not calls_library(value)
        if isinstance(value, functions):
            return name == "__call__" and is_given_function(value)
        if is_class(value):
            if name == "__call__":
                return is_own_class(value)
            return is_open(value) and is_lent_by(value, name) is True
        kind = type(value)
        if getattr(value, "__wrapped__", None) is not None and kind.__module__ == "functools":
            return name == "__call__" and is_given_function(value.__wrapped__)
        is_own = any(map(is_own_class, kind.__mro__))
        is_lent = is_lent_by(kind, name)
        if is_lent is not None:
            return is_lent
        if name in getattr(value, "__dict__", ()):
            return is_own or lends(kind) or (name in log_words and kind.__module__ == "logging")
        return is_own and any("__getattr__" in vars(home) for home in kind.__mro__[:-1])

    # A mock that goes on to something of the library, which the program would call by it.
    def calls_library(mock):
        goes_on = vars(mock).get("_mock_wraps"), getattr(mock, "side_effect", None)
        return not all(is_called_here(each) for each in goes_on if callable(each))

    def is_called_here(value):
        if type(value) is functools.partial:
            return is_called_here(value.func)
        if isinstance(value, type):
            return is_own_class(value) or issubclass(value, BaseException)
        if isinstance(value, functions) and value.__module__ == "unittest.mock":
            return "<locals>" in value.__qualname__
        return is_far(value) or may_ask(value, "__call__")

    # A function of a file of the test, maybe in a wrapper of the library's; a method that may be
    # asked; a function that a mock stands behind.
    def is_given_function(value):
        if is_mock(value):
            return not calls_library(value)
        if is_far(value) or is_mock(getattr(value, "mock", None)):
            return True
        if isinstance(value, types.MethodType):
            if is_given_function(value.__func__):
                return True
        elif isinstance(value, types.FunctionType):
            below = vars(value).get("__wrapped__")
            return id(value.__globals__) in own_spaces or (
                below is not None and is_given_function(below)
            )
        if isinstance(value, bound):
            owner = value.__self__
            if isinstance(owner, type):
                return is_own_class(owner)
            return not isinstance(owner, types.ModuleType) and may_ask(owner, value.__name__)
        return False

    def is_granted(module, name):
        top = module.partition(".")[0]
        if top in lent_packages or module == "builtins":
            return True
        if top not in sys.stdlib_module_names or top in ("unittest", "test"):
            return False
        if grants[0] is None:
            return True
        names = grants[0].get(module, ())
        return "*" in names or name.partition(".")[0] in names or (not name and bool(names))

    # A function of numpy's that is of no class of functions.
    def is_ufunc(value):
        return isinstance(value, kinds_of_ufuncs)

    # By which module and name the program has what this child has of the library, if it has it.
    def place_in_library(value):
        owners = getattr(value, "__objclass__", None), getattr(value, "__self__", None)
        found = [getattr(each, "__module__", None) for each in (value, *owners)]
        found.append(type(owners[1]).__module__)
        modules = [each for each in found if isinstance(each, str)]
        modules += ["numpy"] if is_ufunc(value) else []
        modules += [homes.get(each, each.lstrip("_")) for each in modules]
        for module in ("builtins", *reversed(modules)):
            for name in (getattr(value, each, "") for each in ("__qualname__", "__name__")):
                found = sys.modules.get(module)
                for part in name.split("."):
                    found = getattr(found, part, None)
                if found is value or isinstance(found, functions) and found == value:
                    if is_granted(module, name):
                        return [module, name]
        return None

    # Special methods that a handle has. What any object has is the program's to do.
    def names_given(value):
        return [each for each in names_defined(type(value)) if may_ask(value, each)]

    # Those of the handles of a class.
    def names_of_class(kind):
        return [each for each in names_defined(kind) if is_lent_by(kind, each)]

    def names_defined(kind):
        words = {{*special_names, "__await__"}}
        names = [each for each in dir(kind) if each in words]
        return [each for each in names if getattr(kind, each) is not getattr(object, each, None)]
"""
