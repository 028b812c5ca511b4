"""Tokens as clients offer them in the header `Authorization`."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterable


class Tokens:
    """The tokens that a server knows, as digests."""

    def __init__(self, tokens: Iterable[str]) -> None:
        self._digests = [_digest(token.encode()) for token in tokens]

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._digests)

    def number(self, headers: list[bytes]) -> int | None:
        """Return the number of the token that `headers` offer; None for no token of ours."""
        offered = _offered(headers[0]) if len(headers) == 1 else None
        if offered is None:
            return None
        # Digests are compared, with all: neither the time nor an early end tells anything of one.
        digest = _digest(offered)
        same = [hmac.compare_digest(digest, known) for known in self._digests]
        return same.index(True) if any(same) else None


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()


def _offered(header: bytes) -> bytes | None:
    """Return the token in `Bearer TOKEN`, or in `Basic`: what http://any:TOKEN@host/ becomes."""
    scheme, _, rest = header.strip().partition(b" ")
    if scheme.lower() == b"bearer":
        return rest.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(rest.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return None
    return None
