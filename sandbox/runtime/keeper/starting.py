"""Keepers of sessions on their way from a fork to the callers that asked for them."""

from __future__ import annotations  # a class that is named in one would be found there

import os
import select
from collections.abc import Callable

from sandbox.runtime.supervisor import channels
from sandbox.runtime.supervisor.children import Child, ChildPool
from sandbox.runtime.wire import protocol


class Keepers:
    """Those that are not ready yet. None is forked ahead of its request."""

    def __init__(
        self, children: ChildPool, hand_over: Callable[[Child, channels.Request], object]
    ) -> None:
        self._children, self._hand_over = children, hand_over
        self._unready: dict[int, tuple[Child, channels.Request]] = {}  # by result pipe

    def __contains__(self, descriptor: int) -> bool:
        return descriptor in self._unready

    def begin(self, request: channels.Request, poll: select.poll) -> None:
        """Fork one for `request`, and wait for it."""
        try:
            keeper = self._children.fork(protocol.SESSION)
        except OSError as error:
            channels.refuse(request.channel, f"no process for a session: {error}")
            return
        self._unready[keeper.result] = keeper, request
        poll.register(keeper.result, select.POLLIN)

    def on_ready(self, descriptor: int, poll: select.poll) -> None:
        """Read what one says of itself, and hand it over."""
        keeper, request = self._unready.pop(descriptor)
        poll.unregister(descriptor)
        answer = os.read(descriptor, 512)
        try:
            self._children.know(keeper)
        except OSError as error:
            self._children.discard(keeper)
            channels.refuse(request.channel, f"no process for a session: {error}")
            return
        if answer == protocol.READY:
            self._hand_over(keeper, request)
        else:
            said = answer[1:].decode(errors="replace") or "its process ended as it began"
            channels.refuse(request.channel, f"a session could not be confined: {said}")
            self._children.kill(keeper)

    def forget(self, child: Child, poll: select.poll) -> None:
        """Tell the caller that `child`, which has ended, will keep no session."""
        if child.result in self._unready:
            _, request = self._unready.pop(child.result)
            poll.unregister(child.result)
            channels.refuse(request.channel, "the process of a session ended as it began")
