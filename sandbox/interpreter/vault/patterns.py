"""Regular expressions: what `re` compiles them to is looked at before C runs it.

`_sre.compile` trusts `re._compiler`, in which a program without guards can put functions of its
own. C looks at the code that it is given, but not at all of it: a mark may be one beyond the last
group, and what is skipped after a prefix may lead anywhere in memory. So C's function is the
vault's, whose functions ask no namespace for anything; see there.
"""

from __future__ import annotations  # evaluated, they would be looked up in a namespace

import _sre  # type: ignore[import-not-found]
import sys
from collections.abc import Callable
from re import _constants as _ops  # type: ignore[attr-defined]
from typing import Any

from sandbox.interpreter.vault.asking import _opened

_audit = sys.audit
_KINDS = ("", "_IGNORE", "_LOC_IGNORE", "_UNI_IGNORE")
# By operation, how many words of its own it has; what it encloses comes after these.
_WORDS = {
    1: ("SUCCESS", "FAILURE", "ANY", "ANY_ALL", "MAX_UNTIL", "MIN_UNTIL"),
    2: (
        *("AT", "MARK", "JUMP", "ATOMIC_GROUP"),
        *(f"{name}{kind}" for name in ("LITERAL", "NOT_LITERAL", "GROUPREF") for kind in _KINDS),
    ),
    3: ("ASSERT", "ASSERT_NOT", "GROUPREF_EXISTS"),
    4: (
        *("REPEAT", "REPEAT_ONE", "MIN_REPEAT_ONE"),
        *("POSSESSIVE_REPEAT", "POSSESSIVE_REPEAT_ONE"),
    ),
}
_SETS = tuple(f"IN{kind}" for kind in _KINDS)
_HAS_PREFIX = 1  # SRE_INFO_PREFIX
_LEAST_SET, _LEAST_BRANCH = 2, 3  # words: an empty set with its end, an empty branch with its jump
_INVALID = "invalid SRE code"


def compile_pattern(
    pattern: Any, flags: Any, code: Any, groups: Any, groupindex: Any, indexgroup: Any
) -> Any:
    """Stand in for `_sre.compile` in a disarmed process."""
    box: list[Any] = []
    _audit("sandbox.compile_pattern", box, pattern, flags, code, groups, groupindex, indexgroup)
    return _opened(box)


def open_patterns() -> Callable[..., Any]:
    """Make the service behind `compile_pattern`, which is told the frame that asks."""
    compile_code, exact, kind_of, listing, size = _sre.compile, int.__index__, type, list, len
    put, take, least, wrong, missing = list.append, list.pop, min, RuntimeError, IndexError
    words_of = {_number(name): words for words, names in _WORDS.items() for name in names}.get
    sets = frozenset(map(_number, _SETS))
    info, branch, mark, literal = map(_number, ("INFO", "BRANCH", "MARK", "LITERAL"))
    has_prefix, least_set, least_branch = _HAS_PREFIX, _LEAST_SET, _LEAST_BRANCH
    invalid = _INVALID

    def refuse() -> None:
        raise wrong(invalid)

    def look_at_prefix(code: list[int]) -> None:
        """Refuse `code` if C would skip anything but literals after it matched the prefix.

        C then skips as many operations as the block `INFO` says, of two words each, without looking
        at them, and goes on with the next. There must be one.
        """
        if code[0] != info or not code[2] & has_prefix:
            return
        length, skipped, at = code[5], code[6], 1 + code[1]
        if skipped > length:
            refuse()
        for position in code[at : at + 2 * skipped : 2]:
            if position != literal:
                refuse()
        if size(code) <= at + 2 * skipped:
            refuse()

    def end_of_branches(code: list[int], at: int, spans: list[tuple[int, int]]) -> int:
        at = at + 1
        while code[at]:
            if code[at] < least_branch:
                refuse()
            put(spans, (at + 1, at + code[at]))
            at = at + code[at]
        return at + 1

    def end_of(code: list[int], at: int, groups: int, spans: list[tuple[int, int]]) -> int:
        """Return the end of the operation at `at`, before what it encloses; branches to `spans`."""
        operation = code[at]
        words = words_of(operation)
        if operation == mark and code[at + 1] >= 2 * groups:
            refuse()
        if words is not None:
            return at + words
        if operation == branch:
            return end_of_branches(code, at, spans)
        if operation == info or (operation in sets and code[at + 1] >= least_set):
            return at + 1 + code[at + 1]
        refuse()
        return at

    def look_at(code: list[int], groups: int) -> None:
        if least(code) < 0:
            refuse()
        look_at_prefix(code)
        spans = [(0, size(code))]
        while spans:
            at, end = take(spans)
            while at < end:
                at = end_of(code, at, groups, spans)
            if at != end:
                refuse()

    def service(
        _frame: Any, pattern: Any, flags: Any, code: Any, groups: Any, named: Any, names: Any
    ) -> Any:
        if kind_of(code) is not listing or not code:
            refuse()
        # Of its own: `re` has integers of a class of its own in there, as the program may.
        checked, groups = [exact(word) for word in code], exact(groups)
        try:
            look_at(checked, groups)
        except missing:
            refuse()
        return compile_code(pattern, exact(flags), checked, groups, named, names)

    return service


def _number(name: str) -> int:
    return int(getattr(_ops, name))
