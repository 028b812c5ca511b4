"""No operator in the vault is code of ours, which asks names that a program may write."""

import dis
import subprocess
import sys
from itertools import chain

from insides import BUILDS, inside

# What of CPython's a module of `natives` replaces for the whole process is code that asks its own
# namespace. Of an operator for which there is such a method, the vault's operands are named here.
PLAIN_OPERANDS = {
    # Texts, bytes, numbers.
    "==": "end_of finish hook is_own say_last_words send turn variables_of",
    "!=": "finish give_defaults hand_in hook look_at look_at_prefix scope send",
    # Numbers.
    "<": "answer calling_module end_of_branches look_at put_out put_printed say_where",
    ">": "__annotate__ is_own is_programs judge look_at_prefix",
    ">=": "end_of",
    "<=": "look_at_prefix",
    "|": "variables_of",
    # Tuples, lists that no other code holds, and names that frames gave.
    "[]": "answer end_of end_of_branches final hook is_own is_programs judge look_at_prefix"
    " put_out say_last_words told_by variables_of violate",
    # Frozensets and tuples of numbers and of texts.
    "in": "collect end_of finish hook judge links say_last_words scope variables variables_of",
    # Tuples, bytes, lists, what the collector lists, and what `f_locals` gives.
    "next": "clear_cache finish hand_in judge keep_nested look_at_prefix put_out put_printed"
    " service told_by turn variables_of",
}
REPLACED = """
import contextlib
from sandbox.language.natives import harden, patching
for module in harden.FAMILIES.values():
    with contextlib.suppress(ModuleNotFoundError):  # `_pylong` before 3.12
        __import__(module)
harden.harden()
print(*(name for _, name in patching._makers))
"""
_NAMES = (
    *("== eq", "!= ne", "< lt", "<= le", "> gt", ">= ge", "+ add", "- sub", "* mul", "% mod"),
    *("/ truediv", "// floordiv", "** pow", "@ matmul", "<< lshift", ">> rshift", "& and"),
    *("| or", "^ xor", "[] getitem", "in contains", "next next"),
)
METHODS = {symbol: f"__{name}__" for symbol, name in map(str.split, _NAMES)}


def operator_in(instruction: dis.Instruction) -> str | None:
    """What `instruction` does to its operands, as it is written in Python."""
    name = instruction.opname
    if name in ("BINARY_OP", "COMPARE_OP"):  # bool(<) in 3.13
        return instruction.argrepr.removeprefix("bool(").removesuffix(")")
    if name in ("BINARY_SUBSCR", "BINARY_SLICE"):
        return "[]"
    return {"CONTAINS_OP": "in", "FOR_ITER": "next", "GET_ITER": "next"}.get(name)


def methods_of(operator: str) -> set[str]:
    """Return the names of the methods that CPython may call for `operator`."""
    plain = operator.removesuffix("=") if operator not in METHODS else operator
    names = {METHODS[plain]}
    if operator not in METHODS:  # in place
        names.add(f"__i{METHODS[plain][2:]}")
    return names | {f"__r{name[2:]}" for name in names}


def test_no_operator_of_the_hooks_is_one_that_is_replaced() -> None:
    """`|=` of a set would run code of ours, which looks up names that a program may write."""
    asked = [sys.executable, "-c", REPLACED]  # not in this process, which other tests share
    told = subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60)
    replaced = set(told.stdout.split())
    assert {"__ior__", "__lt__", "__eq__"} & replaced
    used = set[tuple[str, str]]()
    for code in [code for build in BUILDS for code in inside(build.__code__)]:
        comprehensions = [c for c in code.co_consts if getattr(c, "co_name", "")[:1] == "<"]
        for instruction in chain(*map(dis.get_instructions, (code, *comprehensions))):
            operator = operator_in(instruction)
            if operator is not None and methods_of(operator) & replaced:
                used.add((operator, code.co_name))
    allowed = {(o, name) for o, names in PLAIN_OPERANDS.items() for name in names.split()}
    assert not used - allowed
