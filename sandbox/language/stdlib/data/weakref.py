"""A stand-in for `weakref.proxy`: what a proxy stands for is known to the guards."""

import weakref as real
from typing import Any

from sandbox.language.guest.context import Context


def _ignore(reference: Any) -> None:
    return


def weakref(context: Context) -> dict[str, Any]:
    """`proxy`, and no sign of the marks by which objects are numbered.

    The guards judge an attribute by the object that has it, and a proxy hides that.
    """
    is_deterministic = context.plan.deterministic
    proxies = context.guards.lookup.proxies
    replaced: list[Any] = []  # what is freed, and when, may not depend on where objects are

    def proxy(object: Any, callback: Any = None, /) -> Any:
        # With a callback it is one of its own, and not that of the program's `ref(object)`.
        reference = real.ref(object, _ignore)
        made: Any = real.proxy(object, callback)
        try:
            if is_deterministic:
                replaced.append(proxies.get(id(made)))
            proxies[id(made)] = reference
        except BaseException:  # for want of memory: nobody else may hold what nobody knows
            made = None
            raise
        return made

    def is_shown(reference: Any, of: Any) -> bool:
        """Return False for ours, and for a proxy that is only being made.

        A finalizer may ask for it by then, and no guard knows what it stands for.
        """
        if type(reference) is real.ref:
            return reference.__callback__ is not _ignore
        if not issubclass(type(reference), real.ProxyTypes):
            return True
        known = proxies.get(id(reference))
        return known is not None and known() is of

    references: Any = real.getweakrefs
    if is_deterministic:
        from sandbox.language.natives.values.numbering import own_references as references

    def getweakrefs(object: Any, /) -> list[Any]:
        return [reference for reference in references(object) if is_shown(reference, object)]

    def getweakrefcount(object: Any, /) -> int:
        return len(getweakrefs(object))

    return {"proxy": proxy, "getweakrefs": getweakrefs, "getweakrefcount": getweakrefcount}
