"""Holes that a finalizer gets through: something of the guest's runs between a look and a use."""

from holes_help import Hole


def _star(alone: str) -> str:
    """A guard of `except*` that says nothing, and breathes: it is told `alone` for the number."""
    return f"""
def make(old):
    def star_guard(kin):
        inner = old(kin)
        def star(kind, alone, /):
            inner(kind, {alone})
            breathe()
            return kind
        return star
    return star_guard
replace(groups, "star_guard", make)
"""


RACES: dict[str, Hole] = {
    "an attribute is read before it is judged": Hole(
        "races",
        """
def make(old):
    def read(self, o, name, find):
        value = getattr(o, name)
        breathe()
        old(self, o, name, find)
        return value
    return read
replace(guards.Guards, "_read", make)
""",
        "class Heir",
    ),
    "an attribute is judged, then read again": Hole(
        "races",
        """
def make(old):
    def read(self, o, name, find):
        old(self, o, name, find)
        breathe()
        return getattr(o, name)
    return read
replace(guards.Guards, "_read", make)
""",
        "class Heir",
    ),
    "getattr judges by what hasattr said": Hole(
        "races",
        """
def make(old):
    def read(self, o, name, *default):
        old(self, o, name, *default)
        breathe()
        return getattr(o, name, *default)
    return read
replace(guards.Guards, "getattr", make)
""",
        r"getattr\(o, ",
    ),
    "a variable is loaded again after the look": Hole(
        "races",
        """
def make(old):
    def read(self, o, name):
        old(self, o, name)
        breathe()
        return getattr(sys._getframe(1).f_globals.get("o", o), name)
    return read
replace(guards.Guards, "read", make)
""",
        r"holder\[0\] = o",
    ),
    "finalizers run between the lookup and the judgement": Hole(
        "races",
        """
def make(old):
    def find(self, cls, name):
        found = old(self, cls, name)
        breathe()
        if type(found) is lookup.Found and not self._is_host(found.owner):
            return found._replace(raw=getattr(cls, name))
        return found
    return find
replace(lookup.Lookup, "find_in_class", make)
""",
        r"swap\(\):\s+del o\.",
    ),
    "the collector is on after the look at a group": Hole(
        "races", _star("alone"), "ExceptionGroup"
    ),
    "several handlers are one": Hole("races", _star("True"), r"except\* KeyError"),
    "the state of a copy is judged, then taken again": Hole(
        "races",
        """
def make(old):
    def rebuilt(self, x, kind, is_host, deep, run=None, key=0):
        reduce = (class_origin.instance_dict(x) or {}).get("__reduce_ex__")
        if reduce is None: return old(self, x, kind, is_host, deep, run, key)
        function, args, state = reduce(4)
        made = function(*args)
        slots = state[1] if type(state) is tuple else {}
        for name in list(slots): assert not name.startswith("__")
        breathe()
        for name, value in list(slots.items()): setattr(made, name, value)
        return made
    return rebuilt
replace(copy._Copier, "_rebuilt", make)
""",
        "__reduce_ex__",
    ),
    "the class of a pattern is judged, then asked itself": Hole(
        "races",
        """
def make(old):
    def pattern(self, cls):
        old(self, cls)
        breathe()
        return cls
    return pattern
replace(match_args.Patterns, "pattern", make)
replace(dataclasses, "_may_be_field", lambda old: names.may_match)
afterwards(lambda made: made.state.builtins.update({"guard:pattern": made.guards.patterns.pattern,
    "guard:known_pattern": lambda key: None}))
""",
        "Pen",
    ),
    "a namespace is judged, then copied": Hole(
        "races",
        """
def make(old):
    def checked(namespace):
        old(namespace)
        breathe()
        return {"__module__": "__main__", **namespace}
    return checked
replace(class_namespaces, "checked", make)
""",
        "__subclasshook__",
    ),
    "the namespace of exec is copied, then completed": Hole(
        "races",
        """
def make(old):
    def enter(self, given):
        inside = old(self, given)
        breathe()
        inside.update(given)
        return inside
    return enter
replace(namespaces.Namespaces, "enter", make)
""",
        r"ns\['guard:",
    ),
}
