"""The namespaces that a guest gives to `eval` and `exec`, and what it sees of its own.

Code finds its guards through its globals, so these are dicts of ours. A dict of the guest's is
copied in before its code runs and out after it. The copy is kept for a while: functions that the
code defined go on with it, and a second `exec` with the same dict finds them.
"""

from collections import deque
from typing import Any

from sandbox.language.compile.names import may_read_variable
from sandbox.language.guest.state import GuestState

_KEPT = 64  # dicts of the guest's; a program that makes more has no use for the oldest
_ANNOTATIONS = "__annotations__"
_ITS_OWN = frozenset((_ANNOTATIONS, "__loader__"))  # known to programs, and shown as copies or None


def visible(namespace: Any) -> dict[str, Any]:
    """Return a copy of a real namespace without what is ours or CPython's, never itself.

    Nor its annotations: the class that is being made of it will go by them.
    """
    seen = {name: value for name, value in dict(namespace).items() if is_visible(name)}
    if type(seen.get(_ANNOTATIONS)) is dict:
        seen[_ANNOTATIONS] = dict(seen[_ANNOTATIONS])
    return seen


def is_visible(name: Any) -> bool:
    """Say whether a program may read `name` as a variable; CPython keeps cells under others."""
    return type(name) is str and ":" not in name and (may_read_variable(name) or name in _ITS_OWN)


class Namespaces:
    """For each dict of the guest's the one of ours in which its code runs."""

    def __init__(self, state: GuestState) -> None:
        self._state = state
        self._kept: deque[tuple[Any, dict[str, Any]]] = deque(maxlen=_KEPT)
        state.forgetting.append(self._kept.clear)

    def enter(self, given: Any) -> dict[str, Any]:
        """Return globals for code to run in `given`. Raises TypeError for what is no dict."""
        if not issubclass(type(given), dict):
            raise TypeError(f"globals must be a dict, not {type(given).__name__}")
        inside = next((own for kept, own in self._kept if kept is given), None)
        if inside is None:
            inside = {}
            self._kept.append((given, inside))
        seen = visible(given)
        for gone in [name for name in visible(inside) if name not in seen]:
            del inside[gone]
        inside.update({"__name__": "__main__", **seen, "__builtins__": self._state.builtins})
        return inside

    def leave(self, given: dict[str, Any], inside: dict[str, Any]) -> None:
        """Let the guest's dict have what its code has bound, and no more what it has deleted.

        As after CPython's own there are builtins in it, but none that anything reads; and no name
        of a module that no code gave it.
        """
        now = visible(inside)
        if now.get("__name__") == "__main__" and not dict.__contains__(given, "__name__"):
            del now["__name__"]
        dict.setdefault(given, "__builtins__", {})
        for gone in [name for name in given if is_visible(name) and name not in now]:
            dict.pop(given, gone, None)
        given.update(now)
