"""The hooks that CPython calls as a class is made or asked about, where they show too much."""

from collections.abc import Callable
from typing import Any


class ShownHook:
    """A guest's `__subclasshook__` or `__subclasscheck__`.

    Host code asks it on behalf of `isinstance`, about a host's metaclass too: it gets the stand-in.
    """

    __slots__ = ("hook",)


def shown_hook(shown: Callable[[Any], Any]) -> Callable[[Any], ShownHook]:
    """Return what makes such a hook. A guest may make some too: how to show is not its to say."""

    class Hook(ShownHook):
        __slots__ = ()

        def __init__(self, hook: Any) -> None:
            self.hook = hook

        def __get__(self, instance: Any, owner: Any = None) -> Callable[..., Any]:
            get = getattr(type(self.hook), "__get__", None)
            bound = self.hook if get is None else get(self.hook, instance, owner)
            return lambda *args: bound(*args[:-1], shown(args[-1]))

    return Hook
