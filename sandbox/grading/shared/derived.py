"""Texts, of both children, for classes that a test derives from classes of the program's.

The class is made in the program's child, of the program's bases, by a class statement: so its
metaclass, `__init_subclass__` and `__set_name__` are those of the program. Its functions are the
test's, which are called from there with a stand-in for `self`; `super()` in them is asked for.
"""

TESTS_DERIVED = """
    # What a class statement has for itself, or its class gets anyway.
    of_statement = (
        "__module__", "__qualname__", "__classcell__", "__annotations__", "__dict__",
        "__weakref__", "__firstlineno__", "__static_attributes__", "__annotate_func__",
        "__annotate__", "__classdictcell__", "__conditional_annotations__", "__orig_bases__",
    )

    def derived_class(name, bases, names, more):
        bases = names.get("__orig_bases__", bases)  # as the statement has them
        if not all(map(may_derive_from, bases)):
            unknown("a class made from one of the program's and from " + name_of_other(bases))
        content = {each: value for each, value in names.items() if each not in of_statement}
        abstract = [
            each for each, value in content.items()
            if getattr(value, "__isabstractmethod__", False) is True
        ]
        hints = names.get("__annotations__", {})
        hints = {each: hint for each, hint in hints.items() if is_hint(hint)}
        about = str(name), list(bases), content, dict(more), abstract, hints
        made = ask("", "derive", about, {})[1]
        if made is None:
            unknown("a class made from one of the program's")
        if not isinstance(made, Meta):
            raise Ended("the program made no class")
        if "__classcell__" in names:
            names["__classcell__"].cell_contents = made
        if str(name)[:1].isupper():
            reached.add(made.grade_place)
        return made

    parametrized = Meta("Parametrized", (), {}, own=True)

    def may_derive_from(base):
        return is_far(base) or is_class(base) and may_be_given(base)

    def name_of_other(bases):
        others = [base for base in bases if not may_derive_from(base)]
        return ", ".join([str(getattr(base, "__name__", base)) for base in others])

    # What `super()` gives in a function of such a class: as the program's bases have it.
    class Above:
        def __init__(self, kind, value):
            aboves[id(self)] = kind, value

        def __getattribute__(self, name):
            return ask("", "above", (*aboves[id(self)], name), {})[1]

        def __setattr__(self, name, value):
            builtins.setattr(aboves[id(self)][1], name, value)

        def __del__(self):
            aboves.pop(id(self), None)

    aboves = {}  # by id: the class, and the object or class that it is asked for

    def super_of(*about):
        if not about:
            frame = sys._getframe(1)
            about = frame.f_locals.get("__class__"), frame.f_locals[frame.f_code.co_varnames[0]]
        kind, *values = about
        if isinstance(kind, Meta) and values:
            return Above(kind, values[0])
        return builtins.super(*about)
"""

PROGRAM_DERIVED = """
    def derive(one, name, bases, names, more, abstract, hints):
        for each in abstract:
            names[each].__isabstractmethod__ = True
        lines = [
            "def grade_made(grade_bases, grade_names, grade_more, grade_hints):",
            "    class " + name + "(*grade_bases, **grade_more):",
            "        __module__ = '__main__'",
        ]
        lines += ["        " + each + ": grade_hints[" + repr(each) + "]" for each in hints]
        lines += ["        " + each + " = grade_names[" + repr(each) + "]" for each in names]
        lines.append("    return " + name)
        scope = {}
        try:
            exec("\\n".join(lines), scope)
        except Exception:  # a name that the policy lets no program bind
            return None
        made = scope["grade_made"](bases, names, more, hints)
        if is_class(made):
            made.__qualname__ = name
        return made

    acts["derive"] = derive
    acts["above"] = lambda one, kind, value, name: getattr(super(kind, value), name)
"""
