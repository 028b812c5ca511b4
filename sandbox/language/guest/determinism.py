"""A policy that is `deterministic`: what a world and a program are given for it."""

from __future__ import annotations  # only a deterministic policy needs what is imported below

import sys
from typing import TYPE_CHECKING

from sandbox.interpreter.vault import asking
from sandbox.language.guest.clock import FixedClock

if TYPE_CHECKING:
    from sandbox.language.guest.state import GuestState


def hide_machine(state: GuestState) -> None:
    """Let no address and no clock of the machine show any more, in this process.

    Does nothing under another policy. Raises SandboxError on an interpreter that is not known.
    """
    if state.numbers is not None:
        from sandbox.language.natives.values.identities import number_objects

        number_objects(state.numbers)
    if isinstance(state.clock, FixedClock) and "_datetime" in sys.modules:
        from sandbox.language.natives.values.moments import lead_to

        lead_to(state.clock)


def begin(state: GuestState) -> None:
    """Let all that a deterministic program can observe start where it always does.

    When it is compiled, which may have been in another process. Does nothing under another policy.
    """
    if state.numbers is not None:
        asking.collect()  # when the collector runs depends on how much it found the last time
        state.clock.reset()
        state.numbers.begin()
