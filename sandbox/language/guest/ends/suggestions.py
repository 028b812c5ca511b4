"""`Did you mean: 'x'?`, where the interpreter that runs us would say so, and without an import.

CPython 3.11 offers it when C code prints an exception, which is not how we come to its text. From
3.12 on the `traceback` module does, and imports the module that an ImportError names to see what
it has.
"""

import itertools
import sys
import traceback
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sandbox.interpreter.vault import asking

_LONGEST_NAME, _MOST_NAMES = 40, 750  # Python/suggestions.c: beyond that it does not look
_OTHER, _OTHER_CASE = 2, 1  # what one character too many, missing, or changed costs


def settle(facades: Mapping[str, object]) -> None:
    """Let the `traceback` module look for an import's names in `facades` only."""
    module: Any = traceback
    module._walk_tb_with_full_positions = _positions
    if hasattr(module.TracebackException, "_find_keyword_typos"):
        module.TracebackException._find_keyword_typos = _find_no_keyword
    found = getattr(module, "_compute_suggestion_error", None)
    if found is None:
        return
    suggest = getattr(found, "original", found)

    def _compute_suggestion_error(exc: Any, tb: Any, wrong: Any) -> str | None:
        if type(wrong) is not str:
            return None
        if issubclass(type(exc), ImportError):
            name = _own(ImportError, "name", exc)
            facade = facades.get(name) if type(name) is str else None
            return None if facade is None else nearest(dir(facade), wrong)
        alike = _alike(exc, wrong)
        offered = None if alike is None else suggest(alike, _without_frame(tb), wrong)
        return None if offered is None or ":" in offered else offered  # a name that is ours

    _compute_suggestion_error.original = suggest  # type: ignore[attr-defined]
    module._compute_suggestion_error = _compute_suggestion_error


def _find_no_keyword(_shown: Any) -> None:
    """Suggest no keyword for a syntax error.

    CPython does from 3.14 on: it opens whatever file the exception names, and compiles lines of it.
    """


def _alike(exc: Any, wrong: str) -> BaseException | None:
    """Make an exception of CPython's own class for one that may say that it is of another."""
    if issubclass(type(exc), AttributeError):
        return AttributeError(name=wrong, obj=_own(AttributeError, "obj", exc))
    return NameError(name=wrong) if issubclass(type(exc), NameError) else None


def _positions(tb: types.TracebackType | None) -> Iterator[tuple[Any, tuple[int | None, ...]]]:
    """Yield what the `traceback` module goes by, without the frames, which no code is given."""
    for code, line, at in asking.links(tb):
        place = next(itertools.islice(code.co_positions(), at // 2, None), (None,) * 4)
        yield _Frame(code, {}, {}, {}), (line if place[0] is None else place[0], *place[1:])


def _without_frame(tb: types.TracebackType | None) -> "_Link | None":
    """Make what stands for the last link of `tb` where its variables are asked for."""
    if tb is None:
        return None
    spread, names, builtins = asking.variables(tb)
    return _Link(_Frame(None, names, spread, builtins), None)


class _Frame(NamedTuple):
    f_code: types.CodeType | None
    f_globals: Any
    f_locals: Any
    f_builtins: Any


class _Link(NamedTuple):
    tb_frame: _Frame
    tb_next: None


def complete(shown: Any, exc: BaseException) -> None:
    """Add to `shown`, a TracebackException of `exc`, what the interpreter would print besides."""
    if sys.version_info >= (3, 12):
        # Early versions of 3.12 end the sentence in C code only.
        text = getattr(shown, "_str", "")
        if issubclass(type(exc), NameError) and _asks_for_import(text, exc):
            shown._str = f"{text}?"
        return
    offered = _offered(exc)
    if offered:
        shown._str += f". Did you mean: '{offered}'?"


def _asks_for_import(text: str, exc: Any) -> bool:
    return text.endswith(f"id you forget to import '{_own(NameError, 'name', exc)}'")


def _offered(exc: BaseException) -> str | None:
    """Return the name to suggest, as `_Py_Offer_Suggestions` of CPython 3.11 does."""
    if type(exc) is AttributeError:
        name, obj = _own(AttributeError, "name", exc), _own(AttributeError, "obj", exc)
        return nearest(dir(obj), name) if type(name) is str and obj is not None else None
    if type(exc) is not NameError:
        return None
    name, link = _own(NameError, "name", exc), _own(BaseException, "__traceback__", exc)
    if type(name) is not str or link is None:
        return None
    while link.tb_next is not None:
        link = link.tb_next
    _, spread, builtins = asking.variables(link)
    for names in (asking.links(link)[0][0].co_varnames, spread, builtins):
        offered = nearest(names, name)
        if offered:
            return offered
    return None


def _own(kind: type, name: str, exc: BaseException) -> Any:
    """Return the real attribute, whatever the exception's `__getattribute__` says."""
    return kind.__dict__[name].__get__(exc)


def nearest(names: Iterable[str], wrong: str) -> str | None:
    """Return the first of `names` that is most like `wrong`, if one is like it."""
    candidates = [name for name in names if type(name) is str and ":" not in name]
    if len(wrong) > _LONGEST_NAME or len(candidates) >= _MOST_NAMES:
        return None
    best, best_cost = None, sys.maxsize
    for name in candidates:
        # No more than a third of the characters may differ, and it must beat what there is.
        limit = min((len(wrong) + len(name) + 3) * _OTHER // 6, best_cost - 1)
        if name != wrong and len(name) <= _LONGEST_NAME:
            cost = _distance(wrong, name)
            if cost <= limit:
                best, best_cost = name, cost
    return best


def _distance(a: str, b: str) -> int:
    """Return Levenshtein's distance, where a letter in another case counts for half."""
    row = [_OTHER * at for at in range(len(b) + 1)]
    for i, x in enumerate(a):
        before, row[0] = row[0], _OTHER * (i + 1)
        for j, y in enumerate(b):
            change = 0 if x == y else _OTHER_CASE if x.lower() == y.lower() else _OTHER
            before, row[j + 1] = (
                row[j + 1],
                min(before + change, row[j] + _OTHER, row[j + 1] + _OTHER),
            )
    return row[-1]
