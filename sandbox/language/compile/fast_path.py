"""Ordinary programs: what shows, before there is a tree, that nothing of a program needs a guard.

Most programs name nothing that the dialect guards or refuses. In ASCII text every identifier stands
as it is written, so that the words of the text, those in its strings and comments among them, hold
all names of the program. Of such a program nothing is refused, and only three things are changed:
class patterns and `except*`, each of which has an instruction of its own, and an import of a module
in a package in a package. So the compiled code says whether there are any, and of a store to an
attribute, which is refused for a few names that may be read. If there is none of these, the code is
what the dialect would have made.
"""

import opcode
import types

from sandbox.language.compile import names
from sandbox.language.compile.long_names import has_long_name
from sandbox.language.compile.nodes import unknown_nodes
from sandbox.language.compile.words import words

_HAS_UNKNOWN_NODES = bool(unknown_nodes())
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
_BLANKED = bytes(byte if byte in _LETTERS else ord(" ") for byte in range(256))
# `type(x)` is put in another way; the rest is refused, or guarded when it is read.
_NOTED = {name for name in names.GUARDED_NAMES | names.INSPECT if name[:2] != "__"} | {"type"}
_FEW = 16
# Allowed wherever a name may stand: as a variable that is read or bound, and as an attribute.
_FREE_DUNDERS = (names.READABLE_DUNDERS & names.BINDABLE) - names.GUARDED_NAMES - names.SHOWN
_NOT_STORED = (
    names.GUARDED_STORES
    | names.NOTICED_STORES
    | {name for name in _FREE_DUNDERS if names.store_kind(name) != names.PLAIN}
)


def is_ordinary(source: str) -> bool:
    """Say whether no word of `source` is a name the dialect refuses, or guards when it is read."""
    if not source.isascii() or _HAS_UNKNOWN_NODES:
        return False  # in other letters an identifier may be spelled otherwise: it is normalized
    text = source.encode("ascii").translate(_BLANKED).decode("ascii")
    found = text.split()
    if not _NOTED.isdisjoint(found) or not names.UNLISTED.isdisjoint(found):
        return False
    _, *tails = f" {text}".split(" __")
    others = {"__" + tail.split(" ", 1)[0] for tail in tails} - _FREE_DUNDERS
    # Each is searched for: a text may have thousands.
    return len(others) <= _FEW and all(_is_no_name(word, source) for word in others)


def _is_no_name(word: str, source: str) -> bool:
    """Return True for `__x`, the program's own, and where `__x__` stands for no variable."""
    if not names.is_dunder(word):
        return True
    # A string is never followed by a name that is no keyword: what stands in quotes is a string.
    elsewhere = sum(map(source.count, (f"'{word}'", f'"{word}"', f"from {word} import")))
    return source.count(word) == elsewhere


def needs_no_guard(code: types.CodeType) -> bool:
    """Return True if no instruction of an ordinary program's `code` does what needs one."""
    stack = [code]
    while stack:
        code = stack.pop()
        special = code.co_code[::2].translate(None, _HARMLESS)
        if special.translate(None, _STORES):
            return False
        if special and not _NOT_STORED.isdisjoint(code.co_names):
            return False
        if has_long_name(code) or any(name.count(".") > 1 for name in code.co_names):
            return False  # of names a module's alone has dots, see `rewriting.walked_import`
        stack += [value for value in code.co_consts if type(value) is types.CodeType]
    return True


