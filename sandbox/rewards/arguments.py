"""A trainer's arguments as plain data: what a reward function in a child can be given."""

import dataclasses
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sandbox.runtime.wire.trusted_json import copy_plain

# Functions of TRL's that a reward function may call: what it says goes to the real ones.
FORWARDED = ("log_extra", "log_metric")
MASKED = "/masked"  # behind the name of a function: the share of rows without a verdict
_RECORDS = ("trainer_state", "args", "state", "control")  # objects whose fields are handed on
_OBJECTS = ("environments",)  # TRL's, one for each completion
_DEEPEST = 100


@dataclasses.dataclass(frozen=True, slots=True)
class Record:
    """An object of the trainer's, by its plain fields: the function gets a copy with these."""

    fields: dict[str, Any]


class NotPlain(ValueError):
    """An argument that no child can be given."""


def plain(value: Any, name: str = "value", depth: int = 0) -> Any:
    """Return `value` made of dicts, lists, tuples, texts, numbers, booleans and None.

    Arrays, tensors and series become lists by their own `tolist`, other mappings and sequences
    dicts and lists, dates texts. Raises NotPlain, which names `name`, for anything else.
    """
    try:
        return copy_plain(value)  # nearly always, and fastest
    except (ValueError, RecursionError):
        return _made_plain(value, name, depth)


def arguments(named: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return what a child can get of a trainer's keywords, and the names of the others.

    Raises NotPlain for a column, whose values decide about a reward; an object of the trainer's
    that is no plain data at all is left out, as a function that only takes `**kwargs` is called
    with every object that the trainer has.
    """
    given, left_out = dict[str, Any](), []
    for name, value in named.items():
        if name in FORWARDED:
            if callable(value):
                given[name] = value
        elif name in _RECORDS and not isinstance(value, Mapping) and hasattr(value, "__dict__"):
            given[name] = Record(_fields(value))
        elif isinstance(value, (list, tuple)) or value is None or _is_data(value):
            try:
                given[name] = plain(value, name)
            except NotPlain:
                if name not in _OBJECTS:
                    raise
                left_out.append(name)
        else:
            left_out.append(name)
    return given, left_out


def _is_data(value: Any) -> bool:
    return isinstance(value, (str, int, float, Mapping, Sequence)) or hasattr(value, "tolist")


def _made_plain(value: Any, name: str, depth: int) -> Any:
    if depth > _DEEPEST:
        raise NotPlain(f"{name}: nested more than {_DEEPEST} deep")
    for kind in (bool, int, float, str):
        if isinstance(value, kind):
            return kind(value) if kind is not str else str.__str__(value)
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {
            _made_plain(key, name, depth + 1): plain(item, f"{name}[{key!r}]", depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item, name, depth + 1) for item in value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray, memoryview)):
        made = [plain(item, f"{name}[{at}]", depth + 1) for at, item in enumerate(value)]
        return tuple(made) if isinstance(value, tuple) else made
    for way in ("tolist", "isoformat"):
        method = getattr(value, way, None)
        if callable(method):
            return plain(method(), name, depth + 1)
    raise NotPlain(
        f"{name} holds a {type(value).__name__}, which is no plain data: a contained reward"
        " function is given texts, numbers, lists and dicts. Convert the column, or leave it out"
    )


def _fields(value: Any) -> dict[str, Any]:
    """Return the plain ones of an object's public attributes, of its classes' first."""
    found = {}
    every = [*map(vars, reversed(type(value).__mro__)), vars(value)]
    for name, field in (pair for names in every for pair in names.items()):
        if name.isidentifier() and not name.startswith("_"):
            try:
                found[name] = plain(field, name)
            except NotPlain:
                continue
    return found


def said_to(forwarded: Mapping[str, Callable[..., Any]], name: Any, said: Any) -> None:
    """Hand what a child said to the trainer's `log_extra(column, values)` or `log_metric`."""
    function = forwarded.get(name) if isinstance(name, str) else None
    if function is None or not isinstance(said, list) or len(said) != 2:
        raise ValueError("not something to log")
    about, value = said
    if not isinstance(about, str) or len(about) > 200:
        raise ValueError("what is logged has a short name")
    if about.endswith(MASKED):
        raise ValueError(f"a name that ends with {MASKED!r} is not the function's")
    if name == "log_metric" and not _is_number(value):
        raise ValueError("a metric is a number")
    if name == "log_extra" and not isinstance(value, list):
        raise ValueError("a column is a list")
    function(about, value)


def _is_number(value: Any) -> bool:
    """Return True if a trainer can take the mean of `value`: no integer beyond every float."""
    if type(value) is float:
        return True
    return type(value) is int and abs(value) <= sys.float_info.max
