"""A stand-in for `weakref.proxy`: what a proxy stands for is known to the guards."""

import weakref as real
from typing import Any

from sandbox.language.guest.context import Context


def weakref(context: Context) -> dict[str, Any]:
    """`proxy`. The guards judge an attribute by the object that has it, and a proxy hides that."""
    proxies = context.guards.lookup.proxies

    def proxy(object: Any, callback: Any = None, /) -> Any:
        made = real.proxy(object, callback)
        proxies[id(made)] = real.ref(object)
        return made

    return {"proxy": proxy}
