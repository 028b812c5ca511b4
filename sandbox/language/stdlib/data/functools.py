"""Stand-ins for names of `functools` that copy, cache or read attributes under any name."""

import functools as real
import types
from collections.abc import Callable, Container
from typing import Any, Union

from sandbox.interpreter.vault.asking import evaluate
from sandbox.language.compile.compiler import PROGRAM_FILES
from sandbox.language.compile.names import may_be_field
from sandbox.language.guards.classes.class_origin import (
    is_class,
    is_guest_function,
    is_guest_method,
    name_of,
)
from sandbox.language.guards.classes.heirs import keep_name
from sandbox.language.guards.evaluation import compile_under
from sandbox.language.guards.guards import exact_name
from sandbox.language.guest.context import Context
from sandbox.language.guest.ends.denials import Denial, denied_attribute
from sandbox.language.guest.state import on_behalf_of_guest
from sandbox.language.natives.calls.caches import lru_cache
from sandbox.language.stdlib.data.typing import own_only

_NONE = object()
_UNIONS = (types.UnionType, type(Union[int, None]))  # noqa: UP007
_COPIED = ("__module__", "__name__", "__qualname__", "__doc__")
_USUAL = frozenset((*_COPIED, "__annotations__", "__annotate__", "__type_params__"))


def functools(context: Context) -> dict[str, Any]:
    """By name."""
    _guard_wrapping(context)
    update_wrapper = _update_wrapper(context)
    singledispatch = _singledispatch(context)
    return {
        "update_wrapper": update_wrapper,
        "wraps": _wraps(update_wrapper),
        "lru_cache": lru_cache,
        "cached_property": _cached_property(context),
        "partialmethod": _partialmethod(context),
        "singledispatch": singledispatch,
        "singledispatchmethod": _singledispatchmethod(context, singledispatch),
        "total_ordering": own_only(context, real.total_ordering),
    }


def _guard_wrapping(context: Context) -> None:
    """`lru_cache` and other wrappers copy the namespace of what they wrap to where a guest can read
    it: of a host's class, that is its descriptors."""
    module: Any = real
    update = getattr(module.update_wrapper, "original", module.update_wrapper)
    kin, read = context.classes.kin, context.guards.getattr

    def update_wrapper(
        wrapper: Any,
        wrapped: Any,
        assigned: Any = real.WRAPPER_ASSIGNMENTS,
        updated: Any = real.WRAPPER_UPDATES,
    ) -> Any:
        if not on_behalf_of_guest() or is_guest_method(wrapped):
            return update(wrapper, wrapped, assigned, updated)
        _copy_names(wrapper, wrapped)
        wrapper.__wrapped__ = wrapped
        if kin.is_guest_class(wrapped) or kin.holds_own(wrapped):
            wrapper.__dict__.update(read(wrapped, "__dict__", ()))
        return wrapper

    update_wrapper.original = update  # type: ignore[attr-defined]
    module.update_wrapper = update_wrapper


def _copy_names(target: Any, wrapped: Any, wanted: Container[str] = _COPIED) -> None:
    """Texts alone: of a property a class would make its metaclass's answer."""
    for name in (name for name in _COPIED if name in wanted):
        value = getattr(wrapped, name, _NONE)
        if type(value) is str or (name == "__doc__" and value is None):
            if name == "__name__" and is_class(target):
                keep_name(target)
            setattr(target, name, value)


def _wraps(update_wrapper: Callable[..., Any]) -> Callable[..., Any]:
    def wraps(
        wrapped: Any,
        assigned: Any = real.WRAPPER_ASSIGNMENTS,
        updated: Any = real.WRAPPER_UPDATES,
    ) -> Callable[[Any], Any]:
        return lambda wrapper: update_wrapper(wrapper, wrapped, assigned, updated)

    return wraps


