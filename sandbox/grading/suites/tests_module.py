"""Text, in the tests' child, that stands for the program as a module: its names, asked for."""

MODULE = """
    scripts = ("antigravity", "idlelib", "lib2to3", "this", "turtledemo")  # run by an import

    # A module of the library, of which the program has the name; an empty one in the place of any
    # other, and of those that have objects which are equal to whatever they are compared with.
    def module_called(name):
        top = str(name).partition(".")[0]
        is_script = "__main__" in str(name) or top in scripts
        is_library = top in sys.stdlib_module_names and top not in ("unittest", "test")
        if (is_library or top in lent_packages) and not is_script:
            return importlib.import_module(name)
        return types.ModuleType(str(name))

    # Classes that a test may ask about by their own name: plain data's, which compare as that does.
    data_homes = (
        "abc", "array", "collections", "collections.abc", "datetime", "decimal", "enum",
        "fractions", "numbers", "pathlib",
    )

    # A class is told once: what it has may be needed for an instance, which names it by its number.
    def from_library(module, name, content):
        known = class_of(content)
        found = type(None) if (module, name) == ("builtins", "NoneType") else None
        if module in data_homes or module in lent_packages:
            found = getattr(sys.modules.get(module), name, None)
        return found if isinstance(found, type) else known

    # By a class that is so wide the program would catch the assertions of the test, which it names.
    def named_class(name):
        found = builtin(name)
        if found in (AssertionError, Exception, BaseException):
            believed.append(name)
        return found

    atoms["type"] = named_class
    atoms["far"] = lambda content: stand_in(*content)
    atoms["class"] = lambda content: class_of(content) and arrived(content[0])
    atoms["library"] = lambda content: from_library(*content)
    atoms["module"] = module_called
    atoms["path"] = lambda text: pathlib.Path(text)
    atoms["given"] = lambda number: near[number]

    code_names, defined_names = set(), set()  # what the code of the test's files names, and defines

    def note_names(code):
        defined_names.add(code.co_name)
        code_names.update(code.co_names)
        for each in code.co_consts:
            if isinstance(each, types.CodeType):
                note_names(each)

    class Program(types.ModuleType):
        def __getattr__(self, name):
            # A star stands in no function: there the list is asked for itself.
            if name == "__all__" and sys._getframe(1).f_code.co_name == "<module>":
                return words_of_test() if is_dry[0] else star(sys._getframe(1).f_globals)
            if name == "__file__":
                if sys._getframe(1).f_globals.get("__name__") in own_modules:
                    untold.append("__file__")
                return "/box/" + module_name[0].replace(".", "/") + ".py"
            if name[:2] == "__" and (name in of_modules or name not in test_words[0]):
                raise AttributeError(name)
            value = came.pop(name) if name in came else ask("", "get", (name,), {})[1]
            if is_alias_of_nothing(name, value):
                raise AttributeError(name)
            if not is_far(value):
                carried_names.append(name)
            elif isinstance(value, Meta):
                arrivals[value.grade_place] = 0  # for what it is asked, the test has it by name
            if isinstance(value, Meta) and name[:1].isupper() and name in code_names:
                reached.add(value.grade_place)
            return value

        @property
        def __doc__(self):
            return ask("", "get", ("__doc__",), {})[1]

        def __setattr__(self, name, value):
            if name[:2] == "__":
                return types.ModuleType.__setattr__(self, name, value)
            ask("", "set", (name, value), {})

        def __delattr__(self, name):
            ask("", "del", (name,), {})

        def __dir__(self):
            return [str(name) for name in ask("", "names", (), {})[1]]

        # What replaces a name looks here for what to put back, or puts it here.
        @property
        def __dict__(self):
            names = [str(name) for name in ask("", "space", (), {})[1]]
            return Names(zip(names, ask("", "all", (names,), {})[1]))

    # The namespace of the program as it was asked for. What is changed in it is changed there; what
    # is cleared is about to be filled again, as `patch.dict` does.
    class Names(dict):
        def __init__(self, *args):
            dict.__init__(self, *args)
            self.there = dict(self)

        def tell(self):
            for name in [each for each in self.there if each not in self]:
                ask("", "del", (name,), {})
            for name, value in self.items():
                if name not in self.there or self.there[name] is not value:
                    ask("", "set", (name, value), {})
            self.there = dict(self)

        def telling(name):
            def changed(self, *args, **kwargs):
                value = getattr(dict, name)(self, *args, **kwargs)
                self.tell()
                return value

            return changed

        __setitem__, __delitem__ = telling("__setitem__"), telling("__delitem__")
        update, setdefault = telling("update"), telling("setdefault")
        pop, popitem, __ior__ = telling("pop"), telling("popitem"), telling("__ior__")

    # Names of libraries, which no program gives another meaning.
    def is_alias_of_nothing(name, value):
        is_alias = name in ("np", "pd", "plt", "sns")
        return is_alias and not isinstance(value, (types.ModuleType, Agreed))

    def words_of_test():
        return [
            word for word in test_words[0]
            if word.isidentifier() and not keyword.iskeyword(word) and word[:4].lower() != "test"
            and not hasattr(builtins, word)
        ]

    # What `from solution import *` gives: nothing that changes what the test's own words mean.
    def star(importing):
        names = []
        for name in [str(each) for each in ask("", "names", (), {})[1]]:
            if hasattr(builtins, name):
                hidden.update([name] * by_star[0])
            elif name in importing or name[:4].lower() == "test" or name.startswith(star_never):
                continue
            else:
                names.append(name)
        came.update(zip(names, ask("", "all", (names,), {})[1]))
        return [name for name in names if not is_alias_of_nothing(name, came[name])]

    came = {}  # by name, what a star takes next: one question for all

    star_never = ("pytest", "setup", "teardown", "setUp", "tearDown", "unittest", "load_tests")
"""
