"""Writes attacks of its own: primitives x obfuscations x wrappings, valid Python by construction.

Every choice is made by a `Chooser`, so that a seed or a Hypothesis strategy can drive it alike.
"""

import importlib
import types
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")


class Chooser(Protocol):
    """Where choices come from: `random.Random` has both methods."""

    def choice(self, options: Sequence[T], /) -> T:
        """One of `options`."""

    def randint(self, low: int, high: int, /) -> int:
        """An integer between the two, both included."""


class Primitive(NamedTuple):
    """A way to a power: an expression to start from, and attribute names or calls to follow."""

    power: str
    start: str
    steps: tuple[str, ...]  # an attribute name, "()" or "[...]"
    before: str = ""


_G = "(i for i in ())"
_F = "(lambda o: o.real)"
_TRACE = "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    caught = error\n"
_ASYNC = "async def co(): pass\nwaiting = co()\n"
_STARTS = ("()", "''", "[]", "{}", "0", "True", "b''", "1.5", "print", "len", "Exception()", "...")
_UP = ("__class__", "__mro__", "[-1]", "__subclasses__", "()")
_FIXED = (
    *(Primitive("classes", s, ("__class__", "__base__", "__subclasses__", "()")) for s in _STARTS[:4]),
    *(Primitive("classes", s, _UP) for s in _STARTS),
    Primitive("classes", "object", ("__subclasses__", "()")),
    Primitive("classes", "type", ("__base__", "__subclasses__", "()")),
    Primitive("classes", "int", ("__bases__", "[0]", "__subclasses__", "()")),
    Primitive("globals", _F, ("__globals__",)),
    Primitive("globals", "C.m", ("__globals__",), "class C:\n    def m(self): pass\n"),
    Primitive("globals", "C().m", ("__func__", "__globals__"), "class C:\n    def m(self): pass\n"),
    Primitive("builtins", _F, ("__builtins__",)),
    Primitive("builtins", "len", ("__self__",)),
    Primitive("builtins", "__builtins__", ()),
    Primitive("builtins", "globals()", ("['__builtins__']",)),
    Primitive("code", _F, ("__code__",)),
    Primitive("frame", _G, ("gi_frame",)),
    Primitive("frame", "waiting", ("cr_frame",), _ASYNC),
    Primitive("frame", "caught", ("__traceback__", "tb_frame"), _TRACE),
    Primitive("open", "open", ()),
    Primitive("import", "__import__", ()),
    Primitive("metaclass", "type(type(1))", ()),
    Primitive("metaclass", "type", ("__class__",)),
    Primitive("metaclass", "C", ("__class__",), "class C: pass\n"),
)
_GOALS = {"sys": "sys", "os": "os", "posix": "os", "builtins": "builtins"}
ROOTS = (
    "json random re string statistics collections functools dataclasses enum typing copy heapq"
    " decimal fractions datetime calendar textwrap pprint base64 contextlib itertools io queue"
    " threading traceback warnings bisect operator csv numbers timeit doctest asyncio"
).split()


@lru_cache(maxsize=1)
def primitives() -> tuple[Primitive, ...]:
    """The fixed ones, and every short way from a module's attributes to a powerful module."""
    found = list(_FIXED)
    for root in ROOTS:
        found += _ways(root)
    return tuple(found)


def _ways(root: str) -> list[Primitive]:
    """Breadth first through the attributes that are modules, at most four deep."""
    todo: list[tuple[types.ModuleType, tuple[str, ...]]] = [(importlib.import_module(root), ())]
    seen, ways = {root}, []
    while todo:
        module, path = todo.pop(0)
        for name, value in sorted(vars(module).items()):
            if not isinstance(value, types.ModuleType) or value.__name__ in seen or len(path) > 3:
                continue
            seen.add(value.__name__)
            if value.__name__ in _GOALS:
                power = _GOALS[value.__name__]
                ways.append(Primitive(power, root, (*path, name), f"import {root}\n"))
            todo.append((value, (*path, name)))
    return ways


# -- how to hide a text


def _plain(text: str, _: Chooser) -> str:
    return repr(text)


