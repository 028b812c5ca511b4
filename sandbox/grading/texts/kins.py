"""Kins, in the tests' child: data whose class is one of the program's. A text, a part of the codec.

The data crosses and is compared as what it is. What else its class has is asked of the program,
as with a stand-in; but not of a list, dict or set, which may have changed here: the test fails.
"""

KINS = """
    kins = {}  # by what they are of: classes for data that has a class of the program's

    # Data is compared here as what it is; what else its class has is asked for.
    def kin(value, number, name, fields):
        base = type(value)
        if base not in bases:
            raise ValueError("no data")
        key = base, str(name), tuple(fields)
        if key not in kins:
            below = namedtuple("Fields", fields) if fields and base is tuple else base
            kins[key] = changeable_kin(below, fields) if base in changeable else fixed_kin(below)
            kins[key].__name__ = str(name)
        if base in changeable:  # what the program's own may become, nobody knows here
            return kins[key](value)
        if number not in standing:
            keep(number, kins[key](*value) if fields else kins[key](value))
        return standing[number]

    def fixed_kin(below):
        class Kin(below):
            def __getattr__(self, name):
                if name[:2] == "__":
                    raise AttributeError(name)
                return attribute(self, name)

        return Kin

    def changeable_kin(below, has):
        class Kin(below):
            def __getattr__(self, name):
                if name[:2] == "__":
                    raise AttributeError(name)
                refuse(type(self).__name__)

        class Giving(Kin):
            def __missing__(self, key):
                refuse(type(self).__name__)

        return Giving if has else Kin

    changeable = (list, dict, set)
"""
