"""Every attack on the layer that we know. Each prints ESCAPED if it gets what it is after."""

import re
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
_REQUIRES = re.compile(r"#requires (\d+)\.(\d+)\n")
# What each text of programs is about; `test_every_text_is_run` finds one that is missing here.
TEXTS = {
    "attacks": "the dialect, its guards and what the granted modules hold",
    "attacks_classes": "steps from what is granted to types, frames, code, globals and modules",
    "attacks_copies": "checked and then used: copies and formats",
    "attacks_files": "the tree of files in memory, its streams, paths and modules",
    "attacks_forwarding": "where a guard's lookup could differ: what forwards, answers or is told",
    "attacks_generated": "checked and then used: generated code, namespaces and descriptors",
    "attacks_library": "library modules that run as the program's own code",
    "attacks_lookup": "where a guard's lookup could differ from CPython's",
    "attacks_memory": "C code of arrays, streams, structs and buffers that is re-entered",
    "attacks_modules": "files of the program's own that it imports",
    "attacks_newer": "what CPython 3.14 has added: deferred annotations, templates, modules",
    "attacks_races": "checked and then used: finalizers in the midst of a read or a store",
    "attacks_receivers": "methods of the host's on what is no instance of their class",
    "attacks_reentry": "C code of containers, iterators and readers that is re-entered",
    "attacks_shown": "what the host shows to a program that it asks whether two things are equal",
    "attacks_tables": "what the host's tables, lists and texts show of the host",
    "attacks_types": "real metaclasses, code objects and the namespaces of classes",
    "attacks_swaps": "checked and then used: phases of the collector, groups and patterns",
}


def programs(text):
    """The programs of a text by title, without those for later Pythons."""
    parts = (part.split("\n", 1) for part in (HERE / f"{text}.txt").read_text().split("### ")[1:])
    return [(title, program) for title, program in parts if _is_for_this_python(program)]


def _is_for_this_python(program):
    required = _REQUIRES.match(program)
    return required is None or sys.version_info >= tuple(map(int, required.groups()))


ATTACKS = [pytest.param(p, id=f"{text}: {title}") for text in TEXTS for title, p in programs(text)]


@pytest.mark.parametrize("program", ATTACKS)
def test_an_attack_gets_nothing_and_the_child_survives(run, program):
    ran = run(program)
    assert "ESCAPED" not in ran.output, ran
    assert ran.status not in ("CRASHED", "SYNTAX"), ran


def test_every_text_is_run():
    elsewhere = {"attacks_through_hooks"}
    assert {path.stem for path in HERE.glob("attacks*.txt")} == TEXTS.keys() | elsewhere


def test_no_title_stands_twice():
    for text in TEXTS:
        titles = [title for title, _ in programs(text)]
        assert len(titles) == len(set(titles)), text
