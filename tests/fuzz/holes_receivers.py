"""Holes that a receiver of the guest's choice gets through."""

from holes_help import Hole

# What a host class would get that trusts its `self`; put there before it is closed.
_METHOD = """
def make(old):
    def close(made):
        import %(module)s
        %(module)s.%(cls)s.%(name)s = %(function)s
        old(made)
    return close
replace(sealing, "seal", make)
"""


def _method(module: str, cls: str, name: str, function: str) -> str:
    return _METHOD % {"module": module, "cls": cls, "name": name, "function": function}


RECEIVERS: dict[str, Hole] = {
    "host classes take attributes": Hole(
        "receivers", 'replace(sealing, "_make_immutable", lambda old: lambda host: frozenset())'
    ),
    "one host class takes attributes": Hole(
        "receivers",
        "import string\nafterwards(lambda made: type_slots.make_mutable(string.Template))",
        r"lambda: string.Template\)",
    ),
    "a host class that nobody thinks of takes attributes": Hole(
        "receivers",
        "import statistics\n"
        "afterwards(lambda made: type_slots.make_mutable(statistics.NormalDist))",
        "owner = statistics.NormalDist",
    ),
    "facades are initialised again": Hole(
        "receivers",
        'replace(sealing, "_close_facades", lambda old: lambda world: None)',
        r"random\).*owner = calendar\.[A-Z][a-z]",
    ),
    "host methods take a class for their instance": Hole(
        "receivers",
        'replace(receivers, "check_receivers", lambda old: lambda granted: None)',
        r"owner = collections.(User|Chain)",
    ),
    "a host method gives the class of its self": Hole(
        "receivers",
        _method("string", "Template", "kind", "lambda self: type(self)"),
        "owner = string.Template",
    ),
    "a host method gives the namespace of its self": Hole(
        "receivers",
        _method("textwrap", "TextWrapper", "space", "lambda self, *rest: vars(self)"),
        "owner = textwrap.TextWrapper",
    ),
    "a host method initialises what it is given": Hole(
        "receivers",
        _method(
            "fractions", "Fraction", "again", "lambda self, f: setattr(self, '__defaults__', ())"
        ),
        "owner = fractions.Fraction",
    ),
    "a host method calls what it is given with its class": Hole(
        "receivers",
        _method("json", "JSONEncoder", "visit", "lambda self, use: use(type(type(self)))"),
        "owner = json.JSONEncoder",
    ),
    "a granted function has a power for a default": Hole(
        "receivers",
        "import os\n"
        "afterwards(lambda made: vars(made.importer.facades['textwrap']).update("
        "shorten=lambda text, by=os: by))",
        "owner = textwrap.shorten",
    ),
    "a granted function rebinds a name of its module": Hole(
        "receivers",
        "import random\n"
        "afterwards(lambda made: vars(made.importer.facades['statistics']).update("
        "mean=lambda data, *rest: setattr(random, '_inst', data)))",
        "owner = statistics.mean",
    ),
    "an heir shows the annotations of what it is made of": Hole(
        "receivers",
        'replace(descriptors, "_shows_no_hosts_annotations", lambda old: lambda o: True)',
        r"print\.__new__.*owner = type\('H', \((static|class)method",
    ),
}
