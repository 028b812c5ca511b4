"""Deliberate holes, each in a throw-away build: the campaign has to find them.

`supervisor` is source that runs in the supervisor before it serves; `caller` changes this process
for as long as it is open. `area` is where a hole is: the campaign looks at that area alone, as the
others do not come by the changed code.
"""

import contextlib
import inspect
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sandbox import Status
from sandbox.grading.asserts.assertions import AssertionRun
from sandbox.grading.grade_row import Row
from sandbox.grading.verdicts import passed
from sandbox.runtime.caller import supervisor_handle
from sandbox.runtime.executions import verdict
from sandbox.runtime.wire.protocol import FrameReader

Patch = Callable[[], contextlib.AbstractContextManager[None]]

# What the sources below share: to replace a function wherever it was imported to.
_HELP = """
import sys
from sandbox.language.compile import names, dialect
from sandbox.language.guards import builtin_guards, evaluation, global_names, guards
from sandbox.language.guards.attributes import access_hooks, attribute_guards, formatting
from sandbox.language.guest import importer
from sandbox.language.compile import nodes
from sandbox.language.guest import world
from sandbox.language.guards.classes import match_args
from sandbox.kernel import descriptors, landlock, limits, namespaces, numbers, privileges, seccomp
from sandbox.kernel import timers
from sandbox.kernel.seccomp import Check, Rule
from sandbox.kernel.steps import step
from sandbox.runtime.supervisor import jail, preparation, room, start

def everywhere(old, new):
    for name, module in list(sys.modules.items()):
        if name.startswith("sandbox."):
            for key, value in list(vars(module).items()):
                if value is old: setattr(module, key, new)

def undeny(*opened):
    old = names.read_kind
    everywhere(old, lambda name: 0 if name in opened else old(name))

def afterwards(change):
    build = preparation.build_world
    def built(plan, *rest):
        made = build(plan, *rest)
        change(made)
        return made
    preparation.build_world = built

def allow(**calls):
    numbers.NUMBERS.update(calls)
    jail.NATIVE = (*jail.NATIVE, *(Rule(name, "planted") for name in calls))
"""


@dataclass(frozen=True, slots=True)
class Hole:
    """One hole."""

    area: str
    supervisor: str = ""
    caller: Patch | None = None
    python: tuple[int, int] = (3, 11)

    @property
    def source(self) -> str:
        """What to plant in every supervisor."""
        return f"{_HELP}{self.supervisor}" if self.supervisor else ""


def _replacing(owner: Any, name: str, new: Any) -> Patch:
    asked, given = (
        list(inspect.signature(each).parameters) for each in (getattr(owner, name), new)
    )
    if asked != given:  # else its TypeError would be what is found
        raise TypeError(f"{name} has the parameters {asked}, what takes its place {given}")

    @contextlib.contextmanager
    def patch() -> Iterator[None]:
        old = getattr(owner, name)
        setattr(owner, name, new)
        try:
            yield
        finally:
            setattr(owner, name, old)

    return patch


def _believe_signals(number: int, ended: Any, record: Any, name: str) -> Any:
    return None if record.final is not None else _BY_SIGNAL(number, ended, record, name)


def _read_on(self: FrameReader, data: bytes) -> list[tuple[bytes, bytes]]:
    frames = _FEED(self, data)
    while self.finished:
        self.finished = False
        frames += _FEED(self, b"")
    return frames


def _parse_loosely(payload: bytes, limits: Any) -> Any:
    import json

    data = json.loads(payload)
    said = data.get("status")
    status = Status(said) if said in list(Status) else Status.OK
    return verdict._Said(status, str(data.get("error", "")), "", data.get("value"))


def _exit_is_success(record: Any, ended: Any, layers: Any, name: str) -> Any:
    return verdict._Said(Status.OK)


