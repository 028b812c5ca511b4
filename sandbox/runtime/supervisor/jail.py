"""The powers that the supervisor gives up at its start, and what it found this host can do."""

import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sandbox.kernel import (
    keyrings,
    landlock,
    limits,
    namespaces,
    native_calls,
    privileges,
    seccomp,
)
from sandbox.kernel.libc import buffer
from sandbox.kernel.steps import Step, carry_out
from sandbox.kernel.syscall_sets import INTERPRETER, NATIVE
from sandbox.policy.layers import OFF, REQUIRED
from sandbox.policy.plan import Plan
from sandbox.runtime.wire import protocol

if TYPE_CHECKING:
    from sandbox.runtime.supervisor.scratch import Directory

_KEPT = (  # inside the supervisor's own user namespace, and worth nothing outside of it
    privileges.CAP_KILL,  # end a child of another uid
    privileges.CAP_SETUID,  # give each child a uid of its own
    privileges.CAP_SETGID,
    privileges.CAP_SYS_ADMIN,  # give each child a PID namespace of its own
    privileges.CAP_SYS_RESOURCE,  # tighten a waiting child's address space
)
_SCARCE = {errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM}
_FOLDERS_ARE_ENTERED = 0o022  # by children of another uid, whatever the caller's umask is
_ANY_PID = 0x7E57ED01  # stands for the child's pid in the filter, which is assembled once


class LayerMissing(Exception):
    """A layer that the policy requires cannot be had here."""

    def __init__(self, layer: str, reason: str) -> None:
        super().__init__(layer, reason)
        self.layer, self.reason = layer, reason


@dataclass(slots=True)
class Jail:
    """The active layers, why the rest is not, and what children need to be confined."""

    active: dict[str, str] = field(default_factory=dict)  # layer: what exactly holds
    missing: dict[str, str] = field(default_factory=dict)  # layer: why not
    pid_namespaces: bool = False
    ipc_namespaces: bool = False  # one per child, as the supervisor's could not be emptied
    child_uids: int = 0
    landlock_ruleset: int | None = None
    syscall_filter: "ctypes.Array[ctypes.c_char] | None" = None
    stack_bytes: int = 0
    shown: tuple[str, ...] = ()  # what children may read, where there is a mount namespace
    own_pids: list[int] = field(default_factory=list)  # the supervisor's and the forker's
    scratch: "Directory | None" = None  # each child's own, in a mount namespace of its own
    landlock_version: int = 0  # where each child makes its own domain: one above it could not mount
    listed: tuple[str, ...] = ()  # folders whose names children may read


def enter(
    plan: Plan, cgroup: str, shown: tuple[str, ...] = (), scratch: "Directory | None" = None
) -> Jail:
    """Give up every power that a fork server does not need. Raises LayerMissing.

    `shown` are paths that children may read. Without the layer namespaces they are not: Landlock
    lets no other file be opened, but hides none. Nor is there a file system of each child's own,
    for which `scratch` is, without that layer.

    From the outside in: namespaces need the privileges, Landlock needs no_new_privs.
    """
    jail = Jail(stack_bytes=limits.stack_bytes(), shown=shown)
    jail.active["process"] = "a fresh interpreter, one child per execution"
    if plan.language:
        jail.active["language"] = "RestrictedPython under the policy's grants"
    _note(plan, jail, "interpreter", "no native power left to reach; any use of one ends the child")
    _attempt(plan, jail, "rlimits", lambda _: _check_limits(plan))
    _note(plan, jail, "descriptors", "only the result pipe is open while the guest runs")
    if cgroup:
        jail.active["cgroup"] = cgroup
    elif plan.layers["cgroup"] != OFF:
        jail.missing["cgroup"] = (
            "no delegated cgroup v2 directory with memory, pids and cpu controllers"
        )
    _attempt(plan, jail, "namespaces", lambda jail: _enter_namespaces(jail, scratch))
    _attempt(plan, jail, "privileges", _drop_privileges)
    _attempt(plan, jail, "landlock", _enter_landlock)
    _attempt(plan, jail, "seccomp", lambda jail: _prepare_seccomp(jail, rules(plan, jail)))
    _check_required(plan, jail)
    return jail