_STORES = bytes((opcode.opmap["STORE_ATTR"], opcode.opmap["DELETE_ATTR"]))
_NO_BYTE = 256  # from here on names are the compiler's own: no instruction bears one
# All of Python 3.11 to 3.14 but STORE_ATTR, DELETE_ATTR, MATCH_CLASS and what matches `except*`.
# An instruction of a later Python is one that no maintainer has looked at.
_HARMLESS = bytes(
    opcode.opmap[name]
    for name in words(
        """
        CACHE RESUME NOP EXTENDED_ARG POP_TOP POP_ITER COPY SWAP PUSH_NULL RESERVED END_FOR END_SEND
        NOT_TAKEN LOAD_CONST LOAD_COMMON_CONSTANT LOAD_SMALL_INT RETURN_CONST RETURN_VALUE
        RETURN_GENERATOR COPY_FREE_VARS MAKE_CELL LOAD_FAST LOAD_FAST_CHECK LOAD_FAST_AND_CLEAR
        LOAD_FAST_LOAD_FAST LOAD_FAST_BORROW LOAD_FAST_BORROW_LOAD_FAST_BORROW STORE_FAST
        STORE_FAST_LOAD_FAST STORE_FAST_STORE_FAST DELETE_FAST LOAD_CLOSURE LOAD_DEREF STORE_DEREF
        DELETE_DEREF LOAD_CLASSDEREF LOAD_FROM_DICT_OR_DEREF LOAD_FROM_DICT_OR_GLOBALS LOAD_LOCALS
        LOAD_NAME STORE_NAME DELETE_NAME LOAD_GLOBAL STORE_GLOBAL DELETE_GLOBAL LOAD_ATTR
        LOAD_METHOD LOAD_SUPER_ATTR LOAD_SPECIAL LOAD_BUILD_CLASS LOAD_ASSERTION_ERROR
        SETUP_ANNOTATIONS IMPORT_NAME IMPORT_FROM IMPORT_STAR CALL CALL_KW CALL_FUNCTION_EX PRECALL
        KW_NAMES MAKE_FUNCTION SET_FUNCTION_ATTRIBUTE CALL_INTRINSIC_1 CALL_INTRINSIC_2
        UNARY_NEGATIVE UNARY_NOT UNARY_INVERT UNARY_POSITIVE TO_BOOL BINARY_OP BINARY_SUBSCR
        BINARY_SLICE STORE_SUBSCR STORE_SLICE DELETE_SUBSCR COMPARE_OP IS_OP CONTAINS_OP BUILD_TUPLE
        BUILD_LIST BUILD_SET BUILD_MAP BUILD_CONST_KEY_MAP BUILD_STRING BUILD_SLICE BUILD_TEMPLATE
        BUILD_INTERPOLATION LIST_APPEND LIST_EXTEND LIST_TO_TUPLE SET_ADD SET_UPDATE MAP_ADD
        DICT_UPDATE DICT_MERGE UNPACK_SEQUENCE UNPACK_EX FORMAT_VALUE FORMAT_SIMPLE FORMAT_WITH_SPEC
        CONVERT_VALUE JUMP_FORWARD JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT JUMP_IF_FALSE_OR_POP
        JUMP_IF_TRUE_OR_POP POP_JUMP_IF_FALSE POP_JUMP_IF_TRUE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE
        POP_JUMP_FORWARD_IF_FALSE POP_JUMP_FORWARD_IF_TRUE POP_JUMP_FORWARD_IF_NONE
        POP_JUMP_FORWARD_IF_NOT_NONE POP_JUMP_BACKWARD_IF_FALSE POP_JUMP_BACKWARD_IF_TRUE
        POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE GET_ITER GET_LEN GET_YIELD_FROM_ITER
        FOR_ITER YIELD_VALUE SEND GET_AWAITABLE GET_AITER GET_ANEXT END_ASYNC_FOR CLEANUP_THROW
        ASYNC_GEN_WRAP RAISE_VARARGS RERAISE PUSH_EXC_INFO POP_EXCEPT CHECK_EXC_MATCH BEFORE_WITH
        BEFORE_ASYNC_WITH WITH_EXCEPT_START EXIT_INIT_CHECK MATCH_MAPPING MATCH_SEQUENCE MATCH_KEYS
        """
    )
    if opcode.opmap.get(name, _NO_BYTE) < _NO_BYTE
)
