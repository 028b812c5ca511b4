"""How much of a label is read: its tests are parsed here, and nobody is served meanwhile."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.grading.formats import CASE_LISTS, NESTED
from sandbox.integrations.server.wire import MOST_VALUES, check_count, marks

_LONGEST = 1 << 18  # characters of tests that are programs: a second of parsing
# Before 3.12 each field of an f-string is looked for from the beginning of its token.
_LOOKS_FOR_FIELDS = sys.version_info < (3, 12)
_F_STRING = re.compile(r"""(?i:\b(?:f|fr|rf))['"]""")
_MOST_LOOKED_AT = 1 << 28  # characters, in half a second
_GIVEN = {"input", "inputs", "output", "outputs"}  # JSON where functions are called, else just text


def bounded(label: Any) -> Any:
    """`label`, its JSON text read. Raises ValueError if more has to be parsed than is done here."""
    try:
        data = _read(label)
    except RecursionError:
        raise ValueError("a label is nested too deeply") from None
    values = programs = looked_at = 0
    are_calls = False
    for key, value in _leaves(data):
        are_calls = are_calls or (key == "fn_name" and bool(value))
        if isinstance(value, str) and key in _GIVEN:
            values += marks(value)
        elif isinstance(value, str):
            programs += len(value)
            looked_at += _looked_at(value)
    if looked_at > _MOST_LOOKED_AT:
        raise ValueError("a label's tests have too many fields in f-strings")
    if programs > _LONGEST:
        raise ValueError(f"a label's tests have {programs} characters, of at most {_LONGEST}")
    if are_calls and values > MOST_VALUES:
        raise ValueError(f"a label has more than {MOST_VALUES} values")
    return data


def _looked_at(text: str) -> int:
    """The characters that parsing the f-strings in `text` may look at."""
    return text.count("{") * len(text) if _LOOKS_FOR_FIELDS and _F_STRING.search(text) else 0


def _read(data: Any) -> Any:
    if isinstance(data, str):
        try:
            check_count(data.encode("utf-8", "surrogatepass"))
            data = json.loads(data)
        except ValueError as error:
            raise ValueError(f"a label is not JSON: {error}") from None
    if not isinstance(data, dict):
        return data
    inner = {key: _read(data[key]) for key in (*NESTED, *CASE_LISTS) if key in data}
    return {**data, **inner}


def _leaves(data: Any) -> Iterator[tuple[str, Any]]:
    """What is no container, each with the name that it is under."""
    waiting = [("", data)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((key, item) for item in value)
        else:
            yield key, value
