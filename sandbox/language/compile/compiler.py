"""From the text of a program to a code object that may be run."""

import ast
import sys
import types
from collections.abc import Iterable
from gc import disable, enable, isenabled
from typing import Any

from sandbox.interpreter.vault import asking
from sandbox.language.compile.cells import (
    has_wrong_cells,
    may_use_a_class,
    separate_comprehensions,
    separate_from_classes,
)
from sandbox.language.compile.dialect import Dialect
from sandbox.language.compile.fast_path import is_ordinary, needs_no_guard
from sandbox.language.compile.long_names import long_attributes
from sandbox.language.compile.nesting import check_nesting, may_nest_deeply
from sandbox.language.compile.walk import Refusal
from sandbox.policy.plan import Plan

# Files of the program itself, and of a text that it gives to eval or exec; those of its modules
# have their path instead of `string`. And of library modules that run as its code, whose frames no
# traceback shows. No host's code has a file whose name begins like that.
FILENAME, TEXT, LIBRARY = "<program>", "<program:string>", "<library>"
PROGRAM_FILES = ("<program",)
GUEST_FILES = (*PROGRAM_FILES, LIBRARY)
_MODULE_FILE, _CELL_FILE, _END = "<program:/", "<program:cell ", ">"
CELL = "<cell "  # how the name of a cell begins in a traceback
# Of the memory that a child may have, the share that a MemoryError must have used, or that must be
# taken, for it to be one: else it is the parser's own way to say "nested too deeply" (MAXSTACK in
# Parser/pegen.h).
_EXHAUSTED = 0.5
# More bytes of memory than any character of a source takes to compile: a tree takes some 500.
_BYTES_PER_CHARACTER = 4096
_COMPILER_DEPTH = 3000
_SHALLOW_CHARACTERS = 500  # each level of nesting takes one; the least recursion limit is 1000
_TOO_COMPLEX = "too many nested expressions or statements"


class Refused(Exception):
    """The dialect does not allow the program. `refusals` says what and where, in order."""

    def __init__(self, refusals: tuple[Refusal, ...], policy: str) -> None:
        self.refusals = refusals
        self.policy = policy
        super().__init__("; ".join(self._say(refusal) for refusal in refusals[:20]))

    def _say(self, refusal: Refusal) -> str:
        place = f"line {refusal.line}, column {refusal.column}"
        return f"{refusal.what} by policy '{self.policy}' ({place})"


def file_name(path: str) -> str:
    """Return the file name that code of the program's own file `path` has: an absolute path."""
    return f"{_MODULE_FILE}{path.lstrip('/')}{_END}"


def cell_file(number: int) -> str:
    """Return the file name that the code of a session's cell has."""
    return f"{_CELL_FILE}{number}{_END}"


def shown_file(name: str) -> str:
    """Return how a file of the program's is called in a traceback."""
    if name.startswith(_CELL_FILE):
        return CELL + name[len(_CELL_FILE) :]
    if name.startswith(_MODULE_FILE):
        return name[len(_MODULE_FILE) - 1 : -len(_END)]
    return "<string>" if name == TEXT else name


def compile_program(
    source: str,
    plan: Plan,
    mode: str = "exec",
    filename: str = FILENAME,
    dialect: type[Dialect] = Dialect,
) -> types.CodeType:
    """Compile `source` under `plan`, as a file of the program's; what comes out can be run as is.

    Another `dialect` is for texts that are no programs of a guest's, see `language/library`.
    Raises SyntaxError for what is not Python, whatever the parser raises for it, and Refused for
    what the dialect does not allow. Futures are the program's own: ours are not inherited.
    """
    source = source.removeprefix("\ufeff")  # which the interpreter skips in a file
    memory = plan.limits.memory_mib << 20
    may_exhaust = len(source) * _BYTES_PER_CHARACTER > _EXHAUSTED * memory
    before = asking.peak_bytes() if may_exhaust else 0
    try:
        if not plan.language:
            program: types.CodeType = asking.compile_text(source, filename, mode)
            return program
        return _compile_restricted(source, plan.name, mode, filename, dialect)
    except (ValueError, UnicodeError) as error:
        raise _syntax_error(str(error), filename) from None
    except SystemError as error:  # a defect of this Python's
        if not plan.language:
            raise
        error.args = ()  # which tell an address, also to a program that reads `__context__`
        raise _syntax_error("this Python's compiler fails at it", filename) from None
    except RecursionError:
        if len(source) < _SHALLOW_CHARACTERS:  # the program's own recursion has used up the depth
            raise
        raise _syntax_error(_TOO_COMPLEX, filename) from None
    except MemoryError:
        if len(source) < _SHALLOW_CHARACTERS:  # the program itself has used up the memory
            raise
        if may_exhaust and asking.peak_bytes() - before > _EXHAUSTED * memory:
            raise
        if not _has_room(min(len(source) * _BYTES_PER_CHARACTER, int(_EXHAUSTED * memory))):
            raise
        raise _syntax_error(_TOO_COMPLEX, filename) from None


