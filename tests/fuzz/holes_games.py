"""Holes that metaclasses, cells and descriptors get through."""

from holes_help import Hole

_BIND = "lambda old: lambda self, name, found: found.bind()"

GAMES: dict[str, Hole] = {
    "the class of a class is shown": Hole(
        "metaclasses",
        'replace(attribute_guards.Attributes, "_class",'
        " lambda old: lambda self, name, found: type(found.target))",
        r"got.append\(C.__class__\)",
    ),
    "the namespace of a class is shown": Hole(
        "metaclasses",
        """
def make(old):
    return lambda self, name, found: (
        found.bind() if self.kin.is_guest_class(found.target) else old(self, name, found))
replace(attribute_guards.Attributes, "_dict", make)
""",
        r"got.append\(vars\(C\)\)",
    ),
    "bases are shown as they are": Hole(
        "metaclasses",
        f'replace(attribute_guards.Attributes, "_bases", {_BIND})',
        r"got.append\(M.__mro__\)",
    ),
    "hooks are shown what is asked about": Hole(
        "metaclasses",
        'replace(class_hooks, "shown_hook", lambda old: lambda shown: old(lambda cls: cls))',
        r"def __subclass.*class D\(C\)",
    ),
    "a metaclass may have a metaclass": Hole(
        "metaclasses",
        'replace(classes.Classes, "_check_metaclass", lambda old: lambda self, *rest: None)',
        r"__(new|init)__ = .*metaclass=M0",
    ),
    "any class may be inherited from": Hole(
        "metaclasses",
        'replace(classes.Classes, "check_open", lambda old: lambda self, bases: None)',
        "power = True",
    ),
    "a class that is not granted may be inherited from by a metaclass": Hole(
        "metaclasses",
        'replace(session, "check_open", lambda old: lambda bases: None)',
        r"M\('C', \(",
    ),
    "the class of a pattern is used itself": Hole(
        "metaclasses",
        """
def make(old):
    def pattern(self, cls):
        old(self, cls)
        return cls
    return pattern
replace(match_args.Patterns, "pattern", make)
replace(dataclasses, "_may_be_field", lambda old: names.may_match)
""",
        r"class MA\(",
    ),
    "what a class of a pattern was is remembered": Hole(
        "metaclasses",
        """
def make(old):
    def pattern(self, cls):
        return cls if id(cls) in self.known else old(self, cls)
    return pattern
replace(match_args.Patterns, "pattern", make)
replace(dataclasses, "_may_be_field", lambda old: names.may_match)
afterwards(lambda made: made.state.builtins.update({"guard:known_pattern": lambda key: None}))
""",
        r"class MA\(",
    ),
    "the cell of a class gets its real namespace": Hole(
        "cells",
        """
def make(old):
    def checked(namespace):
        made = old(namespace)
        if "__classdictcell__" in namespace:
            made["__classdictcell__"] = namespace["__classdictcell__"]
        return made
    return checked
replace(class_namespaces, "checked", make)
""",
        "'__classdictcell__'",
        since=(3, 12),
    ),
    "an heir of super has what its own namespace names": Hole(
        "cells",
        """
def make(old):
    def find(self, o, name):
        own = class_origin.instance_dict(o) if isinstance(o, super) else None
        if own and name in own: return lookup.Found(o, None, getattr(o, name))
        return old(self, o, name)
    return find
replace(lookup.Lookup, "find", make)
""",
        r"class Heir\(super",
    ),
    "access to attributes is handed out": Hole(
        "cells", f'replace(access_hooks.AccessHooks, "asking", {_BIND})', "s.__getattribute__,"
    ),
    "the mro of a class is what CPython says": Hole(
        "cells", f'replace(attribute_guards.Attributes, "_mro", {_BIND})', "lambda: s.mro,"
    ),
    "private names of the host's are read": Hole(
        "cells", f'replace(attribute_guards.Attributes, "_other", {_BIND})', "_convert_"
    ),
    "what a namespace of the host's names is the guest's": Hole(
        "cells",
        """
def make(old):
    def is_guests(self, name, found):
        return name in ("mro", "__self__", "__bases__") or old(self, name, found)
    return is_guests
replace(attribute_guards.Attributes, "is_guests", make)
""",
        "lambda: s.mro,",
    ),
}