def has_threads(plan: Plan, jail: Jail) -> bool:
    """Say whether threads can be bounded: outside of a namespace a uid has other processes, too."""
    return plan.threads > 0 and jail.pid_namespaces


def rules(plan: Plan, jail: Jail) -> tuple[seccomp.Rule, ...]:
    if not plan.opens:
        return INTERPRETER if plan.language else INTERPRETER + NATIVE
    own = () if jail.scratch is None else jail.scratch.rules
    return native_calls.rules(files=jail.pid_namespaces, threads=has_threads(plan, jail), own=own)


def forking(jail: Jail) -> Step:
    """Make the step that forks a child of this process's parent, in the namespaces not shared."""
    own = {"pid_namespace": jail.pid_namespaces, "ipc_namespace": jail.ipc_namespaces}
    return namespaces.forking_sibling(**own, mount_namespace=jail.scratch is not None)


def know_own_pid(jail: Jail) -> None:
    """Put its own pid, not just 1, into the filter of a child without a PID namespace."""
    if jail.syscall_filter is not None and not jail.pid_namespaces:
        placeholder, own = struct.pack("<I", _ANY_PID), struct.pack("<I", os.getpid())
        jail.syscall_filter.raw = jail.syscall_filter.raw.replace(placeholder, own)


def child_uid(jail: Jail, slot: int) -> int | None:
    """Return the uid of the child in `slot`, None where all share one."""
    return 1 + slot % jail.child_uids if jail.child_uids else None


def _note(plan: Plan, jail: Jail, layer: str, detail: str) -> None:
    if plan.layers[layer] != OFF:
        jail.active[layer] = detail


def _check_limits(plan: Plan) -> str:
    limits.check_cpu_time(plan.limits.cpu_seconds)
    return "CPU, address space, files, processes, descriptors"


def _attempt(plan: Plan, jail: Jail, layer: str, step: Callable[[Jail], str]) -> None:
    if plan.layers[layer] == OFF:
        return
    try:
        jail.active[layer] = step(jail)
    except OSError as error:
        reason = error.args[1] if len(error.args) > 1 else str(error)
        if isinstance(error, ChildProcessError):  # no reason to open without the layer
            raise LayerMissing(protocol.KILLED, reason) from error
        if error.errno in _SCARCE:  # a matter of the moment: no reason to open without the layer
            limits_of = "descriptors and processes (`ulimit -n`, `ulimit -u`)"
            raise LayerMissing(
                "process",
                f"the layer {layer} ran into a limit: {reason}: raise those of {limits_of}",
            ) from error
        jail.missing[layer] = reason


def _check_required(plan: Plan, jail: Jail) -> None:
    for layer, wish in plan.layers.items():
        if wish == REQUIRED and layer not in jail.active:
            raise LayerMissing(layer, jail.missing.get(layer, "switched off"))
    for group in plan.require_any:
        if not any(layer in jail.active for layer in group):
            reasons = "; ".join(f"{name}: {jail.missing.get(name, 'off')}" for name in group)
            raise LayerMissing(" or ".join(group), reasons)


def _enter_namespaces(jail: Jail, scratch: "Directory | None") -> str:
    os.umask(_FOLDERS_ARE_ENTERED)
    enter = namespaces.enter if scratch is None else scratch.enter
    # Half-entered namespaces cannot be left: see first whether it works.
    _try_in_a_fork(lambda: enter(jail.shown))
    identity = enter(jail.shown)
    jail.pid_namespaces, jail.scratch = True, scratch
    jail.ipc_namespaces = not identity.empty_ipc
    jail.child_uids = identity.child_uids
    own = f"{identity.child_uids} uids" if identity.child_uids else "one uid"
    ipc = "no ipc objects" if identity.empty_ipc else "ipc of each child"
    root = f"read-only root with {len(jail.shown)} paths" if jail.shown else "empty read-only root"
    if scratch is not None:
        root += f" and {scratch.kib} KiB of scratch directory for each child"
    return f"user, pid, mount, net, {ipc}, uts, cgroup; {root}; {own} for children"