def _update_wrapper(context: Context) -> Callable[..., Any]:
    """Copies the usual names only, and no class's namespace: that holds descriptors."""
    guards = context.guards

    def update_wrapper(
        wrapper: Any,
        wrapped: Any,
        assigned: Any = real.WRAPPER_ASSIGNMENTS,
        updated: Any = real.WRAPPER_UPDATES,
    ) -> Any:
        target = guards.own(wrapper)
        wanted: list[str] = []
        others: list[str] = []
        for name in map(exact_name, tuple(assigned)):
            (wanted if name in _USUAL else others).append(name)
        _copy_names(target, wrapped, wanted)
        if is_guest_function(wrapped) and is_guest_function(wrapper):
            if "__annotate__" in wanted:  # from 3.14 on, as they are evaluated late
                wrapper.__annotate__ = wrapped.__annotate__
            if "__annotations__" in wanted:
                wrapper.__annotations__ = dict(wrapped.__annotations__)
        for name in others:
            value = guards.getattr(wrapped, name, _NONE)
            if value is not _NONE:
                guards.setattr(wrapper, name, value)
        for name in map(exact_name, tuple(updated)):
            if name != "__dict__":
                guards.getattr(wrapper, name).update(guards.getattr(wrapped, name, {}))
            elif not is_class(wrapped):
                _copy_namespace(wrapper, wrapped)
        target.__wrapped__ = wrapped
        return wrapper

    def _copy_namespace(wrapper: Any, wrapped: Any) -> None:
        own = guards.getattr(wrapped, "__dict__", None)
        for name, value in own.items() if type(own) is dict else ():
            if type(name) is str and name in real.WRAPPER_ASSIGNMENTS:
                continue  # what `lru_cache` copied from the function that it wraps
            guards.setattr(wrapper, name, value)

    return update_wrapper


def _cached_property(context: Context) -> type:
    """CPython's reads any key of the `__dict__` of what it is called on, which may be forwarded."""
    host, read = context.classes, context.guards.getattr

    class cached_property:
        def __init__(self, func: Callable[[Any], Any]) -> None:
            self.func = func
            self.attrname: str | None = None
            self.__doc__ = func.__doc__
            self.__module__ = getattr(func, "__module__", "__main__")

        def __set_name__(self, owner: type, name: str) -> None:
            if type(name) is not str or not may_be_field(name) or name.startswith("__"):
                raise denied_attribute(str(name))
            if self.attrname not in (None, name):
                raise TypeError(
                    "Cannot assign the same cached_property to two different names"
                    f" ({self.attrname!r} and {name!r})."
                )
            self.attrname = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            if type(instance) in host.kin.host or is_class(instance):
                raise denied_attribute(str(self.attrname))
            name = self.attrname
            if name is None:
                raise TypeError(
                    "Cannot use cached_property instance without calling __set_name__ on it."
                )
            try:
                cache = read(instance, "__dict__")
            except AttributeError as error:
                if issubclass(type(error), Denial):
                    raise
                raise TypeError(
                    f"No '__dict__' attribute on {name_of(type(instance))!r} instance to cache"
                    f" {name!r} property."
                ) from None
            value = cache.get(name, _NONE)
            if value is _NONE:
                value = cache[name] = self.func(instance)
            return value

        __class_getitem__: Any = classmethod(types.GenericAlias)

    cached_property.__module__, cached_property.__qualname__ = "functools", "cached_property"
    return cached_property


def _partialmethod(context: Context) -> type:
    """CPython's leaves the `__self__` of whatever it wraps where a guest can read it."""
    read = context.guards.getattr

    class partialmethod:
        def __init__(self, func: Any, /, *args: Any, **keywords: Any) -> None:
            if not callable(func) and not hasattr(func, "__get__"):
                raise TypeError(f"{func!r} is not callable or a descriptor")
            self.func, self.args, self.keywords = func, args, keywords

        def __get__(self, obj: Any, cls: type | None = None) -> Any:
            get = read(self.func, "__get__", None)
            bound = self.func if get is None else get(obj, cls)
            if bound is not self.func:
                return real.partial(bound, *self.args, **self.keywords)

            def method(self_: Any, /, *args: Any, **keywords: Any) -> Any:
                return self.func(self_, *self.args, *args, **{**self.keywords, **keywords})

            return types.MethodType(method, obj) if obj is not None else method

        __class_getitem__: Any = classmethod(types.GenericAlias)

    partialmethod.__module__, partialmethod.__qualname__ = "functools", "partialmethod"
    return partialmethod


