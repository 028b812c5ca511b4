"""The program and the tests that a helper makes of a query and its label, within stated sizes."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.grading.extraction import extract_code
from sandbox.grading.formats import CASE_LISTS, NESTED
from sandbox.grading.tests import Tests
from sandbox.integrations.ground_truth import read_ground_truth
from sandbox.integrations.openrlhf import completion
from sandbox.integrations.server.bodies.strict_json import check_count, marks

_LONGEST = 1 << 20  # characters of tests that are programs
_MOST_VALUES = 250_000  # the event loop unpickles what a helper read
_GIVEN = {"input", "inputs", "output", "outputs"}  # JSON where functions are called, else just text


def read_row(query: str, prompt: str, label: Any) -> tuple[str, Tests | None]:
    """Read the program in `query` behind its `prompt`, and `label`'s tests. Raises ValueError."""
    return extract_code(completion(query, prompt)), read_ground_truth(bounded(label))


def bounded(label: Any) -> Any:
    """Return `label`, its JSON text read. Raises ValueError if it has more than is parsed here."""
    try:
        data = _read(label)
    except RecursionError:
        raise ValueError("a label is nested too deeply") from None
    values = programs = 0
    are_calls = False
    for key, value in _leaves(data):
        are_calls = are_calls or (key == "fn_name" and bool(value))
        if isinstance(value, str) and key in _GIVEN:
            values += marks(value)
        elif isinstance(value, str):
            programs += len(value)
    if programs > _LONGEST:
        raise ValueError(f"a label's tests have {programs} characters, of at most {_LONGEST}")
    if are_calls and values > _MOST_VALUES:
        raise ValueError(f"a label has more than {_MOST_VALUES} values")
    return data


def _read(data: Any) -> Any:
    if isinstance(data, str):
        try:
            check_count(data.encode("utf-8", "surrogatepass"), _MOST_VALUES)
            data = json.loads(data)
        except ValueError as error:
            raise ValueError(f"a label is not JSON: {error}") from None
    if not isinstance(data, dict):
        return data
    inner = {key: _read(data[key]) for key in (*NESTED, *CASE_LISTS) if key in data}
    return {**data, **inner}


def _leaves(data: Any) -> Iterator[tuple[str, Any]]:
    """Yield what is no container, each with the name that it is under."""
    waiting = [("", data)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((key, item) for item in value)
        else:
            yield key, value
