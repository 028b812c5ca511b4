"""The input of an execution, and the record of it when it is over."""

import codecs
from dataclasses import dataclass, field

from sandbox.job import Services
from sandbox.policy.limits import Limits
from sandbox.runtime.wire import files
from sandbox.runtime.wire.protocol import CODE, OUTPUT, Caps, ProtocolError
from sandbox.runtime.wire.untrusted_json import Bounds

_UTF8 = codecs.getincrementaldecoder("utf-8")


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A job, ready for a child, and its bounds: everything that a second attempt needs."""

    name: str  # for messages
    data: bytes | memoryview  # for the job pipe
    key: bytes  # the child's vault puts it before the final frame; no other code there knows it
    caps: Caps
    most: Bounds  # of a value that the guest gives
    limits: Limits  # in force, and what the result is judged by
    less_memory_bytes: int  # than the policy's
    wait_for_exit: bool
    services: Services | None = None  # with some, the job pipe stays open for answers
    fetch: tuple[str, ...] = ()  # patterns of the files that may come back


@dataclass(slots=True)
class Exit:
    """The kernel's word of a child's end."""

    cause: bytes
    status: int
    cpu_seconds: float  # from the hand-over to the final frame, if there was one
    peak_rss_bytes: int


class Printed:
    """The output of a guest: decoded as it comes, so that the caller need not wait at the end."""

    __slots__ = ("_decode", "_parts", "size")

    def __init__(self) -> None:
        self.size = 0  # bytes
        self._parts: list[str] = []
        self._decode = _UTF8("replace").decode

    def add(self, data: bytes) -> None:
        """Take what has come, wherever it is cut."""
        self.size += len(data)
        self._parts.append(self._decode(data))

    def text(self) -> str:
        """Return all of it; what is no UTF-8 is U+FFFD."""
        return "".join([*self._parts, self._decode(b"", final=True)])


@dataclass(slots=True)
class ExecutionRecord:
    """Everything that is known of one execution when it is over."""

    printed: Printed = field(default_factory=Printed)
    complained: Printed = field(default_factory=Printed)  # on standard error
    files: dict[str, bytes] = field(default_factory=dict)
    files_bytes: int = 0
    code: bytes = b""
    final: bytes | None = None
    exit: Exit | None = None
    broke_protocol: str = ""
    fed: bool = False  # the whole job was written; before that no guest code can have run
    out_of_wall: bool = False
    lost: bool = False  # the supervisor is gone, or gave no child: run it again
    hung: bool = False  # the supervisor did not do as it was told: give it no more jobs
    called: bool = False  # a service of the caller's was called, and keeps what it was told
    fault: str = ""  # the sandbox's own
    wall_seconds: float = 0.0  # all that passed
    own_seconds: float = 0.0  # of these, what the guest had for itself
    stopped_seconds: float = 0.0  # of these, how long something outside had stopped it

    def take(self, kind: bytes, data: bytes) -> None:
        """Note what a frame of output, of standard error or of code has."""
        if kind == CODE:
            self.code = data
        else:
            (self.printed if kind == OUTPUT else self.complained).add(data)

    def take_file(self, payload: bytes, submission: Submission) -> None:
        """Note a file. Raises ProtocolError for one that no honest child sends."""
        try:
            name, content = files.unpacked(payload)
        except ValueError as error:
            raise ProtocolError(str(error)) from None
        if name in self.files or not files.is_named(name, submission.fetch):
            raise ProtocolError("a file that was not asked for")
        self.files[name] = content
        self.files_bytes += len(content)
        limits = submission.limits
        if len(self.files) > limits.files_count or self.files_bytes > limits.files_kib << 10:
            raise ProtocolError("more files than it may send")