@contextlib.contextmanager
def _whole_environment() -> Iterator[None]:
    environment, boot = supervisor_handle._environment, supervisor_handle._BOOT
    supervisor_handle._environment = lambda: {**os.environ, "PYTHONHASHSEED": "0"}
    supervisor_handle._BOOT = boot.replace(" or len(keep) < len(os.environ)", "")
    supervisor_handle._BOOT = supervisor_handle._BOOT.replace(
        "sys.orig_argv, keep)", "sys.orig_argv, os.environ)"
    )
    try:
        yield
    finally:
        supervisor_handle._environment, supervisor_handle._BOOT = environment, boot


def _ended_is_right(self: AssertionRun, verdict: str, reason: str) -> Any:
    return passed() if self._ended else _CASE(self, verdict, reason)


def _exit_is_right(self: Row, result: Any, is_right: Any) -> Any:
    return passed() if "SystemExit" in result.error else _COMPARED(self, result, is_right)


_CASE, _COMPARED = AssertionRun._case, Row._compared
_FEED, _BY_SIGNAL = FrameReader.feed, verdict._by_signal

HOLES: dict[str, Hole] = {
    # -- the language layer
    "frames of generators can be named": Hole("language", 'undeny("gi_frame")'),
    "frames of tracebacks can be named": Hole("language", 'undeny("tb_frame")'),
    "globals of functions can be named": Hole("language", 'undeny("__globals__")'),
    "code of functions can be named": Hole("language", 'undeny("__code__")'),
    "builtins of functions can be named": Hole("language", 'undeny("__builtins__")'),
    "what a host's method is bound to can be named": Hole("language", 'undeny("__self__")'),
    "subclasses are not looked at": Hole(
        "language",
        "attribute_guards.Attributes._subclasses = lambda self, name, found: found.bind()",
    ),
    "namespaces of host classes are handed out": Hole(
        "language", "attribute_guards.Attributes._dict = lambda self, name, found: found.bind()"
    ),
    "the attribute guard reads whatever it is asked": Hole(
        "language", "guards.Guards.read = lambda self, o, name: getattr(o, name)"
    ),
    "getattr is the real one": Hole(
        "language", "guards.Guards.getattr = lambda self, o, name, *rest: getattr(o, name, *rest)"
    ),
    "str.format walks by itself": Hole(
        "language",
        "everywhere(formatting.guarded_format,"
        " lambda text, args, kwargs, read: text.format(*args, **kwargs))",
    ),
    "str.format_map walks by itself": Hole(
        "language",
        "everywhere(formatting.guarded_format_map,"
        " lambda text, mapping, read: text.format_map(mapping))",
    ),
    "keywords of class patterns are not checked": Hole(
        "language", "everywhere(names.may_match, lambda name: True)"
    ),
    "__match_args__ is not checked": Hole(
        "language",
        "everywhere(names.may_match, lambda name: True)\n"
        "everywhere(match_args.check_match_args, lambda value: None)",
    ),
    "import finds the real modules": Hole(
        "language", "importer.Importer.find = lambda self, name, *rest: __import__(name, *rest)"
    ),
    "a facade keeps a private name": Hole(
        "language",
        "import os\nafterwards(lambda made: vars(made.importer.facades['random']).update(_os=os))\n"
        "undeny('_os')",
    ),
    "open is the real one": Hole(
        "language", "afterwards(lambda made: made.state.builtins.update(open=open))"
    ),
    "host objects can be written to": Hole(
        "language",
        "start.seal = lambda made: None",
    ),
    "globals() shows what is ours": Hole(
        "language",
        "everywhere(global_names.visible, dict)\neverywhere(global_names.is_visible, bool)",
    ),
    "every variable can be read": Hole(
        "language", "everywhere(names.may_read_variable, lambda name: True)"
    ),
    "type is the real one": Hole(
        "language", "afterwards(lambda made: made.state.builtins.update(type=type))"
    ),
    "attrgetter is the real one": Hole(
        "language",
        "import operator\nafterwards(lambda made:"
        " vars(made.importer.facades['operator']).update(attrgetter=operator.attrgetter))",
    ),
    "sys shows its modules": Hole(
        "language",
        "afterwards(lambda made: vars(made.importer.facades['sys']).update(modules=sys.modules))",
    ),
    "sys hands out frames": Hole(
        "language",
        "afterwards(lambda made: vars(made.importer.facades['sys']).update("
        "_getframe=sys._getframe))\nundeny('_getframe', 'f_back', 'f_globals')",
    ),
    "eval compiles without the policy": Hole(
        "language",
        "everywhere(evaluation.compile_under,"
        " lambda session, source, mode: compile(source, '<program>', mode))",
    ),
    # -- grading
    "a program that ends passes its assertions": Hole(
        "grader", caller=_replacing(AssertionRun, "_case", _ended_is_right)
    ),
    "a program that exits has the right answer": Hole(
        "grader", caller=_replacing(Row, "_compared", _exit_is_right)
    ),
    # -- the kernel layers
    "the filter lets files be opened": Hole("seccomp", "allow(openat=257)"),
    "the filter lets connections be made": Hole(
        "seccomp", "allow(socket=41, connect=42, sendto=44)"
    ),
    "the filter lets memory be executable": Hole(
        "seccomp", "jail.NATIVE = (*jail.NATIVE, Rule('mmap', 'planted'))"
    ),
    "the filter lets every descriptor be written to": Hole(
        "seccomp", "jail.NATIVE = (*jail.NATIVE, Rule('write', 'planted'))"
    ),
    "the filter lets processes be made": Hole(
        "seccomp", "allow(clone=56, wait4=61, set_robust_list=273, rseq=334)"
    ),
    "the filter lets other processes be read": Hole(
        "seccomp", "allow(process_vm_readv=310, process_vm_writev=311, ptrace=101)"
    ),
    "the filter lets signals out": Hole("seccomp", "allow(kill=62)"),
    "Landlock does not handle making files": Hole(
        "landlock", "landlock._FS_BITS.update(dict.fromkeys(landlock._FS_BITS, 4))"
    ),
    "Landlock does not handle TCP": Hole("landlock", "landlock._NET_TCP = 0"),
    "the network namespace is the host's": Hole(
        "namespaces", "namespaces._HOST_VIEW &= ~namespaces._NEWNET"
    ),
    "the root is not emptied": Hole("namespaces", "namespaces._empty_root = lambda *_: None"),
    "Landlock lets signals out": Hole("landlock", "landlock._SCOPE_SIGNAL = 0"),
    "a high descriptor stays open": Hole(
        "descriptors",
        "close = descriptors.close_all_but\n"
        "descriptors.close_all_but = lambda *kept: close(*kept) if len(kept) != 2 else ["
        "step('dup3', 0, 260, 0), step('close_range', 0, 2, 0), step('close_range', 5, 259, 0)]",
    ),
    "processes are not limited": Hole(
        "rlimits", "room.beyond_language = lambda *_: limits.Room(0, 64, 0)"
    ),
    # -- limits
    "the CPU timer is not set": Hole("limits", "timers.CpuTimer.arm = lambda self, *_: None"),
    "memory is not bounded": Hole(
        "limits", "room.memory_bounds = lambda plan, jail, own: (1 << 40, 1 << 42)"
    ),
    # -- the caller's side
    "lengths of frames are not checked": Hole(
        "frames", caller=_replacing(FrameReader, "_check", lambda self, kind, length: None)
    ),
    "what follows the final frame is read": Hole(
        "frames", caller=_replacing(FrameReader, "feed", _read_on)
    ),
    "a signal after the final frame does not count": Hole(
        "frames", caller=_replacing(verdict, "_by_signal", _believe_signals)
    ),
    "exit status 0 is success": Hole(
        "frames", caller=_replacing(verdict, "_by_exit", _exit_is_success)
    ),
    "final frames are read loosely": Hole(
        "frames", caller=_replacing(verdict, "_parse", _parse_loosely)
    ),
    "text may be such that no file takes it": Hole(
        "frames", caller=_replacing(verdict, "_writable", lambda text: text)
    ),
    "the caller's environment is inherited": Hole("kernel", caller=_whole_environment),
}
