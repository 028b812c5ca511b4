"""Stand-ins for names of `decimal`."""

from typing import Any

from sandbox.language.guest.context import Context
from sandbox.language.natives.values.decimals import checking, holding


def decimal(context: Context) -> dict[str, Any]:
    """`localcontext` sets attributes of a copy without a call of `__setattr__`.

    What it copies it does not hold meanwhile (3.13)."""
    import decimal as real

    checked: Any = holding(checking(real.localcontext))
    checked.__name__ = checked.__qualname__ = "localcontext"
    checked.__module__, checked.__doc__ = "decimal", real.localcontext.__doc__
    return {"localcontext": checked}