def _split(text: str, chooser: Chooser) -> str:
    at = chooser.randint(1, max(len(text) - 1, 1))
    return f"({text[:at]!r} + {text[at:]!r})"


def _reversed(text: str, _: Chooser) -> str:
    return f"{text[::-1]!r}[::-1]"


def _joined(text: str, chooser: Chooser) -> str:
    size = chooser.randint(1, 4)
    return f"''.join({[text[i : i + size] for i in range(0, len(text), size)]!r})"


def _codes(text: str, _: Chooser) -> str:
    return f"''.join(map(chr, {list(map(ord, text))}))"


def _bytes(text: str, _: Chooser) -> str:
    return f"bytes({list(text.encode())}).decode()"


def _hex(text: str, _: Chooser) -> str:
    return f"bytes.fromhex({text.encode().hex()!r}).decode()"


def _formatted(text: str, chooser: Chooser) -> str:
    at = chooser.randint(1, max(len(text) - 1, 1))
    return f"'%s%s' % ({text[:at]!r}, {text[at:]!r})"


def _fstring(text: str, chooser: Chooser) -> str:
    at = chooser.randint(1, max(len(text) - 1, 1))
    return f'f"{{{text[:at]!r}}}{text[at:]}"'


def _replaced(text: str, _: Chooser) -> str:
    return f"{text.replace('_', '-')!r}.replace('-', '_')"


def _subclass(text: str, _: Chooser) -> str:
    return f"type('S', (str,), {{'startswith': lambda s, *a: False}})({text!r})"


TEXTS: tuple[Callable[[str, Chooser], str], ...] = (
    *(_plain, _split, _reversed, _joined, _codes, _bytes, _hex, _formatted, _fstring, _replaced),
    _subclass,
)

# -- how to read an attribute


def _dot(o: str, name: str, _: Chooser) -> str:
    return f"({o}).{name}"


def _compatible(o: str, name: str, chooser: Chooser) -> str:
    """Letters of another alphabet that normalise to the same name (PEP 672)."""
    at = [i for i, c in enumerate(name) if c.isascii() and c.isalpha() and c.islower()]
    for i in at[:: chooser.randint(1, 3)]:
        name = f"{name[:i]}{chr(0x1D5BA + ord(name[i]) - 97)}{name[i + 1 :]}"
    return f"({o}).{name}"


def _getattr(o: str, name: str, chooser: Chooser) -> str:
    return f"getattr({o}, {_text(name, chooser)})"


def _getattr_default(o: str, name: str, chooser: Chooser) -> str:
    return f"getattr({o}, {_text(name, chooser)}, None)"


def _map_getattr(o: str, name: str, chooser: Chooser) -> str:
    return f"list(map(getattr, [{o}], [{_text(name, chooser)}]))[0]"


def _getattribute(o: str, name: str, chooser: Chooser) -> str:
    return f"object.__getattribute__({o}, {_text(name, chooser)})"


def _own_getattribute(o: str, name: str, chooser: Chooser) -> str:
    return f"({o}).__getattribute__({_text(name, chooser)})"


def _attrgetter(o: str, name: str, chooser: Chooser) -> str:
    return f"operator_.attrgetter({_text(name, chooser)})({o})"


def _lambda(o: str, name: str, _: Chooser) -> str:
    return f"(lambda x: x.{name})({o})"


def _comprehension(o: str, name: str, _: Chooser) -> str:
    return f"(lambda items: [x.{name} for x in items][0])([{o}])"


def _walrus(o: str, name: str, _: Chooser) -> str:
    return f"(held := ({o})).{name}"


def _by_pattern(o: str, name: str, _: Chooser) -> str:
    return f"by_pattern_{name}({o})"


def _by_format(o: str, name: str, chooser: Chooser) -> str:
    return f"by_format({o}, {_text(name, chooser)})"


def _vars(o: str, name: str, chooser: Chooser) -> str:
    return f"vars({o}).get({_text(name, chooser)}, None) or getattr({o}, {name!r})"


def _eval(o: str, name: str, chooser: Chooser) -> str:
    return f"eval({_text(f'(lambda x: x.{name})', chooser)})({o})"


