"""The cost of parsing a text, where CPython's parser takes more than linear time."""

import re
import sys
from collections.abc import Iterable

MOST_LOOKED_AT = 1 << 28  # characters, in half a second
# Before 3.12 CPython looks for each field of an f-string from the beginning of its token.
_LOOKS_FOR_FIELDS = sys.version_info < (3, 12)
_F_STRING = re.compile(r"""(?i:\b(?:f|fr|rf))['"]""")
# The dotted name of an import is put together anew at each dot. A line may go on after a backslash.
_FEW_DOTS = 1000
_DOTTED = re.compile(r"(?<!\w)(?:[^\W\d]\w*+[\s\\]*+\.[\s\\]*+)++")


def is_dear(texts: Iterable[str]) -> bool:
    """Return True if to parse `texts` takes far longer than their length says.

    That is where the sum is more than 2**28 of dots times characters of each dotted name; and
    before Python 3.12, in those with f-strings, of opening braces times characters of the text.
    """
    return sum(map(_looked_at, texts)) > MOST_LOOKED_AT


def _looked_at(text: str) -> int:
    fields = text.count("{") if _LOOKS_FOR_FIELDS and _F_STRING.search(text) else 0
    return fields * len(text) + of_dotted_names(text)


def of_dotted_names(text: str) -> int:
    """Count the characters that joining dotted names of imports in `text` may take."""
    if "import" not in text or text.count(".") <= _FEW_DOTS:
        return 0
    names = (found[0] for found in _DOTTED.finditer(text))
    return sum(name.count(".") * len(name) for name in names)
