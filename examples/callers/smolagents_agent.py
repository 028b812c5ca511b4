"""An agent of smolagents whose code runs in a session; its model is a script."""

from collections.abc import Iterator
from typing import Any

from smolagents import CodeAgent, tool
from smolagents.models import ChatMessage, MessageRole, Model

from sandbox.integrations.sessions.smolagents import RestrictedExecutor

STEPS = (
    "<code>\nbelow = primes(1000)\nprint(len(below))\n</code>",
    "<code>\nfinal_answer(sum(below) // len(below))\n</code>",
)


class Scripted(Model):
    """Says what `STEPS` has, in order."""

    def __init__(self) -> None:
        super().__init__()
        self._steps: Iterator[str] = iter(STEPS)

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        return ChatMessage(
            role=MessageRole.ASSISTANT, content=f"Thought: go on.\n{next(self._steps)}"
        )


@tool
def primes(limit: int) -> list:
    """List the primes below a limit; runs in the caller.

    Args:
        limit: The limit.
    """
    return [n for n in range(2, limit) if all(n % d for d in range(2, int(n**0.5) + 1))]


def main() -> None:
    executor = RestrictedExecutor("contest", cpu_seconds=5)
    with CodeAgent([primes], Scripted(), executor=executor, verbosity_level=0) as agent:
        print("the mean of the primes below a thousand:", agent.run("What is it?"))


if __name__ == "__main__":
    main()
