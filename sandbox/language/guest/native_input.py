"""Standard input of a guest without the language layer: a real descriptor 0."""

import io
import os
import resource

from sandbox.language.guest.stdio import NativeIn

_STDIN = 0
_F_ADD_SEALS, _F_GET_SEALS = 1033, 1034
_SEALED = 0x1 | 0x2 | 0x4 | 0x8  # no more seals, no shrinking, no growing, no writing


def input_of(text: str, file_bytes: int = 0) -> io.TextIOWrapper:
    """Return `sys.stdin` with `text`, as CPython has it when it is redirected from a file.

    A child is confined with a file in memory as descriptor 0 (see `confinement`). It is filled
    here, before any code of the guest's runs, and sealed: the guest can read and seek, so that
    `open(0)` and `os.read(0, n)` work, and write nowhere. RLIMIT_FSIZE, which bounds what could be
    written, goes down to `file_bytes`. Where descriptor 0 is anything else, the text is in the
    stream alone.
    """
    try:
        _fill(text.encode("utf-8", "surrogatepass"), file_bytes)
    except OSError:
        return NativeIn(text)
    raw = io.FileIO(_STDIN, "rb", closefd=False)
    raw.name = "<stdin>"
    stream = io.TextIOWrapper(io.BufferedReader(raw), "utf-8", "surrogatepass", "\n")
    stream.mode = "r"  # type: ignore[misc]
    return stream


def _fill(data: bytes, file_bytes: int) -> None:
    """Write `data` to the file in memory, and seal it. Raises OSError where there is none."""
    import fcntl

    fcntl.fcntl(_STDIN, _F_GET_SEALS)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(_STDIN, rest) :]
    os.lseek(_STDIN, 0, os.SEEK_SET)
    fcntl.fcntl(_STDIN, _F_ADD_SEALS, _SEALED)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    if hard != resource.RLIM_INFINITY:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
