"""What a guest, a client or an author sends costs its reader no more than is stated, by counting.

No clock is read: the work is what Python does for a text (lines that run, calls of functions of C),
and for those functions of C that look at all of what they are called on, how long that is. The
inputs are the worst that Hypothesis finds for each door, the same in each run.

What counting does not see is a function of C that takes longer than its receiver is long. So each
that a door calls has to be in `LINEAR`, with the reason why it is not one.

`test_doors` runs this as a program: where a world was built for another test, `dict` and abstract
classes have methods of ours, which would be counted.
"""

import gc
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, target
from hypothesis import strategies as st

from benchmarks.hostile.doors import DOORS, go_through
from benchmarks.hostile.shapes import SEEDS, WORDS, Shape
from sandbox.language.compile.words import words

_CHARS, _TIMES = 512, 4
_SLACK, _OWN = 1.5, 3000  # of the growth; of a door that is asked for nothing
_SCANNED_PER_UNIT = 16  # characters that C looks at in the time of a line of Python's
# Methods that look at all of what they are called on, whatever their arguments say.
_WHOLE = frozenset(
    words(
        """
        capitalize casefold count decode encode expandtabs lower partition removeprefix replace
        reverse rpartition rsplit sort split splitlines swapcase title translate upper
        """
    )
)


class Work:
    """What was done: lines, calls of C and the lengths that those looked at, all in one figure."""

    def __init__(self) -> None:
        self.units = 0.0
        self.called, self.patterns = set[str](), set[str]()

    def line(self, _frame: FrameType, _event: str, _argument: Any) -> Any:
        """For `sys.settrace`."""
        self.units += 1
        return self.line

    def call(self, _frame: FrameType, event: str, function: Any) -> None:
        """For `sys.setprofile`."""
        if event != "c_call":
            return
        self.units += 1
        receiver, name = getattr(function, "__self__", None), function.__name__
        if isinstance(receiver, (str, bytes, bytearray, memoryview, list, tuple, dict, set)):
            if name in _WHOLE:
                self.units += len(receiver) / _SCANNED_PER_UNIT
            name = f"{type(receiver).__name__}.{name}"
        elif isinstance(receiver, re.Pattern):
            name = str(receiver.pattern)
            self.patterns.add(name)
            return
        elif not isinstance(receiver, (type(sys), type(None))):
            owner = receiver if isinstance(receiver, type) else type(receiver)
            name = f"{owner.__name__}.{name}"
        self.called.add(name)


@contextmanager
def counted() -> Iterator[Work]:
    """The work that this thread does in the block."""
    work, before = Work(), (sys.gettrace(), sys.getprofile())
    gc.disable()  # Hypothesis is called by the collector, and that would be counted
    sys.setprofile(work.call)
    sys.settrace(work.line)
    try:
        yield work
    finally:
        sys.settrace(before[0])
        sys.setprofile(before[1])
        gc.enable()


def work_of(door: Callable[[str], Any], text: str) -> float:
    """What `door` does for `text`."""
    with counted() as work:
        go_through(door, text)
    return work.units


class Bound:
    """The work that a door may do: `per_byte` of its text, or `most` of all, and twice for two.

    `chars` is how long the texts are that it is tried with, `most` a stated budget where what is
    refused beyond it grows faster: the static gate's for tangled sources.
    """

    def __init__(self, per_byte: float, chars: int = _CHARS, most: float = 0.0) -> None:
        self.per_byte, self.chars, self.most = per_byte, chars, most


def check(door: Callable[[str], Any], shape: Shape, bound: Bound) -> float:
    """Hold `door` to its bound for `shape`, at one size and at a larger one; the work per byte."""
    one, other = shape.text(bound.chars), shape.text(bound.chars * _TIMES)
    length = len(other.encode("utf-8", "surrogatepass"))
    small, large = work_of(door, one), work_of(door, other)
    assert large <= bound.per_byte * length + _OWN
    # A text is not always four times as long: its parts are not, and some doors refuse by size.
    times = length / max(len(one.encode("utf-8", "surrogatepass")), 1)
    assert large <= max(_SLACK * times * small + _OWN, bound.most)
    return large / length


# Units of work for each byte: about twice of the worst that was found.
BOUNDS = {
    "frames of a guest": Bound(60),
    "a frame in small parts": Bound(4),
    "output": Bound(1),
    "returned values": Bound(8),
    "ASK requests": Bound(8),
    # Each token is looked up with all that `symtable` and the reading of names do for it.
    "tests: assertions": Bound(1500, 64),
    "tests: check": Bound(1500, 64),
    "tests: many": Bound(1500, 64),
    "tests: calls": Bound(12),
    "tests: JSON": Bound(4),
    "completions": Bound(16),
    "completions: OpenRLHF": Bound(8),
    "programs, made callable": Bound(1),
    "comparator exact": Bound(1),
    "comparator lines": Bound(8),
    "comparator lcb": Bound(20),
    "comparator float_tolerance": Bound(30),
    "comparator apps": Bound(16),
    "comparator sandboxfusion": Bound(25),
    "comparator evalplus": Bound(25),
    "reward functions": Bound(2000, 64, most=12_000_000),
    "policies": Bound(60),
    "HTTP bodies": Bound(16),
    "HTTP answers": Bound(100),
}

_texts = st.lists(st.sampled_from(WORDS), max_size=3).map("".join)
_units = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("".join)
SHAPES = st.one_of(
    st.sampled_from(SEEDS),
    st.builds(Shape, _units, before=_texts, middle=_texts, close=_texts, after=_texts),
)


