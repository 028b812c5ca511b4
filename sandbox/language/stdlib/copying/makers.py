"""Makers of copies, one function for each kind of class: of `x`, as another of `cls`.

`deep(o, run)` copies what `x` holds; where the copy shares that, it answers with `o`. A class of
the program's own is called, or asked for a new object, as CPython's `copy` would; what it is given
was read past it, by the host class that it inherits from.
"""

import collections
import functools
from collections.abc import Callable
from typing import Any

from sandbox.language.guards.classes.class_origin import dict_of, instance_dict, mro_of, name_of
from sandbox.language.guest.ends.denials import denied_class

Deep = Callable[[Any, Any], Any]
Maker = Callable[[Any, Any, Deep, Any], Any]


def _reader(cls: type, name: str) -> Callable[[Any], Any]:
    read: Callable[[Any], Any] = dict_of(cls)[name].__get__
    return read


_args_of = _reader(BaseException, "args")
_filenames = (_reader(OSError, "filename"), _reader(OSError, "filename2"))
_maxlen_of = _reader(collections.deque, "maxlen")
_factory_of = _reader(collections.defaultdict, "default_factory")
_called_by = tuple(_reader(functools.partial, name) for name in ("func", "args", "keywords"))
_bounds_of = tuple(_reader(slice, name) for name in ("start", "stop", "step"))


def new(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """Empty, not initialized."""
    return cls.__new__(cls)


def called(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """Empty, initialized."""
    return cls()


def value(read: Callable[[Any], Any]) -> Maker:
    """From the plain value that `read` finds in it."""
    return lambda x, cls, deep, run: cls.__new__(cls, read(x))


def elements(iterate: Callable[[Any], Any]) -> Maker:
    """From a list of what `iterate` finds in it."""
    return lambda x, cls, deep, run: cls([deep(item, run) for item in [*iterate(x)]])


def octets(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A bytearray."""
    return cls(bytes(bytearray.__getitem__(x, slice(None))))


def fields(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A tuple; one with names takes its items one by one."""
    items = tuple([deep(item, run) for item in [*tuple.__iter__(x)]])
    named = any("__getnewargs__" in dict_of(base) for base in mro_of(cls) if base is not tuple)
    return cls.__new__(cls, *items) if named else cls.__new__(cls, items)


def queue(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A deque, empty, as long as it may be."""
    longest = _maxlen_of(x)
    return cls() if longest is None else cls((), longest)


def defaults(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A defaultdict, empty."""
    factory = _factory_of(x)
    return cls() if factory is None else cls(deep(factory, run))


def counts(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A Counter."""
    return cls(deep(dict(x), run))


def call(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A partial: what it calls, and with what."""
    function, args, keywords = (read(x) for read in _called_by)
    named = {name: deep(value, run) for name, value in dict.items(dict.copy(keywords))}
    return cls.__new__(cls, deep(function, run), *[deep(arg, run) for arg in args], **named)


def bounds(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A slice."""
    return slice(*[deep(read(x), run) for read in _bounds_of])


def error(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """An exception, from its arguments."""
    return cls(*[deep(arg, run) for arg in _args_of(x)])


def os_error(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """An exception that keeps the names of files apart from its arguments."""
    args = _args_of(x)
    first, second = (read(x) for read in _filenames)
    if len(args) == 2 and first is not None:
        args = (*args, first) if second is None else (*args, first, None, second)
    return cls(*[deep(arg, run) for arg in args])


def json_error(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """A JSONDecodeError, whose arguments are not what it was made from."""
    own = instance_dict(x) or {}
    return cls(*[deep(own[name], run) for name in ("msg", "doc", "pos")])


def moment(host: Any) -> Maker:
    """Make anew what `datetime` keeps as bytes, from these; a time zone is copied too."""

    # Not what `object` has under these names: it would ask the object itself.
    state = dict_of(host).get("__reduce_ex__", lambda x, _: dict_of(host)["__reduce__"](x))

    def make(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
        return host.__new__(cls, *[deep(value, run) for value in state(x, 4)[1]])

    return make


def generator(host: Any) -> Maker:
    """A generator of random numbers in the same state."""
    native: Any = next(base for base in mro_of(host)[1:] if "getstate" in dict_of(base))

    def make(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
        made = cls()
        native.setstate(made, native.getstate(x))
        own, target = instance_dict(x), instance_dict(made)
        if own is not None and target is not None and type(made) is cls:
            target["gauss_next"] = own.get("gauss_next")
        return made

    return make


def stream(host: Any) -> Maker:
    """A StringIO or a BytesIO with the same content at the same place."""

    def make(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
        state = host.__getstate__(x)
        made = host.__new__(cls)
        host.__setstate__(made, (*state[:-1], None))
        return made

    return make


def cursor(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """An iterator over a sequence, at the same place."""
    _, args, *place = cls.__reduce__(x)
    source = deep(args[0], run)
    if type(source) is not type(args[0]):
        raise denied_class(f"copying this {name_of(cls)!r} object")
    made: Any = iter(source)
    if place and type(place[0]) is int:
        if type(made) is not cls:  # `source` may be of the program's own kind: it says how
            raise denied_class(f"copying this {name_of(cls)!r} object into another kind")
        made.__setstate__(place[0])
    return made


def pipe(x: Any, cls: Any, deep: Deep, run: Any) -> Any:
    """An iterator whose arguments are all that there is to it."""
    _, args, *state = cls.__reduce__(x)
    if state:
        raise denied_class(f"copying this {name_of(cls)!r} object")
    return cls(*[deep(arg, run) for arg in args])


def append(x: Any, made: Any, deep: Deep, run: Any) -> None:
    """Put in each item, as the class of the copy does it."""
    put = made.append
    for item in x:
        put(deep(item, run))


def insert(x: Any, made: Any, deep: Deep, run: Any) -> None:
    """Put in each key and value, as the class of the copy does it."""
    for key, item in x.items():
        made[deep(key, run)] = deep(item, run)


def members(cls: Any, *names: str) -> Callable[[Any, Any, Deep, Any], None]:
    """Set what exceptions of `cls` have beside their arguments."""
    found = [dict_of(cls)[name] for name in names]

    def fill(x: Any, made: Any, deep: Deep, run: Any) -> None:
        for member in found:
            text = member.__get__(x)
            if type(text) is str:
                member.__set__(made, text)

    return fill
