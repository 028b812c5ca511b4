"""Keys that have a new name: the old one is taken for one release, with a notice."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from sandbox.errors import Problem, policy_error
from sandbox.policy.files.locate import Text

RENAMED: Final = {"session": "services"}


class PolicyNotice(DeprecationWarning):
    """A policy uses what will be refused by a later release; `problem` says what and where.

    `sandbox policy show`, `sandbox policy check` and the audit tell of it.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def renamed(data: Mapping[str, Any], file: str, text: str = "") -> dict[str, Any]:
    """`data` with new names for old keys, each with a `PolicyNotice`; `text` is what `file` has.

    Raises PolicyError where both names are there.
    """
    found = dict(data)
    for old in RENAMED.keys() & found.keys():
        new, line = RENAMED[old], Text(text).key("", old)
        if new in found:
            reason = f"is the old name of {new}, which is there too"
            raise policy_error(Problem(file=file, line=line, key=old, reason=reason))
        found[new] = found.pop(old)
        reason = f"is called {new} now; a later release refuses the old name"
        notice = PolicyNotice(Problem(file=file, line=line, key=old, reason=reason))
        warnings.warn(notice, stacklevel=2)
    return found


@contextmanager
def gathered() -> Iterator[list[Problem]]:
    """Collect the notices of policies that are read within; other warnings go their way."""
    found: list[Problem] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", PolicyNotice)
        try:
            yield found
        finally:
            told = [each.message for each in caught]
            found += [each.problem for each in told if isinstance(each, PolicyNotice)]
    for each in caught:
        if not isinstance(each.message, PolicyNotice):
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)
