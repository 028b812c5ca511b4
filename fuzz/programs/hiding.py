"""Ways to hide what a program does: its texts, its reads of attributes, and what is around them.

Every choice is made by a `Chooser`, so that a seed or a Hypothesis strategy can drive it alike.
"""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chooser(Protocol):
    """The source of choices: `random.Random` has both methods."""

    def choice(self, options: Sequence[T], /) -> T:
        """Return one of `options`."""

    def randint(self, low: int, high: int, /) -> int:
        """Return an integer between the two, both included."""


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
    """Return letters of another alphabet that normalise to the same name (PEP 672)."""
    at = [i for i, c in enumerate(name) if c.isascii() and c.isalpha() and c.islower()]
    for i in at[:: chooser.randint(1, 3)]:
        name = f"{name[:i]}{chr(0x1D5BA + ord(name[i]) - 97)}{name[i + 1 :]}"
    return f"({o}).{name}"


def _getattr(o: str, name: str, chooser: Chooser) -> str:
    return f"getattr({o}, {hidden_text(name, chooser)})"


def _getattr_default(o: str, name: str, chooser: Chooser) -> str:
    return f"getattr({o}, {hidden_text(name, chooser)}, None)"


def _map_getattr(o: str, name: str, chooser: Chooser) -> str:
    return f"list(map(getattr, [{o}], [{hidden_text(name, chooser)}]))[0]"


def _getattribute(o: str, name: str, chooser: Chooser) -> str:
    return f"object.__getattribute__({o}, {hidden_text(name, chooser)})"


def _own_getattribute(o: str, name: str, chooser: Chooser) -> str:
    return f"({o}).__getattribute__({hidden_text(name, chooser)})"


def _attrgetter(o: str, name: str, chooser: Chooser) -> str:
    return f"operator_.attrgetter({hidden_text(name, chooser)})({o})"


def _lambda(o: str, name: str, _: Chooser) -> str:
    return f"(lambda x: x.{name})({o})"


def _comprehension(o: str, name: str, _: Chooser) -> str:
    return f"(lambda items: [x.{name} for x in items][0])([{o}])"


def _walrus(o: str, name: str, _: Chooser) -> str:
    return f"(held := ({o})).{name}"


def _by_pattern(o: str, name: str, _: Chooser) -> str:
    return f"by_pattern_{name}({o})"


def _by_format(o: str, name: str, chooser: Chooser) -> str:
    return f"by_format({o}, {hidden_text(name, chooser)})"


def _vars(o: str, name: str, chooser: Chooser) -> str:
    return f"vars({o}).get({hidden_text(name, chooser)}, None) or getattr({o}, {name!r})"


def _eval(o: str, name: str, chooser: Chooser) -> str:
    return f"eval({hidden_text(f'(lambda x: x.{name})', chooser)})({o})"


READS: tuple[Callable[[str, str, Chooser], str], ...] = (
    *(_dot, _compatible, _getattr, _getattr_default, _map_getattr, _getattribute, _lambda),
    *(
        _own_getattribute,
        _attrgetter,
        _comprehension,
        _walrus,
        _by_pattern,
        _by_format,
        _vars,
        _eval,
    ),
)
FORMAT_HELPER = """def by_format(o, name):
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
    inner = f"    def run():\n        global power\n{_indent(body, 2)}"
    return f"def outer():\n{inner}    run()\nouter()\n"


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
    return (
        f"def run(cls):\n    global power\n{_indent(body)}    return cls\n@run\nclass Shown: pass\n"
    )


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


def hidden_text(text: str, chooser: Chooser) -> str:
    """Return an expression that is `text` when it is evaluated."""
    return chooser.choice(TEXTS)(text, chooser)
