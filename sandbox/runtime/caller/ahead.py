"""Orders that are made in one process and carried out by a sandbox of another.

To check, copy and marshal a long job takes as long as the job is long. Whoever serves many from one
event loop has that done elsewhere, and gets the bytes for the child as memory that nobody copies.
"""

import pickle
from dataclasses import replace
from typing import Any, NamedTuple

from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox
from sandbox.runtime.caller.submission import Clerk, Item


class Sealed(NamedTuple):
    """An order as it crosses between processes of ours: all but the job's bytes, and those."""

    rest: bytes
    job: Any  # a buffer

    def opened(self) -> Item:
        """What was sealed. Never for bytes that come from elsewhere: they are unpickled."""
        order, limits = pickle.loads(self.rest)
        return (order if isinstance(order, Result) else replace(order, job=self.job)), limits


def clerk_of(sandbox: Sandbox) -> Clerk:
    """What makes the orders of `sandbox`; it can be pickled."""
    return sandbox._clerk


def sealed(item: Item) -> Sealed:
    """`item` for another process: with a pickler that knows buffers its job is not copied."""
    order, limits = item
    if isinstance(order, Result):
        return Sealed(pickle.dumps(item), b"")
    rest = pickle.dumps((replace(order, job=b""), limits))
    return Sealed(rest, pickle.PickleBuffer(order.job))


async def carry_out(sandbox: Sandbox, made: Sealed) -> Result:
    """The result of an order that `clerk_of(sandbox)` made elsewhere. Raises as `arun` does."""
    return await sandbox._runner.arun(made.opened())
