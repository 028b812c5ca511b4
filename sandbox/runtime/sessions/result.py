"""The outcome of one cell."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from sandbox.result import Result, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class CellResult(Result):
    """One cell of a session, as data: a `Result`, and what a notebook shows beside it.

    `value` is the last expression's value where that is plain data, else None; `value_repr` is its
    `repr`, at most 64 Ki characters, None where the cell has no value, as at a prompt. `parts` are
    what the cell displays, each with its MIME `type` and its `data`, base64 for what is binary:
    rich representations (`_repr_html_` and its like) and figures of matplotlib's. `execution_count`
    counts cells from 1. `undone` is True if the session goes on from before the cell. All of it but
    the last two is as untrusted as output.
    """

    value_repr: str | None = None
    parts: tuple[Mapping[str, str], ...] = ()
    execution_count: int = 0
    undone: bool = False

    @classmethod
    def of(cls, result: Result, shown: Any, **own: Any) -> "CellResult":
        """Return `result` with what its child said of the value. What is wrong there is dropped."""
        known = {each.name: getattr(result, each.name) for each in fields(Result)}
        known["value"], said = None, shown if isinstance(shown, dict) else {}
        text, parts = said.get("repr"), said.get("parts")
        known["value"] = said.get("data")
        if isinstance(text, str):
            own["value_repr"] = text.encode("utf-8", "backslashreplace").decode()
        if isinstance(parts, list):
            own["parts"] = tuple(
                {"type": each[0], "data": each[1]}
                for each in parts
                if isinstance(each, list)
                and len(each) == 2
                and all(isinstance(x, str) for x in each)
            )
        return cls(**{**known, **own})

    @classmethod
    def from_json(cls, text: str) -> "CellResult":
        """Read what `to_json` wrote. Raises ValueError on unknown or missing keys."""
        made = super(CellResult, cls).from_json(text)
        data = json.loads(text)
        known = {each.name: getattr(made, each.name) for each in fields(cls)}
        return cls(**{**known, "parts": tuple(data.get("parts", ()))})


def interrupted(result: CellResult) -> CellResult:
    """Return `result` as that of a cell which the caller interrupted."""
    known = {each.name: getattr(result, each.name) for each in fields(CellResult)}
    told = {"status": Status.ERROR, "error": "KeyboardInterrupt: the caller interrupted the cell"}
    return CellResult(**{**known, **told, "output": "", "value": None, "value_repr": None})