READS: tuple[Callable[[str, str, Chooser], str], ...] = (
    *(_dot, _compatible, _getattr, _getattr_default, _map_getattr, _getattribute, _lambda),
    *(_own_getattribute, _attrgetter, _comprehension, _walrus, _by_pattern, _by_format, _vars, _eval),
)
_FORMAT_HELPER = """def by_format(o, name):
    try:
        ('{0.' + name + '.zz_none}').format(o)
    except AttributeError as error:
        return error.obj
"""

# -- what to put around it


def _bare(body: str) -> str:
    return body


def _indent(body: str, depth: int = 1) -> str:
    return "".join(f"{'    ' * depth}{line}\n" for line in body.splitlines())


def _in_function(body: str) -> str:
    return f"def run():\n    global power\n{_indent(body)}run()\n"


def _in_nested_function(body: str) -> str:
    return f"def outer():\n    def run():\n        global power\n{_indent(body, 2)}    run()\nouter()\n"


def _in_class(body: str) -> str:
    return f"class Body:\n    global power\n{_indent(body)}"


def _in_try(body: str) -> str:
    return f"try:\n    1 / 0\nexcept ZeroDivisionError:\n{_indent(body)}"


def _in_finally(body: str) -> str:
    return f"try:\n    pass\nfinally:\n{_indent(body)}"


def _in_loop(body: str) -> str:
    return f"for _ in [0]:\n{_indent(body)}"


def _in_match(body: str) -> str:
    return f"match 1:\n    case _:\n{_indent(body, 2)}"


def _in_generator(body: str) -> str:
    return f"def run():\n    global power\n{_indent(body)}    yield 1\nlist(run())\n"


def _in_coroutine(body: str) -> str:
    return (
        f"async def run():\n    global power\n{_indent(body)}"
        "try:\n    run().send(None)\nexcept StopIteration:\n    pass\n"
    )


def _in_decorator(body: str) -> str:
    return f"def run(cls):\n    global power\n{_indent(body)}    return cls\n@run\nclass Shown: pass\n"


def _in_method(body: str) -> str:
    return (
        "class Body:\n    def __init_subclass__(cls):\n        global power\n"
        f"{_indent(body, 2)}class Below(Body): pass\n"
    )


def _in_sort_key(body: str) -> str:
    return f"def run(key):\n    global power\n{_indent(body)}    return 0\nsorted([1], key=run)\n"


def _in_exec(body: str) -> str:
    return f"exec({body!r}, globals())\npower = globals()['power']\n"


WRAPPINGS: tuple[Callable[[str], str], ...] = (
    *(_bare, _in_function, _in_nested_function, _in_class, _in_try, _in_finally, _in_loop),
    *(_in_match, _in_generator, _in_coroutine, _in_decorator, _in_method, _in_sort_key, _in_exec),
)


def _text(text: str, chooser: Chooser) -> str:
    return chooser.choice(TEXTS)(text, chooser)


def generate(chooser: Chooser, modules: Sequence[str] = ()) -> tuple[str, str]:
    """One program: its kind of power and its source. `modules` are those that may be imported."""
    known = [p for p in primitives() if not p.before.startswith("import") or _root(p) in modules]
    primitive = chooser.choice(known)
    expression = primitive.start
    for step in primitive.steps:
        if step[0] in "([":
            expression = f"({expression}){step}"
        else:
            expression = chooser.choice(READS)(expression, step, chooser)
    body = chooser.choice(WRAPPINGS)(f"power = {expression}\n")
    return primitive.power, _helpers(body, primitive) + body


def _root(primitive: Primitive) -> str:
    return primitive.start.partition(".")[0]


def _helpers(body: str, primitive: Primitive) -> str:
    parts = [primitive.before]
    if "by_format(" in body:
        parts.append(_FORMAT_HELPER)
    for name in {n for p in primitives() for n in p.steps if f"by_pattern_{n}(" in body}:
        parts.append(
            f"def by_pattern_{name}(o):\n    match o:\n        case object({name}=found):\n"
            "            return found\n"
        )
    if "operator_" in body:
        parts.append("import operator as operator_\n")
    return "".join(parts)


