"""Programs compiled once for many inputs, by a child that does nothing else."""

import hashlib
import threading
from collections import OrderedDict

from sandbox.job import Job, Program
from sandbox.result import Result, Status
from sandbox.runtime.caller.submission import Terms, submit
from sandbox.runtime.executions.runner import Runner

_LASTING = (Status.SYNTAX, Status.DENIED)  # of the source; all else is of the moment
_KEPT = 32
_SEEN = 1000
_WORTH_CHARS = 2000  # which take a millisecond
_KEPT_BYTES = 32 << 20  # two kilobytes of source can compile to twenty million


class Compiler:
    """Compiles and remembers. The bytes are opaque here: only children ever read them.

    One compiler belongs to one sandbox, so policy, version and interpreter are given; the source's
    hash is the key.
    """

    def __init__(self, terms: Terms, runner: Runner) -> None:
        self._terms, self._runner = terms, runner
        self._kept: OrderedDict[bytes, bytes | Result] = OrderedDict()
        self._seen: OrderedDict[bytes, None] = OrderedDict()  # postambles, by hash
        self._lock = threading.Lock()

    def compile(self, program: Program) -> bytes | Result:
        """Return the program for the job pipe, or the result that says why there is none.

        Nothing, b"", for a program that each child has to compile for itself: its code would not do
        the same after a way through a pipe.
        """
        every = " ".join([*(str(len(text)) for text in program), *program])
        key = hashlib.sha256(every.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        job = Job(**program._asdict())
        submission = submit(job, self._terms, compile_only=True)
        record, result = self._runner.execute(submission)
        answer = record.code if result.ok else result
        if not result.ok and result.status not in _LASTING:
            return answer
        with self._lock:
            self._kept[key] = answer
            while len(self._kept) > 1 and self._keeps_too_much():
                self._kept.popitem(last=False)
        return answer

    def compile_again(self, postamble: str) -> bytes:
        """Return the code of `postamble` from the second request for it on; else b"".

        One that comes once is not worth a child.
        """
        if len(postamble) < _WORTH_CHARS:
            return b""
        key = hashlib.sha256(postamble.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            is_new = key not in self._seen
            self._seen[key] = None
            self._seen.move_to_end(key)
            if len(self._seen) > _SEEN:
                self._seen.popitem(last=False)
        code = b"" if is_new else self.compile(Program("", postamble=postamble))
        return code if isinstance(code, bytes) else b""

    def _keeps_too_much(self) -> bool:
        if len(self._kept) > _KEPT:
            return True
        kept = sum(len(code) for code in self._kept.values() if isinstance(code, bytes))
        return kept > _KEPT_BYTES

    def after_fork(self) -> None:
        """Replace the lock in a fork of the caller: another thread may have held it."""
        self._lock = threading.Lock()
