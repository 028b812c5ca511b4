"""The heap of a process that will be forked: no gaps are left in it.

What a child allocates would fill them, and each is on a page of its own that the child had to copy.
"""

from sandbox.kernel import libc

# Of CPython's allocator of small objects (Objects/obmalloc.c): pools of one size each, a header at
# the start of each pool, sizes in steps; and what an object of bytes needs beside its content.
_POOL, _POOL_HEADER, _BYTES_HEADER = 16 << 10, 48, 33
_SMALL = range(48, 513, 16)
# Of malloc's, large before small: what is left of a large gap is a small one.
_LARGE = [int(512 * 1.2**n) for n in range(24, 0, -1)]


def fill_gaps() -> None:
    """Take the gaps that are there now, for good."""
    for size in _SMALL:
        address = 0
        while address % _POOL != _POOL_HEADER:  # until the allocator begins another pool
            address = _taken(size - _BYTES_HEADER)
    top, spare = 0, []
    for size in _LARGE:
        gap = bytes(size)
        while id(gap) < top:
            libc.leak(gap)
            gap = bytes(size)
        top = id(gap)  # from the end of the heap: there is no gap of this size any more
        spare.append(gap)


def _taken(size: int) -> int:
    gap = bytes(size)
    libc.leak(gap)
    return id(gap)
