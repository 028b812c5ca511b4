"""The codec `unicode_escape`: it remembers a place in memory that it lets go of (CVE-2025-4516).

A handler of errors is given a copy of the bytes, in an exception, and decoding goes on in that
copy. The exception is held here until the codec is done.
"""

import _codecs
import codecs
import encodings
import encodings.unicode_escape as module
from collections.abc import Callable
from typing import Any

_NAMES = (
    *("ignore", "replace", "backslashreplace", "surrogateescape", "surrogatepass"),
    *("namereplace", "xmlcharrefreplace"),
)
_PREFIX = "held "
_held: list[list[Any]] = []
_modules: Any = (_codecs, codecs)
_decode = _codecs.unicode_escape_decode


def harden() -> None:
    """Replace the decoder wherever the standard library has it, and forget what was looked up."""
    for name in _NAMES:
        codecs.register_error(_PREFIX + name, _keeping(codecs.lookup_error(name)))
    for each in _modules:
        each.unicode_escape_decode = _decode_holding
    codec: Any = module.Codec
    codec.decode = staticmethod(_decode_holding)
    cache: Any = vars(encodings)["_cache"]
    cache.pop("unicode_escape", None)
    codecs.unregister(encodings.search_function)
    codecs.register(encodings.search_function)


def _keeping(handle: Callable[[UnicodeError], Any]) -> Callable[[UnicodeError], Any]:
    def handler(error: UnicodeError) -> Any:
        if _held and error not in _held[-1]:
            _held[-1].append(error)
        return handle(error)

    return handler


def _decode_holding(data: Any, errors: Any = "strict", final: bool = True, /) -> tuple[str, int]:
    if isinstance(errors, str):
        errors = str.__str__(errors)
        if errors in _NAMES:
            errors = _PREFIX + errors
    _held.append([])
    try:
        return _decode(data, errors, final)
    finally:
        _held.pop()
