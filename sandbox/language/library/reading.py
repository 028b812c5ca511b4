"""The texts of library modules, read in the supervisor while there is a file system."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from sandbox.language.library.served import OWN, SERVED, Served, closure

# Not by pathlib: it would hold what looks into directories, and every child would inherit it.
_LIBRARY = os.path.dirname(os.__file__)
_OURS = os.path.join(os.path.dirname(__file__), "texts")
_PACKAGES = ("importlib", "os")


class Text(NamedTuple):
    """The texts a module is made of: the interpreter's, and ours that run before and behind it."""

    before: str
    own: str
    behind: str
    is_package: bool


def read(granted: Iterable[str]) -> dict[str, Text]:
    """Return the texts of all library modules that those of `granted` need, by name.

    One that this interpreter comes without is left out: it cannot be imported then.
    """
    texts: dict[str, Text] = {}
    for name in closure(granted):
        before, behind = (_ours(f"{name}{part}.txt") for part in (".before", ""))
        path = _path_of(name)
        if name in OWN:
            texts[name] = Text("", "", behind, name in _PACKAGES)
        elif path:
            is_package = path.endswith("__init__.py")
            texts[name] = Text(before, _renamed(name, _text(path)), behind, is_package)
    return texts


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


def _ours(file: str) -> str:
    path = os.path.join(_OURS, file)
    return _text(path) if os.path.isfile(path) else ""


def _path_of(name: str) -> str:
    base = os.path.join(_LIBRARY, *name.split("."))
    paths = (os.path.join(base, "__init__.py"), f"{base}.py")
    return next(filter(os.path.isfile, paths), "")


def _renamed(name: str, text: str) -> str:
    served = SERVED.get(name, Served())
    for start, end in served.left_out:
        before, _, rest = text.partition(start)
        text = before + (end and end + rest.partition(end)[2])
    for word, other in served.renamed.items():
        text = _with_other(text, word, other)
    return text


def _with_other(text: str, word: str, other: str) -> str:
    """Put `other` where `word` stands as a word of its own; an expression takes long to compile."""
    parts, kept, at = [], 0, text.find(word)
    while at >= 0:
        end = at + len(word)
        if _goes_on(text[at - 1 : at]) or _goes_on(text[end : end + 1]):
            end = at + 1
        else:
            parts += [text[kept:at], other]
            kept = end
        at = text.find(word, end)
    return "".join([*parts, text[kept:]])


def _goes_on(character: str) -> bool:
    return character.isalnum() or character == "_"
