"""When a cell is whole, as at Python's own prompt. Nothing is compiled here, only parsed."""

import ast
import warnings

_INCOMPLETE = 0x4000  # PyCF_ALLOW_INCOMPLETE_INPUT, as codeop has it


def is_whole(source: str) -> bool:
    """Return False if more lines belong to `source`. What is wrong is whole: its cell says why.

    A statement with a block ends with an empty line.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            flags = ast.PyCF_ONLY_AST | _INCOMPLETE
            tree = compile(f"{source}\n", "<cell>", "exec", flags, dont_inherit=True)
    except SyntaxError as error:
        return "incomplete input" not in str(error)
    except (ValueError, RecursionError, MemoryError, OverflowError):
        return True
    last_line = source.rpartition("\n")[2]
    has_block = bool(tree.body) and hasattr(tree.body[-1], "body")
    has_block = has_block or (bool(tree.body) and isinstance(tree.body[-1], ast.Match))
    return not has_block or not last_line.strip()
