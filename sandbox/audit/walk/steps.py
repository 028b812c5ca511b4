"""Steps that a guest can take with what it holds, as templates of its own expressions.

`@` stands for the expression so far. Everything is source text, compiled under the policy like any
program of a guest, so that a step is possible here exactly where it is possible there.
"""

import inspect
import keyword
import types
from collections.abc import Callable, Iterator
from typing import Any

from sandbox.audit.walk.words import LEADING_OUT
from sandbox.language.compile.names import GUARDED, read_kind
from sandbox.language.guards.classes.class_origin import dict_of, is_class, mro_of

# Evaluated without the guards, it is every class there is; under them it is refused.
TEXT = "().__class__.__base__.__subclasses__"
FUTURE = "future"  # what a walk calls the module __future__, a name that no program can bind
CANARY = "zq_no_such_module"
_GUARDED = [name for name in LEADING_OUT if read_kind(name) == GUARDED]
# What every proof may begin with. Needs no grant beyond BaseException.
PRELUDE = f'''
class Own:
    noted: "{TEXT}"
    def method(self, *arguments):
        return self
class Spy:
    told = ()
    def _note(*arguments, **named):
        Spy.told = (*arguments, *named.values())
    __call__ = __eq__ = __lt__ = __getitem__ = __format__ = __enter__ = __exit__ = _note
    __copy__ = __deepcopy__ = __get__ = __set_name__ = __missing__ = __contains__ = _note
    __add__ = __radd__ = __iadd__ = __or__ = __ror__ = __init_subclass__ = _note
    __class_getitem__ = __instancecheck__ = __set__ = __delete__ = __iter__ = _note
def noted(argument: "{TEXT}"):
    return argument
def shown(use):
    Spy.told = ()
    try:
        use(Spy())
    except BaseException:
        pass
    return Spy.told
def caught(use):
    try:
        return use()
    except BaseException as error:
        return error
def taken(source, index):
    for item in source:
        if index == 0:
            return item
        index -= 1
def stored(target):
    target.zq_stored = 1
    return "stored"
def put(target):
    target["zq_put"] = 1
    return "put"
def added(target):
    target.append("zq_put")
    return "put"
def entered(manager):
    with manager as inside:
        return inside
def made(base):
    class Made(base):
        pass
    return Made
def formed(kind):
    class Formed(metaclass=kind):
        pass
    return Formed
def kind_of(o):
    return type(o)
'''
# In functions the compiler spares a guard where the type of the object allows it.
PRELUDE += "".join(f"def read_{n}(o):\n    return o.{n}\n" for n in ("method", *_GUARDED))

# Where a guest can begin with nothing granted at all.
LANGUAGE = (
    "Own",
    "Own()",
    "Own().method",
    "noted",
    "(lambda: 0)",
    "(i for i in 'ab')",
    "caught(lambda: no_such_name)",
    "caught(lambda: Own().no_such_name)",
    "caught(lambda: 1 / 0)",
    "''.join",
    "[].append",
    "{}.keys()",
    "().__class__",
    "Own.__class__",
    "made(Own)",
    "'{0.__globals__}'.format(#)",
    "'{0.__class__.__subclasses__}'.format(1)",
    "__name__",
    "__builtins__",
    "__import__('os')",
)
# How a name that leads out may be read, beside writing it down.
READERS = (
    "getattr(@, {name!r})",
    "vars(@)[{name!r}]",
    "@.__dict__[{name!r}]",
    "object.__getattribute__(@, {name!r})",
    "type.__getattribute__(@, {name!r})",
    "operator.attrgetter({name!r})(@)",
    "operator.methodcaller('__getattribute__', {name!r})(@)",
    "inspect.getattr_static(@, {name!r})",
    "functools.reduce(getattr, [{name!r}], @)",
    "[*map(getattr, [@], [{name!r}])][0]",
    "string.Formatter().get_field('0.{name}', (@,), {{}})[0]",
    "'{{0.{name}}}'.format(@)",
    "'{{v.{name}}}'.format_map({{'v': @}})",
    "read_{name}(@)",
)
# What to call with. `#` stands for a host's function that the policy grants.
CALLS = (
    "@()",
    "@(1)",
    "@('a')",
    "@([2, 1])",
    "@(b'a')",
    "@(Own)",
    "@(Own())",
    "@(noted)",
    "@((lambda *a, **k: a))",
    "@(i for i in 'ab')",
    "@(#)",
    "@(len, [[], 'b'])",
    "@('a', (), {})",
    "@({'a': 1})",
    f"@({TEXT!r})",
    f"@({CANARY!r})",
    "@('os')",
    "@(#, '__globals__')",
    "@('__globals__')(#)",
    "@('__getattribute__', '__globals__')(#)",
    "@(Own, '__subclasses__')",
    "@('0.__globals__', (#,), {})",
    "@('{0.__globals__}', #)",
    "@(Own(), #, ('__globals__',), ())",
)
SPIED = (
    "shown(lambda spy: @(spy))",
    "shown(lambda spy: @(Own(), spy))",
    "shown(lambda spy: @[spy])",
)
OF_CLASSES = ("made(@)", "made(@)()", "formed(@)", "shown(lambda spy: made(@)() == spy)")
OF_ALL = (
    "entered(@)",
    "@.__get__(Own())",
    "@.__class__",
    "type(@)",
    "kind_of(@)",
    "@ + @",
    "@ | @",
    "-@",
    "shown(lambda spy: @ + spy)",
    "shown(lambda spy: @ == spy)",
    "caught(lambda: @.no_such_name)",
    "caught(lambda: @[no_such_name])",
)
# Writes, as a guest would make them: they end with these texts if nothing refused.
STORES = {"stored(@)": "stored", "put(@)": "put", "added(@)": "put"}
_MOST_ITEMS, _MOST_NAMES = 60, 600
_NAMED_ARGUMENTS = 6
_PLAIN = (str, bytes, bytearray, int, float, complex, bool, type(None), range, type(...))
_LEADING_OUT = frozenset(LEADING_OUT)
_KEYED = (dict, types.MappingProxyType)
_LISTED = (list, tuple, set, frozenset)