def search_door(name: str) -> str:
    """What the worst that is found for a door does against its bound; empty if it keeps it."""
    door, bound = DOORS[name], BOUNDS[name]
    go_through(door, "a")  # what is made at the first use only

    @settings(
        max_examples=12 if bound.chars < _CHARS else 30,
        derandomize=True,  # the same texts in each run
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target, Phase.shrink),
    )
    @given(SHAPES)
    def search(shape: Shape) -> None:
        target(check(door, shape, bound))

    return _failure(search)


def _failure(search: Callable[[], None]) -> str:
    try:
        search()
    except AssertionError:
        return traceback.format_exc()
    return ""


# Functions of C that a door may call, by the reason why none takes longer than what it is given.
LINEAR = {
    "it looks once at what it is called on, which is counted": {
        *("bytes.count", "bytes.decode", "bytes.split", "bytes.translate", "list.reverse"),
        *("str.count", "str.encode", "str.lower", "str.partition", "str.removeprefix"),
        *("str.removesuffix", "str.replace", "str.rpartition", "str.split", "str.splitlines"),
        *("str.swapcase", "list.sort", "str.isprintable", "str.isspace", "str.isupper"),
        "str.isdigit",
    },
    "it makes what it is given into one thing, which it then is": {
        *("bytes.join", "str.join", "str.format", "sorted", "sum", "max", "min", "all", "any"),
        *("repr", "encode_basestring_ascii", "utf_8_decode", "hash", "set.update", "list.extend"),
        *("deque.extend", "dict.fromkeys", "frozenset.isdisjoint", "frozenset.issuperset"),
        *("set.intersection", "set.isdisjoint", "memoryview.cast"),
    },
    "it ends where it finds something, and the next search begins there": {
        *("str.find", "str.index", "str.rfind", "str.rindex", "str.lstrip", "str.rstrip"),
        *("str.strip", "str.startswith", "str.endswith", "Status.endswith"),
    },
    "a parser that reads each token once, behind a cap for its text": {
        *("compile", "symtable", "SchemaValidator.validate_python", "ValidationError.errors"),
    },
    "it is for one item, of a list that is short where the place counts": {
        *("ContextManager.__exit__", "Match.end", "Match.group", "Match.start", "RLock.__exit__"),
        *("ReferenceType.__new__", "Struct.pack", "Struct.unpack_from", "_abc_instancecheck"),
        *("_abc_subclasscheck", "_filters_mutated", "_remove_dead_weakref", "abs", "chr"),
        *("deque.popleft", "dict.__contains__", "dict.clear", "dict.get", "dict.items"),
        *("dict.keys", "dict.pop", "dict.setdefault", "dict.values", "dir"),
        *("frozenset.__contains__", "object.__new__"),
        *("generator.throw", "getattr", "hasattr", "id", "isfinite", "isinf", "isinstance"),
        *("isnan", "issubclass", "iter", "len", "list.append", "list.insert", "list.pop"),
        *("list.remove", "localcontext", "next", "round", "set.add"),
        *("set.clear", "set.discard", "setattr", "tuple.__new__", "vars"),
    },
    "of this test": {"setprofile", "settrace"},
}
# Regular expressions of ours. No two repeats that stand next to each other take the same character,
# unless nothing can fail after them; so what one has taken is given back once at most.
PATTERNS = {
    r"(?:<\|[^|<>\n]{1,40}\|>|<\uff5c[^\uff5c<>\n]{1,40}\uff5c>|</s>|<eos>|<pad>|<end_of_turn>)\Z",
    "(?i:\\b(?:f|fr|rf))['\"]",
    r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*)",
    r"[(.]",
    r"[A-Za-z_]\w*",
    r"[A-Za-z_]\w*(\(\))?(\.[A-Za-z_]\w*)?",
    r"\w+",
    r"^(async def|def|class)\s",
    r"\[.*",
    r"^(builtins|modules)\[(\d+)\]",
    r"""^\s*(?:"([^"]*)"|'([^']*)'|([^"'=\s]+))\s*=""",
    r"^\s*\[\[?\s*([\w.]+)\s*\]?\]",
}
# Of json; those of tomllib begin with a line, and name no repeat twice.
_OF_LIBRARY = {r"[ \t\n\r]*"}


def unlisted() -> list[str]:
    """The functions of C and the regular expressions that doors use, and no list here names."""
    called, patterns = set[str](), set[str]()
    for door in DOORS.values():
        for shape in SEEDS:
            with counted() as work:
                go_through(door, shape.text(64))
            called |= work.called
            patterns |= work.patterns
    unknown = {p for p in patterns if "[0-9]" not in p} - PATTERNS - _OF_LIBRARY
    return sorted((called - set[str]().union(*LINEAR.values())) | unknown)


def _every_line_again(text: str) -> None:
    seen: list[str] = []
    for line in text.split("\n"):
        if all(line != other for other in seen):
            seen.append(f"{line} {len(seen)}")


def _the_rest_again(text: str) -> None:
    while text:
        _, _, text = text.partition("\n")


def _counted_from_the_start(text: str) -> None:
    for _ in text.split(","):
        text.count("x")


# One in Python, and two whose work is done in C.
QUADRATIC = {f.__name__: f for f in (_every_line_again, _the_rest_again, _counted_from_the_start)}


def search_quadratic(door: Callable[[str], Any]) -> str:
    """What is found for a door that is quadratic; empty if nothing is."""

    @settings(
        max_examples=100,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.target),
    )
    @given(SHAPES)
    def search(shape: Shape) -> None:
        target(check(door, shape, Bound(60, 8 * _CHARS)))

    return _failure(search)


if __name__ == "__main__":
    told = {
        "doors": {name: search_door(name) for name in DOORS},
        "unlisted": unlisted(),
        "quadratic": {name: search_quadratic(door) for name, door in QUADRATIC.items()},
    }
    print(json.dumps(told))
