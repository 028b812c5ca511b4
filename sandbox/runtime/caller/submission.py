"""From a job to what is handed to a child: sizes checked, limits tightened, the bytes made."""

import hashlib
import operator
import os
import resource
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sandbox.errors import Problem, SandboxUnavailable, policy_error
from sandbox.interpreter.vault.keys import KEY_BYTES
from sandbox.job import Files, Job
from sandbox.language.guest.collector import ERROR_BYTES
from sandbox.policy.limits import Limits
from sandbox.policy.plan import Plan, Scratch
from sandbox.policy.tighten import tighten
from sandbox.result import Result, Status
from sandbox.runtime.caller.remedies import remedy_for
from sandbox.runtime.executions.record import Submission
from sandbox.runtime.executions.verdict import Setting
from sandbox.runtime.wire import files
from sandbox.runtime.wire.protocol import FINAL_BYTES, Caps, most_frames
from sandbox.runtime.wire.task import CALL, COMPILE, RUN, Task
from sandbox.runtime.wire.trusted_json import copy_kwargs, copy_plain
from sandbox.runtime.wire.untrusted_json import Bounds

_CODE_BYTES = 64 << 20
_PAGE = resource.getpagesize()
# What is compiled or read, and the limit that it is held to. A postamble is of the caller's making.
_SIZES = (
    ("source", operator.attrgetter("code"), "source_kib"),
    ("preamble", operator.attrgetter("preamble"), "source_kib"),
    ("stdin", operator.attrgetter("stdin"), "stdin_kib"),
)


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that every submission of one sandbox shares. It can be pickled."""

    plan: Plan
    setting: Setting
    wait_for_exit: bool
    no_scratch: str = ""  # why this host has none of what the policy grants


def submit(
    job: Job, terms: Terms, *, code: bytes = b"", after: bytes = b"", compile_only: bool = False
) -> Submission | Result:
    """Prepare `job` for a child; where it is too large for one, give the result that says so.

    `code` and `after` are those of `Task`. Raises PolicyError for a limit that is unknown or wider
    than the policy's and for services that it does not grant, TypeError for what is no text,
    and ValueError for arguments that are not plain data and for a name that no service can
    have.
    """
    plan = terms.plan
    limits = tighten(plan.limits, job.limits) if job.limits else plan.limits
    if job.services:
        check_services(job.services, plan)
    if job.files or job.fetch:
        job = _with_files(job, terms)
    if reason := _too_large(job, limits, plan.scratch):
        return _refused(reason, terms)
    mode = COMPILE if compile_only else RUN if job.entry is None else CALL
    if mode == CALL:
        args, kwargs = copy_plain(tuple(job.args)), copy_kwargs(job.kwargs)
        job = replace(job, args=args, kwargs=kwargs)
    return _submission(Task(mode, job, code, after), limits, terms)


def _submission(task: Task, limits: Limits, terms: Terms) -> Submission:
    job, output_bytes = task.job, limits.output_bytes
    key = os.urandom(KEY_BYTES)
    return Submission(
        name=f"job {fingerprint(job.code)}",
        data=task.encode(key),
        key=key,
        limits=limits,
        caps=Caps(
            output=output_bytes,
            errors=min(output_bytes, ERROR_BYTES),
            final=FINAL_BYTES + (output_bytes if task.mode == CALL else 0),
            code=_CODE_BYTES if task.mode == COMPILE else 0,
            ask=output_bytes if job.services else 0,
            files=files.cap(limits.files_kib, limits.files_count) if job.fetch else 0,
            frames=most_frames(output_bytes, limits.wall_seconds),
        ),
        most=Bounds(output_bytes, limits.value_items, limits.value_depth),
        less_memory_bytes=(terms.plan.limits.memory_mib - limits.memory_mib) << 20,
        wait_for_exit=terms.wait_for_exit,
        services=job.services or None,
        fetch=tuple(job.fetch),
    )


def _with_files(job: Job, terms: Terms) -> Job:
    """Return `job` with its files as bytes and its patterns checked."""
    plan = terms.plan
    if not plan.language and plan.scratch is None:
        reason = f"policy '{plan.name}' has none: it needs [files], or language = 'restricted'"
        raise policy_error(Problem(key="files" if job.files else "fetch", reason=reason))
    if not plan.language and terms.no_scratch:
        reason = f"a scratch directory is mounted in a mount namespace: {terms.no_scratch}"
        raise SandboxUnavailable("namespaces", reason, remedy_for("namespaces"))
    return replace(job, files=files.given(job.files), fetch=files.patterns(job.fetch))


def check_services(names: Iterable[object], plan: Plan) -> None:
    """Raise PolicyError if the policy grants none, ValueError for a name that none can have."""
    if not plan.services:
        reason = f"policy '{plan.name}' grants none"
        raise policy_error(Problem(key="services", reason=reason))
    for name in names:
        if not (isinstance(name, str) and name.isidentifier()) or name.startswith("__"):
            raise ValueError(f"a service cannot be called {name!r}")


def check_text(code: object, stdin: object, limits: Limits) -> str:
    """Say why a cell is sent to no child; empty if it is. Raises TypeError for what is no text."""
    for name, text, limit in (("source", code, "source_kib"), ("stdin", stdin, "stdin_kib")):
        if reason := _too_long_text(name, text, limit, limits):
            return reason
    return ""


def _too_long_text(name: str, text: object, limit: str, limits: Limits) -> str:
    if not isinstance(text, str):
        raise TypeError(f"{name} must be a str, not {_kind(text)}")
    cap_kib = getattr(limits, limit)
    if len(text) > cap_kib << 10 or _utf8_length(text) > cap_kib << 10:
        return f"{limit}: the {name} is larger than {cap_kib} KiB"
    return ""


def _too_large(job: Job, limits: Limits, scratch: Scratch | None) -> str:
    """Say why the job is sent to no child; empty if it is. Raises TypeError for what is no text."""
    for name, of_job, limit in _SIZES:
        if reason := _too_long_text(name, of_job(job), limit, limits):
            return reason
    if not isinstance(job.postamble, str):
        raise TypeError(f"postamble must be a str, not {_kind(job.postamble)}")
    if job.files and (reason := _too_many(job.files, limits, scratch)):
        return reason
    return _too_long(job.argv, limits) if job.argv != () else ""


def _too_many(given: Files, limits: Limits, scratch: Scratch | None) -> str:
    if len(given) > limits.files_count:
        return f"files_count: the job has more than {limits.files_count:,} files"
    if sum(map(len, given.values())) > limits.files_kib << 10:
        return f"files_kib: the files are larger than {limits.files_kib} KiB"
    return "" if scratch is None else _not_fitting(given, scratch)


def _not_fitting(given: Files, scratch: Scratch) -> str:
    """Say why `given` is more than a program's file system holds, which has whole pages."""
    pages = sum((len(content) + _PAGE - 1) // _PAGE for content in given.values())
    if pages * _PAGE > scratch.kib << 10:
        return f"scratch_kib: the files take more than {scratch.kib} KiB, in whole pages"
    above = {name[:at] for name in given for at, char in enumerate(name) if char == "/" and at}
    above.difference_update(("/tmp", "/mnt"))  # which are there, and count for nobody
    if len(given) + len(above) > scratch.count:
        return f"scratch_count: more than {scratch.count:,} files and directories"
    return ""


def _too_long(argv: Sequence[str], limits: Limits) -> str:
    known = isinstance(argv, (list, tuple))
    if not known or not all(isinstance(each, str) for each in argv):
        raise TypeError("argv must be a list of str")
    if sum(map(_utf8_length, argv)) > limits.stdin_kib << 10:
        return f"stdin_kib: argv is larger than {limits.stdin_kib} KiB"
    return ""


def _refused(reason: str, terms: Terms) -> Result:
    return Result(
        output="",
        error=f"{reason} (policy '{terms.plan.name}')",
        status=Status.DENIED,
        layers=terms.setting.layers,
        policy=terms.plan.name,
    )


def fingerprint(source: str) -> str:
    """Return the first 12 hexadecimal digits of the source's SHA-256: names a job in a message."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _kind(value: object) -> str:
    return type(value).__name__
