"""What the part of the vault that uses the two pipes is given, and what it gives: see `pipes`."""

from collections.abc import Callable
from types import CodeType
from typing import Any, NamedTuple


class Pipes(NamedTuple):
    """Descriptors, and the letters of frames: output, a request, the final one, standard error."""

    job: int
    result: int
    output: bytes
    ask: bytes
    final: bytes
    errors: bytes


class Ends(NamedTuple):
    """The functions that use the two pipes: code that has them has the job's key to sign with.

    The first ones are services of the vault, which are told the frame that asks.
    """

    take_job: Callable[[Any], Any]
    ask: Callable[[Any, Any], Any]
    send: Callable[[Any, bytes, Any], None]
    flush: Callable[[Any], None]
    release: Callable[[Any], None]
    begin: Callable[[bool, Any, Any], None]
    lend: Callable[[Any, Any], None]
    hand_in: Callable[[str, str, str, str], Any]
    finish: Callable[[str, str, str, str], None]
    violate: Callable[[str], None]
    loads: CodeType  # of the one that reads jobs
    is_writing: Callable[[], bool]
    give_up: Callable[[], None]
