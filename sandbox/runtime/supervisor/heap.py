"""The heap of the supervisor, made ready to be forked: a child copies each page that it writes to.

`fill_gaps` leaves no gaps, which a child would fill with new objects, each on a page of its own.
`stop_counting` ends the counting of references, which writes to every object that a child reads.
"""

import gc
from sys import getrefcount
from types import CodeType

from sandbox.interpreter.disarming.identity import address, identity
from sandbox.interpreter.vault.powers import COUNT_BYTES
from sandbox.kernel import libc

# Of CPython's allocator of small objects (Objects/obmalloc.c): pools of one size each, a header at
# the start of each pool, sizes in steps; and what an object of bytes needs beside its content.
_POOL, _POOL_HEADER, _BYTES_HEADER = 16 << 10, 48, 33
_SMALL = range(48, 513, 16)
_AT_A_TIME = 1000
_ALIGNED, _STEP = 1 << 60, 16 // COUNT_BYTES
_IN_ORDER = 20  # so many, one after the other, are given out of a pool that was never used
# Of malloc's, large before small: what is left of a large gap is a small one.
_LARGE = [int(512 * 1.2**n) for n in range(24, 0, -1)]


def fill_gaps(*, pools: bool = True) -> None:
    """Take the gaps that are there now, for good; those of `pools` where CPython allocates."""
    gaps = []
    for size in _SMALL if pools else ():
        before, in_order = 0, 0
        while in_order < _IN_ORDER:  # a pool that was in use gives them out as they came back
            gap = bytes(size - _BYTES_HEADER)
            gaps.append(gap)
            place = address(gap)
            if place % _POOL == _POOL_HEADER:
                in_order = 1
            else:
                in_order = in_order + 1 if in_order and place == before + size else 0
            before = place
    libc.leak(tuple(gaps))
    del gaps
    top, spare = 0, []
    for size in _LARGE:
        gap = bytes(size)
        while address(gap) < top:
            libc.leak(gap)
            gap = bytes(size)
        top = address(gap)  # from the end of the heap: there is no gap of this size any more
        spare.append(gap)
    del spare, gap
    libc.give_back_memory()


def stop_counting() -> int:
    """Make all objects of this process immortal, where CPython can (3.12); return their number.

    The supervisor calls this before its first fork. It writes to nearly every page of the heap,
    which costs least while no child shares one; and every child inherits objects that it can read
    without a write to their reference counts, and so without copying their pages. Immortal objects
    are never freed, nor need to be: a child ends by itself.
    """
    todo = gc.get_objects()  # and with them all that they lead to
    memory = libc.all_memory().cast("I")  # after that: it is to go away
    uncounted = memory[id(None) // COUNT_BYTES]
    references, of_none = [None] * 1000, getrefcount(None)
    if memory[id(None) // COUNT_BYTES] != uncounted:
        return 0  # this interpreter counts even None
    references.clear()
    made = 0
    while todo:
        # The last ones, as they are in the processor's cache; most were met before.
        some = [o for o in todo[-_AT_A_TIME:] if getrefcount(o) != of_none]
        del todo[-_AT_A_TIME:]
        fresh = []
        for o, turned in zip(some, map(identity, some), strict=True):
            # Most addresses are multiples of 16: nothing of them was turned to the other end.
            aligned = 0 < turned < _ALIGNED
            place = turned * _STEP if aligned else address(o) // COUNT_BYTES
            if memory[place] != uncounted:
                memory[place] = uncounted
                fresh.append(o)
        made += len(fresh)
        todo += gc.get_referents(*fresh)
        for code in [o for o in fresh if type(o) is CodeType]:
            # The collector does not know what is in it.
            todo += code.co_consts, code.co_names, code.co_name, code.co_qualname, code.co_filename
    return made
