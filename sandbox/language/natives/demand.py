"""Methods of ours that would cost every program much, and serve only against a few.

Each stays out of the way of its operator until the program makes a class that could do harm, or
until there is a program, where the host needs CPython's own before.
"""

import types
from abc import ABCMeta
from collections.abc import Callable
from functools import partial
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.language.guards.classes.class_origin import (
    dict_of,
    is_class,
    is_guest_function,
    mro_of,
)
from sandbox.language.natives.types.type_slots import Word

SEQUENCE = "a list or a tuple of the program's own kind"
PROGRAM = "a program that has been entered"
DELEGATING = "a generator that delegates"
_turns: dict[str, list[Callable[[], None]]] = {}
_words: dict[str, list[Word]] = {}


def on_demand(name: str, turn: Callable[[], None]) -> None:
    """Have `turn` called when a class of the program's comes to have a method `name` to fear."""
    _turns.setdefault(name, []).append(turn)


def written_on_demand(name: str, word: Word) -> None:
    """Have `word` written when a class of the program's comes to have a method `name` to fear.

    Where there is a vault, the word is in no other hands.
    """
    if not asking.lay_by(name, *word):
        _words.setdefault(name, []).append(word)


def notice(bases: tuple[Any, ...], namespace: Any) -> None:
    """Look at what a class is about to be made of.

    A metaclass of the host's may run code of the program's, which changes the namespace, before it
    makes the class: of what it makes anything is feared.
    """
    runs_code = any(type(base) not in _PLAIN for base in bases)
    slots = dict.get(namespace, "__slots__", ())
    for name, is_harmless in _HARMLESS.items():
        if name in namespace and (runs_code or not is_harmless(namespace[name])):
            turn_all(name)
        if name == slots or name in slots:  # an instance then has any value under this name
            turn_all(name)
        if any(map(partial(_calls_back, name), bases)):
            turn_all(name)
    if any(is_class(base) and issubclass(base, (list, tuple)) for base in bases):
        turn_all(SEQUENCE)
    if runs_code:
        turn_all("__index__")
        turn_all(SEQUENCE)
        if any(is_class(base) and issubclass(base, _ASKING) for base in bases):
            turn_all("__getitem__")


def notice_store(name: str, values: tuple[Any, ...]) -> None:
    """Look at what is about to be stored in a class under `name`; nothing, if it is deleted."""
    if name in _HARMLESS and not all(map(_HARMLESS[name], values)):
        turn_all(name)


def notice_any_store(cls: Any, name: str) -> None:
    """Fear what may be stored in `cls` under `name`, and `cls` as if it had heirs.

    The host makes some classes for a program without a look at what they are made of.
    """
    turn_all(name)
    notice((cls,), {})


def turn_all(name: str) -> None:
    """Let the operators that fear a program's `name` come to our methods from now on."""
    for turn in _turns.get(name, ()):
        turn()
    asking.turn(name)
    for view, content in _words.get(name, ()):
        view[:] = content


def _calls_back(name: str, base: Any) -> bool:
    """Return True if an heir of `base` inherits a `name` of Python code, as of numbers.Integral."""
    if not is_class(base):
        return False
    inherited = (dict_of(cls).get(name) for cls in mro_of(base))
    method = next((found for found in inherited if found is not None), None)
    return type(method) is types.FunctionType and name not in _HELD_BY_A_FRAME


def _holds_its_self(value: Any) -> bool:
    """Return True if `value` holds its `self` while it runs, as a function does.

    A method of CPython's own runs on what its caller may let go of.
    """
    return is_guest_function(value) or type(value) is types.NoneType


_PLAIN = (type, ABCMeta)
_ASKING = (tuple, set, frozenset)  # without `__reversed__`, and their methods ask their elements
_HELD_BY_A_FRAME = ("__getitem__",)  # what any function is called on
_HARMLESS: dict[str, Callable[[Any], bool]] = {
    "__index__": lambda value: False,
    "__getitem__": _holds_its_self,
    "__getattr__": lambda value: False,
    "__getattribute__": lambda value: False,
    "throw": is_guest_function,
}