def _annotated_type(context: Context, function: Any) -> Any:
    """The class that the first annotated parameter names: a text is evaluated under the policy."""
    given = function
    if type(function) in (classmethod, staticmethod):  # which have the annotations of theirs
        function = function.__func__
    if not is_guest_function(function) or not function.__annotations__:
        raise TypeError(
            f"Invalid first argument to `register()`: {given!r}. Use either"
            " `@register(some_class)` or plain `@register` on an annotated function."
        )
    annotation = next(iter(function.__annotations__.values()))
    if isinstance(annotation, str):
        # A library's namespace has what only the library is lent.
        if not function.__code__.co_filename.startswith(PROGRAM_FILES):
            raise TypeError(f"Invalid annotation of {given!r}: a text, in a library's function.")
        code = compile_under(context.state, annotation, "eval")
        annotation = evaluate(code, function.__globals__)
    return annotation


def _singledispatch(context: Context) -> Callable[[Any], Any]:
    shown = context.classes.shown

    def singledispatch(func: Any) -> Any:
        inner = real.singledispatch(func)
        add, registry = inner.register, dict(inner.registry)

        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if not args:
                raise TypeError(f"{func.__name__} requires at least 1 positional argument")
            return inner.dispatch(shown(type(args[0])))(*args, **kwargs)

        def register(cls: Any, function: Any = None) -> Any:
            if function is None:
                if is_class(cls) or type(cls) in _UNIONS:
                    return lambda function: register(cls, function)
                cls, function = _annotated_type(context, cls), cls
            if not all(map(is_class, cls.__args__ if type(cls) in _UNIONS else (cls,))):
                raise TypeError(
                    f"Invalid first argument to `register()`. {cls!r} is not a class or union type."
                )
            add(cls, function)
            kinds = cls.__args__ if type(cls) in _UNIONS else (cls,)
            registry.update(dict.fromkeys(kinds, function))
            return function

        def dispatch(cls: Any) -> Any:
            if not is_class(cls):  # it would be looked up among classes, and be shown them
                raise TypeError(f"dispatch() needs a class, not {type(cls).__name__!r}")
            return inner.dispatch(cls)

        wrapper.register = register  # type: ignore[attr-defined]
        wrapper.dispatch = dispatch  # type: ignore[attr-defined]
        wrapper.registry = types.MappingProxyType(registry)  # type: ignore[attr-defined]
        _copy_names(wrapper, func)
        wrapper.__wrapped__ = func  # type: ignore[attr-defined]
        return wrapper

    return singledispatch


def _singledispatchmethod(context: Context, singledispatch: Callable[[Any], Any]) -> type:
    shown = context.classes.shown  # the guest may put another dispatcher there
    read = context.guards.getattr

    class singledispatchmethod:
        def __init__(self, func: Any) -> None:
            self.func = func
            self.dispatcher = singledispatch(func)

        def register(self, cls: Any, method: Any = None) -> Any:
            return self.dispatcher.register(cls, method)

        def __get__(self, obj: Any, cls: type | None = None) -> Any:
            def method(*args: Any, **kwargs: Any) -> Any:
                chosen = self.dispatcher.dispatch(shown(type(args[0])))
                return read(chosen, "__get__")(obj, cls)(*args, **kwargs)

            method.register = self.register  # type: ignore[attr-defined]
            return method

    return singledispatchmethod
