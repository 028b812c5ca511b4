"""Text, in the program's child, for what a test gave: handles, which ask the tests' child.

A function is a function here, another object has the special methods that it has there. What is
asked of a handle is answered in the midst of a call of the program, or raises what was raised.
"""

# Special methods that a handle has if what it stands for has them.
_NAMES = """
call iter next len getitem setitem delitem contains enter exit bool eq ne lt le gt ge hash str repr
format add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod pow rpow neg pos abs
int float index reversed round and rand or ror xor rxor
"""
SPECIAL = tuple(f"__{name}__" for name in _NAMES.split())


def _shape() -> str:
    lines = []
    for name in SPECIAL:
        lines.append(f'            if "{name}" in names:')
        lines.append(f"                def {name}(self, *args, **kwargs):")
        lines.append(f'                    return of_near(self, "{name}", args, kwargs)')
    lines += [
        '            if "__await__" in names:',
        "                def __await__(self):",
        '                    return of_near(self, "__await__", (), {})',
        "                    yield",
    ]
    return "\n".join(lines)


GIVEN = f"""
    near_of, nears = {{}}, {{}}  # by id: the handle and its number; by number, the handle

    def asked_back(number, act, args, kwargs):
        kind, value = exchanged_with_test(number, act, args, kwargs)
        if kind == "raised":
            raise value
        return value

    def of_near(handle, act, args, kwargs):
        return asked_back(near_of[id(handle)][1], act, args, kwargs)

    class Near:
        def __getattr__(self, name):
            if name == "__dataclass_fields__":
                return fields_of(near_of[id(type(self))][1])
            if id(self) not in near_of:
                raise AttributeError(name)
            return of_near(self, "get", (name,), {{}})

        def __setattr__(self, name, value):
            if id(self) not in near_of:  # of a class of the program's, too
                return object.__setattr__(self, name, value)
            of_near(self, "set", (name, value), {{}})

        def __copy__(self):
            return of_near(self, "copy", (), {{}})

        def __deepcopy__(self, memo):
            return of_near(self, "deepcopy", (), {{}})

    def near_shape(bases, names, meta):
        class Handle(*bases, metaclass=meta):
            pass
{_shape()}

        return Handle

    def kept_near(number, handle):
        nears[number] = handle
        near_of[id(handle)] = handle, number
        return handle

    def near_function(number, name, doc, made_called=None):
        if number in nears:
            return nears[number]

        def called(*args, **kwargs):
            return asked_back(number, "__call__", args, kwargs)

        called = made_called or called
        for about, text in (("__name__", name), ("__qualname__", name), ("__doc__", doc)):
            try:
                setattr(called, about, text)
            except Exception:
                pass
        return kept_near(number, called)

    # An exception class of the test's, by those that it is made of, down from a built-in one.
    def near_class(line):
        number, names = line[0]
        if number not in nears:
            if len(line) > 1:
                base = near_class(line[1:])
            else:
                for name in names:
                    base = getattr(builtins, name, None)
                    if is_class(base) and issubclass(base, BaseException):
                        break

            class Raised(base):
                def __new__(cls, *args, **kwargs):
                    if is_lending[0] or id(cls) not in near_of:
                        return base.__new__(cls, *args)
                    return of_near(cls, "__call__", args, kwargs)

                def __init__(self, *args, **kwargs):
                    pass

                def __getattr__(self, name):
                    if id(self) not in near_of:
                        raise AttributeError(name)
                    return of_near(self, "get", (name,), {{}})

                def __setattr__(self, name, value):
                    if name[:1] == "_" or name == "args" or id(self) not in near_of:
                        base.__setattr__(self, name, value)
                    else:
                        of_near(self, "set", (name, value), {{}})

            kept_near(number, type(names[0], (Raised,), {{}}))
            if not issubclass(base, Exception):
                caught[0] = (*caught[0], base)
        return nears[number]

    def near_builtin(items, about):
        number, name = about
        if number not in nears:
            kept_near(number, getattr(builtins, name)(*items))
        return nears[number]

    made["our builtin"] = near_builtin
    is_lending = [False]

    def near_error(number, line, text):
        if number not in nears:
            kind = near_class(line)
            before, is_lending[0] = is_lending[0], True
            try:
                kept_near(number, kind(text))
            finally:
                is_lending[0] = before
        return nears[number]

    # A function or class of the library, or of a class of it: the program's own.
    def from_library(module, place):
        name, *names = place.split(".")
        if module == "builtins" and place == "print" and not spools:
            return print_here
        scope = {{}}
        try:
            exec("from " + module + " import " + name + " as found", scope)
            found = scope["found"]
            for each in names:
                found = getattr(found, each)
        except Exception:  # the policy has none: no value of the program's is of it
            found = type(place, (Exception,), {{}})
        return found

    def partial(items, number):
        function, first, named = items

        def called(*args, **kwargs):
            return function(*first, *args, **{{**named, **kwargs}})

        return nears[number] if number in nears else kept_near(number, called)

    def module_called(name):
        scope = {{}}
        exec("import " + name + " as found", scope)
        return scope["found"]

    def path_of(text):
        try:
            import pathlib
        except Exception:  # the policy has none
            return text
        return pathlib.Path(text)

    made["partial"] = partial
    atoms["path"] = path_of
    atoms["function"] = lambda content: near_function(*content)
    atoms["our class"] = near_class
    atoms["ours"] = lambda content: near_error(*content)
    atoms["library"] = lambda content: from_library(*content)
    atoms["module"] = module_called
    atoms["constant"] = lambda name: ... if name == "Ellipsis" else NotImplemented
"""
