"""Printed text as lines and words, which hostile output makes dear to nobody."""

from collections.abc import Callable


def lines(text: str) -> list[str]:
    """Return the lines of `text`, stripped, after stripping the whole."""
    return [line.strip() for line in text.strip().split("\n")]


def all_lines(actual: str, expected: str, is_equal: Callable[[str, str], bool]) -> bool:
    """Return True if there are as many lines as expected, and each `is_equal` to its own."""
    # Counted before they are split: a line costs some 60 bytes, and a program prints millions.
    actual, expected = actual.strip(), expected.strip()
    if actual.count("\n") != expected.count("\n"):
        return False
    return all(map(is_equal, lines(actual), lines(expected)))


def paired_words(actual: str, expected: str) -> list[tuple[str, str]] | None:
    """Pair the words of two lines in their order; return None where there are not as many.

    Splits no more words off than expected: time and memory are linear in the text.
    """
    theirs = expected.split()
    ours = actual.split(None, len(theirs))  # what is one too many stays in one piece
    return list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else None
