"""Texts, of both children, for values of the library that cross as what they are made of.

Immutable ones that are compared as data is: slices, zones, identifiers, addresses, and times with
their zone. A property and its like cross as the functions that it is made of.
"""

_BOTH = """
    address_names = (
        "IPv4Address", "IPv6Address", "IPv4Network", "IPv6Network", "IPv4Interface",
        "IPv6Interface",
    )

    # The module of a class of the library; of a class that says so of itself, what it says.
    def is_of_module(kind, *modules):
        return getattr(kind, "__module__", "") in modules

    def parts_of_library(value, kind):
        name = kind.__name__
        if name == "slice" and is_of_module(kind, "builtins"):
            return ["slice", 3, 0], [value.start, value.stop, value.step]
        if name == "UUID" and is_of_module(kind, "uuid") and has_there("uuid", name):
            return ["uuid", value.hex], None
        if name in address_names and is_of_module(kind, "ipaddress"):
            if not has_there("ipaddress", name):
                return None
            return ["address", [name, str(value)]], None
        if name == "timezone" and is_of_module(kind, "datetime"):
            offset, text = value.utcoffset(None), value.tzname(None)
            return ["timezone", [offset.days, offset.seconds, offset.microseconds, text]], None
        if is_zone(value):
            return ["zone", value.key], None
        if name in ("datetime", "time") and is_of_module(kind, "datetime"):
            zone = value.tzinfo
            if is_zone(zone) or is_of_module(type(zone), "datetime"):
                plain = value.replace(tzinfo=None, fold=0)
                return ["zoned", 2, value.fold], [plain, zone]
        return None

    def is_zone(value):
        if type(value).__name__ != "ZoneInfo" or not is_of_module(type(value), "zoneinfo"):
            return False
        return type(value.key) is str and has_there("zoneinfo", "ZoneInfo")

    def timezone_of(days, seconds, microseconds, text):
        import datetime as home

        offset = home.timedelta(days, seconds, microseconds)
        plain = home.timezone(offset)
        return plain if plain.tzname(None) == text else home.timezone(offset, text)

    def address_of(name, text):
        import ipaddress

        if name not in address_names:
            raise ValueError("no address")
        return getattr(ipaddress, name)(text)

    def zone_of(key):
        import zoneinfo

        return zoneinfo.ZoneInfo(key)

    def uuid_of(text):
        import uuid

        return uuid.UUID(text)

    def zoned(items, fold):
        return items[0].replace(tzinfo=items[1], fold=fold)

    for name, make in {
        "uuid": uuid_of,
        "address": lambda content: address_of(*content),
        "timezone": lambda content: timezone_of(*content),
        "zone": zone_of,
    }.items():
        atoms[name] = make
    made["slice"] = lambda items, extra: builtins.slice(*items)
    made["zoned"] = zoned
"""

TESTS_VALUES = f"""
{_BOTH}
    def has_there(module, name):  # by the policy of the program
        return is_granted(module, name)

    # What is set on a class, and no data: by the functions that it is made of.
    def parts_of_member(value, kind):
        if kind is builtins.property:
            return ["property", 4, 0], [value.fget, value.fset, value.fdel, value.__doc__]
        if kind in (builtins.staticmethod, builtins.classmethod):
            return [kind.__name__, 1, 0], [value.__func__]
        if isinstance(value, unittest.mock.PropertyMock):
            return ["mock property", 1, number_near(value)], [Kind(kind, names_given(value))]
        return None

    def parts_beyond(value, kind):
        return parts_of_member(value, kind) or parts_of_library(value, kind)
"""

PROGRAM_VALUES = f"""
{_BOTH}
    def has_there(module, name):
        return True

    plain_of_values = other_parts

    def other_parts(value, kind):
        return parts_of_library(value, kind) or plain_of_values(value, kind)

    def mock_property(items, number):
        mock = near_object(items, number)
        return builtins.property(lambda self: mock(), lambda self, value: mock(value))

    made["property"] = lambda items, extra: builtins.property(*items)
    made["staticmethod"] = lambda items, extra: builtins.staticmethod(*items)
    made["classmethod"] = lambda items, extra: builtins.classmethod(*items)
    made["mock property"] = mock_property
"""
