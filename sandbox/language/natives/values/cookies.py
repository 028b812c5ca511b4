"""`TextIOWrapper.seek`: a position is a number that packs five (`cookie_type`, textio.c)."""

import io
from operator import index
from typing import Any

from sandbox.language.natives.patching import Method, replace

# Bits of each, lowest first: the position, the decoder's flags, the bytes to feed to it, the
# characters to skip of what comes out, and whether it is the end. All but the flags are signed.
_FIELDS = ((64, True), (32, False), (32, True), (32, True), (8, True))


def harden() -> None:
    """Replace `seek`."""
    replace(io.TextIOWrapper, _seek, "seek")


def _seek(own: Method) -> Method:
    def seek(self: Any, cookie: Any, whence: Any = 0, /) -> Any:
        cookie = index(cookie)
        _check(cookie)
        return own(self, cookie, whence)

    return seek


def _check(cookie: int) -> None:
    """Raise OSError for a position that `tell` never gives: CPython would read before the text."""
    rest = cookie
    for bits, signed in _FIELDS:
        if rest <= 0:  # CPython says itself what is wrong with a negative one
            return
        if signed and rest >> (bits - 1) & 1:
            raise OSError("can't restore logical file position")
        rest >>= bits
    if rest:
        raise OverflowError("int too big to convert")
