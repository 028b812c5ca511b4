"""Keeping the interpreter from looking for the guest's source on a disk.

To show the line of a syntax error, CPython opens the file of the program's name ("<program>"): a
system call that ends a child. It asks the audit hooks first (PEP 578), and one of ours says no.
"""

import sys


def never_open() -> None:
    """From here on no file with a name like "<program>" or "<string>" is looked for."""
    sys.addaudithook(_refuse_names_of_programs)


def _refuse_names_of_programs(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str) and arguments[0][:1] == "<":
        raise FileNotFoundError(arguments[0])
