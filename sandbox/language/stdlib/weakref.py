"""A stand-in for `weakref.proxy`: what a proxy stands for is known to the guards."""

import weakref as real
from typing import Any

from sandbox.language.guest.context import Context


def weakref(context: Context) -> dict[str, Any]:
    """`proxy`, and no sign of the marks by which objects are numbered.

    The guards judge an attribute by the object that has it, and a proxy hides that.
    """
    is_deterministic = context.plan.deterministic
    proxies = context.guards.lookup.proxies
    replaced: list[Any] = []  # what is freed, and when, may not depend on where objects are

    def proxy(object: Any, callback: Any = None, /) -> Any:
        made = real.proxy(object, callback)
        if is_deterministic:
            replaced.append(proxies.get(id(made)))
        proxies[id(made)] = real.ref(object)
        return made

    if not is_deterministic:
        return {"proxy": proxy}
    from sandbox.language.natives.numbering import own_references

    def getweakrefs(object: Any, /) -> list[Any]:
        return own_references(object)

    def getweakrefcount(object: Any, /) -> int:
        return len(own_references(object))

    return {"proxy": proxy, "getweakrefs": getweakrefs, "getweakrefcount": getweakrefcount}
