"""Names matched against shell patterns, as `fnmatch` does, without a regular expression."""

from typing import Any

_STAR, _ANY = object(), object()


def has_wildcards(text: str) -> bool:
    """Say whether `text` is more than a name."""
    return any(char in text for char in "*?[")


def tokens(pattern: str) -> list[Any]:
    """Cut a pattern of one part into characters, sets of them, and the two wildcards."""
    found: list[Any] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        end = _end_of_set(pattern, at) if char == "[" else -1
        if char == "*":
            if found[-1:] != [_STAR]:
                found.append(_STAR)
        elif char == "?":
            found.append(_ANY)
        elif end > 0:
            found.append(_set_of(pattern[at + 1 : end]))
            at = end
        else:
            found.append(char)
        at += 1
    return found


def _end_of_set(pattern: str, at: int) -> int:
    begin = at + 1 + (pattern[at + 1 : at + 2] == "!")
    return pattern.find("]", begin + (pattern[begin : begin + 1] == "]"))


def _set_of(inside: str) -> tuple[bool, list[tuple[str, str]]]:
    negated = inside.startswith("!")
    chars = inside[negated:]
    ranges = []
    at = 0
    while at < len(chars):
        if chars[at + 1 : at + 2] == "-" and at + 2 < len(chars):
            ranges.append((chars[at], chars[at + 2]))
            at += 3
        else:
            ranges.append((chars[at], chars[at]))
            at += 1
    return negated, ranges


def matches(name: str, wanted: list[Any]) -> bool:
    """Match in a time that is the product of both lengths at most."""
    at = place = 0
    star = back = -1
    while place < len(name):
        if at < len(wanted) and wanted[at] is _STAR:
            star, back = at, place
            at += 1
        elif at < len(wanted) and _fits(name[place], wanted[at]):
            at, place = at + 1, place + 1
        elif star >= 0:
            back += 1
            at, place = star + 1, back
        else:
            return False
    return all(each is _STAR for each in wanted[at:])


def _fits(char: str, wanted: Any) -> bool:
    if wanted is _ANY:
        return True
    if isinstance(wanted, tuple):
        negated, ranges = wanted
        return bool(any(low <= char <= high for low, high in ranges) != negated)
    return bool(char == wanted)