def is_plain(o: object) -> bool:
    """Return True for a value that leads nowhere but to its class."""
    return type(o) in _PLAIN


def from_object(o: Any, is_news: Callable[[type, str], bool]) -> Iterator[str]:
    """Yield every template that is worth a try on `o`, the shortest first.

    `is_news` says of an attribute, by the class that defines it, if it is not yet known well.
    """
    if is_plain(o):
        return
    for name, owner in _names(o).items():
        if owner is None or name in _LEADING_OUT or is_news(owner, name):
            yield f"@.{name}"
    yield from _items(o)
    if is_class(o):
        yield from OF_CLASSES
    if callable(o):
        yield from CALLS
        yield from _named_calls(o)
        yield from SPIED[:2]
    if hasattr(type(o), "__getitem__"):
        yield from ("@[0]", "@['a']", "@[:]", SPIED[2])
    if hasattr(type(o), "__class_getitem__") or is_class(o):
        yield "@[int]"
    yield from OF_ALL


def leading_out(o: Any) -> list[str]:
    """Return names of `o` that lead out, and all of them where something answers for its names."""
    names = _names(o)
    return [name for name in LEADING_OUT if name in names or "__getattr__" in names]


def _names(o: Any) -> dict[str, type | None]:
    """List what CPython would find on `o`, and in which class, without asking the guest's code.

    None stands for the object itself.
    """
    lines = [*mro_of(type(o)), *(mro_of(o) if is_class(o) else ())]
    found: dict[str, type | None] = {}
    for cls in reversed(lines):
        found.update(dict.fromkeys(dict_of(cls), cls))
    found.update(dict.fromkeys(() if is_class(o) else _instance_names(o)))
    names = sorted(name for name in found if type(name) is str and _is_name(name))
    return {name: found[name] for name in names[:_MOST_NAMES]}


def _instance_names(o: Any) -> list[str]:
    try:
        return [name for name in object.__getattribute__(o, "__dict__") if type(name) is str]
    except (AttributeError, TypeError):
        return []


def _items(o: Any) -> Iterator[str]:
    if issubclass(type(o), _KEYED):
        keys = [key for key in o if type(key) in (str, int)]
        yield from (f"@[{key!r}]" for key in keys[:_MOST_NAMES])
        yield from (f"taken(@, {index})" for index in range(min(len(o), _MOST_ITEMS)))
        yield from (f"taken(@.values(), {index})" for index in range(min(len(o), _MOST_ITEMS)))
    elif issubclass(type(o), (list, tuple)):
        yield from (f"@[{index}]" for index in range(min(len(o), _MOST_ITEMS)))
    elif issubclass(type(o), _LISTED):
        yield from (f"taken(@, {index})" for index in range(min(len(o), _MOST_ITEMS)))
    elif hasattr(type(o), "__iter__") or hasattr(type(o), "__next__"):
        yield "taken(@, 0)"
        yield "taken(@, 1)"


def _named_calls(o: Any) -> Iterator[str]:
    """Yield a spy for each named parameter: hooks such as `default` and `object_hook`."""
    try:
        parameters = list(inspect.signature(o).parameters.values())
    except Exception:  # whatever the object answers when it is asked
        return
    named = [p.name for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
    for name in named[1 : 1 + _NAMED_ARGUMENTS]:
        if _is_name(name):
            yield f"shown(lambda spy: @([Own()], {name}=spy))"
            yield f"shown(lambda spy: @('{{\"a\": 1}}', {name}=spy))"


def spell(template: str, expression: str, witness: str) -> str:
    """Return the expression that `template` makes of `expression`."""
    return template.replace("#", witness).replace("@", expression)


def _is_name(name: str) -> bool:
    """Return True for what may stand behind a dot: not for `builtins.False`."""
    return name.isidentifier() and not keyword.iskeyword(name)
