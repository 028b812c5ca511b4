"""Samples for a reward function: completions in both formats, and columns in likely shapes."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FORMATS = ("text", "chat")  # TRL's: strings, and conversations as lists of messages
EXPECTED = "42"
ORDINARY = (
    "<think>Six times seven.</think>\n<answer>42</answer>",
    "Here it is:\n```python\nprint(6 * 7)\n```\n",
    "print(6 * 7)",
    '{"answer": 42, "reason": "arithmetic"}',
    "The answer is \\boxed{42}.",
    "I do not know. Perhaps 41?",
    "```python\ndef solve():\n    return 42\n\nprint(solve())\n```",
    "print(1 / 0)",
)
# What a model may well write: a reward function that raises on one of them ends the training run.
REQUIRED = {
    "empty": ("",),
    "blank": (" \n\t ",),
    "huge": ("word " * 12_000, "x" * 60_000),
    "ill-encoded": ("\ud800 lone surrogates \udfff", "caf\udce9 \x00 \x1b[2J \u202e"),
    "malicious": (
        "```python\nwhile True: pass\n```",
        "```python\nimport os\nos.system('id')\n```",
        "```python\nprint(().__class__.__base__.__subclasses__())\n```",
        "<answer>__import__('os').system('id')</answer>",
        "raise SystemExit(0)",
        "<answer>42</answer><answer>41</answer></think><think>",
        "```python\n" + "x = (" * 150 + "\n",
        '{"answer": {"__class__": "os"}, "reward": 1e308}',
    ),
}
# What breaks careless arithmetic and parsing; a finding, but no reason to refuse.
SHARP = {
    "not a number": ("<answer>nan</answer>", "nan", "inf", "\\boxed{1e999}", "1/0", "<answer>1/0"),
    "long number": ("9" * 5000, "<answer>" + "9" * 5000 + "</answer>"),
    "deep nesting": ("[" * 3000 + "]" * 3000, '{"a":' * 2000),
    "odd digits": ("<answer>\u00b2</answer>", "\u0664\u0662", "\u2167"),
}
_TESTS = [{"input": "", "stdin": "", "output": EXPECTED, "expected": EXPECTED}]
_TESTS[0] |= {"expected_output": EXPECTED, "input_data": "", "answer": EXPECTED}
_TEXT_KEYS = """
answer expected expected_output expected_answer output solution ground_truth target label reference
gold result final_answer
"""
_RECORD: dict[str, Any] = {
    **dict.fromkeys(_TEXT_KEYS.split(), EXPECTED),
    **dict.fromkeys(("input", "input_data", "stdin", "prefix", "suffix", "setup"), ""),
    "inputs": [""],
    "outputs": [EXPECTED],
    "test_cases": _TESTS,
    "tests": _TESTS,
    "language": "python",
    "difficulty": 1,
    "weight": 1.0,
    "max_length": 100,
    "entry": "solve",
    "keywords": ["answer"],
    "function_name": "solve",
    "fn_name": "solve",
    "tolerance": 0.1,
}
_LIKE_NUMBER = "len weight limit budget difficult level toleran max_ min_ num_ count score size"
_LIKE_ASSERTIONS = "test_list assert"
_LIKE_TESTS = "tests test_cases testcases cases unit_tests"
_LIKE_RECORD = "extra info meta example sample row task record data"
_LIKE_LIST = "keywords words tags choices options inputs outputs must_ required"
_SHAPES: tuple[Any, ...] = (
    *(EXPECTED, _RECORD, _TESTS, 42, 42.0, [EXPECTED], [["", EXPECTED]], True),
    *(json.dumps(_RECORD), json.dumps(_TESTS), "assert solve() == 42", ["assert solve() == 42"]),
    {"inputs": [""], "outputs": [EXPECTED]},
)
# First by the column's name; then each of these; a dict of columns; what has no default alone.
SHAPES = len(_SHAPES) + 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call of a reward function. `required` says whether a failure refuses the function."""

    label: str
    format: str
    completions: tuple[str, ...]
    required: bool = True
    shape: int = 0

    def arguments(
        self, columns: Iterable[str], required: Iterable[str], rows: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return keyword arguments as plain data; columns come from `rows` where there are any."""
        count = len(self.completions)
        chosen = [rows[index % len(rows)] for index in range(count)] if rows else []
        prompts = [str(row.get("prompt", "Print 6 * 7.")) for row in chosen]
        prompts = prompts or ["Print 6 * 7."] * count
        chat = self.format == "chat"
        made = () if rows else required if self.shape == SHAPES - 1 else columns
        return {
            "prompts": [[_message("user", text)] for text in prompts] if chat else prompts,
            "completions": [_conversation(t) if chat else t for t in self.completions],
            "completion_ids": [[1, 2, 3, *range(len(t) % 50)] for t in self.completions],
            **{name: _column(name, self.shape, count) for name in made},
            **{name: [row.get(name) for row in chosen] for name in _names(chosen)},
        }


def ordinary(format: str, rows: Sequence[Mapping[str, Any]], shape: int = 0) -> Case:
    """Make a case of what a model writes when all is well, or of the completions in the rows."""
    given = [str(row["completion"]) for row in rows if "completion" in row]
    return Case(label="ordinary", format=format, completions=tuple(given or ORDINARY), shape=shape)


def cases(format: str, rows: Sequence[Mapping[str, Any]], shape: int) -> list[Case]:
    """Return all cases in one format: each strange completion between two ordinary ones."""
    found = [ordinary(format, rows, shape)]
    for table, required in ((REQUIRED, True), (SHARP, False)):
        for label, texts in table.items():
            for text in texts:
                batch = (ORDINARY[0], text, ORDINARY[1])
                found.append(
                    Case(
                        label=label,
                        format=format,
                        completions=batch,
                        required=required,
                        shape=shape,
                    )
                )
    return found


def _message(role: str, content: str) -> dict[str, str]:
    return {"role": role, "content": content}


def _conversation(text: str) -> list[dict[str, str]]:
    return [_message("assistant", text)]


def _names(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    kept = ("prompt", "completion", "completions", "prompts", "completion_ids")
    return list(dict.fromkeys(name for row in rows for name in row if name not in kept))


def _column(name: str, shape: int, count: int) -> Any:
    if shape == SHAPES - 2:
        return {key: [value] * count for key, value in _RECORD.items()}
    return [_by_name(name) if shape in (0, SHAPES - 1) else _SHAPES[shape - 1]] * count


def _by_name(name: str) -> Any:
    lowered = name.lower()
    for likely, value in (
        (_LIKE_ASSERTIONS, ["assert solve() == 42"]),
        (_LIKE_TESTS, _TESTS),
        (_LIKE_LIST, ["answer"]),
        (_LIKE_NUMBER, 42),
        (_LIKE_RECORD, _RECORD),
    ):
        if any(word in lowered for word in likely.split()):
            return value
    return EXPECTED
