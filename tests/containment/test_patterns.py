"""The check of compiled regular expressions accepts what `re` makes, and refuses invalid code.

`open_patterns` makes the function that checks such code and has CPython's C engine make a pattern
of it. That pattern matches as one of `re.compile` does.
"""

import random
import re
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from sandbox.interpreter.vault.patterns import open_patterns

compiled = open_patterns()
PARTS = (
    *("a", "bc", ".", r"\d", r"\w+", "[a-z]", "[^xyz]", "[ā-ԀĞ-ğé]", "(a)", "(?:b|c|)", "(?P<n>z)"),
    *("(?=q)", "(?!r)", "(?<=a)", "(?<!ab)", "a*", "b+?", "(?:ab){2,5}", "(?:ab){2,}?", "^", "$"),
    *(
        r"\b",
        "(?>a|b)",
        "a*+",
        "(?:cd)?+",
        r"[\s\S]",
        "(?i:K)",
        "(?(1)a|b)",
        "(?(1)a)",
        r"\1",
        r"\Z",
    ),
    *("(a(b(c)))", "(?:(?:a|b)|(?:c|d(e|f)))+", "(x|y|zz|w)*", "[aeiou]{3}", "(?:[ab]{2}+)++"),
)
FLAGS = (0, re.I, re.A, re.I | re.A, re.M | re.S)
TEXTS = ("", "abcabc", "xyzzy aa bb", "ĞğéāKk 12", "cdcdefefab", "qrz")


def code_of(pattern: str, flags: int) -> tuple[list[int], Any]:
    tree = _parser.parse(pattern, flags)
    return _compiler._code(tree, flags), tree.state


def made_of(pattern: str, flags: int) -> "re.Pattern[str]":
    code, state = code_of(pattern, flags)
    names = [None] * state.groups
    for name, number in state.groupdict.items():
        names[number] = name
    groups = state.groups - 1
    found: re.Pattern[str] = compiled(
        None, pattern, flags | state.flags, code, groups, state.groupdict, tuple(names)
    )
    return found


def test_all_that_re_makes_is_taken_and_matches_the_same() -> None:
    chance, count = random.Random(3), 0
    for _ in range(2000):
        pattern, flags = "".join(chance.choices(PARTS, k=5)), chance.choice(FLAGS)
        try:
            expected = re.compile(pattern, flags)
        except re.error:  # a group that is not there, or a name twice
            continue
        found = made_of(pattern, flags)
        count += 1
        for text in TEXTS:
            assert [m.span() for m in found.finditer(text)] == [
                m.span() for m in expected.finditer(text)
            ]
    assert count > 500


def refused(code: list[int], groups: int = 0) -> bool:
    try:
        compiled(None, "", 32, code, groups, {}, (None,) * (groups + 1))
    except RuntimeError:
        return True
    return False


@pytest.mark.parametrize("pattern", ["abc.", "(ab)c", "a[bc]d", "(a|bc|d)+", "x(?(1)a|b)|(y)"])
def test_a_word_changed_is_refused_or_leads_nowhere_else(pattern: str) -> None:
    """Nothing crashes: what is taken has its operations where C will look for them."""
    code, state = code_of(pattern, 0)
    groups, chance = state.groups - 1, random.Random(pattern)
    for _ in range(3000):
        changed = list(code)
        changed[chance.randrange(len(code))] = chance.choice(
            [*range(45), 100, 1000, 1 << 20, (1 << 32) - 1, 1 << 40, -1]
        )
        try:
            found = compiled(None, "", 32, changed, groups, {}, (None,) * (groups + 1))
        except (RuntimeError, OverflowError, TypeError):
            continue
        for text in ("abcd", "xyyab"):
            for way in (found.match, found.search):
                try:
                    way(text)
                except (RuntimeError, SystemError):  # of C: what no `re` makes
                    continue


@pytest.mark.parametrize(
    ("code", "groups"),
    [
        ([], 0),
        (["MARK", 0, "SUCCESS"], 0),
        (["MARK", 2, "SUCCESS"], 1),
        (["IN", 0, "FAILURE", "SUCCESS"], 0),
        (["IN", 1, "FAILURE", "SUCCESS"], 0),
        (["INFO", 6, 1, 1, 1, 1, 1, 97, 0, "ANY", "SUCCESS"], 0),
        (["INFO", 6, 1, 1, 1, 1, 2, 97, 0, "LITERAL", 97, "SUCCESS"], 0),
        (["BRANCH", 2, "SUCCESS", 0, "SUCCESS"], 0),
        (["LITERAL"], 0),
        (["RANGE", 1, 2, "SUCCESS"], 0),
        ([1 << 70, "SUCCESS"], 0),
        ([-1, "SUCCESS"], 0),
    ],
)
def test_what_re_never_makes_is_refused(code: list[str | int], groups: int) -> None:
    words = [getattr(_constants, word) if isinstance(word, str) else word for word in code]
    assert refused(words, groups)


def test_integers_of_another_class_are_taken_as_they_are() -> None:
    class Word(int):
        def __eq__(self, other: object) -> bool:
            raise AssertionError("asked")

        __hash__ = int.__hash__
        __lt__ = __le__ = __gt__ = __ge__ = __index__ = __eq__  # type: ignore[assignment]

    code, _ = code_of("abc.", 0)
    found = compiled(None, "abc.", Word(32), [Word(word) for word in code], 0, {}, (None,))
    assert found.search("zzabcd").span() == (2, 6)


def test_what_is_no_list_of_integers_is_refused() -> None:
    class Words(list):  # type: ignore[type-arg]
        pass

    assert refused(Words([_constants.SUCCESS]))
    with pytest.raises(TypeError):
        compiled(None, "", 32, ["a"], 0, {}, (None,))
