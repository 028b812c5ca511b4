"""A policy that is `deterministic`: what a world and a program are given for it."""

from __future__ import annotations  # only a deterministic policy needs what is imported below

import sys
from typing import TYPE_CHECKING

from sandbox.interpreter.vault import asking
from sandbox.language.guest.clock import FixedClock

if TYPE_CHECKING:
    from sandbox.language.guest.state import Session


def hide_machine(session: Session) -> None:
    """Let no address and no clock of the machine show any more, in this process.

    Does nothing under another policy. Raises SandboxError on an interpreter that is not known.
    """
    if session.numbers is not None:
        from sandbox.language.natives.values.identities import number_objects

        number_objects(session.numbers)
    if isinstance(session.clock, FixedClock) and "_datetime" in sys.modules:
        from sandbox.language.natives.values.moments import lead_to

        lead_to(session.clock)


def begin(session: Session) -> None:
    """Let all that a deterministic program can observe start where it always does.

    When it is compiled, which may have been in another process. Does nothing under another policy.
    """
    if session.numbers is not None:
        asking.collect()  # when the collector runs depends on how much it found the last time
        session.clock.reset()
        session.numbers.begin()