def _has_room(size: int) -> bool:
    try:
        bytes(size)  # zeroed by the kernel: address space, no pages
    except MemoryError:
        return False
    return True


def _compile_restricted(
    source: str, policy: str, mode: str, filename: str, dialect: type[Dialect] = Dialect
) -> types.CodeType:
    """Parse, check and compile, with as deep an expression as CPython takes from a text.

    A tree costs a level of the recursion limit where a text costs a third of one
    (COMPILER_STACK_FRAME_SCALE in CPython's compiler).
    """
    deep, classes = may_nest_deeply(source), may_use_a_class(source)
    changes_all = deep or classes or dialect is not Dialect
    code = None if changes_all else _compile_ordinary(source, mode, filename)
    if code is not None:
        return code
    before, collecting = sys.getrecursionlimit(), isenabled()
    sys.setrecursionlimit(max(before, _COMPILER_DEPTH))
    disable()  # a tree is many objects and no garbage
    try:
        tree: Any = asking.compile_text(source, filename, mode, ast.PyCF_ONLY_AST)
        if deep:
            check_nesting(tree)
        check(tree, policy, dialect)
        if classes:
            refuse(separate_from_classes(tree), policy)
        guarded: types.CodeType = asking.compile_text(tree, filename, mode)
        if has_wrong_cells(guarded):
            refuse(separate_comprehensions(tree, guarded), policy)
            guarded = asking.compile_text(tree, filename, mode)
            if has_wrong_cells(guarded):
                raise SystemError
        refuse(long_attributes(guarded), policy)
        return guarded
    finally:
        sys.setrecursionlimit(before)
        if collecting:
            enable()


def _compile_ordinary(source: str, mode: str, filename: str) -> types.CodeType | None:
    """Compile a program that needs no guard straight from the text: half the work."""
    if not is_ordinary(source):
        return None
    code: types.CodeType = asking.compile_text(source, filename, mode)
    return code if needs_no_guard(code) and not has_wrong_cells(code) else None


def survives_marshal(code: types.CodeType) -> bool:
    """Return True if code that was marshalled and read back does the same.

    A set display of constants is made of a frozenset, which marshal writes in another order than
    it was filled (`w_complex_object` in Python/marshal.c sorts it): where items collide, a set
    iterates in another order then. One item has one order.
    """
    return all(
        survives_marshal(constant) if type(constant) is types.CodeType else not _has_order(constant)
        for constant in code.co_consts
    )


def _has_order(constant: object) -> bool:
    if type(constant) is tuple:
        return any(map(_has_order, constant))
    return type(constant) is frozenset and len(constant) > 1


def notices_ends(source: str) -> bool:
    """Say whether a program may notice what happens when a process lets go of all it has."""
    # A `TextIOWrapper` is flushed when it goes.
    if any(word in source for word in ("__del__", "weakref", "TextIOWrapper")):
        return True
    suspends = "yield" in source or "await" in source
    return suspends and any(word in source for word in ("finally", "with", "except"))


def delegates(source: str) -> bool:
    """Say whether a program may have a generator or coroutine that delegates to another."""
    return "async" in source or ("yield" in source and "from" in source)


def check(tree: Any, policy: str, dialect: type[Dialect] = Dialect) -> None:
    """Put the guards of `dialect` into `tree`, or raise Refused."""
    walk = dialect()
    walk.rewrite(tree)
    refuse(walk.refusals, policy)


def refuse(refusals: Iterable[Refusal], policy: str) -> None:
    """Raise Refused if there are any, with all of them in order."""
    found = sorted(refusals, key=lambda refusal: (refusal.line, refusal.column))
    if found:
        raise Refused(tuple(found), policy)


def _syntax_error(message: str, filename: str) -> SyntaxError:
    if filename == TEXT:  # as `exec` raises it
        return SyntaxError(message)
    return SyntaxError(message, (filename, 1, 1, None))