def _try_in_a_fork(enter: Callable[[], object]) -> None:
    """Enter namespaces in a process that ends at once. Raises OSError with what it met.

    That is ChildProcessError if something outside killed one of the processes that it takes.
    """
    answer_r, answer_w = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            enter()
            if namespaces.fork(pid_namespace=True) == 0:
                os._exit(0)
        except BaseException as error:
            code = error.errno if isinstance(error, OSError) and error.errno else 0
            os.write(answer_w, f"{code} {error.args[-1] if error.args else error}".encode()[:500])
        finally:
            os._exit(0)
    os.close(answer_w)
    with open(answer_r, "rb") as stream:
        answer = stream.read().decode()
    _, status = os.waitpid(pid, 0)
    if os.WIFSIGNALED(status):
        raise ChildProcessError(errno.ECHILD, "something outside killed the process that tries it")
    if answer:
        number, _, text = answer.partition(" ")
        raise OSError(int(number), text)


def _drop_privileges(jail: Jail) -> str:
    if not jail.pid_namespaces and os.getuid() == 0:
        privileges.empty_bounding_set()
        carry_out(privileges.become(namespaces.NOBODY, namespaces.NOBODY))
    privileges.empty_bounding_set()
    keys = "sealed keyrings" if keyrings.leave_session() else "no keyrings on this host"
    if jail.pid_namespaces and not jail.child_uids:  # else each child does it for its own uid
        carry_out(keyrings.seal_user())
    carry_out(
        [
            privileges.set_capabilities(_KEPT if jail.pid_namespaces else ()),
            privileges.forbid_new_privileges(),
            privileges.not_dumpable(),
        ]
    )
    if not jail.pid_namespaces:
        carry_out([privileges.stay_dropped()])
    own = f"uid {os.getuid() or 'mapped'}"
    return f"no capability, no_new_privs, not dumpable, {own}, {keys}"


def _enter_landlock(jail: Jail) -> str:
    version = landlock.abi()
    # Those of the new root have nothing else; of the host's own no name is to be read.
    listed = _folders(jail.shown) if jail.pid_namespaces else ()
    if jail.scratch is not None:
        if version < 1:
            raise OSError(errno.ENOSYS, "landlock_create_ruleset: not available")
        carry_out([privileges.forbid_new_privileges()])
        jail.landlock_version, jail.listed = version, listed
        return f"{landlock.promises(version)}; each child makes a domain of its own"
    ruleset = landlock.deny_all_ruleset(version, jail.shown, listed)
    carry_out([privileges.forbid_new_privileges(), landlock.restrict_self(ruleset)])
    jail.landlock_ruleset = ruleset  # each child adds a domain of its own, for the signal scope
    return landlock.promises(version)


def _folders(shown: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folders that the import system lists: those above `shown` up to its own path."""
    found: set[str] = set()
    for path in shown:
        above = os.path.dirname(path)
        between = set[str]()
        while above not in ("", "/"):
            between.add(above)
            if above in sys.path:
                found |= between
            above = os.path.dirname(above)
    return tuple(sorted(found))


def _prepare_seccomp(jail: Jail, rules: tuple[seccomp.Rule, ...]) -> str:
    if not seccomp.available():
        raise OSError(38, "seccomp filters: not available on this kernel or machine")
    carry_out([privileges.forbid_new_privileges()])
    program = seccomp.assemble(rules, {"pid": 1 if jail.pid_namespaces else _ANY_PID})
    jail.syscall_filter = buffer(program)
    return "allow-list with checked arguments, the rest kills"
