"""What of the host's a program can hold and change: each has its reason."""

import array
import functools
import gc
from collections import deque
from typing import Any

import harness
import pytest
from test_reachability import _further

_CHANGEABLE = (list, dict, set, bytearray, deque, array.array)
_DEPTH, _MOST = 4, 60_000
# By the path that leads there; nothing of the host's goes by what is in them.
SHARED = {
    "calendar.HTMLCalendar.cssclasses": "texts for HTML that the program asks for",
    "decimal.DecimalTuple._field_defaults": "gone when the world is sealed",
    "difflib.Match._field_defaults": "the same",
    "sys.path": "names of directories of the program's own tree",
    "errno.errorcode": "names of numbers, which nothing of ours looks up",
    "hashlib.algorithms_available": "`new` goes by a table of its own",
    "hashlib.algorithms_guaranteed": "the same",
    "keyword.kwlist": "`iskeyword` goes by a frozen copy",
    "keyword.softkwlist": "`issoftkeyword` goes by a frozen copy",
    "os.environ": "empty; the process has no environment",
    "statistics.NormalDist.__slots__": "a tuple when the world is sealed",
    "sys.argv": "the program's own",
    "textwrap.TextWrapper.unicode_whitespace_trans": "texts that the program wraps",
    "urllib.parse.ParseResult._field_defaults": "as of the other named tuples",
    "urllib.parse.SplitResult._field_defaults": "the same",
}


@pytest.fixture(scope="module")
def made() -> Any:
    return harness.world()


def test_every_container_that_can_be_changed_is_listed_with_a_reason(made):
    read, guarded = (made.state.builtins[name] for name in ("getattr", "guard:getattr"))
    todo: deque[tuple[str, Any]] = deque(made.importer.facades.items())
    builtins = made.state.builtins
    todo += [(name, builtins[name]) for name in made.plan.builtins if name in builtins]
    seen: dict[int, Any] = {}
    found = set()
    while todo and len(seen) < _MOST:
        path, o = todo.popleft()
        if id(o) in seen:
            continue
        seen[id(o)] = o
        if isinstance(o, _CHANGEABLE) and _is_shared(made, path, o):
            found.add(path)
        if path.count(".") < _DEPTH:
            todo += _further(path, o, read, guarded)
    assert len(seen) > 5_000
    assert found <= SHARED.keys(), found - SHARED.keys()
    assert len(found) > 8


def _is_shared(made: Any, path: str, o: Any) -> bool:
    """False for what is made anew when it is asked for."""
    if "[]" in path or "(" in path:
        return True
    names = path.split(".")
    at = next(n for n in range(len(names), -1, -1) if ".".join(names[:n]) in made.importer.facades)
    again: Any = made.importer.facades[".".join(names[:at])]
    for name in names[at:]:
        again = getattr(again, name)
    return again is o


def test_every_list_of_names_is_a_tuple_of_plain_texts(made):
    for facade in made.importer.facades.values():
        names = vars(facade).get("__all__", ())
        assert type(names) is tuple
        assert all(type(name) is str and name in vars(facade) for name in names)


def test_no_typed_cache_of_the_standard_library_has_real_types_in_its_keys(made):
    kind = type(functools.lru_cache(int))
    caches = [o for o in gc.get_objects() if type(o) is kind]
    typed = [o for o in caches if o.cache_parameters()["typed"]]
    names = {"typing", "urllib.parse", "fnmatch"} & {o.__wrapped__.__module__ for o in typed}
    assert len(caches) > 5
    assert names == set()
