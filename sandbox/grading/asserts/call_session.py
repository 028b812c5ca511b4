"""A program kept alive in its child to answer one call after the other."""

import threading
from collections.abc import Mapping
from queue import SimpleQueue
from typing import Any

from sandbox.errors import SandboxError
from sandbox.grading.texts.harness import EXCHANGE
from sandbox.result import Result
from sandbox.runtime.caller.client import Sandbox


class _NoMoreCalls(SandboxError):
    """Ends the child: the caller will ask nothing any more."""


class Ended(Exception):
    """The program ended, or was ended, before it answered; `result` says how."""

    def __init__(self, result: Result) -> None:
        super().__init__(result.error or "the program ended before it answered")
        self.result = result


class Guest:
    """One child whose program answers calls in a session. Use it from one thread.

    The child blocks in one service, which takes the last answer and gives the next call; its clocks
    stand still there. All that it can do with that service is to answer: an answer without a call
    is dropped, and each call has the next answer.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        program: str,
        limits: Mapping[str, Any],
        texts: Mapping[str, str] | None = None,
        *,
        is_one_of_many: bool = False,
        files: Mapping[str, str] | None = None,
    ) -> None:
        """Start nothing before the first call. `sandbox` has a policy that grants services.

        `texts` run in the program's namespace before and after it, as fields of `Job`: what runs
        after it answers. Of many with the same texts, which `is_one_of_many` says, each
        has them compiled once.
        """
        self._sandbox, self._program, self._limits = sandbox, program, limits
        self._texts, self._files = texts or {}, {"files": files} if files else {}
        self._is_one_of_many = is_one_of_many
        self._calls: SimpleQueue[list[Any] | None] = SimpleQueue()
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._end: Result | SandboxError | None = None
        self._asked = False

    @property
    def result(self) -> Result | None:
        """The result of the program, if it ended before `close`."""
        return self._end if isinstance(self._end, Result) else None

    @property
    def started(self) -> bool:
        """True once a call was made."""
        return self._thread is not None

    def call(self, request: list[Any]) -> Any:
        """Return the program's answer, which is plain data and untrusted.

        Raises Ended if there is none, SandboxError for a fault of the sandbox.
        """
        if self._end is None:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, daemon=True)
                self._thread.start()
            self._calls.put(request)
            answer = self._answers.get()
            if not isinstance(answer, (Result, SandboxError)):
                return answer
            self._end = answer
        if isinstance(self._end, SandboxError):
            raise self._end
        raise Ended(self._end)

    def close(self) -> None:
        """End the child, whatever it is doing."""
        self._calls.put(None)
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        options = {
            "services": {EXCHANGE: self._exchange},
            **self._texts,
            **self._files,
            **self._limits,
        }
        try:
            if self._is_one_of_many:
                [result] = self._sandbox.run_many(self._program, [""], **options)
            else:
                result = self._sandbox.run(self._program, "", **options)
        except SandboxError as error:
            self._answers.put(error)
        except BaseException as error:  # `call` waits for an answer, and must not for ever
            self._answers.put(SandboxError(f"{type(error).__name__}: {error}"))
        else:
            self._answers.put(result)

    def _exchange(self, answer: Any = None) -> list[Any]:
        if self._asked:
            self._answers.put(answer)
        self._asked = True
        call = self._calls.get()
        if call is None:
            raise _NoMoreCalls("no more calls")
        return call


def is_answer(kind: Any, content: Any) -> bool:
    """Return True for how a request went, and what it gave.

    The content is the names of an exception's class and bases, the words of a value, and whether
    something lives on.
    """
    if kind not in ("returned", "stopped", "raised"):
        return False
    if not isinstance(content, list) or len(content) != 3:
        return False
    names, words, _ = content
    if not isinstance(names, list) or not isinstance(words, list):
        return False
    return all(isinstance(name, str) for name in names)
