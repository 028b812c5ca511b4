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
        made = real.proxy(object, callback)
        if is_deterministic:
            replaced.append(proxies.get(id(made)))
        # With a callback it is one of its own, and not that of the program's `ref(object)`.
        proxies[id(made)] = real.ref(object, _ignore)
        return made

    references: Any = real.getweakrefs
    if is_deterministic:
        from sandbox.language.natives.values.numbering import own_references as references

    def getweakrefs(object: Any, /) -> list[Any]:
        ours = set(map(id, proxies.values()))
        return [reference for reference in references(object) if id(reference) not in ours]

    def getweakrefcount(object: Any, /) -> int:
        return len(getweakrefs(object))

    return {"proxy": proxy, "getweakrefs": getweakrefs, "getweakrefcount": getweakrefcount}
