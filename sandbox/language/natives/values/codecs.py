"""Codec `unicode_escape`: its error handlers are never called among escapes that mean nothing.

CPython remembers where the first of those stands, in memory that a handler replaces (gh-133767).
"""

import codecs
import encodings
import re
from encodings import unicode_escape
from typing import Any

_decode: Any = getattr(codecs, "unicode_escape_decode")  # noqa: B009
_ESCAPE = re.compile(rb"\\(?:[4-7][0-7]{2}|[\s\S])")
_KNOWN = frozenset(b"\n\\'\"abfnrtv01234567xuUN")


def harden() -> None:
    """Replace what decodes, and have every codec looked up again: the answers are remembered."""
    codec: Any = unicode_escape.Codec
    codec.decode = staticmethod(decode)
    incremental: Any = unicode_escape.IncrementalDecoder
    incremental._buffer_decode = lambda self, data, errors, final: decode(data, errors, final)
    known: Any = encodings
    names = [name for name, entry in known._cache.items() if entry is not None]
    for name in names:
        if known._cache[name].name == "unicode-escape":
            del known._cache[name]
    codecs.unregister(encodings.search_function)
    codecs.register(encodings.search_function)
    for name in (*names, "unicode_escape"):
        codecs.lookup(name)


def decode(data: Any, errors: Any = "strict", final: bool = True) -> Any:
    """See `codecs.unicode_escape_decode`."""
    if errors in (None, "strict"):
        return _decode(data, errors, final)
    text = data.encode() if issubclass(type(data), str) else bytes(data)
    decoded, used = _decode(_ESCAPE.sub(_meant, text), errors, final)
    return decoded, used if used < len(text) else len(text)


def _meant(match: re.Match[bytes]) -> bytes:
    """Return an escape that CPython knows and that means the same."""
    escape = match[0]
    if len(escape) == 4:
        return b"\\u%04x" % int(escape[1:], 8)
    return escape if escape[1] in _KNOWN else b"\\" + escape
