"""Holes that a second answer gets through: what was judged is asked for again."""

from holes_help import Hole

ANSWERS: dict[str, Hole] = {
    "a name keeps its own methods": Hole(
        "answers",
        'replace(guards, "exact_name", lambda old: lambda name: name)',
        r"getattr\((object|len|Own), liar",
    ),
    "a format is judged by what str() says": Hole(
        "answers",
        """
def make(old):
    def formatted(self, name, found):
        if found.instance is None or formatting.needs_guard(str(found.instance)):
            return old(self, name, found)
        return found.bind()
    return formatted
replace(attribute_guards.Attributes, "_format", make)
""",
        r"\{0\.__code__\}",
    ),
    "the unbound format is the real one": Hole(
        "answers",
        """
def make(old):
    return lambda self, name, found: (
        found.bind() if found.instance is None else old(self, name, found))
replace(attribute_guards.Attributes, "_format", make)
""",
        r"__code__.*str\.format\(",
    ),
    "signatures are evaluated for everybody": Hole(
        "answers",
        'replace(signatures, "guard_signatures", lambda old: lambda: None)',
        "__signature__",
        since=(3, 12),
    ),
    "what a method is bound to is shown": Hole(
        "answers",
        'replace(attribute_guards.Attributes, "_bound",'
        " lambda old: lambda self, n, found: found.bind())",
        r"__self__.*getattr\(len, liar\)",
    ),
    "a namespace is asked for its names again": Hole(
        "states",
        """
def make(old):
    def checked(namespace):
        old(namespace)
        return {"__module__": "__main__", **{key: namespace[key] for key in namespace.keys()}}
    return checked
replace(class_namespaces, "checked", make)
""",
        "__subclasshook__",
    ),
    "__match_args__ are whatever they are": Hole(
        "states",
        'replace(match_args, "check_match_args", lambda old: lambda value: None)',
        "__match_args__",
    ),
    "bases are looked at and taken again": Hole(
        "states",
        """
def make(old):
    def make(self, metaclass, name, bases, namespace, /, **kwargs):
        old(self, metaclass, name, bases, namespace, **kwargs)
        return metaclass(name, tuple(bases), dict(namespace), **kwargs)
    return make
replace(classes.Classes, "make", make)
""",
        r"class Liar\(tuple\)",
    ),
    "a metaclass takes its bases again": Hole(
        "states",
        """
def make(old):
    def __new__(mcls, name, bases, namespace, /, **kwargs):
        old.__func__(mcls, name, bases, namespace, **kwargs)
        return type.__new__(mcls, name, tuple(bases), dict(namespace), **kwargs)
    return staticmethod(__new__)
replace(metaclasses.GuestMeta, "__new__", make)
""",
        r"class Liar\(tuple\)",
    ),
    "copies are what their reduction says": Hole(
        "states", 'replace(copy, "copy", lambda old: lambda context: {})', "__reduce_ex__"
    ),
    "a namespace says how a copy is made": Hole(
        "states",
        """
def make(old):
    def rebuilt(self, x, kind, is_host, deep, run=None, key=0):
        reduce = (class_origin.instance_dict(x) or {}).get("__reduce_ex__")
        if reduce is None: return old(self, x, kind, is_host, deep, run, key)
        function, args, state = reduce(4)
        made = function(*[deep(arg, run) for arg in args])
        names = state[1] if type(state) is tuple else {}
        for name, value in dict(names or {}).items(): setattr(made, name, value)
        return made
    return rebuilt
replace(copy._Copier, "_rebuilt", make)
""",
        "__reduce_ex__",
    ),
    "a namespace gives a copy to whatever class made it": Hole(
        "states",
        """
def make(old):
    def give_namespace(x, made, deep, run):
        old(x, made, deep, run)
        reduce = (class_origin.instance_dict(x) or {}).get("__reduce_ex__")
        if reduce is not None:
            function, args, state = reduce(4)
            function(*args)
            names = state[1] if type(state) is tuple else state
            for name, value in dict(names).items(): setattr(made, name, value)
    return give_namespace
replace(attributes, "give_namespace", make)
""",
        "__reduce_ex__",
    ),
}
