"""Nasty texts, made of parts that a search can change: what repeats, and what stands around it."""

import random
from dataclasses import dataclass, replace

WORDS = (
    *("a", "1", "9", " ", "\n", "\t", "\r", "\0", "\x0b", "é", "\xff", "\u2028", "\U0001f600", "_"),
    *(
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        "[],",
        "{},",
        "[[],",
        '{"a":0},',
        "()",
        ",",
        ";",
        ":",
        "=",
        ".",
    ),
    *('"', "'", '"""', "'''", "\\", "\\n", "\\u00e9", '\\"', "#", "-", "+", "~", "*", "not ", "0."),
    *(
        "f'",
        "{a}",
        "{{",
        "lambda:",
        "a if ",
        "x=",
        ".a",
        "a.b ",
        "if a:\n ",
        "1e9",
        "1_",
        "0x",
        "NaN",
    ),
    *(
        "```",
        "```\n",
        "~~~\n",
        "`",
        "<think>",
        "</think>",
        "<|im_end|>",
        "</s>",
        "python",
        "__main__",
    ),
    *(
        "[a]\n",
        "[[a]]\n",
        "a.b=1\n",
        "assert f(1)\n",
        "def f(): pass\n",
        "import a\n",
        "@a\n",
        "if 1: a\n",
    ),
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A text: `before`, `unit` as often as there is room, `middle`, as often `close`, `after`."""

    unit: str
    before: str = ""
    middle: str = ""
    close: str = ""
    after: str = ""

    def text(self, size: int) -> str:
        """Return about `size` characters of it."""
        around = len(self.before) + len(self.middle) + len(self.after)
        count = max((size - around) // max(len(self.unit) + len(self.close), 1), 1)
        return "".join(
            (self.before, self.unit * count, self.middle, self.close * count, self.after)
        )

    def __str__(self) -> str:
        close = f" {self.close!r}*n" if self.close else ""
        around = (repr(part) if part else "" for part in (self.before, self.middle, self.after))
        before, middle, after = around
        parts = (before, f"{self.unit!r}*n", middle + close, after)
        return " ".join(part.strip() for part in parts if part.strip())


SEEDS = (
    *(Shape(word) for word in WORDS),
    *(Shape(opening, close=closing) for opening, closing in ("[]", "()", "{}", '""')),
    Shape("[", middle="1", close="]", before="x = ", after="\n"),
    Shape("(", before="f", middle="1", close=")"),
    Shape("{a}", before="x = f'", after="'"),
    Shape("{a}", before="x = 1, f'''", after="'''"),
    Shape("{'a': 1}, ", before="x = [", after="]"),
    Shape("9,", before="[", after="1]"),
    Shape("[],", before="[", after="1]"),
    Shape('{"a":0},', before="[", after="1]"),
    Shape("\\n", before='["', after='"]'),
    Shape("\\u00e9", before='"', after='"'),
    Shape('"a",', before="[", after="1]"),
    Shape("9" * 4300 + ",", before="[", after="1]"),
    Shape("0." + "9" * 60 + ",", before="[", after="1]"),
    Shape("a ", before="1 ", after=" 2"),
    Shape("1.5 "),
    Shape("1" * 200 + " "),
    Shape("1e308\n"),
    Shape("a = 1\n"),
    Shape("a = b\n", before="b = 1\n"),
    Shape("x = x + 1\n", before="x = 1\n"),
    Shape(" " * 80 + "\n"),
    Shape("```python\na\n```\n"),
    Shape("```\n", before="~~~~\n"),
    Shape("def f():\n return f\n"),
    Shape("-", before="x = ", after="1"),
    Shape("1+", before="x = ", after="1"),
    Shape("a.", before="x = ", after="a"),
    Shape("if a:\n", after=" pass"),
    Shape("a=1\n", before="[limits]\n"),
    Shape("[[modules]]\n"),
    Shape("a.", before="", after="b = 1"),
    Shape('x = "a"\n'),
)


def changed(shape: Shape, chance: random.Random) -> Shape:
    """Return `shape` with one part changed."""
    part = chance.choice(("unit", "unit", "unit", "before", "middle", "close", "after"))
    text, word = str(getattr(shape, part)), chance.choice(WORDS)
    new = chance.choice((text + word, word + text, word, text[: len(text) // 2], text[1:]))
    if part == "unit" and not new:
        new = word
    return replace(shape, **{part: new[:400]})
