"""The tests of a row, found in the columns of a data set, in a form that grading reads."""

from collections.abc import Iterable, Mapping, Sequence, Sized
from typing import Any

from sandbox.grading.asserts.identity import key_of
from sandbox.grading.formats import read_tests
from sandbox.grading.tests import Tests

Choice = str | Mapping[str, str] | None

# A column that has tests, or names their form, and the columns that belong to it. Not `input`: in
# many data sets that is a part of the prompt.
FORMS: dict[str, tuple[str, ...]] = {
    "tests": (),
    "verification_info": (),
    "input_output": (),
    "inputs": ("outputs", "fn_name"),
    "test_cases": ("fn_name",),
    "official_tests": ("fn_name",),
    "public_test_cases": ("fn_name", "private_test_cases", "metadata"),
    "public_tests": ("private_tests", "generated_tests"),
    "assert_case": (),
    "test": ("prompt", "entry_point", "module"),
    "test_code": ("module",),
    "test_files": ("module", "files"),
    "test_list": ("test_imports", "test_setup_code", "challenge_test_list"),
}


def names_of(columns: Iterable[str], choice: Choice) -> list[str]:
    """List which of `columns` have to do with tests. `choice` is as in `find_tests`.

    Raises ValueError if one that was chosen is missing, or none is known.
    """
    there = list(columns)
    if choice is None:
        if not any(name in FORMS for name in there):
            raise ValueError(
                f"none of the columns ({_listed(there)}) is known to have tests:"
                f" say which one does with tests=, or name it as one of these: {_listed(FORMS)}"
            )
        known = {*FORMS, *(part for parts in FORMS.values() for part in parts)}
        return [name for name in there if name in known]
    wanted = [choice] if isinstance(choice, str) else list(choice.values())
    for name in wanted:
        if name not in there:
            raise ValueError(f"no column {name!r} for tests: there are {_listed(there)}")
    return wanted


def find_tests(row: Mapping[str, Any], choice: Choice = None) -> Any:
    """Return the tests of one row, as `grade` takes them; None if it has none.

    `choice` is the column that has them, or a dict from the parts of a form (`test`, `entry_point`)
    to columns, or None: then they are in the columns that usual data sets have.

    Raises ValueError if there is no such column, or more than one that is not empty.
    """
    names = names_of(row, choice)
    if isinstance(choice, str):
        return row[choice] if _is_there(row[choice]) else None
    if choice is not None:
        parts = {part: row[name] for part, name in choice.items()}
        return _assembled(parts) if any(map(_is_there, parts.values())) else None
    filled = [name for name in names if name in FORMS and _is_there(row[name])]
    if len(filled) > 1:
        raise ValueError(f"columns {_listed(filled)} all have tests: choose one with tests=")
    if not filled:
        return None
    if filled == ["tests"]:
        return row["tests"]
    belonging = (*filled, *FORMS[filled[0]])
    return _assembled({name: row[name] for name in belonging if name in row})


class Reader:
    """Reads the tests of rows. The same tests are read once and are one object afterwards."""

    def __init__(self, choice: Choice) -> None:
        self._choice = choice
        self._known: dict[bytes, Tests] = {}

    def read(self, row: Mapping[str, Any], place: str) -> Tests | None:
        """Return the tests of `row`; None without any. Raises ValueError, which names `place`."""
        try:
            data = find_tests(row, self._choice)
            return None if data is None else self._once(data)
        except Exception as error:  # whatever malformed tests make the reading raise
            raise ValueError(f"{place}: its tests cannot be read: {_said(error)}") from error

    def _once(self, data: Any) -> Tests:
        key = key_of(data)
        if key is None:  # no plain data: read, or refused, by itself
            return read_tests(data)
        if key not in self._known:
            self._known[key] = read_tests(data)
        return self._known[key]


def rows_of(
    columns: Mapping[str, Sequence[Any]], count: int, choice: Choice
) -> list[dict[str, Any]]:
    """Return what each of `count` rows has in the columns that have to do with tests.

    Raises ValueError for a column that is no list of `count` values.
    """
    names = names_of(columns, choice)
    for name in names:
        column = columns[name]
        if not isinstance(column, Sequence) or isinstance(column, (str, bytes)):
            raise ValueError(f"column {name!r} is no list but a {type(column).__name__}")
        if len(column) != count:
            raise ValueError(f"column {name!r} has {len(column)} rows, and completions {count}")
    return [{name: columns[name][number] for name in names} for number in range(count)]


def _assembled(parts: Mapping[str, Any]) -> dict[str, Any]:
    found = {part: value for part, value in parts.items() if value is not None}
    if "prompt" in found:
        found["prompt"] = _last_text(found["prompt"])
    return found


def _last_text(prompt: Any) -> str:
    """Return a prompt as text: its last message's, where it is a conversation."""
    if isinstance(prompt, Sequence) and not isinstance(prompt, str) and prompt:
        prompt = prompt[-1].get("content") if isinstance(prompt[-1], Mapping) else None
    return prompt if isinstance(prompt, str) else ""


def _is_there(value: Any) -> bool:
    return value is not None and not (isinstance(value, Sized) and len(value) == 0)


def _said(error: Exception) -> str:
    return str(error) if type(error) is ValueError else f"{type(error).__name__}: {error}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(map(str, names))) or "none"
